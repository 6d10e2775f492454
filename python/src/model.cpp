#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>

#include "common.h"
#include "sinew/load.h"
#include "sinew/option.h"

namespace sinew::python {
namespace {

constexpr bool isOne(std::string_view columns) { return columns == "1"; }

/// Arrays of ints that may be written through their views: any number in them is safe. All other arrays of ints are
/// indices, counts, patterns or types, on which a step relies.
bool isFreeInt(std::string_view name) {
  static const std::set<std::string_view> free = {
      "geom_contype",          "geom_conaffinity",     "geom_group",
      "geom_priority",         "site_group",           "jnt_group",
      "tendon_group",          "actuator_group",       "body_contype",
      "body_conaffinity",      "flex_contype",         "flex_conaffinity",
      "flex_priority",         "flex_group",           "cam_resolution",
      "jnt_limited",           "jnt_actfrclimited",    "jnt_actgravcomp",
      "tendon_limited",        "tendon_actfrclimited", "actuator_ctrllimited",
      "actuator_forcelimited", "actuator_actlimited",  "eq_active0"};
  return free.count(name) > 0;
}

template <class T>
bool isWritable(std::string_view name) {
  return std::is_floating_point_v<T> ? name.substr(0, 4) != "mesh" && name.substr(0, 8) != "flexmode" : isFreeInt(name);
}

template <class T>
const char* numpyName() {
  using Number = typename NumpyType<T>::type;
  if constexpr (std::is_same_v<Number, double>) return "float64";
  if constexpr (std::is_same_v<Number, float>) return "float32";
  if constexpr (std::is_same_v<Number, int>) return "int32";
  return "bool";
}

template <class T>
const char* dtypeOf(std::string_view name) {
  return name == "body_simple" ? "uint8" : numpyName<T>();
}

nb::list modelFields() {
  nb::list fields;
#define SINEW_X(type, name, rows, cols, doc) \
  fields.append(nb::make_tuple(#name, dtypeOf<type>(#name), #rows, #cols, doc, isWritable<type>(#name)));
  SINEW_MODEL_ARRAYS(SINEW_X)
#undef SINEW_X
  return fields;
}

nb::list modelSizes() {
  nb::list sizes;
#define SINEW_X(name, doc) sizes.append(nb::make_tuple(#name, doc));
  SINEW_MODEL_SIZES(SINEW_X)
#undef SINEW_X
  return sizes;
}

nb::list optionFields() {
  nb::list fields;
#define SINEW_X(type, name, doc) fields.append(nb::make_tuple(#name, #type, doc));
  SINEW_OPTION_FIELDS(SINEW_X)
#undef SINEW_X
  return fields;
}

/// Whether a table gives an array one column as such, not as the value of a size: then it has one dimension.
bool isFlat(std::string_view name) {
  static const std::set<std::string_view> flat = [] {
    std::set<std::string_view> names;
#define SINEW_X(type, name, rows, cols, doc) \
  if (isOne(#cols)) names.insert(#name);
    SINEW_MODEL_ARRAYS(SINEW_X)
#undef SINEW_X
    return names;
  }();
  return flat.count(name) > 0;
}

nb::object arrayOf(const ModelBox& box, std::string_view name) {
  nb::object result;
  std::as_const(*box.model)
      .forEachArray([&](std::string_view field, const auto& array, std::ptrdiff_t rows, std::ptrdiff_t columns, auto) {
        using T = std::remove_const_t<std::remove_pointer_t<decltype(array.data())>>;
        if (field != name) return;
        const std::ptrdiff_t c = isFlat(name) ? -1 : columns;
        if constexpr (std::is_same_v<T, std::uint8_t>) {
          if (name != "body_simple") {
            result = view(reinterpret_cast<const Flag*>(array.data()), rows, c, box.model, isWritable<T>(name));
            return;
          }
        }
        result = view(array.data(), rows, c, box.model, isWritable<T>(name));
      });
  if (!result.is_valid()) throw nb::attribute_error(std::string(name).c_str());
  return result;
}

// ---------------------------------------------------------------------------------------------- options

/// Options of a Model, or on their own.
struct OptionBox {
  std::shared_ptr<Option> option;             ///< part of a Model, or owned
  std::shared_ptr<std::atomic<int>> steps{};  ///< of that Model

  void requireUnused() const {
    if (steps && *steps > 0) throw std::runtime_error("opt cannot be changed while a step of this Model runs");
  }
};

template <class T, T Option::*Field>
void bindNumber(nb::class_<OptionBox>& type, const char* name, const char* doc) {
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, int>) {
    type.def_prop_rw(
        name, [](const OptionBox& o) { return (*o.option).*Field; },
        [](OptionBox& o, T value) {
          if constexpr (std::is_same_v<T, int>) o.requireUnused();
          (*o.option).*Field = value;
        },
        doc);
  } else if constexpr (std::is_enum_v<T>) {
    type.def_prop_rw(
        name, [](const OptionBox& o) { return static_cast<int>((*o.option).*Field); },
        [](OptionBox& o, int value) {
          o.requireUnused();
          (*o.option).*Field = static_cast<T>(value);
        },
        doc);
  } else {
    constexpr std::size_t n = std::tuple_size_v<T>;
    type.def_prop_rw(
        name, [](const OptionBox& o) { return view(((*o.option).*Field).data(), n, -1, o.option, true); },
        [](OptionBox& o, const T& value) { (*o.option).*Field = value; }, doc);
  }
}

nb::bytes save(const ModelBox& box, const std::string& scratch) {
  saveModel(*box.model, scratch);
  std::ifstream file(scratch, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return nb::bytes(bytes.data(), bytes.size());
}

LoadOptions loadOptions(std::optional<int> gap, std::optional<std::uint64_t> maxMemory) {
  LoadOptions options;
  if (gap) options.gap = static_cast<GapReading>(*gap);
  if (maxMemory) options.maxMemory = *maxMemory;
  return options;
}

/// Reads and compiles. `mujocoGap`: gaps without <compiler gap> mean what they mean in MuJoCo since 3.9.
template <class Read>
ModelBox loadWith(Read&& read, LoadOptions options, bool mujocoGap) {
  ModelBox box;
  const Unlocked release;
  Spec spec = read(&box.warnings, options);
  if (mujocoGap && !spec.compiler.gap && !options.gap) options.gap = GapReading::Outside;
  box.model = std::make_shared<Model>(compile(spec, &box.warnings, options));
  return box;
}

}  // namespace

void bindModel(nb::module_& module) {
  module.def("model_fields", &modelFields);
  module.def("model_sizes", &modelSizes);
  module.def("option_fields", &optionFields);

  nb::class_<OptionBox> option(module, "Option", "Settings of the simulation; they may be changed between steps.");
  option.def("__init__", [](OptionBox* self) { new (self) OptionBox{std::make_shared<Option>()}; });
#define SINEW_X(type, name, doc) bindNumber<decltype(Option::name), &Option::name>(option, #name, doc);
  SINEW_OPTION_FIELDS(SINEW_X)
#undef SINEW_X
  option.def(
      "check", [](const OptionBox& o) { return checkOption(*o.option).value_or(""); },
      "The first thing that is wrong with these options; empty if a step can work with them.");
  option.def(
      "assign",
      [](OptionBox& o, const OptionBox& other) {
        o.requireUnused();
        *o.option = *other.option;
      },
      "Takes over all values of other options.");

  nb::class_<ModelBox> model(module, "ModelBase", nb::dynamic_attr(), nb::is_weak_referenceable());
  model.def("__init__", [](ModelBox* self, const ModelBox& other) { new (self) ModelBox(other); });
  model.def("_array", &arrayOf);
  model.def("_warnings", [](const ModelBox& b) { return b.warnings; });
#define SINEW_X(name, doc) \
  model.def_prop_ro(       \
      #name, [](const ModelBox& b) { return b.model->name; }, doc);
  SINEW_MODEL_SIZES(SINEW_X)
#undef SINEW_X
  model.def_prop_ro("_opt", [](const ModelBox& b) { return OptionBox{{b.model, &b.model->opt}, b.steps}; });
  model.def_prop_ro("_stat", [](const ModelBox& b) {
    Statistic& s = b.model->stat;
    nb::dict values;
    values["meaninertia"] = view(&s.meaninertia, 1, -1, b.model, true);
    values["meanmass"] = view(&s.meanmass, 1, -1, b.model, true);
    values["meansize"] = view(&s.meansize, 1, -1, b.model, true);
    values["extent"] = view(&s.extent, 1, -1, b.model, true);
    values["center"] = view(s.center.data(), 3, -1, b.model, true);
    return values;
  });
  model.def_prop_ro(
      "signature", [](const ModelBox& b) { return b.model->signature; },
      "Hash of the sizes and of all arrays of indices. Models with equal ones have the same layout of Data.");
  model.def_prop_ro(
      "hash", [](const ModelBox& b) { return hashOf(*b.model); },
      "Hash over every size, option and array: equal models have equal hashes.");
  model.def("_same", [](const ModelBox& a, const ModelBox& b) { return *a.model == *b.model; });
  model.def(
      "first_difference", [](const ModelBox& a, const ModelBox& b) { return firstDifference(*a.model, *b.model); },
      "other"_a,
      "First difference from another model as text (\"body_mass[12]: 1 against 2\"), empty if they are equal.");
  model.def("_copy", [](const ModelBox& b) { return ModelBox{std::make_shared<Model>(*b.model), b.warnings}; });
  model.def("_become", [](ModelBox& b, const ModelBox& other) { b = other; });
  model.def("_save", &save);
  model.def("_name", [](const ModelBox& b, int type, int id) {
    const auto kind = static_cast<ObjType>(type);
    if (id < 0 || id >= countOf(*b.model, kind)) return std::optional<std::string>();
    return std::optional<std::string>(nameOf(*b.model, kind, id));
  });
  model.def("_find", [](const ModelBox& b, int type, const std::string& name) {
    return findId(*b.model, static_cast<ObjType>(type), name);
  });
  model.def("_count", [](const ModelBox& b, int type) { return countOf(*b.model, static_cast<ObjType>(type)); });
  model.def(
      "update_constants", [](ModelBox& b) { updateConstants(*b.model); },
      "Computes again what compiling derives from masses, inertias, armature, geometry of tendons and actuators "
      "and qpos0, for a program that changed these.");
  model.def_prop_ro(
      "modelname",
      [](const ModelBox& b) { return b.model->names.empty() ? std::string() : std::string(b.model->names.data()); },
      "Name of the model.");

  module.def(
      "load_file",
      [](const std::string& file, std::optional<int> gap, std::optional<std::uint64_t> maxMemory, bool mujocoGap) {
        return loadWith([&](Warnings* w, const LoadOptions& o) { return readMjcf(file, w, o); },
                        loadOptions(gap, maxMemory), mujocoGap);
      },
      "file"_a, "gap"_a.none() = nb::none(), "max_memory"_a.none() = nb::none(), "mujoco_gap"_a = false);
  module.def(
      "load_text",
      [](const std::string& text, const std::string& name, const std::string& directory, std::optional<int> gap,
         std::optional<std::uint64_t> maxMemory, bool mujocoGap) {
        return loadWith([&](Warnings* w, const LoadOptions& o) { return readMjcfText(text, name, directory, w, o); },
                        loadOptions(gap, maxMemory), mujocoGap);
      },
      "text"_a, "name"_a = "model.xml", "directory"_a = "", "gap"_a.none() = nb::none(),
      "max_memory"_a.none() = nb::none(), "mujoco_gap"_a = false);
  module.def("load_binary", [](const std::string& file) {
    return ModelBox{std::make_shared<Model>(loadModel(file)), {}};
  });
}

}  // namespace sinew::python
