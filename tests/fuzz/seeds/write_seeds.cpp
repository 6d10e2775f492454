#include <cstdio>
#include <exception>
#include <fstream>

#include "fuzz/targets.h"

/// sinew_fuzz_seeds DIR: writes DIR/TARGET/NUMBER for the seeds of every target, DIR/dictionary in the format of
/// libFuzzer, and prints "TARGET LONGEST TEXT" for each target.
namespace {

using namespace sinew::fuzz;  // NOLINT(google-build-using-namespace)

void writeDictionary(const std::filesystem::path& file) {
  std::ofstream out(file);
  for (const std::string& word : dictionary()) {
    out << '"';
    for (const char c : word) {
      if (c == '"' || c == '\\') {
        out << '\\' << c;
      } else if (c < ' ') {
        char code[8];
        std::snprintf(code, sizeof code, "\\x%02X", static_cast<unsigned>(c));
        out << code;
      } else {
        out << c;
      }
    }
    out << "\"\n";
  }
}

int writeAll(const std::filesystem::path& directory) {
  for (const Target& target : targets()) {
    const std::filesystem::path folder = directory / target.name;
    std::filesystem::create_directories(folder);
    int number = 0;
    for (const Bytes& seed : target.seeds()) {
      std::ofstream(folder / std::to_string(number++), std::ios::binary)
          .write(reinterpret_cast<const char*>(seed.data()), static_cast<std::streamsize>(seed.size()));
    }
    std::printf("%s %zu %d\n", target.name, target.longest, target.text ? 1 : 0);
  }
  writeDictionary(directory / "dictionary");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: sinew_fuzz_seeds DIR\n");
    return 2;
  }
  try {
    return writeAll(argv[1]);
  } catch (const Finding& finding) {
    std::fprintf(stderr, "%s\n", finding.what.c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return 1;
}
