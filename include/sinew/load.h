#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/errors.h"
#include "sinew/model.h"
#include "sinew/spec.h"

namespace sinew {

/// Choices that belong to the run rather than to the model.
struct LoadOptions {
  std::optional<GapReading> gap{};  ///< overrides <compiler gap>
  /// Most memory that loading may need for what a model generates (grids, replicas, attachments, user data), and that
  /// the Model and its Data may take, bytes. More is a LoadError that names the attribute and the size.
  std::uint64_t maxMemory = std::uint64_t{2} << 30;
  /// URDF: the directory of the package NAME in package://NAME/... and model://NAME/...
  std::map<std::string, std::filesystem::path> packages{};
  /// URDF: directories that hold packages in folders of their names; after these, folders near the file are tried.
  std::vector<std::filesystem::path> packagePath{};
};

/// Reads an MJCF file, its includes and the models it attaches; or a URDF file, whose root is <robot> (docs/urdf.md).
/// Assets (meshes, height fields) are named in the result, not loaded. Throws LoadError, also if replicates,
/// attachments and composites would need more than LoadOptions::maxMemory; appends to `warnings` if given.
Spec readMjcf(const std::filesystem::path& file, Warnings* warnings = nullptr, const LoadOptions& options = {});

/// The same from text. `name` stands for the file in messages; files it refers to are looked up in `directory`.
Spec readMjcfText(std::string_view text, const std::string& name = "model.xml",
                  const std::filesystem::path& directory = {}, Warnings* warnings = nullptr,
                  const LoadOptions& options = {});

/// MJCF text of a Spec. Reading it again gives a Spec that compiles to the same Model. Default classes, includes,
/// replicates and attachments appear resolved. Asset paths are written relative to `directory` where possible.
/// Throws LoadError for bodies with settings of their own for inertia (Body::inertiaSettings): a file has one
/// <compiler>.
std::string writeMjcf(const Spec& spec, const std::filesystem::path& directory = {});

/// Turns a description into the arrays a step works on. Throws LoadError, also if these arrays and those of its Data
/// would need more than LoadOptions::maxMemory; appends to `warnings` if given.
Model compile(const Spec& spec, Warnings* warnings = nullptr, const LoadOptions& options = {});

/// Computes again what compile() derives from masses, inertias, armature, geometry of tendons and actuators and the
/// reference pose qpos0, for a program that changed these in a compiled Model: body_subtreemass, flexnode_invmass,
/// dof_M0, body_invweight0, dof_invweight0, tendon_length0, tendon_invweight0, actuator_length0, actuator_acc0, cam_*0,
/// flexedge_invweight0, flexnode_stiffness, bounds and fluid of shapes, eq_data, damping ratios of servos. Array sizes
/// and indices stay.
void updateConstants(Model& m);

/// compile(readMjcf(file)).
Model load(const std::filesystem::path& file, Warnings* warnings = nullptr, const LoadOptions& options = {});

}  // namespace sinew
