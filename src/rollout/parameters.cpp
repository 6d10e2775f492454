#include "sinew/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "compile/update_constants.h"
#include "mjcf/value.h"
#include "rollout/derived_constants.h"
#include "rollout/spec_attribute.h"
#include "sinew/load.h"

namespace sinew {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const std::string near = mjcf::nearest(word, {known.begin(), known.end()});
  return near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near);
}

/// `*` stands for any text.
bool fits(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = pattern.npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p, ++n;
    } else if (star != pattern.npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

/// An entry of an array of doubles of the Model that holds a value, or its negative.
struct Entry {
  std::string array;
  std::ptrdiff_t index = 0;
  double sign = 1;
};

/// A number of Option: one of its fields, or one entry of a field.
struct OptionNumber {
  std::string field;
  int index = 0;
};

/// Calls f(double&) or f(int&) for it; false if there is none.
template <class F>
bool withOption(Option& option, const OptionNumber& number, F&& f) {
  bool found = false;
  const auto visit = [&](auto& field) {
    using T = std::remove_reference_t<decltype(field)>;
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, int>) {
      if (number.index == 0) found = true, f(field);
    } else if constexpr (!std::is_enum_v<T>) {
      const auto i = static_cast<std::size_t>(number.index);
      if (i < field.size()) found = true, f(field[i]);
    }
  };
#define SINEW_X(type, name, doc) \
  if (number.field == #name) visit(option.name);
  SINEW_OPTION_FIELDS(SINEW_X)
#undef SINEW_X
  return found;
}

struct StateNumber {
  std::string array;
  std::ptrdiff_t index = 0;
};

template <class F>
bool withStateArray(const Model& m, Data& d, std::string_view name, F&& f) {
  bool found = false;
  d.forEachStateArray(m, [&](const char* its, auto& array, int, int, const char*) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(array[0])>, double>) {
      if (name == its) found = true, f(array);
    }
  });
  return found;
}

/// What an address stands for: targets of one kind.
struct Parameter {
  std::string address;
  std::vector<SpecNumber> attributes;
  std::vector<OptionNumber> options;
  std::vector<int> masses;  // bodies
  std::vector<StateNumber> states;
  double nominal = kNone;
  // attributes that appear as they are in the Model
  bool isDirect = false;
  bool changesConstants = false;
  std::vector<Entry> entries;
};

[[noreturn]] void fail(const std::string& address, const std::string& message) {
  throw std::invalid_argument(fmt::format("{}: {}", address, message));
}

/// Puts addresses together with what they mean.
class Resolver {
 public:
  Resolver(Spec& spec, const Model& m) : spec_(spec), m_(m), d_(m) {}

  Parameter resolve(const std::string& address) {
    Parameter p;
    p.address = address;
    std::string_view rest = address;
    const int index = takeIndex(address, rest);
    const std::size_t colon = rest.find(':');
    if (rest.starts_with("option.")) {
      resolveOption(rest.substr(7), index, p);
    } else if (colon == rest.npos) {
      resolveState(rest, index, p);
    } else if (const auto kind = kindOf(rest.substr(0, colon))) {
      resolveElement(*kind, rest.substr(0, colon), rest.substr(colon + 1), index, p);
    } else {
      resolveArray(rest.substr(0, colon), rest.substr(colon + 1), index, p);
    }
    return p;
  }

 private:
  static int takeIndex(const std::string& address, std::string_view& rest) {
    if (rest.empty()) fail(address, "expected an address such as geom:floor.friction[0] or option.timestep");
    if (rest.back() != ']') return -1;
    const std::size_t open = rest.rfind('[');
    int index = -1;
    if (open != rest.npos) {
      const std::string_view digits = rest.substr(open + 1, rest.size() - open - 2);
      const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
      if (error == std::errc() && stop == digits.data() + digits.size() && index >= 0) {
        rest = rest.substr(0, open);
        return index;
      }
    }
    fail(address, "expected a whole number of 0 or more between the brackets at the end");
  }

