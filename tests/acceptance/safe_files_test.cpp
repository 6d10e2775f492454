#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/archive.h"
#include "support/command.h"

/// Files and streams that refuse, fill up, never end, or must not be written: the command says so when it happens.
namespace sinew::test {
namespace {

constexpr const char* kModel = R"(<mujoco><worldbody><geom type="plane" size="1 1 1"/>
  <body pos="0 0 1"><freejoint name="ball"/><geom size=".1"/></body></worldbody>
  <actuator><motor name="push" joint="ball"/></actuator></mujoco>)";

TEST(SafeFiles, SAFE_4_OutputThatCannotBePrintedGivesStatusOne) {
  const TestFolder folder;
  const std::string model = folder.write("m.xml", kModel);
  for (const std::string& command :
       {"run '" + model + "' --steps 5", "run '" + model + "' --steps 5 --json", "info '" + model + "'",
        std::string("--help"), std::string("--version"), "bench '" + model + "' --steps 2 --warmup 1 --rounds 1"}) {
    const CommandResult full = runShell("\"$SINEW\" " + command + " >/dev/full");
    EXPECT_EQ(full.exitCode, 1) << command;
    EXPECT_EQ(full.err, "error: cannot write to standard output: No space left on device\n") << command;
    const CommandResult closed = runShell("\"$SINEW\" " + command + " >&-");
    EXPECT_EQ(closed.exitCode, 1) << command;
    EXPECT_EQ(closed.err, "error: cannot write to standard output: Bad file descriptor\n") << command;
    const CommandResult pipe = runShell("{ sleep 0.3; \"$SINEW\" " + command + "; echo \"code $?\" >&2; } | true");
    EXPECT_EQ(pipe.err, "error: cannot write to standard output: Broken pipe\ncode 1\n") << command;
  }
}

TEST(SafeFiles, SAFE_4_FilesNeverTakeThePlaceOfAClosedStream) {
  const TestFolder folder;
  const std::string model = folder.write("m.xml", kModel);
  const std::string arguments = "run '" + model + "' --steps 3 --out ";
  EXPECT_EQ(runShell("\"$SINEW\" " + arguments + "'" + folder.path("a.csv") + "' <&- >&- 2>&-").exitCode, 1);
  EXPECT_EQ(runShell("\"$SINEW\" " + arguments + "'" + folder.path("b.csv") + "'").exitCode, 0);
  EXPECT_EQ(folder.read("a.csv"), folder.read("b.csv"));
}

TEST(SafeFiles, SAFE_4_AFullDiskEndsTheRunWhenItIsFull) {
  const TestFolder folder;
  const std::string model = folder.write("m.xml", kModel);
  std::filesystem::create_symlink("/dev/full", folder.path("full.csv"));
  const CommandResult device = runSinew({"run", model, "--steps", "1000000000000", "--out", folder.path("full.csv")});
  EXPECT_EQ(device.exitCode, 1);
  EXPECT_EQ(device.err, "error: cannot write '" + folder.path("full.csv") + "': No space left on device\n");
  // a limit of the size of files stands for a disk that fills up while the run goes on; the run would last for years
  for (const std::string out : {"t.csv", "t.npz"}) {
    const CommandResult r = runShell("ulimit -f 200; \"$SINEW\" run '" + model + "' --steps 1000000000000 --out '" +
                                     folder.path(out) + "'");
    EXPECT_EQ(r.exitCode, 1) << out;
    EXPECT_EQ(r.out, "");
    EXPECT_NE(r.err.find("File too large"), std::string::npos) << r.err;
  }
  unzip(folder.read("t.npz"));  // what was complete is still there
  // no file at all may be written, not even one that takes the message: it comes through a pipe
  const CommandResult r =
      runShell("said=$( (ulimit -f 0; \"$SINEW\" run '" + model + "' --steps 1000000000000 --checkpoint '" +
               folder.path("c") + "') 2>&1); code=$?; echo \"$said\" >&2; exit $code");
  EXPECT_EQ(r.exitCode, 1);
  EXPECT_EQ(r.err, "error: " + folder.path("c") + ": cannot write the file: File too large\n");
  EXPECT_FALSE(std::filesystem::exists(folder.path("c")));
  EXPECT_FALSE(std::filesystem::exists(folder.path("c.part")));
}

TEST(SafeFiles, SAFE_4_PathsThatCannotBeWrittenAreNamedBeforeTheRun) {
  const TestFolder folder;
  const std::string model = folder.write("m.xml", kModel);
  std::filesystem::create_directory(folder.path("folder.csv"));
  std::filesystem::create_directory(folder.path("folder.npz"));
  std::filesystem::create_directory(folder.path("folder.html"));
  // nobody reads from the other end: a write would wait for ever
  for (const char* pipe : {"pipe.csv", "pipe.npz", "pipe.html"}) {
    ASSERT_EQ(mkfifo(folder.path(pipe).c_str(), 0600), 0);
  }
  for (const auto& [option, file, why] :
       std::vector<std::array<std::string, 3>>{{"--out", folder.path("no/t.csv"), "No such file or directory"},
                                               {"--out", folder.path("no/t.npz"), "No such file or directory"},
                                               {"--checkpoint", folder.path("no/c"), "No such file or directory"},
                                               {"--out", folder.path("folder.csv"), "Is a directory"},
                                               {"--out", folder.path("folder.npz"), "found a folder"},
                                               {"--checkpoint", folder.path("folder.npz"), "found a folder"},
                                               {"--checkpoint", "/dev/full", "found a device"},
                                               {"--html", folder.path("no/t.html"), "No such file or directory"},
                                               {"--html", folder.path("folder.html"), "found a folder"},
                                               {"--out", folder.path("pipe.csv"), "found a pipe"},
                                               {"--out", folder.path("pipe.npz"), "found a pipe"},
                                               {"--html", folder.path("pipe.html"), "found a pipe"},
                                               {"--out", "/dev/full", "needs a file ending in .csv or .npz"}}) {
    const CommandResult r = runSinew({"run", model, "--steps", "1000000000000", option, file});
    EXPECT_EQ(r.exitCode, 1) << option << " " << file;
    EXPECT_NE(r.err.find(file), std::string::npos) << r.err;
    EXPECT_NE(r.err.find(why), std::string::npos) << r.err;
    EXPECT_EQ(r.out, "");
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path("pipe.npz.samples")));
}

