#include <cstdio>
#include <cstdlib>

#include "fuzz/targets.h"

/// Entry points of libFuzzer. The environment variable SINEW_FUZZ_TARGET names the target.
namespace {

const sinew::fuzz::Target* target = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);  // NOLINT(readability-identifier-naming)
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* name = std::getenv("SINEW_FUZZ_TARGET");
  target = name == nullptr ? nullptr : sinew::fuzz::findTarget(name);
  if (target == nullptr) {
    std::fprintf(stderr, "SINEW_FUZZ_TARGET must be one of:");
    for (const sinew::fuzz::Target& t : sinew::fuzz::targets()) std::fprintf(stderr, " %s", t.name);
    std::fprintf(stderr, "\n");
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    target->run({data, size});
  } catch (const sinew::fuzz::Finding& finding) {
    std::fprintf(stderr, "finding: %s\n", finding.what.c_str());
    std::abort();
  }
  return 0;
}
