#include "collision/collide_memory.h"

#include "model/workspace.h"

namespace sinew {

CollideMemory::CollideMemory() : store_(std::make_unique<Store>()) {}
CollideMemory::~CollideMemory() = default;
CollideMemory::CollideMemory(const CollideMemory& other) : CollideMemory() { *this = other; }
CollideMemory& CollideMemory::operator=(const CollideMemory& other) {
  if (this != &other) store_->passing = other.store_->passing;  // goes with the plan of NearPairs, which is copied, too
  return *this;
}
CollideMemory::CollideMemory(CollideMemory&&) noexcept = default;
CollideMemory& CollideMemory::operator=(CollideMemory&&) noexcept = default;

geom::CollideOptions collideOptions(const Model& m, const Data& d, int slot) {
  return {.tolerance = m.opt.ccd_tolerance,
          .iterations = m.opt.ccd_iterations,
          .multiContact = !m.opt.disabled(disable::kMultiCcd),
          .steady = m.opt.solver == Solver::Impulse,
          .scratch = &d.work->collideMemory->slot(slot).geom};
}

}  // namespace sinew