TEST(SafeFiles, SAFE_4_NothingTheRunReadsIsOverwritten) {
  const TestFolder folder;
  const std::string model = folder.write("m.csv", R"(<mujoco><asset><mesh name="x" file="x.obj"/>
      <model name="arm" file="attached.npz"/></asset><include file="part.npz"/>
      <worldbody><body><freejoint/><geom type="mesh" mesh="x"/></body><frame><attach model="arm" body="b" prefix="a_"/></frame>
      </worldbody></mujoco>)");
  const std::vector<std::string> inputs{
      model, folder.write("x.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"),
      folder.write("part.npz", "<mujoco><worldbody><geom type='plane' size='1 1 1'/></worldbody></mujoco>"),
      folder.write(
          "attached.npz",
          "<mujoco><worldbody><body name='b' pos='0 0 3'><joint/><geom size='.1'/></body></worldbody></mujoco>"),
      folder.write("controls.csv", "0\n")};
  ASSERT_EQ(runSinew({"run", model, "--ctrl", inputs[4], "--steps", "1"}).exitCode, 0)
      << runSinew({"run", model, "--ctrl", inputs[4], "--steps", "1"}).err;
  std::vector<std::string> contents;
  for (const std::string& input : inputs) contents.push_back(folder.read(std::filesystem::path(input).filename()));
  for (const std::string& input : inputs) {
    // under its own name, by a detour, by a link and by a second name
    const std::string stem = std::filesystem::path(input).filename().string();
    std::filesystem::create_directory(folder.path("d-" + stem));
    std::filesystem::create_symlink(input, folder.path("soft-" + stem));
    std::filesystem::create_hard_link(input, folder.path("hard-" + stem));
    for (const std::string& name :
         {input, folder.path("d-" + stem) + "/../" + stem, folder.path("soft-" + stem), folder.path("hard-" + stem)}) {
      for (const std::string option : {"--out", "--checkpoint"}) {
        if (option == "--out" && input.ends_with(".obj")) continue;
        const CommandResult r = runSinew({"run", model, "--ctrl", inputs[4], "--steps", "1", option, name});
        EXPECT_EQ(r.exitCode, 1) << option << " " << name;
        EXPECT_NE(r.err.find(option + " '" + name + "' would overwrite"), std::string::npos) << r.err;
      }
    }
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(folder.read(std::filesystem::path(inputs[i]).filename()), contents[i]);
  }
}

