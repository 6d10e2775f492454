#include "math/sparse/coarse_space.h"

#include <algorithm>

#include "math/kernel.h"

namespace sinew::sparse {
namespace {

std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

constexpr int kStride = BlockMatrix::kStride;
constexpr int kSize = BlockMatrix::kSize;
/// Weights below this are dropped, and the others of the row made to sum to 1 again.
constexpr double kSmallestWeight = 0.02;
/// Aggregates of less than this share of the mean are given to their neighbours.
constexpr double kSmallAggregate = 0.4;
/// Aggregates grow until factoring P'A P costs no more multiplications than so many products with A.
constexpr double kProductsPerFactor = 3;
constexpr int kSmallestRadius = 2;

}  // namespace

void CoarsePlan::make(const BlockPattern& pattern, Arena& scratch) {
  pattern_ = &pattern;
  const Arena::Scope scope(scratch);
  const int n = pattern.rows();
  // both triangles by rows, without the diagonal
  const std::span<int> adr = scratch.zeros<int>(n + 1);
  blockRow_.resize(at(pattern.blocks()));
  for (int i = 0; i < n; ++i) {
    for (int k = pattern.rowAdr()[i]; k < pattern.rowAdr()[i + 1]; ++k) {
      blockRow_[at(k)] = i;
      if (pattern.column()[k] == i) continue;
      ++adr[at(i + 1)];
      ++adr[at(pattern.column()[k] + 1)];
    }
  }
  for (int i = 0; i < n; ++i) adr[at(i + 1)] += adr[at(i)];
  const std::span<Neighbour> neighbours = scratch.take<Neighbour>(adr[at(n)]);
  for (int i = 0; i < n; ++i) {
    auto next = neighbours.begin() + adr[at(i)];
    for (int k = pattern.rowAdr()[i]; k < pattern.rowAdr()[i + 1] - 1; ++k) *next++ = {pattern.column()[k], k};
    for (const int k : pattern.below(i)) *next++ = {blockRow_[at(k)], k};
  }

  const std::span<int> aggregateOf = scratch.take<int>(n);
  for (int radius = kSmallestRadius;; ++radius) {
    const int before = aggregates();
    aggregate(adr, neighbours, radius, aggregateOf, scratch);
    weigh(adr, neighbours, radius, aggregateOf, scratch);
    listMembers(1 + *std::max_element(aggregateOf.begin(), aggregateOf.end()));
    listProducts(adr, neighbours, scratch);
    planFactor(scratch);
    const bool isLargest = radius > kSmallestRadius && aggregates() >= before;
    if (isLargest || factor_.flops() <= kProductsPerFactor * kSize * 2 * pattern.blocks()) break;
  }
}

/// Rows by the aggregate they are in, -1: coupled to none. Each aggregate is what is left within `radius` couplings of
/// the first row that is in none.
void CoarsePlan::aggregate(std::span<const int> adr, std::span<const Neighbour> neighbours, int radius,
                           std::span<int> aggregateOf, Arena& scratch) {
  const Arena::Scope scope(scratch);
  const int n = pattern_->rows();
  const std::span<int> queue = scratch.take<int>(n), distance = scratch.take<int>(n), size = scratch.take<int>(n);
  std::fill(aggregateOf.begin(), aggregateOf.end(), -1);
  int count = 0, taken = 0;
  const auto coupled = [&](int i) { return neighbours.subspan(at(adr[at(i)]), at(adr[at(i + 1)] - adr[at(i)])); };
  for (int first = 0; first < n; ++first) {
    if (aggregateOf[at(first)] >= 0 || coupled(first).empty()) continue;
    std::size_t end = 0;
    const auto take = [&](int row, int far) {
      aggregateOf[at(row)] = count;
      queue[end] = row;
      distance[end++] = far;
    };
    take(first, 0);
    for (std::size_t k = 0; k < end; ++k) {
      if (distance[k] == radius) continue;
      for (const Neighbour& other : coupled(queue[k])) {
        if (aggregateOf[at(other.row)] < 0) take(other.row, distance[k] + 1);
      }
    }
    size[at(count++)] = static_cast<int>(end);
    taken += static_cast<int>(end);
  }

  // rows of small aggregates go to a neighbour
  const auto isSmall = [&](int a) { return size[at(a)] * count < kSmallAggregate * taken; };
  for (int i = 0; i < n; ++i) {
    if (aggregateOf[at(i)] < 0 || !isSmall(aggregateOf[at(i)])) continue;
    for (const Neighbour& other : coupled(i)) {
      if (isSmall(aggregateOf[at(other.row)])) continue;
      aggregateOf[at(i)] = aggregateOf[at(other.row)];
      break;
    }
  }
  // numbers without gaps
  const std::span<int> number = scratch.take<int>(count);
  std::fill(number.begin(), number.end(), -1);
  int next = 0;
  for (int& a : aggregateOf) {
    if (a < 0) continue;
    if (number[at(a)] < 0) number[at(a)] = next++;
    a = number[at(a)];
  }
}

/// Weights of the rows: 1 in their own aggregate, then averages over a row and its neighbours, `rounds` times.
void CoarsePlan::weigh(std::span<const int> adr, std::span<const Neighbour> neighbours, int rounds,
                       std::span<const int> aggregateOf, Arena& scratch) {
  const Arena::Scope scope(scratch);
  const int n = pattern_->rows();
  weightAdr_.clear();
  weight_.clear();
  for (int i = 0; i < n; ++i) {
    weightAdr_.push_back(static_cast<int>(weight_.size()));
    if (aggregateOf[at(i)] >= 0) weight_.push_back({aggregateOf[at(i)], 1});
  }
  weightAdr_.push_back(static_cast<int>(weight_.size()));
  const std::span<double> sum = scratch.zeros<double>(n);
  const std::span<int> found = scratch.take<int>(n);
  std::vector<int> nextAdr;
  std::vector<Weight> next;
  for (int round = 0; round < rounds; ++round) {
    nextAdr.clear();
    next.clear();
    for (int i = 0; i < n; ++i) {
      nextAdr.push_back(static_cast<int>(next.size()));
      std::size_t count = 0;
      const auto add = [&](int row) {
        for (int k = weightAdr_[at(row)]; k < weightAdr_[at(row + 1)]; ++k) {
          double& s = sum[at(weight_[at(k)].index)];
          if (s == 0) found[count++] = weight_[at(k)].index;
          s += weight_[at(k)].weight;
        }
      };
      add(i);
      for (int k = adr[at(i)]; k < adr[at(i + 1)]; ++k) add(neighbours[at(k)].row);
      std::sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count));
      const double all = 1 + adr[at(i + 1)] - adr[at(i)];
      double kept = 0;
      for (std::size_t k = 0; k < count; ++k) {
        if (sum[at(found[k])] >= kSmallestWeight * all) kept += sum[at(found[k])];
      }
      for (std::size_t k = 0; k < count; ++k) {
        double& s = sum[at(found[k])];
        if (s >= kSmallestWeight * all) next.push_back({found[k], static_cast<float>(s / kept)});
        s = 0;
      }
    }
    nextAdr.push_back(static_cast<int>(next.size()));
    weightAdr_.swap(nextAdr);
    weight_.swap(next);
  }
}

