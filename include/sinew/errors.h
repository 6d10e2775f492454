#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace sinew {

/// A model could not be read, compiled or written. what() holds everything a user needs to act, for example
///   humanoid.xml:37: <joint name="knee">: 'range' needs 2 numbers, found "0 abc"
class LoadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Things worth telling the user that do not stop a model from loading, in the order they were found.
using Warnings = std::vector<std::string>;

}  // namespace sinew
