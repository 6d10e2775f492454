#include "sinew/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "model/state.h"
#include "model/workspace.h"
#include "step/sleep.h"

// Parts of the state as numbers. Every part but the impulses is an array of Data whose size follows from the Model.
namespace sinew {
namespace {

constexpr std::array kParts{StatePart{state::kTime, "time"},
                            StatePart{state::kQpos, "qpos"},
                            StatePart{state::kQvel, "qvel"},
                            StatePart{state::kAct, "act"},
                            StatePart{state::kHistory, "history"},
                            StatePart{state::kWarmstart, "qacc_warmstart"},
                            StatePart{state::kCtrl, "ctrl"},
                            StatePart{state::kQfrcApplied, "qfrc_applied"},
                            StatePart{state::kXfrcApplied, "xfrc_applied"},
                            StatePart{state::kEqActive, "eq_active"},
                            StatePart{state::kMocapPos, "mocap_pos"},
                            StatePart{state::kMocapQuat, "mocap_quat"},
                            StatePart{state::kUserdata, "userdata"},
                            StatePart{state::kPlugin, "plugin"},
                            StatePart{state::kSleep, "tree_asleep"},
                            StatePart{state::kImpulses, "impulses"}};

constexpr int allBits() {
  int bits = 0;
  for (const StatePart& part : kParts) bits |= part.bit;
  return bits;
}
static_assert(allBits() == state::kComplete);

/// Numbers per remembered block: the key in two halves, six forces, a length of steps.
constexpr std::ptrdiff_t kImpulseNumbers = 9;

/// Calls f(array) with the array of Data behind a bit; not for impulses, and not for plugins, which have none.
template <class AnyData, class F>
void withPart(AnyData& d, int bit, F&& f) {
  switch (bit) {
    case state::kTime:
      return f(std::span(&d.time, 1));
    case state::kQpos:
      return f(d.qpos);
    case state::kQvel:
      return f(d.qvel);
    case state::kAct:
      return f(d.act);
    case state::kHistory:
      return f(d.history);
    case state::kWarmstart:
      return f(d.qacc_warmstart);
    case state::kCtrl:
      return f(d.ctrl);
    case state::kQfrcApplied:
      return f(d.qfrc_applied);
    case state::kXfrcApplied:
      return f(d.xfrc_applied);
    case state::kEqActive:
      return f(d.eq_active);
    case state::kMocapPos:
      return f(d.mocap_pos);
    case state::kMocapQuat:
      return f(d.mocap_quat);
    case state::kUserdata:
      return f(d.userdata);
    case state::kSleep:
      return f(d.tree_asleep);
    default:
      return;
  }
}

int fixedSize(const Model& m, int bit) {
  switch (bit) {
    case state::kTime:
      return 1;
    case state::kQpos:
      return m.nq;
    case state::kQvel:
    case state::kWarmstart:
    case state::kQfrcApplied:
      return m.nv;
    case state::kAct:
      return m.na;
    case state::kHistory:
      return m.nhistory;
    case state::kCtrl:
      return m.nu;
    case state::kXfrcApplied:
      return 6 * m.nbody;
    case state::kEqActive:
      return m.neq;
    case state::kMocapPos:
      return 3 * m.nmocap;
    case state::kMocapQuat:
      return 4 * m.nmocap;
    case state::kUserdata:
      return m.nuserdata;
    case state::kSleep:
      return m.ntree;
    default:
      return 0;
  }
}

/// Numbers of all parts of the mask but the impulses.
std::ptrdiff_t fixedSizes(const Model& m, int mask) {
  std::ptrdiff_t sum = 0;
  for (const StatePart& part : kParts) {
    if (mask & part.bit) sum += fixedSize(m, part.bit);
  }
  return sum;
}

std::ptrdiff_t impulseSize(const Data& d) { return 1 + kImpulseNumbers * d.row_memory.size(); }

void requireMask(const char* function, int mask) {
  const int unknown = mask & ~state::kComplete;
  if (unknown == 0) return;
  throw std::invalid_argument(fmt::format(
      "{}: the mask {:#x} has bits that are no part of a state: {:#x}; those that are: {:#x}", function,
      static_cast<unsigned>(mask), static_cast<unsigned>(unknown), static_cast<unsigned>(state::kComplete)));
}

void requireSize(const char* function, int mask, std::size_t given, std::ptrdiff_t expected) {
  if (given == static_cast<std::size_t>(expected)) return;
  throw std::invalid_argument(fmt::format("{}: {} numbers given, the parts of the mask {:#x} have {}", function, given,
                                          static_cast<unsigned>(mask), expected));
}

bool isWhole(double x, double low, double high) { return x >= low && x <= high && x == std::floor(x); }

// ---- impulses -------------------------------------------------------------------------------------------------------

constexpr double kHalf = 4294967296.0;  // 2^32

void writeImpulses(const Data& d, double* to) {
  *to++ = static_cast<double>(d.row_memory.size());
  for (const RowMemory& memory : d.row_memory) {
    *to++ = static_cast<double>(memory.key >> 32);
    *to++ = static_cast<double>(memory.key & 0xFFFFFFFFu);
    to = std::copy(memory.force.begin(), memory.force.end(), to);
    *to++ = memory.length;
  }
}

std::uint64_t keyOf(const double* block) {
  return (static_cast<std::uint64_t>(block[0]) << 32) | static_cast<std::uint64_t>(block[1]);
}

/// How many numbers the impulses at the end of `numbers` claim to be, if that can be.
void requireImpulses(const char* function, std::span<const double> numbers) {
  const auto fail = [&](const std::string& why) {
    throw std::invalid_argument(fmt::format("{}: the impulses of the given state {}", function, why));
  };
  if (numbers.empty()) fail("are missing");
  const double count = numbers[0];
  if (!isWhole(count, 0, 2147483647.0)) fail(fmt::format("begin with {}, must be how many there are", count));
  const double expected = 1 + count * static_cast<double>(kImpulseNumbers);
  if (static_cast<double>(numbers.size()) != expected) {
    fail(fmt::format("are {} numbers, must be {} for a count of {}", numbers.size(), expected, count));
  }
  std::uint64_t last = 0;
  for (std::size_t at = 1; at < numbers.size(); at += kImpulseNumbers) {
    const double* block = numbers.data() + at;
    const std::size_t index = (at - 1) / kImpulseNumbers;
    if (!isWhole(block[0], 0, kHalf - 1) || !isWhole(block[1], 0, kHalf - 1)) {
      fail(fmt::format("have a key that is none, at {}", index));
    }
    // keys may repeat: both stops of a joint, features of contacts that are not distinct
    if (index > 0 && keyOf(block) < last) fail(fmt::format("are not in the order of their keys, at {}", index));
    last = keyOf(block);
  }
}

void readImpulses(Data& d, std::span<const double> numbers) {
  const double* from = numbers.data();
  d.work->row_recall.clear();
  d.row_memory.resize(static_cast<std::ptrdiff_t>(*from++));
  for (RowMemory& memory : d.row_memory) {
    memory.key = keyOf(from);
    from += 2;
    std::copy_n(from, 6, memory.force.begin());
    memory.length = from[6];
    from += 7;
  }
}

// ---- checks of what is given ----------------------------------------------------------------------------------------

void requireFlags(const char* function, std::span<const double> active) {
  for (std::size_t i = 0; i < active.size(); ++i) {
    if (isWhole(active[i], 0, 255)) continue;
    throw std::invalid_argument(
        fmt::format("{}: eq_active[{}] of the given state is {}, must be 0 or 1", function, i, active[i]));
  }
}

/// Trees that sleep form rings: each holds the next one.
void requireRings(const char* function, std::span<const double> next) {
  const double trees = static_cast<double>(next.size());
  std::vector<char> reached(next.size(), 0);
  for (std::size_t tree = 0; tree < next.size(); ++tree) {
    const double other = next[tree];
    const bool isNumber = isWhole(other, -2147483648.0, trees - 1);
    if (isNumber && other < 0) continue;
    const bool sleeps = isNumber && next[static_cast<std::size_t>(other)] >= 0;
    if (sleeps && std::exchange(reached[static_cast<std::size_t>(other)], 1) == 0) continue;
    throw std::invalid_argument(fmt::format(
        "{}: tree_asleep[{}] of the given state is {}: trees that sleep must form rings", function, tree, other));
  }
}

/// Calls f(part, its numbers) for the parts of the mask. Impulses, which come last, take all that is left.
template <class F>
void forEachPart(const Model& m, int mask, std::span<const double> numbers, F&& f) {
  for (const StatePart& part : kParts) {
    if (!(mask & part.bit)) continue;
    const std::size_t size =
        part.bit == state::kImpulses ? numbers.size() : static_cast<std::size_t>(fixedSize(m, part.bit));
    f(part, numbers.first(size));
    numbers = numbers.subspan(size);
  }
}

void requireNumbers(const char* function, const Model& m, int mask, std::span<const double> numbers) {
  const std::ptrdiff_t fixed = fixedSizes(m, mask);
  if (!(mask & state::kImpulses) || static_cast<std::ptrdiff_t>(numbers.size()) < fixed + 1) {
    requireSize(function, mask, numbers.size(), fixed + ((mask & state::kImpulses) ? 1 : 0));
  }
  forEachPart(m, mask, numbers, [&](const StatePart& part, std::span<const double> values) {
    if (part.bit == state::kEqActive) requireFlags(function, values);
    if (part.bit == state::kSleep) requireRings(function, values);
    if (part.bit == state::kImpulses) requireImpulses(function, values);
  });
}

void setChecked(const Model& m, Data& d, int mask, std::span<const double> numbers) {
  forEachPart(m, mask, numbers, [&](const StatePart& part, std::span<const double> values) {
    if (part.bit == state::kImpulses) return readImpulses(d, values);
    withPart(d, part.bit, [&](auto&& array) {
      using T = std::remove_cvref_t<decltype(array[0])>;
      std::transform(values.begin(), values.end(), array.begin(), [](double x) { return static_cast<T>(x); });
    });
  });
}

/// What follows at once from parts that were written.
void settle(const Model& m, Data& d, int mask) {
  if (mask & (state::kMocapPos | state::kMocapQuat)) placeMocapBodies(m, d);
  if (mask & state::kSleep) resumeAsleep(m, d);
}

// ---- bytes ----------------------------------------------------------------------------------------------------------

constexpr std::array<char, 8> kMagic{'S', 'I', 'N', 'E', 'W', 'S', 'T', 'A'};
constexpr std::uint64_t kVersion = 1;

struct Header {
  std::array<char, 8> magic = kMagic;
  std::uint64_t version = kVersion;
  std::uint64_t signature = 0;  // of the Model
  std::uint64_t mask = 0;
  std::uint64_t count = 0;  // of the numbers that follow
};
static_assert(std::is_trivially_copyable_v<Header> && sizeof(Header) == 40, "no bytes between its fields");

Header headerOf(const char* function, std::span<const std::byte> bytes) {
  const auto fail = [&](const std::string& why) { throw std::invalid_argument(fmt::format("{}: {}", function, why)); };
  Header header;
  if (bytes.size() < sizeof(header) || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) {
    fail(fmt::format("the {} bytes given are no state that saveState() saved", bytes.size()));
  }
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.version != kVersion) {
    fail(fmt::format("the state has the format {}; this Sinew reads {}", header.version, kVersion));
  }
  if ((header.mask & ~static_cast<std::uint64_t>(state::kComplete)) != 0) {
    fail(fmt::format("the mask {:#x} of the state has bits that are no part of a state", header.mask));
  }
  if ((bytes.size() - sizeof(header)) % sizeof(double) != 0 ||
      header.count != (bytes.size() - sizeof(header)) / sizeof(double)) {
    fail(fmt::format("the state has {} bytes, must have {} numbers of 8 bytes after a header of {}", bytes.size(),
                     header.count, sizeof(header)));
  }
  return header;
}

}  // namespace

