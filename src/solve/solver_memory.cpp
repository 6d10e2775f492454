#include "model/solver_memory.h"

#include <algorithm>
#include <vector>

#include "solve/sparse_hessian.h"

namespace sinew {
namespace {

constexpr std::size_t kMostPlans = 256;  // beyond that, plans unused for kOldAge rounds are dropped
constexpr long kOldAge = 100;

}  // namespace

struct SolverMemory::Store {
  struct Entry {
    int key = 0;
    long lastUsed = 0;
    std::unique_ptr<solve::PlanMemory> plans;
  };
  std::vector<Entry> entries;  // growing keys
  long round = 0;
};

SolverMemory::SolverMemory() : store_(std::make_unique<Store>()) {}
SolverMemory::~SolverMemory() = default;
SolverMemory::SolverMemory(const SolverMemory&) : SolverMemory() {}
SolverMemory& SolverMemory::operator=(const SolverMemory&) { return *this; }
SolverMemory::SolverMemory(SolverMemory&&) noexcept = default;
SolverMemory& SolverMemory::operator=(SolverMemory&&) noexcept = default;

solve::PlanMemory& SolverMemory::plans(int key) {
  auto found = std::lower_bound(store_->entries.begin(), store_->entries.end(), key,
                                [](const Store::Entry& e, int k) { return e.key < k; });
  if (found == store_->entries.end() || found->key != key) {
    found = store_->entries.insert(found, {key, 0, std::make_unique<solve::PlanMemory>()});
  }
  found->lastUsed = store_->round;
  return *found->plans;
}

const solve::PlanMemory* SolverMemory::find(int key) const {
  const auto found = std::lower_bound(store_->entries.begin(), store_->entries.end(), key,
                                      [](const Store::Entry& e, int k) { return e.key < k; });
  return found != store_->entries.end() && found->key == key ? found->plans.get() : nullptr;
}

void SolverMemory::forgetOld() {
  ++store_->round;
  if (store_->entries.size() <= kMostPlans) return;
  std::erase_if(store_->entries,
                [&](const Store::Entry& e) { return e.key >= 0 && store_->round - e.lastUsed > kOldAge; });
}

}  // namespace sinew
