#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include "mutate.h"
#include "support/paths.h"
#include "targets.h"

/// Any bytes give a result or an error of their reader. `make fuzz` looks for inputs that do not; these tests replay
/// what was found, and look a little themselves.
namespace sinew::fuzz {
namespace {

constexpr std::chrono::seconds kLongestInput(20);

#ifdef SINEW_SANITIZED
constexpr double kSecondsByDefault = 3;
#else
constexpr double kSecondsByDefault = 5.5;  // for each of the targets: a minute for all
#endif

double secondsPerTarget() {
  const char* given = std::getenv("SINEW_FUZZ_SECONDS");
  return given ? std::atof(given) : kSecondsByDefault;
}

/// More memory than this is a finding. Sanitizers need the address space.
void limitMemory() {
#ifndef SINEW_SANITIZED
  const rlimit limit{rlim_t{4} << 30, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

/// Keeps an input that misbehaved, so that it can be replayed.
std::string keep(const Target& target, const Bytes& input) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "sinew_fuzz_findings";
  std::filesystem::create_directories(folder);
  const std::filesystem::path file = folder / (std::string(target.name) + "_" +
                                               std::to_string(std::hash<std::string>()({input.begin(), input.end()})));
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
  return file.string();
}

/// Runs the target; returns whether it took the input.
bool expectHandled(const Target& target, const Bytes& input, const std::string& where) {
  const auto begin = std::chrono::steady_clock::now();
  bool taken = false;
  try {
    taken = target.run(input);
  } catch (const Finding& finding) {
    ADD_FAILURE() << finding.what << ": " << (where.empty() ? keep(target, input) : where);
  } catch (const std::exception& error) {
    ADD_FAILURE() << "exception " << error.what() << ": " << (where.empty() ? keep(target, input) : where);
  }
  if (std::chrono::steady_clock::now() - begin > kLongestInput) {
    ADD_FAILURE() << "takes too long: " << (where.empty() ? keep(target, input) : where);
  }
  return taken;
}

class AnyBytes : public testing::TestWithParam<Target> {
 protected:
  void SetUp() override { limitMemory(); }
};

TEST_P(AnyBytes, SAFE_1_SeedsAreHandledAndSomeAreTaken) {
  std::size_t taken = 0;
  const std::vector<Bytes> seeds = GetParam().seeds();
  for (const Bytes& seed : seeds) taken += expectHandled(GetParam(), seed, {}) ? 1 : 0;
  // those of the attribute table include combinations that MJCF does not allow
  EXPECT_GE(taken, std::string(GetParam().name) == "mjcf" ? 2 * seeds.size() / 5 : seeds.size() - 1);
}

TEST_P(AnyBytes, SAFE_1_PastFindingsAreHandled) {
  const std::filesystem::path folder = test::sourceDir() / "tests/fuzz/regressions" / GetParam().name;
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "none so far";
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.insert(entry.path());
  for (const std::filesystem::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    const Bytes input{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    expectHandled(GetParam(), input, file.string());
  }
}

// The time limits how many inputs are tried; which ones is the same in every run.
TEST_P(AnyBytes, SAFE_1_ChangedSeedsAreHandled) {
  const Mutator mutator(GetParam());
  std::mt19937 random(20261116);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(secondsPerTarget());
  int tried = 0, taken = 0;
  for (; std::chrono::steady_clock::now() < end && !HasFailure(); ++tried) {
    taken += expectHandled(GetParam(), mutator.next(random), {}) ? 1 : 0;
  }
  RecordProperty("tried", tried);
  RecordProperty("taken", taken);
  EXPECT_GT(tried, 20);
}

TEST_P(AnyBytes, SAFE_1_NoBytesAndAnyBytesAreHandled) {
  std::mt19937 random(1);
  expectHandled(GetParam(), {}, {});
  for (int i = 0; i < 200; ++i) {
    Bytes input(random() % 200);
    for (std::uint8_t& byte : input) byte = static_cast<std::uint8_t>(random());
    expectHandled(GetParam(), input, {});
  }
}

INSTANTIATE_TEST_SUITE_P(Fuzz, AnyBytes, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace sinew::fuzz