std::span<const StatePart> stateParts() { return kParts; }

int stateSize(const Model& m, int mask) {
  requireMask("stateSize", mask);
  if (mask & state::kImpulses) {
    throw std::invalid_argument(
        "stateSize: the number of impulses changes from step to step; pass the Data as well, or leave out kImpulses");
  }
  return static_cast<int>(fixedSizes(m, mask));
}

int stateSize(const Model& m, const Data& d, int mask) {
  requireSameModel(m, d, "stateSize");
  requireMask("stateSize", mask);
  return static_cast<int>(fixedSizes(m, mask) + ((mask & state::kImpulses) ? impulseSize(d) : 0));
}

void getState(const Model& m, const Data& d, int mask, std::span<double> numbers) {
  requireSameModel(m, d, "getState");
  requireMask("getState", mask);
  requireSize("getState", mask, numbers.size(), stateSize(m, d, mask));
  double* to = numbers.data();
  for (const StatePart& part : kParts) {
    if (!(mask & part.bit)) continue;
    if (part.bit == state::kImpulses) {
      writeImpulses(d, to);
    } else {
      withPart(d, part.bit, [&](const auto& array) {
        to = std::transform(array.begin(), array.end(), to, [](auto x) { return static_cast<double>(x); });
      });
    }
  }
}

