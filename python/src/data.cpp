#include <algorithm>
#include <chrono>
#include <cstring>
#include <set>

#include "common.h"
#include "sinew/option.h"
#include "sinew/state.h"
#include "sinew/step.h"

namespace sinew::python {
namespace {

bool isWritable(std::string_view name, bool isNumber) {
  // indices that the engine relies on
  return isNumber || name == "eq_active";
}

template <class T>
const char* numpyName() {
  using Number = typename NumpyType<T>::type;
  if constexpr (std::is_same_v<Number, double>) return "float64";
  if constexpr (std::is_same_v<Number, float>) return "float32";
  if constexpr (std::is_same_v<Number, int>) return "int32";
  return "bool";
}

nb::list dataFields() {
  nb::list fields;
#define SINEW_X(type, name, rows, cols, doc) \
  fields.append(                             \
      nb::make_tuple(#name, numpyName<type>(), #rows, #cols, doc, isWritable(#name, std::is_floating_point_v<type>)));
  SINEW_STATE_ARRAYS(SINEW_X)
  SINEW_DERIVED_ARRAYS(SINEW_X)
#undef SINEW_X
  return fields;
}

nb::list stateFields() {
  nb::list fields;
#define SINEW_X(type, name, rows, cols, doc) fields.append(#name);
  SINEW_STATE_ARRAYS(SINEW_X)
#undef SINEW_X
  return fields;
}

bool isFlat(std::string_view name) {
  static const std::set<std::string_view> flat = [] {
    std::set<std::string_view> names;
#define SINEW_X(type, name, rows, cols, doc) \
  if (std::string_view(#cols) == "1") names.insert(#name);
    SINEW_STATE_ARRAYS(SINEW_X)
    SINEW_DERIVED_ARRAYS(SINEW_X)
#undef SINEW_X
    return names;
  }();
  return flat.count(name) > 0;
}

nb::object arrayOf(const DataBox& box, std::string_view name) {
  nb::object result;
  std::as_const(*box.data).forEachArray(
      *box.model, [&](std::string_view field, const auto& array, std::ptrdiff_t rows, std::ptrdiff_t columns, auto) {
        using T = std::remove_const_t<std::remove_pointer_t<decltype(array.data())>>;
        if (field != name) return;
        const std::ptrdiff_t c = isFlat(name) ? -1 : columns;
        const bool writable = isWritable(name, std::is_floating_point_v<T>);
        if constexpr (std::is_same_v<T, std::uint8_t>) {
          result = view(reinterpret_cast<const Flag*>(array.data()), rows, c, box.data, writable);
        } else {
          result = view(array.data(), rows, c, box.data, writable);
        }
      });
  if (!result.is_valid()) throw nb::attribute_error(std::string(name).c_str());
  return result;
}

/// f(row, column, value) for the entries of the constraint Jacobian: rows of a block share their columns.
template <class F>
void forEachEntry(const Data& d, F&& f) {
  for (const RowBlock& block : d.row_block) {
    const auto value = [&](int row, int column) { return d.row_value[block.value + row * block.ncol + column]; };
    for (int r = 0; r < block.nrow; ++r) {
      for (int c = 0; c < block.ncol; ++c) {
        double entry = value(r, c);
        if (block.kind == BlockKind::Pyramid) {
          const int k = 1 + r / 2;
          const double mu = d.row_cone[block.cone].friction[k - 1];
          entry = value(0, c) + (r % 2 == 0 ? mu : -mu) * value(k, c);
        }
        f(block.row + r, d.row_column[block.column + c], entry);
      }
    }
  }
}

/// Arrays that have as many entries as there are constraint rows: copies.
nb::object rowArray(const DataBox& box, const std::string& name) {
  requireIdle(box);
  const Data& d = *box.data;
  const auto enums = [](const auto& array) {
    std::vector<int> values;
    for (const auto& entry : array) values.push_back(static_cast<int>(entry));
    return copyOf<int>(values);
  };
  const auto numbers = [](const Array<double>& array, std::ptrdiff_t columns = -1) {
    return copyOf<double>({array.data(), static_cast<std::size_t>(array.size())}, columns);
  };
  if (name == "efc_type") return enums(d.efc_type);
  if (name == "efc_id") return enums(d.efc_id);
  if (name == "efc_state") return enums(d.efc_state);
  if (name == "efc_pos") return numbers(d.efc_pos);
  if (name == "efc_margin") return numbers(d.efc_margin);
  if (name == "efc_frictionloss") return numbers(d.efc_frictionloss);
  if (name == "efc_diagApprox") return numbers(d.efc_diagA);
  if (name == "efc_KBIP") return numbers(d.efc_KBIP, 4);
  if (name == "efc_D") return numbers(d.efc_D);
  if (name == "efc_R") return numbers(d.efc_R);
  if (name == "efc_vel") return numbers(d.efc_vel);
  if (name == "efc_aref") return numbers(d.efc_aref);
  if (name == "efc_target") return numbers(d.efc_target);
  if (name == "efc_force") return numbers(d.efc_force);
  if (name == "efc_J") {
    const auto nv = static_cast<std::size_t>(box.model->nv);
    std::vector<double> J(static_cast<std::size_t>(d.nefc()) * nv, 0.0);
    forEachEntry(d, [&](int row, int column, double value) {
      J[static_cast<std::size_t>(row) * nv + static_cast<std::size_t>(column)] = value;
    });
    return copyOf<double>(J);
  }
  if (name == "efc_J_sparse") {  // rownnz, rowadr, colind, values; columns of a row rise
    const auto rows = static_cast<std::size_t>(d.nefc());
    std::vector<std::vector<std::pair<int, double>>> entries(rows);
    forEachEntry(d, [&](int row, int column, double value) {
      entries[static_cast<std::size_t>(row)].emplace_back(column, value);
    });
    std::vector<int> count, start, columns;
    std::vector<double> values;
    for (auto& row : entries) {
      std::sort(row.begin(), row.end());
      start.push_back(static_cast<int>(columns.size()));
      count.push_back(static_cast<int>(row.size()));
      for (const auto& [column, value] : row) {
        columns.push_back(column);
        values.push_back(value);
      }
    }
    return nb::make_tuple(copyOf<int>(count), copyOf<int>(start), copyOf<int>(columns), copyOf<double>(values));
  }
  throw nb::attribute_error(name.c_str());
}

/// A field of all contacts as an array: a copy.
nb::object contactArray(const DataBox& box, const std::string& name) {
  requireIdle(box);
  const Array<Contact>& contacts = box.data->contact;
  const auto number = [&](auto get) {
    using T = std::remove_cvref_t<decltype(get(contacts[0]))>;
    std::vector<T> values;
    for (const Contact& c : contacts) values.push_back(get(c));
    return copyOf<T>(values);
  };
  const auto several = [&](auto get) {
    using A = std::remove_cvref_t<decltype(get(contacts[0]))>;
    using T = typename A::value_type;
    std::vector<T> values;
    for (const Contact& c : contacts) {
      const A entries = get(c);
      values.insert(values.end(), entries.begin(), entries.end());
    }
    const auto columns = static_cast<std::ptrdiff_t>(std::tuple_size_v<A>);
    auto kept = std::make_shared<std::vector<T>>(std::move(values));
    return view(kept->data(), contacts.size(), columns, kept, true);
  };
  if (name == "dist") return number([](const Contact& c) { return c.dist; });
  if (name == "pos") return several([](const Contact& c) { return c.pos; });
  if (name == "frame") return several([](const Contact& c) { return c.frame; });
  if (name == "includemargin") return number([](const Contact& c) { return c.includemargin; });
  if (name == "friction") return several([](const Contact& c) { return c.friction; });
  if (name == "solref") return several([](const Contact& c) { return c.solref; });
  if (name == "solreffriction") return several([](const Contact& c) { return c.solreffriction; });
  if (name == "solimp") return several([](const Contact& c) { return c.solimp; });
  if (name == "mu") return number([](const Contact& c) { return c.mu; });
  if (name == "adhesion") return number([](const Contact& c) { return c.adhesion; });
  if (name == "restitution") return number([](const Contact& c) { return c.restitution; });
  if (name == "dim") return number([](const Contact& c) { return c.dim; });
  if (name == "geom") return several([](const Contact& c) { return c.geom; });
  if (name == "geom1") return number([](const Contact& c) { return c.geom[0]; });
  if (name == "geom2") return number([](const Contact& c) { return c.geom[1]; });
  if (name == "flex") return several([](const Contact& c) { return c.flex; });
  if (name == "elem") return several([](const Contact& c) { return c.elem; });
  if (name == "vert") return several([](const Contact& c) { return c.vert; });
  if (name == "exclude") return number([](const Contact& c) { return static_cast<int>(c.exclude); });
  if (name == "efc_address") return number([](const Contact& c) { return c.efc_address; });
  throw nb::attribute_error(name.c_str());
}

/// Writes a field of numbers of one contact.
void setContact(DataBox& box, const std::string& name, int index, const Numbers& values) {
  const Busy busy(box);
  Array<Contact>& contacts = box.data->contact;
  if (index < 0 || index >= box.data->ncon()) {
    throw nb::index_error(
        ("contact " + std::to_string(index) + ": there are " + std::to_string(box.data->ncon()) + " now").c_str());
  }
  Contact& c = contacts[index];
  const auto put = [&](double* to, std::size_t size) {
    if (values.size() != size) {
      throw std::invalid_argument(name + ": needs " + std::to_string(size) + " numbers, found " +
                                  std::to_string(values.size()));
    }
    std::copy_n(values.data(), size, to);
  };
  if (name == "dist") return put(&c.dist, 1);
  if (name == "pos") return put(c.pos.data(), c.pos.size());
  if (name == "frame") return put(c.frame.data(), c.frame.size());
  if (name == "includemargin") return put(&c.includemargin, 1);
  if (name == "friction") return put(c.friction.data(), c.friction.size());
  if (name == "solref") return put(c.solref.data(), c.solref.size());
  if (name == "solreffriction") return put(c.solreffriction.data(), c.solreffriction.size());
  if (name == "solimp") return put(c.solimp.data(), c.solimp.size());
  if (name == "mu") return put(&c.mu, 1);
  throw nb::attribute_error((name + " of a contact cannot be set").c_str());
}

const char* nameOfTerm(ForceTerm term) {
  static constexpr const char* names[] = {"none", "bias", "passive", "actuator", "applied", "constraint"};
  return names[static_cast<int>(term)];
}
const char* nameOfTerm(FlexTerm term) {
  static constexpr const char* names[] = {"none",    "edge spring", "edge damper", "elasticity",
                                          "bending", "edge row",    "contact",     "applied"};
  return names[static_cast<int>(term)];
}

const char* nameOfTrouble(Trouble trouble) {
  static constexpr const char* names[] = {"bad_qpos",    "bad_qvel",    "bad_qacc",      "bad_ctrl",
                                          "inertia",     "inverted",    "bad_applied",   "bad_mocap",
                                          "bad_option",  "other_model", "contact_limit", "energy",
                                          "unconverged", "too_deep",    "callback",      "stage_order"};
  static_assert(std::size(names) == static_cast<std::size_t>(Trouble::Count));
  return names[static_cast<int>(trouble)];
}

nb::dict statusOf(const DataBox& box) {
  nb::dict all;
  for (int t = 0; t < static_cast<int>(Trouble::Count); ++t) {
    const TroubleReport& report = box.data->status[static_cast<Trouble>(t)];
    nb::dict entry;
    entry["count"] = report.count;
    entry["first"] = report.first;
    entry["time"] = report.time;
    entry["dof"] = report.force.dof;
    entry["force_term"] = nameOfTerm(report.force.term);
    entry["force"] = report.force.value;
    entry["flex"] = report.flex.flex;
    entry["element"] = report.flex.element;
    entry["vertex"] = report.flex.vertex;
    entry["flex_term"] = nameOfTerm(report.flex.term);
    entry["stable_timestep"] = report.flex.stableTimestep;
    entry["collider"] = nb::make_tuple(report.collider[0], report.collider[1]);
    entry["value"] = report.value;
    all[nameOfTrouble(static_cast<Trouble>(t))] = entry;
  }
  return all;
}

int divergences(const Data& d) {
  return d.status[Trouble::BadQpos].count + d.status[Trouble::BadQvel].count + d.status[Trouble::BadQacc].count;
}

/// Options with which a step cannot work are the caller's mistake: raises what is wrong with them.
void requireOptions(const ModelBox& m) {
  if (const std::optional<std::string> fault = checkOption(m.model->opt)) {
    nb::module_::import_("sinew._errors").attr("_raise_option")(*fault);
  }
}
int badOptions(const Data& d) { return d.status[Trouble::BadOption].count; }

void raiseDivergence(const nb::handle& data) { nb::module_::import_("sinew._errors").attr("_raise_divergence")(data); }

/// Steps of one Data without the interpreter lock.
void stepData(const ModelBox& m, nb::handle_t<DataBox> handle, int count) {
  DataBox& d = nb::cast<DataBox&>(handle);
  requireSame(m, d);
  if (count < 0) throw std::invalid_argument("nstep: must not be negative, found " + std::to_string(count));
  const Stepping model(m);
  const int before = divergences(*d.data), refused = badOptions(*d.data);
  int now = before;
  const auto start = std::chrono::steady_clock::now();
  {
    const Busy busy(d);
    const GlobalCallbacks callbacks(handle, d);
    const Unlocked release;
    // a step in which a callback raises does not take place
    const Callbacks& own = d.data->callbacks;
    const bool mayRaise = own.control || own.passive || own.contactFilter || own.sensor;
    constexpr int kMoved = state::kComplete & ~state::kUser;
    std::vector<std::byte> stateBefore;
    for (int i = 0; i < count; ++i) {
      if (mayRaise) stateBefore = saveState(*model, *d.data, kMoved);
      step(*model, *d.data);
      if (*d.pending && mayRaise) restoreState(*model, *d.data, stateBefore);
      ++d.steps;
      if (badOptions(*d.data) != refused) break;
      if (*d.pending || (d.raiseOnDivergence && (now = divergences(*d.data)) != before)) break;
    }
  }
  d.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  raisePending(d);
  if (badOptions(*d.data) != refused) requireOptions(m);
  if (now != before) raiseDivergence(handle);
}

template <void (*function)(const Model&, Data&)>
void evaluate(const ModelBox& m, nb::handle_t<DataBox> handle) {
  DataBox& d = nb::cast<DataBox&>(handle);
  requireSame(m, d);
  const int refused = badOptions(*d.data);
  {
    const Busy busy(d);
    const GlobalCallbacks callbacks(handle, d);
    const Stepping model(m);
    const Unlocked release;
    function(*model, *d.data);
  }
  raisePending(d);
  if (badOptions(*d.data) > refused) requireOptions(m);
}

/// Contacts and constraint rows of the last evaluation.
template <class D, class F>
void forEachRowArray(D& d, F&& f) {
  const auto call = [&](auto&... arrays) { (f(arrays), ...); };
  call(d.contact, d.support_carrier, d.support_weight, d.row_block, d.row_column, d.row_value, d.row_cone, d.efc_type,
       d.efc_id, d.efc_pos, d.efc_margin, d.efc_frictionloss, d.efc_diagA, d.efc_KBIP, d.efc_D, d.efc_R, d.efc_vel,
       d.efc_aref, d.efc_target, d.efc_force, d.efc_state, d.island);
}

template <class T>
void append(std::string& bytes, const T* values, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  bytes.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

/// Takes numbers off the front of `bytes`.
template <class T>
void take(std::string_view& bytes, T* values, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (count > bytes.size() / sizeof(T)) throw std::invalid_argument("a pickle of a Data of another model or version");
  if (count > 0) std::memcpy(static_cast<void*>(values), bytes.data(), count * sizeof(T));
  bytes.remove_prefix(count * sizeof(T));
}

/// All arrays of the tables and what else a pickle keeps.
nb::bytes derivedBytes(const DataBox& box) {
  requireIdle(box);
  std::string bytes;
  const Data& d = *box.data;
  std::as_const(*box.data).forEachArray(*box.model, [&](auto, const auto& array, auto, auto, auto) {
    append(bytes, array.data(), static_cast<std::size_t>(array.size()));
  });
  append(bytes, d.energy.data(), d.energy.size());
  const std::array<int, 7> counts{d.ne, d.nf, d.nl, d.ntree_awake, d.nbody_awake, d.nparent_awake, d.nv_awake};
  append(bytes, counts.data(), counts.size());
  forEachRowArray(d, [&](const auto& array) {
    const auto size = static_cast<std::uint64_t>(array.size());
    append(bytes, &size, 1);
    append(bytes, array.data(), size);
  });
  return nb::bytes(bytes.data(), bytes.size());
}

void setDerivedBytes(DataBox& box, const nb::bytes& content) {
  const Busy busy(box);
  std::string_view bytes(content.c_str(), content.size());
  Data& d = *box.data;
  d.forEachArray(*box.model, [&](auto, auto& array, auto, auto, auto) {
    take(bytes, array.data(), static_cast<std::size_t>(array.size()));
  });
  take(bytes, d.energy.data(), d.energy.size());
  std::array<int, 7> counts{};
  take(bytes, counts.data(), counts.size());
  std::tie(d.ne, d.nf, d.nl, d.ntree_awake, d.nbody_awake, d.nparent_awake, d.nv_awake) = std::tuple_cat(counts);
  forEachRowArray(d, [&](auto& array) {
    using T = std::remove_pointer_t<decltype(array.data())>;
    std::uint64_t size = 0;
    take(bytes, &size, 1);
    if (size > bytes.size() / sizeof(T)) throw std::invalid_argument("a pickle of a Data of another model or version");
    array.resize(static_cast<std::ptrdiff_t>(size));
    take(bytes, array.data(), size);
  });
}

}  // namespace

void bindData(nb::module_& module) {
  module.def("data_fields", &dataFields);
  module.def("state_fields", &stateFields);

  nb::class_<DataBox> data(module, "DataBase", nb::dynamic_attr(), nb::is_weak_referenceable());
  data.def("__init__", [](DataBox* self, nb::handle_t<ModelBox> model) {
    const auto& box = nb::cast<const ModelBox&>(model);
    new (self) DataBox{box.model, nb::borrow(model), std::make_shared<Data>(*box.model)};
  });
  data.def("_array", &arrayOf);
  data.def("_rows", &rowArray);
  data.def("_contacts", &contactArray);
  data.def("_set_contact", &setContact);
  data.def_prop_ro("_step_timer", [](const DataBox& b) { return nb::make_tuple(b.steps, b.seconds); });
  data.def_prop_ro(
      "model", [](const DataBox& b) { return b.owner; }, "The Model it was made for.");
  data.def_prop_rw(
      "time", [](const DataBox& b) { return b.data->time; }, [](DataBox& b, double t) { b.data->time = t; },
      "Time, s.");
  data.def_prop_rw(
      "threads", [](const DataBox& b) { return b.data->threads; },
      [](DataBox& b, int n) {
        const Busy busy(b);
        b.data->threads = n;
      },
      "Threads a step may use. Every result is the same, bit for bit, whatever the number.");
  data.def_prop_ro("_energy", [](const DataBox& b) { return view(b.data->energy.data(), 2, -1, b.data, true); });
  data.def_prop_ro(
      "ncon", [](const DataBox& b) { return b.data->ncon(); }, "Number of contacts.");
  data.def_prop_ro(
      "nefc", [](const DataBox& b) { return b.data->nefc(); }, "Number of constraint rows.");
  data.def_prop_ro(
      "ne", [](const DataBox& b) { return b.data->ne; }, "Rows of equalities.");
  data.def_prop_ro(
      "nf", [](const DataBox& b) { return b.data->nf; }, "Rows of friction losses.");
  data.def_prop_ro(
      "nl", [](const DataBox& b) { return b.data->nl; }, "Rows of limits.");
  data.def_prop_ro(
      "nisland", [](const DataBox& b) { return static_cast<int>(b.data->island.size()); },
      "Number of islands that the solver worked on.");
  data.def_prop_ro(
      "nv_awake", [](const DataBox& b) { return b.data->nv_awake; }, "Dofs of trees that are awake.");
  data.def_prop_ro(
      "nbody_awake", [](const DataBox& b) { return b.data->nbody_awake; }, "Bodies that are awake.");
  data.def_prop_ro(
      "ntree_awake", [](const DataBox& b) { return b.data->ntree_awake; }, "Trees that are awake.");
  data.def_prop_ro("_islands", [](const DataBox& b) {
    requireIdle(b);
    nb::list all;
    for (const IslandReport& r : b.data->island) {
      nb::dict entry;
      entry["dofs"] = r.dofs;
      entry["rows"] = r.rows;
      entry["iterations"] = r.iterations;
      entry["noslip_iterations"] = r.noslipIterations;
      entry["converged"] = r.converged;
      entry["improvement"] = r.improvement;
      entry["gradient_norm"] = r.gradientNorm;
      entry["residual"] = r.residual;
      entry["plan"] = describePlan(r);
      all.append(entry);
    }
    return all;
  });
  data.def_rw("_raise_on_divergence", &DataBox::raiseOnDivergence);
  data.def_prop_ro("_status", &statusOf);
  data.def_prop_ro("_ok", [](const DataBox& b) { return b.data->status.ok(); });
  data.def(
      "describe_status",
      [](const DataBox& b) {
        requireIdle(b);
        return describeStatus(*b.model, *b.data);
      },
      "What went wrong so far, in words; empty if all is well.");
  data.def(
      "clear_status",
      [](DataBox& b) {
        requireIdle(b);
        b.data->status = {};
      },
      "Forgets what went wrong so far.");
  data.def_prop_ro(
      "state_hash", [](const DataBox& b) { return stateHash(*b.model, *b.data); },
      "Hash over time and the state arrays.");
  data.def(
      "save_state",
      [](const DataBox& b) {
        requireIdle(b);
        const auto bytes = saveState(*b.model, *b.data);
        return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      },
      "The complete state as bytes. load_state() on a Data of the same model continues the run bit for bit.");
  data.def(
      "load_state",
      [](DataBox& b, const nb::bytes& bytes) {
        const Busy busy(b);
        restoreState(*b.model, *b.data, {reinterpret_cast<const std::byte*>(bytes.c_str()), bytes.size()});
      },
      "state"_a, "Back to a state that save_state() gave.");
  data.def("_derived_bytes", &derivedBytes);
  data.def("_set_derived_bytes", &setDerivedBytes);
  data.def("_assign", [](DataBox& b, const DataBox& other) {
    if (b.data->signature != other.data->signature) {
      throw std::invalid_argument("the other Data was made for another Model");
    }
    if (b.data == other.data) return;
    const Busy busy(b);
    const Asking asking(other);
    // the arrays keep their places, so that views stay valid
    Callbacks own = std::move(b.data->callbacks);
    *b.data = *other.data;
    b.data->callbacks = std::move(own);
  });
  data.def("_become", [](DataBox& b, const DataBox& other) {
    const Busy busy(b);
    b.model = other.model;
    b.data = other.data;
  });
  data.def(
      "save_checkpoint",
      [](const DataBox& b, const std::string& file, const std::string& note) {
        requireIdle(b);
        saveCheckpoint(*b.model, *b.data, file, note);
      },
      "file"_a, "note"_a = "", "Writes everything that the rest of a run depends on, and a note.");
  data.def(
      "load_checkpoint",
      [](DataBox& b, const std::string& file) {
        const Busy busy(b);
        return loadCheckpoint(*b.model, *b.data, file);
      },
      "file"_a, "Back to the state of a checkpoint; returns its note.");

  module.def("step", &stepData, "model"_a, "data"_a, "nstep"_a = 1, "Advances the state by `nstep` timesteps.");
  module.def("mj_step", &stepData, "m"_a, "d"_a, "nstep"_a = 1,
             "Advances the state by a timestep. Optionally, repeat nstep times.");
  module.def("mj_forward", &evaluate<&forward>, "m"_a, "d"_a, "Everything a step computes before it integrates.");
  module.def("mj_inverse", &evaluate<&inverse>, "m"_a, "d"_a, "Inverse dynamics: qpos, qvel, qacc to qfrc_inverse.");
  module.def("mj_resetData", &evaluate<&reset>, "m"_a, "d"_a, "Back to qpos0 at time 0.");
  module.def("forward", &evaluate<&forward>, "model"_a, "data"_a,
             "Everything step() computes before it integrates: all derived arrays, qacc and sensordata for the present "
             "state.");
  module.def("inverse", &evaluate<&inverse>, "model"_a, "data"_a,
             "Inverse dynamics: reads qpos, qvel, qacc and writes qfrc_inverse.");
  module.def("energy", &evaluate<&energy>, "model"_a, "data"_a,
             "Potential and kinetic energy of the present state into data.energy.");
  module.def("measure_flexes", &evaluate<&measureFlexes>, "model"_a, "data"_a,
             "What flexes feel: forces, reactions, strain, stress and energies, of the state that was evaluated last.");
  module.def("reset", &evaluate<&reset>, "model"_a, "data"_a,
             "Back to qpos0 at time 0: everything else zero, status cleared.");
  module.def(
      "reset_to_key",
      [](const ModelBox& m, DataBox& d, int key) {
        requireSame(m, d);
        const Busy busy(d);
        resetToKey(*m.model, *d.data, key);
      },
      "model"_a, "data"_a, "key"_a);
}

}  // namespace sinew::python
