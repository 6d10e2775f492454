#pragma once

#include <span>

#include "base/arena.h"
#include "math/kernel.h"
#include "solve/free_contact.h"
#include "solve/metric.h"

namespace sinew::solve {

/// Where the impulse solver keeps velocities. Dofs that inv(A) couples lie side by side; up to kSmall of them, which is
/// what a free body has, at a fixed distance, together with inv(A) itself. Made once for all islands: each touches only
/// the places of its own dofs.
class ImpulseSpace {
 public:
  /// Dofs that inv(A) couples.
  struct Component {
    int begin = 0, end = 0;  ///< dofs
    int slot = 0;            ///< first of its places
    int dense = -1;          ///< small ones: its matrix, kDiagonal, or kUnprepared
    int matrix = 0;          ///< small ones: where its matrix would be

    bool small() const { return end - begin <= kSmall; }
    /// Number of its places, in whole vectors.
    int places() const { return small() ? kSlots : (end - begin + kLanes - 1) / kLanes * kLanes; }
  };
  static constexpr int kDiagonal = -1;

  /// The metric and the arena's memory must outlive it.
  ImpulseSpace(const Metric& metric, Arena& arena);

  const Component& componentOf(int dof) const { return components_[componentOf_[dof]]; }
  int slotOf(int dof) const {
    const Component& c = componentOf(dof);
    return c.slot + dof - c.begin;
  }
  double& velocity(int dof) { return velocity_[slotOf(dof)]; }
  double* velocities() { return velocity_.data(); }
  /// Sums J' lambda in the same places, zero until a solver adds its own.
  double impulse(int dof) const { return impulse_[slotOf(dof)]; }
  double* impulses() { return impulse_.data(); }
  std::span<const Component> components() const { return components_; }
  /// v += beta course for the velocities of one component, with course = beta course + (what v changed by since the
  /// last call) for the next time.
  void extrapolate(const Component& component, double beta) {
    extrapolateVelocities(beta, component.places(), velocity_.data() + component.slot, before_.data() + component.slot,
                          course_.data() + component.slot);
  }
  /// Begins anew from the present velocities.
  void restart(const Component& component);

  /// Makes sure that inv(A) of a small component is at hand.
  void prepare(const Component& component) {
    if (component.dense == kUnprepared) prepareInverse(components_[&component - components_.data()]);
  }
  FreeVelocities free() { return {velocity_.data(), inverseDiagonal_.data(), inverse_.data(), moved_.data()}; }

  /// Substeps. How far a dof has moved since the start of the step, and its acceleration without impulses.
  double& moved(int dof) { return moved_[slotOf(dof)]; }
  const double* moved() const { return moved_.data(); }
  double& acceleration(int dof) { return acceleration_[slotOf(dof)]; }
  /// A substep begins: v += h a, which is noted as the velocity without impulses.
  void beginSubstep(const Component& component, double h);
  /// It ends: dofs move by h v.
  void endSubstep(const Component& component, double h);
  /// The next one begins: v += h a, and by as much as the impulses of the last one changed it.
  void nextSubstep(const Component& component, double h);

  const Metric& metric() const { return metric_; }
  /// One number per dof, zero, for those who leave them zero.
  double* scratch() { return scratch_.data(); }

 private:
  static constexpr int kUnprepared = -2;

  void prepareInverse(Component& component);

  const Metric& metric_;
  std::span<Component> components_;
  std::span<int> componentOf_;              // of each dof
  std::span<double> velocity_;              // padded: components begin at whole vectors
  std::span<double> impulse_;               // in the same places
  std::span<double> before_, course_;       // likewise, for extrapolation
  std::span<double> moved_, acceleration_;  // likewise, for substeps
  std::span<double> inverseDiagonal_;       // of inv(A) in the same places, where it is diagonal
  std::span<double> inverse_;               // of other small components, kSmall x kSlots each
  std::span<double> scratch_;
};

}  // namespace sinew::solve
