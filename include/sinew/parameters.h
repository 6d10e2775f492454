#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/data.h"
#include "sinew/model.h"
#include "sinew/spec.h"

/// Numbers of a model that differ from run to run, addressed by name:
///
///   geom:floor.friction[0]     KIND:NAME.ATTRIBUTE[INDEX], an attribute of MJCF in the units of the file. KIND: body,
///                              inertial (of a body), joint, geom, site, camera, tendon, actuator, sensor, equality,
///                              flex, pair, mesh, hfield
///   flex:pad.elasticity.young  an attribute of a child element; flex:pad.young finds it too
///   actuator:knee.kp           also for <position> and <velocity>: kp, kv
///   body:torso.mass            mass, kg; moments of inertia change in proportion, as with another density
///   joint:knee.qpos[0], joint:knee.qvel, actuator:knee.ctrl, actuator:knee.act   the initial state
///   qpos[12], qvel[3], ...     the same by index, of any state array of doubles
///   option.timestep, option.gravity[2]
///   geom_friction:floor[0], dof_damping:knee, qpos:knee   the name of the array in Model or Data and the element
///
/// A `*` in NAME stands for any text: all elements that fit get the same number. Without [INDEX] the first number is
/// meant where MJCF allows to write fewer numbers (friction, solref, gear, ...) or there is only one.
namespace sinew {

/// A model with parameters. For each set of values it gives the Model that compiling with these values would give, bit
/// for bit; where the values appear as they are in arrays of the Model, without compiling again.
class VariedModel {
 public:
  using Compile = std::function<Model(const Spec&)>;

  /// `compile` makes a Model of a Spec (and applies options of the caller to it). Throws std::invalid_argument for an
  /// address that does not exist, naming the most similar one.
  VariedModel(Spec spec, Compile compile, const std::vector<std::string>& addresses);
  ~VariedModel();
  VariedModel(VariedModel&&) noexcept;
  VariedModel& operator=(VariedModel&&) noexcept;

  const Model& base() const;  ///< with the values that the model file has
  int size() const;           ///< number of parameters
  const std::string& address(int parameter) const;
  /// The value in the model file, or of the initial state; NaN if the file does not say it.
  double nominal(int parameter) const;

  /// Looks at the values that will come, `rows` of size() numbers: which parameters can be set without compiling, and
  /// whether models can be made of the extreme values. Cost: two or three compilations per attribute. Throws
  /// std::invalid_argument for a value that the model cannot have, for a parameter that changes nothing and for one
  /// that changes the layout of the arrays. Must be called before modelOf().
  void prepare(std::span<const double> values, std::int64_t rows);
  /// True if every run needs a compilation of its own.
  bool compiles() const;

  /// Memory of one thread.
  struct Workspace {
    std::optional<Model> model;
  };
  /// The Model for these values; valid until the next call with the same workspace. Throws LoadError if it cannot be
  /// compiled. Several threads may call it at once, each with a workspace of its own.
  const Model& modelOf(std::span<const double> values, Workspace& workspace) const;
  /// Writes the values of parameters that belong to the initial state.
  void setState(std::span<const double> values, Data& d) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sinew