std::vector<double> getState(const Model& m, const Data& d, int mask) {
  requireSameModel(m, d, "getState");
  requireMask("getState", mask);
  std::vector<double> numbers(static_cast<std::size_t>(stateSize(m, d, mask)));
  getState(m, d, mask, numbers);
  return numbers;
}

void setState(const Model& m, Data& d, int mask, std::span<const double> numbers) {
  requireSameModel(m, d, "setState");
  requireMask("setState", mask);
  requireNumbers("setState", m, mask, numbers);
  setChecked(m, d, mask, numbers);
  settle(m, d, mask);
}

void copyState(const Model& m, const Data& from, Data& to, int mask) {
  requireSameModel(m, from, "copyState");
  requireSameModel(m, to, "copyState");
  requireMask("copyState", mask);
  if (&from == &to) return;
  for (const StatePart& part : kParts) {
    if (!(mask & part.bit)) continue;
    if (part.bit == state::kImpulses) {
      to.work->row_recall.clear();
      to.row_memory = from.row_memory;
      continue;
    }
    withPart(from, part.bit, [&](const auto& source) {
      withPart(to, part.bit, [&](auto&& target) {
        using S = std::remove_cvref_t<decltype(source[0])>;
        using T = std::remove_cvref_t<decltype(target[0])>;
        if constexpr (std::is_same_v<S, T>) std::copy(source.begin(), source.end(), target.begin());
      });
    });
  }
  settle(m, to, mask);
}

