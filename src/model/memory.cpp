#include "model/memory.h"

#include "sinew/data.h"

namespace sinew {
namespace {

/// Sums up arrays.
class Sum {
 public:
  explicit Sum(ArrayBytes* largest) : largest_(largest) {}
  void add(const char* name, double bytes) {
    total_ += bytes;
    if (largest_ && bytes > largest_->bytes) *largest_ = {name, bytes};
  }
  double total() const { return total_; }

 private:
  ArrayBytes* largest_;
  double total_ = 0;
};

}  // namespace

double modelBytes(const RealSizes& m, ArrayBytes* largest) {
  Sum sum(largest);
#define SINEW_X(name, doc) [[maybe_unused]] const double name = m.name;
  SINEW_MODEL_SIZES(SINEW_X)
#undef SINEW_X
#define SINEW_X(type, name, rows, cols, doc) sum.add(#name, static_cast<double>(sizeof(type)) * (rows) * (cols));
  SINEW_MODEL_ARRAYS(SINEW_X)
#undef SINEW_X
  return sum.total();
}

double dataBytes(const RealSizes& m, ArrayBytes* largest) {
  Sum sum(largest);
#define SINEW_X(type, name, rows, cols, doc) sum.add(#name, static_cast<double>(sizeof(type)) * (rows) * (cols));
  SINEW_STATE_ARRAYS(SINEW_X)
  SINEW_DERIVED_ARRAYS(SINEW_X)
#undef SINEW_X
  return sum.total();
}

}  // namespace sinew
