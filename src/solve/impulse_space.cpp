#include "solve/impulse_space.h"

#include <algorithm>

#include "base/arena.h"

namespace sinew::solve {

ImpulseSpace::ImpulseSpace(const Metric& metric, Arena& arena) : metric_(metric) {
  const int n = metric.lower().n;
  components_ = arena.take<Component>(n);
  componentOf_ = arena.take<int>(n);
  std::size_t count = 0;
  int slots = 0, matrices = 0;
  for (int dof = 0; dof < n; ++count) {
    const Metric::Range range = metric.component(dof);
    Component& c = components_[count] = {range.begin, range.end, slots, kUnprepared, matrices};
    std::fill(componentOf_.begin() + range.begin, componentOf_.begin() + range.end, static_cast<int>(count));
    dof = range.end;
    slots += c.places();
    if (c.small()) matrices += kSmall * kSlots;
  }
  components_ = components_.first(count);
  velocity_ = arena.zeros<double>(slots);
  impulse_ = arena.zeros<double>(slots);
  before_ = arena.take<double>(slots);
  course_ = arena.take<double>(slots);
  moved_ = arena.zeros<double>(slots);
  acceleration_ = arena.zeros<double>(slots);
  inverseDiagonal_ = arena.zeros<double>(slots);
  inverse_ = arena.take<double>(matrices);
  scratch_ = arena.zeros<double>(n);
}

void ImpulseSpace::restart(const Component& component) {
  const std::ptrdiff_t at = component.slot;
  std::copy_n(velocity_.begin() + at, component.places(), before_.begin() + at);
  std::fill_n(course_.begin() + at, component.places(), 0.0);
}

void ImpulseSpace::beginSubstep(const Component& component, double h) {
  for (int i = component.slot; i < component.slot + component.places(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    before_[k] = velocity_[k] += h * acceleration_[k];
  }
}

void ImpulseSpace::endSubstep(const Component& component, double h) {
  for (int i = component.slot; i < component.slot + component.places(); ++i) {
    moved_[i] += h * velocity_[i];
  }
}

void ImpulseSpace::nextSubstep(const Component& component, double h) {
  for (int i = component.slot; i < component.slot + component.places(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double pushed = velocity_[k] - before_[k];
    before_[k] = velocity_[k] + h * acceleration_[k];
    velocity_[k] = before_[k] + pushed;
  }
}

void ImpulseSpace::prepareInverse(Component& component) {
  const LowerRows A = metric_.lower();
  const Metric::Range range{component.begin, component.end};
  double* x = scratch_.data();
  bool diagonal = true;
  for (int i = range.begin; i < range.end; ++i) diagonal = diagonal && A.rownnz[i] == 1;
  if (diagonal) {
    std::fill(x + range.begin, x + range.end, 1.0);
    metric_.solveComponent(range, x);
    std::copy(x + range.begin, x + range.end, inverseDiagonal_.data() + component.slot);
    component.dense = kDiagonal;
  } else {
    double* matrix = inverse_.data() + component.matrix;
    std::fill_n(matrix, kSmall * kSlots, 0.0);
    for (int i = range.begin; i < range.end; ++i) {
      std::fill(x + range.begin, x + range.end, 0.0);
      x[i] = 1;
      metric_.solveComponent(range, x);
      std::copy(x + range.begin, x + range.end, matrix + kSlots * (i - range.begin));
    }
    component.dense = component.matrix;
  }
  std::fill(x + range.begin, x + range.end, 0.0);
}

}  // namespace sinew::solve
