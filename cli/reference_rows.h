#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "fields.h"
#include "sinew/data.h"
#include "sinew/model.h"
#include "sinew/reference_layout.h"
#include "trace.h"

namespace sinew::cli {

/// Arrays of a model with flex nodes beside those of the reference engine, which counts a body and three joints for
/// every free point of a flex. Finds the rows that mean the same thing and brings them into the same coordinates.
class ReferenceRows {
 public:
  explicit ReferenceRows(const Model& m);

  /// What the reference engine should have for one of the model's sizes; nothing if that cannot be told.
  std::optional<int> sizeThere(std::string_view name, int ours) const;

  /// `field` with the values that have a counterpart in `reference`, which is cut down to these. Nothing if the two
  /// cannot be compared number by number: ids of bodies and dofs, patterns of matrices.
  std::optional<Field> align(const Field& field, std::vector<double>& reference) const;

  /// The same for arrays of Data, in the state of `d`.
  std::optional<Field> align(const Field& field, const Data& d, std::vector<double>& reference);

  ReferenceLayout& layout() { return layout_; }
  const ReferenceLayout& layout() const { return layout_; }

 private:
  std::optional<Field> alignDofs(const Field& field, const Data& d);

  const Model& m_;
  ReferenceLayout layout_;
  bool carried_ = false;  ///< some nodes are declared in bodies that move
  bool interpolated_ = false;
};

/// The trace's state as this model counts it: velocities, forces on dofs and on bodies.
void takeVelocities(ReferenceLayout& layout, const std::vector<double>& reference, Data& d);
void takeForces(ReferenceLayout& layout, const std::vector<double>& reference, Data& d);
void takeBodyForces(const ReferenceLayout& layout, const std::vector<double>& reference, Data& d);

}  // namespace sinew::cli