void CoarsePlan::listMembers(int aggregates) {
  memberAdr_.assign(at(aggregates) + 1, 0);
  for (const Weight& w : weight_) ++memberAdr_[at(w.index) + 1];
  for (int a = 0; a < aggregates; ++a) memberAdr_[at(a) + 1] += memberAdr_[at(a)];
  member_.resize(weight_.size());
  std::vector<int> next(memberAdr_.begin(), memberAdr_.end() - 1);
  for (int i = 0; i < pattern_->rows(); ++i) {
    for (int k = weightAdr_[at(i)]; k < weightAdr_[at(i + 1)]; ++k) {
      member_[at(next[at(weight_[at(k)].index)]++)] = {i, weight_[at(k)].weight};
    }
  }
}

void CoarsePlan::listProducts(std::span<const int> adr, std::span<const Neighbour> neighbours, Arena& scratch) {
  const Arena::Scope scope(scratch);
  const std::span<int> stamp = scratch.take<int>(aggregates());
  std::fill(stamp.begin(), stamp.end(), -1);
  productAdr_.clear();
  productColumn_.clear();
  longestProduct_ = 0;
  for (int i = 0; i < pattern_->rows(); ++i) {
    productAdr_.push_back(products());
    const auto add = [&](int row) {
      for (int k = weightAdr_[at(row)]; k < weightAdr_[at(row + 1)]; ++k) {
        const int a = weight_[at(k)].index;
        if (stamp[at(a)] != i) productColumn_.push_back(a);
        stamp[at(a)] = i;
      }
    };
    add(i);
    for (int k = adr[at(i)]; k < adr[at(i + 1)]; ++k) add(neighbours[at(k)].row);
    std::sort(productColumn_.begin() + productAdr_.back(), productColumn_.end());
    longestProduct_ = std::max(longestProduct_, products() - productAdr_.back());
  }
  productAdr_.push_back(products());
}

