#pragma once

#include "command.h"
#include "sinew/errors.h"

namespace sinew::cli {

/// A closed pipe or a full disk becomes an error of the write that meets it instead of ending the program, and files
/// never take the place of a standard stream that was closed by the caller.
void prepareStreams();

/// Hands what was printed so far to the system. Throws CommandError (exit code 1) if standard output cannot take it.
void flushOutput();

/// Calls `write`, which writes a file. What it throws as a LoadError becomes a CommandError with exit code 1.
template <class F>
void writing(F&& write) {
  try {
    write();
  } catch (const LoadError& error) {
    throw CommandError(error.what(), kProblem);
  }
}

}  // namespace sinew::cli