  void resolveOption(std::string_view field, int index, Parameter& p) {
    std::vector<std::string> known;
#define SINEW_X(type, name, doc) known.push_back(#name);
    SINEW_OPTION_FIELDS(SINEW_X)
#undef SINEW_X
    const std::string name(field);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      fail(p.address, fmt::format("there is no option \"{}\"{}; choose from {}", field, suggestion(field, known),
                                  fmt::join(known, ", ")));
    }
    Option option = m_.opt;
    const auto exists = [&](int i) { return withOption(option, {name, i}, [](auto&) {}); };
    if (!exists(0)) fail(p.address, fmt::format("option \"{}\" is a word, not a number", field));
    if (index < 0 && exists(1))
      fail(p.address, fmt::format("option \"{0}\" has several numbers, say which: {0}[0]", field));
    const OptionNumber number{name, std::max(index, 0)};
    const bool found = withOption(option, number, [&](auto& x) { p.nominal = static_cast<double>(x); });
    if (!found) fail(p.address, fmt::format("option \"{}\" has no [{}]", field, index));
    p.options.push_back(number);
  }

  std::vector<std::string> stateArrays() {
    std::vector<std::string> known;
    d_.forEachStateArray(m_, [&](const char* its, auto& array, int, int, const char*) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(array[0])>, double>) known.emplace_back(its);
    });
    return known;
  }

  void resolveState(std::string_view array, int index, Parameter& p) {
    const std::string name(array);
    const bool found = withStateArray(m_, d_, name, [&](Array<double>& values) {
      if (index < 0) fail(p.address, fmt::format("say which number: {}[0] to {}[{}]", name, name, values.size() - 1));
      if (index >= values.size()) {
        fail(p.address, fmt::format("{} has {} numbers, there is no [{}]", name, values.size(), index));
      }
      p.states.push_back({name, index});
    });
    if (!found) {
      const std::vector<std::string> known = stateArrays();
      fail(p.address, fmt::format("expected KIND:NAME.ATTRIBUTE, option.NAME or an array of the state ({}){}",
                                  fmt::join(known, ", "), suggestion(name, known)));
    }
    p.nominal = kNone;
  }

  /// Names of a kind that fit a pattern.
  std::vector<std::string> matching(ElementKind kind, std::string_view word, std::string_view pattern,
                                    const std::string& address) {
    std::vector<std::string> names = namesOf(spec_, kind), found;
    for (const std::string& name : names) {
      if (fits(pattern, name)) found.push_back(name);
    }
    if (found.empty()) {
      fail(address, fmt::format("there is no {} \"{}\"{}{}", word, pattern, suggestion(pattern, names),
                                names.empty() ? fmt::format("; no {} of the model has a name", word) : ""));
    }
    return found;
  }

  void resolveElement(ElementKind kind, std::string_view word, std::string_view rest, int index, Parameter& p) {
    const std::size_t dot = rest.rfind('.');
    if (dot == rest.npos || dot + 1 == rest.size()) {
      fail(p.address, fmt::format("expected {}:NAME.ATTRIBUTE", word));
    }
    std::string_view pattern = rest.substr(0, dot);
    std::string attribute(rest.substr(dot + 1));
    // flex:pad.elasticity.young
    const auto names = namesOf(spec_, kind);
    const auto known = [&](std::string_view text) {
      return std::any_of(names.begin(), names.end(), [&](const std::string& n) { return fits(text, n); });
    };
    if (const std::size_t before = pattern.rfind('.');
        kind == ElementKind::Flex && !known(pattern) && before != pattern.npos) {
      attribute = fmt::format("{}.{}", pattern.substr(before + 1), attribute);
      pattern = pattern.substr(0, before);
    }
    set(kind, word, pattern, attribute, index, p);
  }

  void set(ElementKind kind, std::string_view word, std::string_view pattern, const std::string& attribute, int index,
           Parameter& p) {
    for (const std::string& name : matching(kind, word, pattern, p.address)) {
      if (setState(kind, name, attribute, index, p)) continue;
      if (kind == ElementKind::Body && attribute == "mass") {
        const int body = findId(m_, ObjType::Body, name);
        if (body < 0) fail(p.address, fmt::format("body \"{}\" was fused with its parent", name));
        if (index > 0) fail(p.address, fmt::format("'mass' is one number, there is no [{}]", index));
        if (!(m_.body_mass[body] > 0)) fail(p.address, fmt::format("body \"{}\" has no mass", name));
        p.nominal = m_.body_mass[body];
        p.masses.push_back(body);
        continue;
      }
      const SpecNumber number{kind, name, attribute, index};
      try {
        p.nominal = getNumber(spec_, number).value_or(kNone);
      } catch (const std::invalid_argument& error) {
        fail(p.address, error.what());
      }
      p.attributes.push_back(number);
    }
  }

  /// qpos and qvel of joints, ctrl and act of actuators.
  bool setState(ElementKind kind, const std::string& name, const std::string& attribute, int index, Parameter& p) {
    int first = -1, count = 0;
    if (kind == ElementKind::Joint && (attribute == "qpos" || attribute == "qvel")) {
      const int j = findId(m_, ObjType::Joint, name);
      if (j < 0) return false;
      const JointType type = m_.jnt_type[j];
      const bool isPosition = attribute == "qpos";
      first = isPosition ? m_.jnt_qposadr[j] : m_.jnt_dofadr[j];
      count = type == JointType::Free ? (isPosition ? 7 : 6) : type == JointType::Ball ? (isPosition ? 4 : 3) : 1;
    } else if (kind == ElementKind::Actuator && (attribute == "ctrl" || attribute == "act")) {
      const int a = findId(m_, ObjType::Actuator, name);
      if (a < 0) return false;
      first = attribute == "ctrl" ? m_.actuator_ctrladr[a] : m_.actuator_actadr[a];
      count = attribute == "ctrl" ? m_.actuator_ctrlnum[a] : m_.actuator_actnum[a];
      if (count < 1) fail(p.address, fmt::format("actuator \"{}\" has no {}", name, attribute));
    } else {
      return false;
    }
    if (index < 0 && count > 1)
      fail(p.address, fmt::format("'{0}' has {1} numbers, say which: {0}[0]", attribute, count));
    if (index >= count) fail(p.address, fmt::format("'{}' has {} numbers, there is no [{}]", attribute, count, index));
    p.states.push_back({attribute, first + std::max(index, 0)});
    return true;
  }

  void resolveArray(std::string_view array, std::string_view pattern, int index, Parameter& p) {
    if (array == "qpos" || array == "qvel")
      return set(ElementKind::Joint, "joint", pattern, std::string(array), index, p);
    if (array == "ctrl" || array == "act") {
      return set(ElementKind::Actuator, "actuator", pattern, std::string(array), index, p);
    }
    const std::size_t under = array.find('_');
    const auto kind = under == array.npos ? std::nullopt : kindOf(array.substr(0, under));
    if (!kind) {
      std::vector<std::string> known;
      for (const std::string_view word : kindWords()) known.emplace_back(word);
      fail(p.address, fmt::format("there is no kind of element \"{}\"{}; choose from {}", array,
                                  suggestion(array, known), fmt::join(known, ", ")));
    }
    set(*kind, kindWord(*kind), pattern, std::string(array.substr(under + 1)), index, p);
  }

  static std::string_view kindWord(ElementKind kind) {
    for (const std::string_view word : kindWords()) {
      if (kindOf(word) == kind) return word;
    }
    return "element";
  }

  Spec& spec_;
  const Model& m_;
  Data d_;
};

