#include <cstdio>
#include <exception>
#include <new>

#include "command.h"
#include "extras.h"
#include "output.h"
#include "sinew/errors.h"

namespace {

using namespace sinew::cli;

/// The exit code, after everything was printed or it was said that it could not be.
int runToTheEnd(int argc, char** argv) {
  const int code = parseAndRun(argc, argv);
  flushOutput();
  return code;
}

/// To standard error, as far as that is possible: there is nobody left to tell.
void complain(const char* message) { std::fprintf(stderr, "error: %s\n", message); }

}  // namespace

int main(int argc, char** argv) {
  prepareStreams();
  rememberCommandLine(argc, argv);
  try {
    return runToTheEnd(argc, argv);
  } catch (const QuietExit& exit) {
    return exit.exitCode();
  } catch (const CommandError& error) {
    complain(error.what());
    return error.exitCode();
  } catch (const sinew::LoadError& error) {
    complain(error.what());
    return kBadInput;
  } catch (const std::bad_alloc&) {
    complain("not enough memory");
    return kProblem;
  } catch (const std::exception& error) {
    complain(error.what());
    return kProblem;
  }
}