void CoarsePlan::planFactor(Arena& scratch) {
  const Arena::Scope scope(scratch);
  const int count = aggregates();
  const std::span<int> stamp = scratch.take<int>(count), groups = scratch.take<int>(count + 1);
  std::fill(stamp.begin(), stamp.end(), -1);
  coarseAdr_.clear();
  coarseColumn_.clear();
  for (int a = 0; a <= count; ++a) groups[at(a)] = 3 * a;
  wanted_.begin(groups);
  for (int a = 0; a < count; ++a) {
    coarseAdr_.push_back(static_cast<int>(coarseColumn_.size()));
    for (int k = memberAdr_[at(a)]; k < memberAdr_[at(a + 1)]; ++k) {
      const int i = member_[at(k)].index;
      for (int e = productAdr_[at(i)]; e < productAdr_[at(i + 1)]; ++e) {
        const int b = productColumn_[at(e)];
        if (b > a || stamp[at(b)] == a) continue;
        stamp[at(b)] = a;
        coarseColumn_.push_back(b);
      }
    }
    std::sort(coarseColumn_.begin() + coarseAdr_.back(), coarseColumn_.end());
    for (std::size_t k = at(coarseAdr_.back()); k < coarseColumn_.size(); ++k)
      wanted_.addPair(3 * coarseColumn_[k], 3 * a);
  }
  coarseAdr_.push_back(static_cast<int>(coarseColumn_.size()));
  factor_.makeFor(wanted_, scratch);
  place_.clear();
  for (int a = 0; a < count; ++a) {
    for (int k = coarseAdr_[at(a)]; k < coarseAdr_[at(a + 1)]; ++k) {
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) place_.push_back(factor_.placeOf(3 * a + r, 3 * coarseColumn_[at(k)] + c));
      }
    }
  }
}

double stiffnessRatio(const BlockMatrix& A) {
  const BlockPattern& pattern = A.pattern();
  double diagonal = 0, beside = 0;
  for (int i = 0; i < pattern.rows(); ++i) {
    const int last = pattern.rowAdr()[i + 1] - 1;
    for (int k = pattern.rowAdr()[i]; k <= last; ++k) {
      const double* B = A.block(k);
      (k == last ? diagonal : beside) += B[0] + B[4] + B[8];
    }
  }
  return diagonal / (diagonal + 2 * beside);
}

CoarseSpace::CoarseSpace(const CoarsePlan& plan, std::span<const float> product, std::span<const double> factor,
                         Arena& arena)
    : plan_(&plan),
      product_(product),
      factor_(plan.factor(), factor.first(at(plan.factor().entries())), factor.subspan(at(plan.factor().entries())),
              arena.take<double>(plan.factor().largestFront())),
      restricted_(arena.take<double>(std::ptrdiff_t{kStride} * plan.aggregates())),
      right_(arena.take<double>(std::ptrdiff_t{3} * plan.aggregates())) {}