bool isDerived(std::string_view array) {
  return array == "dof_length" ||
         std::find(kDerivedConstants.begin(), kDerivedConstants.end(), array) != kDerivedConstants.end();
}

template <class F>
void withModelArray(Model& m, std::string_view name, F&& f) {
  m.forEachArray([&](const char* its, auto& array, int, int, const char*) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(array[0])>, double>) {
      if (name == its) f(array);
    }
  });
}

}  // namespace

struct VariedModel::Impl {
  Spec spec;
  Compile compile;
  Model base;
  std::vector<Parameter> parameters;
  bool needsCompile = false;  // some attribute is not in the Model as it is
  bool changesConstants = false;
  bool hasAttributes = false;

  double* entry(Model& m, const Entry& e) const {
    double* found = nullptr;
    withModelArray(m, e.array, [&](Array<double>& array) { found = &array[e.index]; });
    return found;
  }

  void setAttributes(Spec& s, std::size_t p, double value) const {
    for (const SpecNumber& number : parameters[p].attributes) setNumber(s, number, value);
  }

  /// What is set in a compiled Model, whichever way it came about. True if constants follow from it.
  bool setCompiled(std::span<const double> values, Model& m) const {
    bool heavier = false;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      for (const OptionNumber& number : parameters[p].options) {
        withOption(m.opt, number, [&](auto& x) { x = static_cast<std::remove_reference_t<decltype(x)>>(values[p]); });
      }
      for (const int body : parameters[p].masses) {
        const double ratio = values[p] / m.body_mass[body];
        m.body_mass[body] = values[p];
        for (int k = 0; k < 3; ++k) m.body_inertia[3 * body + k] *= ratio;
        heavier = true;
      }
    }
    return heavier;
  }

  Model compiled(std::span<const double> values) const {
    Model m = base;
    if (hasAttributes) {
      Spec s = spec;
      for (std::size_t p = 0; p < parameters.size(); ++p) setAttributes(s, p, values[p]);
      m = compile(s);
    }
    if (setCompiled(values, m)) draft::updateConstantsAndStatistics(spec.statistic, m);
    return m;
  }

  /// From a Model of the same layout to that for these values, without compiling.
  void write(std::span<const double> values, Model& m) const {
    m.opt = base.opt;
    if (changesConstants) {
      m.stat = base.stat;
      // the constants start from those of the file, so that the result does not depend on the run before
      m.forEachArray([&](const char* name, auto& array, int, int, const char*) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(array[0])>, double>) {
          if (!isDerived(name)) return;
          base.forEachArray([&](const char* its, const auto& from, int, int, const char*) {
            if constexpr (std::is_same_v<std::remove_cvref_t<decltype(from[0])>, double>) {
              if (std::string_view(name) == its) std::copy(from.begin(), from.end(), array.begin());
            }
          });
        }
      });
    }
    const auto put = [&] {
      for (std::size_t p = 0; p < parameters.size(); ++p) {
        for (const Entry& e : parameters[p].entries) *entry(m, e) = e.sign * values[p];
      }
    };
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      for (const int body : parameters[p].masses) {
        m.body_mass[body] = base.body_mass[body];
        std::copy_n(&base.body_inertia[3 * body], 3, &m.body_inertia[3 * body]);
      }
    }
    put();
    setCompiled(values, m);
    if (changesConstants) draft::updateConstantsAndStatistics(spec.statistic, m);
  }

  /// Finds the entries of the Model that hold an attribute.
  void look(std::size_t p, double low, double high) {
    Parameter& parameter = parameters[p];
    if (parameter.attributes.empty()) return;
    const auto with = [&](double value) {
      try {
        Spec s = spec;
        setAttributes(s, p, value);
        return compile(s);
      } catch (const std::exception& error) {
        throw std::invalid_argument(fmt::format("{} = {}: {}", parameter.address, value, error.what()));
      }
    };
    Model a = with(low), b = low == high ? a : with(high);
    for (const Model* m : {&a, &b}) {
      if (m->signature == base.signature) continue;
      fail(parameter.address,
           "changes the layout of the model (numbers of things, or arrays of indices) and cannot be varied");
    }
    if (low != high && firstDifference(a, b).empty()) {
      fail(parameter.address, fmt::format("has no effect: the compiled model is the same for {} and {}", low, high));
    }
    parameter.isDirect = true;
    Model& reference = base;
    reference.forEachArray([&](const char* name, auto& array, int, int, const char*) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(array[0])>, double>) {
        const Array<double>*x = nullptr, *y = nullptr;
        withModelArray(a, name, [&](Array<double>& its) { x = &its; });
        withModelArray(b, name, [&](Array<double>& its) { y = &its; });
        for (std::ptrdiff_t i = 0; i < array.size(); ++i) {
          const double u = (*x)[i], v = (*y)[i];
          if (same(u, array[i]) && same(v, array[i])) continue;
          if (same(u, low) && same(v, high)) {
            parameter.entries.push_back({name, i, 1});
          } else if (same(u, -low) && same(v, -high)) {
            parameter.entries.push_back({name, i, -1});
          } else if (isDerived(name)) {
            parameter.changesConstants = true;
          } else {
            parameter.isDirect = false;
          }
        }
      }
    });
    parameter.changesConstants = parameter.changesConstants || !(a.stat == base.stat) || !(b.stat == base.stat);
    if (!parameter.isDirect) return;
    // the proof: both ways lead to the same Model
    const bool constants = std::exchange(changesConstants, parameter.changesConstants);
    for (const auto& [value, expected] : {std::pair(low, &a), std::pair(high, &b)}) {
      Model m = base;
      for (const Entry& e : parameter.entries) *entry(m, e) = e.sign * value;
      if (changesConstants) draft::updateConstantsAndStatistics(spec.statistic, m);
      if (!firstDifference(m, *expected).empty()) parameter.isDirect = false;
    }
    changesConstants = constants;
  }
};

