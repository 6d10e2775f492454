#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <sstream>
#include <string>

#include "command.h"
#include "sinew/version.h"

namespace sinew::cli {
namespace {

constexpr const char* kFooter =
    "Exit status: 0 done; 1 the run had problems, numbers differ or output could not be written;\n"
    "2 bad model, trace or usage; 130, 143 a run was stopped by SIGINT, SIGTERM.\n"
    "Results go to standard output, messages to standard error.";

constexpr const char* kNext =
    "Sinew {}: robots, cloth, ropes and soft solids in one simulation.\n\n"
    "  sinew demo                            watch the demo scene in your browser\n"
    "  sinew view MODEL.xml                  the same for a model of yours (MJCF or URDF)\n"
    "  sinew run MODEL.xml                   simulate 10 s and sum up; --out x.csv records, --html x.html replays\n"
    "  sinew render MODEL.xml --out x.png    a picture; x.gif and x.mp4 are films\n"
    "  sinew info MODEL.xml                  what is in a model\n"
    "  sinew COMMAND --help                  the options of a command\n";

}  // namespace

int parseAndRun(int argc, char** argv) {
  if (argc == 1) {
    fmt::print(kNext, kVersion);
    return 0;
  }
  CLI::App app{"Sinew: simulates, shows and inspects MJCF and URDF models", "sinew"};
  app.set_version_flag("--version", std::string(kVersion));
  app.footer(kFooter);
  app.require_subcommand(1);
  const std::array commands{addDemoCommand(app),   addRunCommand(app),     addViewCommand(app),
                            addRenderCommand(app), addInfoCommand(app),    addCompareCommand(app),
                            addBenchCommand(app),  addRolloutCommand(app), addValidateCommand(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help, --version
    std::ostringstream text;
    app.exit(request, text, text);
    fmt::print("{}", text.str());
    return 0;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "error: {}\nRun with --help for more information.\n", error.what());
    return kBadInput;
  }
  for (const Command& command : commands) {
    if (command.parser->parsed()) return command.execute();
  }
  return kBadInput;
}

}  // namespace sinew::cli
