#pragma once

#include <string>
#include <vector>

#include "compile/place.h"

namespace sinew::draft {

/// The bytes of an asset file: `file` relative to `directory`, or without its own directories if `stripPath`. Throws
/// LoadError at `place` if it cannot be read.
std::vector<unsigned char> readAsset(const std::string& directory, const std::string& file, bool stripPath,
                                     const Place& place);

}  // namespace sinew::draft