VariedModel::VariedModel(Spec spec, Compile compile, const std::vector<std::string>& addresses)
    : impl_(std::make_unique<Impl>()) {
  impl_->base = compile(spec);
  impl_->spec = std::move(spec);
  impl_->compile = std::move(compile);
  if (addresses.empty()) return;
  Resolver resolver(impl_->spec, impl_->base);
  const Data start(impl_->base);
  for (const std::string& address : addresses) {
    for (const Parameter& p : impl_->parameters) {
      if (p.address == address) fail(address, "is varied twice");
    }
    Parameter& p = impl_->parameters.emplace_back(resolver.resolve(address));
    impl_->hasAttributes = impl_->hasAttributes || !p.attributes.empty();
    if (p.states.empty()) continue;
    Data d = start;
    withStateArray(impl_->base, d, p.states[0].array, [&](Array<double>& a) { p.nominal = a[p.states[0].index]; });
  }
}
VariedModel::~VariedModel() = default;
VariedModel::VariedModel(VariedModel&&) noexcept = default;
VariedModel& VariedModel::operator=(VariedModel&&) noexcept = default;

const Model& VariedModel::base() const { return impl_->base; }
int VariedModel::size() const { return static_cast<int>(impl_->parameters.size()); }
const std::string& VariedModel::address(int p) const { return impl_->parameters[p].address; }
double VariedModel::nominal(int p) const { return impl_->parameters[p].nominal; }
bool VariedModel::compiles() const { return impl_->needsCompile; }

