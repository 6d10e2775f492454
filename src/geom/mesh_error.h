#pragma once

#include <stdexcept>
#include <string>

namespace sinew::geom {

/// What is wrong with a mesh, height field or image, in words a user can act on. The caller adds where it was read
/// from (file, line, element name).
class MeshError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace sinew::geom