/// Row by row of A P: (A P)_ia = sum over j of A_ij w_ja.
SINEW_KERNEL void CoarseMaker::makeProducts(const BlockMatrix& A, Arena& scratch) const {
  const Arena::Scope scope(scratch);
  const BlockPattern& pattern = *plan_->pattern_;
  const std::span<int> slot = scratch.take<int>(plan_->aggregates());
  const std::span<double> sum = scratch.take<double>(std::ptrdiff_t{3 * kStride} * plan_->longestProduct_);
  const int *rowAdr = pattern.rowAdr(), *column = pattern.column();
  product_.back() = 0;
  for (int i = 0; i < pattern.rows(); ++i) {
    const int begin = plan_->productAdr_[at(i)], count = plan_->productAdr_[at(i + 1)] - begin;
    for (int e = 0; e < count; ++e) slot[at(plan_->productColumn_[at(begin + e)])] = 3 * kStride * e;
    std::fill_n(sum.begin(), 3 * kStride * count, 0.0);
    const auto add = [&](int j, const Wide& r0, const Wide& r1, const Wide& r2) __attribute__((always_inline)) {
      for (int k = plan_->weightAdr_[at(j)]; k < plan_->weightAdr_[at(j + 1)]; ++k) {
        const double weight = double{plan_->weight_[at(k)].weight};
        double* target = sum.data() + slot[at(plan_->weight_[at(k)].index)];
        store(target, loadWide(target) + weight * r0);
        store(target + kStride, loadWide(target + kStride) + weight * r1);
        store(target + 2 * kStride, loadWide(target + 2 * kStride) + weight * r2);
      }
    };
    const int last = rowAdr[i + 1] - 1;
    for (int k = rowAdr[i]; k < last; ++k) {
      const double* B = A.block(k);
      add(column[k], loadWide(B), loadWide(B + 3), loadWide(B + 6));
    }
    {
      const double* B = A.block(last);  // the lower half is what counts
      add(i, Wide{B[0], B[3], B[6], 0}, Wide{B[3], B[4], B[7], 0}, Wide{B[6], B[7], B[8], 0});
    }
    for (const int k : pattern.below(i)) {
      const double* B = A.block(k);
      add(plan_->blockRow_[at(k)], Wide{B[0], B[3], B[6], 0}, Wide{B[1], B[4], B[7], 0}, Wide{B[2], B[5], B[8], 0});
    }
    float* out = product_.data() + std::ptrdiff_t{kSize} * begin;
    for (int e = 0; e < count; ++e, out += kSize) {
      const double* from = sum.data() + 3 * kStride * e;
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) out[3 * r + c] = static_cast<float>(from[kStride * r + c]);
      }
    }
  }
}

SINEW_KERNEL void CoarseMaker::make(const BlockMatrix& A, Arena& scratch) const {
  makeProducts(A, scratch);
  const Arena::Scope scope(scratch);
  // row by row of P'A P: (P'A P)_ab = sum over i of w_ia (A P)_ib, for b <= a
  const std::span<double> panels = factor_.first(at(plan_->factor().entries()));
  std::fill(panels.begin(), panels.end(), 0.0);
  const std::span<int> slot = scratch.take<int>(plan_->aggregates());
  const std::span<double> sum = scratch.take<double>(std::ptrdiff_t{3 * kStride} * plan_->aggregates());
  for (int a = 0; a < plan_->aggregates(); ++a) {
    const int begin = plan_->coarseAdr_[at(a)], count = plan_->coarseAdr_[at(a + 1)] - begin;
    const int* column = plan_->coarseColumn_.data() + begin;
    for (int e = 0; e < count; ++e) slot[at(column[e])] = 3 * kStride * e;
    std::fill_n(sum.begin(), 3 * kStride * count, 0.0);
    for (int k = plan_->memberAdr_[at(a)]; k < plan_->memberAdr_[at(a + 1)]; ++k) {
      const int i = plan_->member_[at(k)].index;
      const double weight = double{plan_->member_[at(k)].weight};
      for (int e = plan_->productAdr_[at(i)]; e < plan_->productAdr_[at(i + 1)]; ++e) {
        const int b = plan_->productColumn_[at(e)];
        if (b > a) break;
        const float* B = product_.data() + std::ptrdiff_t{kSize} * e;
        double* target = sum.data() + slot[at(b)];
        for (int r = 0; r < 3; ++r) {
          const WideFloat row = loadWide(B + 3 * r);
          store(target + kStride * r, loadWide(target + kStride * r) + weight * __builtin_convertvector(row, Wide));
        }
      }
    }
    for (int e = 0; e < count; ++e) {
      const std::ptrdiff_t* place = plan_->place_.data() + std::ptrdiff_t{kSize} * (begin + e);
      const double* from = sum.data() + 3 * kStride * e;
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < (column[e] == a ? r + 1 : 3); ++c) panels[at(place[3 * r + c])] = from[kStride * r + c];
      }
    }
  }
  const FactorMaker maker(plan_->factor(), panels, factor_.subspan(panels.size()), scratch);
  for (int f = 0; f < static_cast<int>(plan_->factor().fronts().size()); ++f) maker.eliminate(f);
}