TEST(SafeFiles, SAFE_4_NothingIsWrittenTwice) {
  const TestFolder folder;
  const std::string model = folder.write("m.xml", kModel), file = folder.path("t.csv");
  std::filesystem::create_symlink(file, folder.path("link"));
  for (const auto& [first, second] : std::vector<std::array<std::string, 2>>{
           {"--out", "--checkpoint"}, {"--out", "--html"}, {"--checkpoint", "--html"}}) {
    for (const std::string& name : {file, folder.path("link"), folder.path("./t.csv")}) {
      const CommandResult r = runSinew({"run", model, "--steps", "1", first, file, second, name});
      EXPECT_EQ(r.exitCode, 2) << first << " " << second << " " << name;
      EXPECT_EQ(r.err, "error: " + first + " and " + second + " name the same file\n");
      EXPECT_FALSE(std::filesystem::exists(file));
    }
  }
}

TEST(SafeFiles, SAFE_4_PipesDevicesFoldersAndEndlessFilesAreNoInput) {
  const TestFolder folder;
  const std::string model = folder.write("m.xml", kModel);
  const std::string pipe = folder.path("pipe"), endless = folder.path("endless");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  { std::ofstream(endless) << "0,0,0,0,0,0,0\n"; }
  std::filesystem::resize_file(endless, std::uintmax_t{1} << 42);
  const std::vector<std::array<std::string, 2>> odd{{pipe, "expected a regular file, found a pipe"},
                                                    {"/dev/zero", "expected a regular file, found a device"},
                                                    {folder.path("."), "expected a regular file, found a folder"},
                                                    {endless, "the file has 4398046511104 bytes, the limit is "},
                                                    {folder.path("none"), "no such file"}};
  const auto start = std::chrono::steady_clock::now();
  for (const auto& [file, why] : odd) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"run", file}, std::vector<std::string>{"info", file},
          std::vector<std::string>{"run", model, "--ctrl", file}, std::vector<std::string>{"compare", model, file},
          std::vector<std::string>{"run", model, "--resume", file}, std::vector<std::string>{"bench", file}}) {
      const CommandResult r = runSinew(arguments);
      EXPECT_EQ(r.exitCode, 2) << arguments[0] << " " << file;
      EXPECT_NE(r.err.find(file + ": " + why), std::string::npos) << r.err;
    }
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(SafeFiles, SAFE_4_ControlsWithNumbersOutOfRangeOrTimesOutOfOrderAreRefused) {
  const TestFolder folder;
  const std::string model = folder.write("m.xml", R"(<mujoco><worldbody><body><joint name="j"/><geom size=".1"/></body>
      </worldbody><actuator><motor joint="j"/></actuator></mujoco>)");
  const auto errorOf = [&](const std::string& text) {
    const CommandResult r = runSinew({"run", model, "--steps", "2", "--ctrl", folder.write("c.csv", text)});
    EXPECT_EQ(r.exitCode, 2) << text;
    return r.err.substr(std::min(r.err.size(), r.err.find("c.csv")));
  };
  EXPECT_EQ(errorOf("0,1e400\n1,0\n"), "c.csv:1: the number 1e400 is out of range\n");
  EXPECT_EQ(errorOf("1e400,1\n"), "c.csv:1: the number 1e400 is out of range\n");
  EXPECT_EQ(errorOf("0,1\n1,-1e999\n"), "c.csv:2: the number -1e999 is out of range\n");
  EXPECT_EQ(errorOf("nan,1\n"), "c.csv:1: time nan is not finite\n");
  EXPECT_EQ(errorOf("0,1\ninf,1\n"), "c.csv:2: time inf is not finite\n");
  EXPECT_EQ(errorOf("0,1\n0,2\n"), "c.csv:2: time 0 is not after 0\n");
  EXPECT_EQ(errorOf("time,1\n0,1\n"), "c.csv:1: expected numbers, found 'time,1'\n");
  EXPECT_EQ(runSinew({"run", model, "--steps", "2", "--ctrl", folder.write("c.csv", "time,push\n0,1\n")}).exitCode, 0);
}

}  // namespace
}  // namespace sinew::test
