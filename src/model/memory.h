#pragma once

#include "sinew/model.h"

/// How much memory the arrays of Model and Data take, from the sizes alone.
namespace sinew {

/// The index of Trouble::ContactLimit if memory ran out in a step.
inline constexpr int kOutOfMemory = -2;

/// The sizes of a Model as real numbers, so that predictions cannot overflow.
struct RealSizes {
#define SINEW_X(name, doc) double name = 0;
  SINEW_MODEL_SIZES(SINEW_X)
#undef SINEW_X
  RealSizes() = default;
  explicit RealSizes(const Model& m) {
#define SINEW_X(size, doc) size = m.size;
    SINEW_MODEL_SIZES(SINEW_X)
#undef SINEW_X
  }
};

/// An array that takes memory.
struct ArrayBytes {
  const char* name = "";
  double bytes = 0;
};

/// All arrays of a Model of these sizes, bytes. If `largest` is given: the one that takes most.
double modelBytes(const RealSizes& m, ArrayBytes* largest = nullptr);
/// All arrays of a Data made for it whose sizes follow from the Model; contacts and rows come on top.
double dataBytes(const RealSizes& m, ArrayBytes* largest = nullptr);

}  // namespace sinew