void extractState(const Model& m, std::span<const double> from, int fromMask, std::span<double> to, int toMask) {
  requireMask("extractState", fromMask);
  requireMask("extractState", toMask);
  if ((toMask & ~fromMask) != 0) {
    throw std::invalid_argument(fmt::format("extractState: the mask {:#x} has parts that {:#x} does not have: {:#x}",
                                            static_cast<unsigned>(toMask), static_cast<unsigned>(fromMask),
                                            static_cast<unsigned>(toMask & ~fromMask)));
  }
  requireNumbers("extractState", m, fromMask, from);
  std::ptrdiff_t expected = fixedSizes(m, toMask);
  if (toMask & state::kImpulses) expected += static_cast<std::ptrdiff_t>(from.size()) - fixedSizes(m, fromMask);
  requireSize("extractState", toMask, to.size(), expected);
  double* next = to.data();
  forEachPart(m, fromMask, from, [&](const StatePart& part, std::span<const double> values) {
    if (toMask & part.bit) next = std::copy(values.begin(), values.end(), next);
  });
}

std::vector<std::byte> saveState(const Model& m, const Data& d, int mask) {
  requireSameModel(m, d, "saveState");
  requireMask("saveState", mask);
  const std::vector<double> numbers = getState(m, d, mask);
  Header header;
  header.signature = m.signature;
  header.mask = static_cast<std::uint64_t>(mask);
  header.count = numbers.size();
  std::vector<std::byte> bytes(sizeof(header) + numbers.size() * sizeof(double));
  std::memcpy(bytes.data(), &header, sizeof(header));
  if (!numbers.empty()) {
    std::memcpy(bytes.data() + sizeof(header), numbers.data(), numbers.size() * sizeof(double));
  }
  return bytes;
}

std::vector<std::byte> saveState(const Model& m, const Data& d) { return saveState(m, d, state::kComplete); }

int savedParts(std::span<const std::byte> bytes) { return static_cast<int>(headerOf("savedParts", bytes).mask); }

void restoreState(const Model& m, Data& d, std::span<const std::byte> bytes) {
  requireSameModel(m, d, "restoreState");
  const Header header = headerOf("restoreState", bytes);
  if (header.signature != m.signature) {
    throw std::invalid_argument(fmt::format(
        "restoreState: the state belongs to another model, whose signature is {:016x}; that of this one is {:016x}",
        header.signature, m.signature));
  }
  std::vector<double> numbers(header.count);
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data() + sizeof(header), numbers.size() * sizeof(double));
  const int mask = static_cast<int>(header.mask);
  requireNumbers("restoreState", m, mask, numbers);
  setChecked(m, d, mask, numbers);
  settle(m, d, mask);
}

}  // namespace sinew
