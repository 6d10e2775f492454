#pragma once

#include <map>
#include <string>

#include "mjcf/document.h"
#include "sinew/errors.h"

namespace sinew::urdf {

/// Collects what users should know, so that a hundred of a kind make one warning, placed at the first.
class Notices {
 public:
  /// Two messages are of one kind if they are equal.
  void add(const mjcf::Node& node, const std::string& message);
  /// Appends the warnings in the order in which their kinds were found.
  void report(Warnings& warnings) const;

 private:
  struct Notice {
    std::string text;
    int count = 0;
    std::size_t order = 0;
  };
  std::map<std::string, Notice> notices_;
};

}  // namespace sinew::urdf