SINEW_KERNEL double CoarseSpace::solve(const double* b, double* x) const {
  const int rows = plan_->pattern_->rows(), count = plan_->aggregates();
  std::fill(restricted_.begin(), restricted_.end(), 0.0);
  double* const g = restricted_.data();
  for (int i = 0; i < rows; ++i) {
    const Wide bi = loadWide(b + kStride * i);
    for (int k = plan_->weightAdr_[at(i)]; k < plan_->weightAdr_[at(i + 1)]; ++k) {
      double* target = g + kStride * plan_->weight_[at(k)].index;
      store(target, loadWide(target) + double{plan_->weight_[at(k)].weight} * bi);
    }
  }
  for (int a = 0; a < count; ++a) {
    for (int c = 0; c < 3; ++c) right_[at(3 * a + c)] = g[kStride * a + c];
  }
  factor_.solve(right_.data());
  double form = 0;
  for (int a = 0; a < count; ++a) {
    for (int c = 0; c < 3; ++c) {
      form += g[kStride * a + c] * right_[at(3 * a + c)];
      g[kStride * a + c] = right_[at(3 * a + c)];
    }
    g[kStride * a + 3] = 0;
  }
  for (int i = 0; i < rows; ++i) {
    Wide xi{};
    for (int k = plan_->weightAdr_[at(i)]; k < plan_->weightAdr_[at(i + 1)]; ++k) {
      xi += double{plan_->weight_[at(k)].weight} * loadWide(g + kStride * plan_->weight_[at(k)].index);
    }
    store(x + kStride * i, xi);
  }
  return form;
}

SINEW_KERNEL double CoarseSpace::correct(const double* r, double scale, float* w) const {
  const int rows = plan_->pattern_->rows(), count = plan_->aggregates();
  std::fill(restricted_.begin(), restricted_.end(), 0.0);
  std::fill(right_.begin(), right_.end(), 0.0);
  double *const g = restricted_.data(), *const y = right_.data();
  const float* B = product_.data();
  // P'scale r in y, which is needed by itself, and -(A P)'w in g
  for (int i = 0; i < rows; ++i) {
    const Wide ri = scale * loadWide(r + kStride * i);
    for (int k = plan_->weightAdr_[at(i)]; k < plan_->weightAdr_[at(i + 1)]; ++k) {
      double* target = y + 3 * plan_->weight_[at(k)].index;
      const double weight = double{plan_->weight_[at(k)].weight};
      for (int c = 0; c < 3; ++c) target[c] += weight * ri[c];
    }
    const float w0 = w[kStride * i], w1 = w[kStride * i + 1], w2 = w[kStride * i + 2];
    for (int e = plan_->productAdr_[at(i)]; e < plan_->productAdr_[at(i + 1)]; ++e, B += kSize) {
      double* target = g + kStride * plan_->productColumn_[at(e)];
      const WideFloat sum = (loadWide(B) * w0 + loadWide(B + 3) * w1) + loadWide(B + 6) * w2;
      store(target, loadWide(target) - __builtin_convertvector(sum, Wide));
    }
  }
  for (int a = 0; a < count; ++a) {
    for (int c = 0; c < 3; ++c) {
      const double ofResidual = y[3 * a + c];
      y[3 * a + c] += g[kStride * a + c];
      g[kStride * a + c] = ofResidual;
    }
  }
  factor_.solve(y);
  double form = 0;
  for (int a = 0; a < count; ++a) {
    for (int c = 0; c < 3; ++c) {
      form += g[kStride * a + c] * y[3 * a + c];
      g[kStride * a + c] = y[3 * a + c];
    }
    g[kStride * a + 3] = 0;
  }
  for (int i = 0; i < rows; ++i) {
    Wide sum{};
    for (int k = plan_->weightAdr_[at(i)]; k < plan_->weightAdr_[at(i + 1)]; ++k) {
      sum += double{plan_->weight_[at(k)].weight} * loadWide(g + kStride * plan_->weight_[at(k)].index);
    }
    store(w + kStride * i, loadWide(w + kStride * i) + __builtin_convertvector(sum, WideFloat));
  }
  return form;
}

}  // namespace sinew::sparse
