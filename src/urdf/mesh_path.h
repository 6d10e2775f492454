#pragma once

#include <filesystem>
#include <string>

#include "mjcf/document.h"
#include "sinew/load.h"

namespace sinew::urdf {

/// A file as spec::Mesh names it.
struct MeshPath {
  std::string directory, file;
};

/// Where the mesh that `node` names by `filename` lies.
///   package://NAME/rest, model://NAME/rest   in the directory that `options` gives for NAME, in a folder NAME of its
///                                            search list, or else near the file: in a folder of that name that holds
///                                            the file or lies beside one that does
///   file:///absolute/path, /absolute/path    there
///   anything else                            relative to the file's directory and `meshdir`
/// With strippath only the file name counts, in `meshdir`. Throws LoadError for packages that are not found, which
/// lists the places that were tried, and for other schemes.
MeshPath meshPath(const mjcf::Node& node, const std::string& filename, const std::filesystem::path& directory,
                  const spec::Compiler& compiler, const LoadOptions& options);

}  // namespace sinew::urdf