void VariedModel::prepare(std::span<const double> values, std::int64_t rows) {
  Impl& impl = *impl_;
  const std::size_t width = impl.parameters.size();
  if (width == 0 || rows == 0) return;
  if (values.size() != width * static_cast<std::size_t>(rows)) {
    throw std::invalid_argument(fmt::format("VariedModel: {} numbers for {} rows of {}", values.size(), rows, width));
  }
  const auto at = [&](std::size_t row, std::size_t p) { return values[row * width + p]; };
  // rows to look at as a whole: the first, the last and those with the extremes
  std::vector<std::size_t> probes{0, static_cast<std::size_t>(rows) - 1};
  for (std::size_t p = 0; p < width; ++p) {
    std::size_t low = 0, high = 0;
    const Parameter& parameter = impl.parameters[p];
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
      const double x = at(row, p);
      if (!std::isfinite(x)) fail(parameter.address, fmt::format("run {} would have {}", row, x));
      if (x < at(low, p)) low = row;
      if (x > at(high, p)) high = row;
    }
    for (const std::size_t row : {low, high}) {
      const double x = at(row, p);
      if (!parameter.masses.empty() && !(x > 0)) {
        fail(parameter.address, fmt::format("run {} would have {}, a mass must be above 0", row, x));
      }
      for (const OptionNumber& number : parameter.options) {
        Option option = impl.base.opt;
        withOption(option, number, [&](auto& field) {
          using T = std::remove_reference_t<decltype(field)>;
          if (std::is_same_v<T, int> && (x != std::floor(x) || std::abs(x) > 2e9)) {
            fail(parameter.address, fmt::format("run {} would have {}, expected a whole number", row, x));
          }
          field = static_cast<T>(x);
        });
        if (const auto fault = checkOption(option)) fail(parameter.address, fmt::format("run {}: {}", row, *fault));
      }
    }
    impl.look(p, at(low, p), at(high, p));
    probes.push_back(low);
    probes.push_back(high);
  }
  impl.needsCompile = impl.changesConstants = false;
  for (const Parameter& p : impl.parameters) {
    impl.needsCompile = impl.needsCompile || (!p.attributes.empty() && !p.isDirect);
    impl.changesConstants = impl.changesConstants || p.changesConstants || !p.masses.empty();
  }
  if (!impl.hasAttributes || impl.needsCompile) return;
  std::sort(probes.begin(), probes.end());
  probes.erase(std::unique(probes.begin(), probes.end()), probes.end());
  constexpr std::size_t kMostProbes = 6;
  if (probes.size() > kMostProbes) probes.resize(kMostProbes);
  Model m = impl.base;
  for (const std::size_t row : probes) {
    const std::span<const double> its = values.subspan(row * width, width);
    impl.write(its, m);
    if (!firstDifference(m, impl.compiled(its)).empty()) impl.needsCompile = true;
  }
}

const Model& VariedModel::modelOf(std::span<const double> values, Workspace& workspace) const {
  if (values.size() != impl_->parameters.size()) {
    throw std::invalid_argument(
        fmt::format("VariedModel: {} numbers given, there are {} parameters", values.size(), impl_->parameters.size()));
  }
  if (impl_->parameters.empty()) return impl_->base;
  if (impl_->needsCompile) {
    workspace.model = impl_->compiled(values);
  } else {
    if (!workspace.model) workspace.model = impl_->base;
    impl_->write(values, *workspace.model);
  }
  return *workspace.model;
}

void VariedModel::setState(std::span<const double> values, Data& d) const {
  for (std::size_t p = 0; p < impl_->parameters.size(); ++p) {
    for (const StateNumber& state : impl_->parameters[p].states) {
      withStateArray(impl_->base, d, state.array, [&](Array<double>& a) { a[state.index] = values[p]; });
    }
  }
}

}  // namespace sinew
