#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.h"
#include "comparison.h"
#include "controls.h"
#include "model_source.h"
#include "numbers.h"
#include "option_settings.h"
#include "reference_rows.h"
#include "sinew/step.h"
#include "trace.h"

namespace sinew::cli {
namespace {

struct CompareOptions {
  std::string model;
  std::string trace;
  Tolerances tolerances;
  bool smooth = false;
  bool json = false;
  bool verbose = false;
  ModelChoices choices;
};

/// The initial state where the reference engine counts dofs and bodies differently.
void setInitialFlexState(const Model& m, const Trace& trace, Data& d) {
  ReferenceLayout layout(m);
  if (trace.velocities == "sine") {
    std::vector<double> velocities(static_cast<std::size_t>(layout.nv()));
    for (std::size_t i = 0; i < velocities.size(); ++i) velocities[i] = 0.1 * std::sin(1.0 + static_cast<double>(i));
    takeVelocities(layout, velocities, d);
  }
  if (trace.samples.empty()) return;
  const NamedArrays& first = trace.samples.front().fields;
  const auto forces = first.find("qfrc_applied");
  if (forces != first.end() && forces->second.size() == static_cast<std::size_t>(layout.nv())) {
    takeForces(layout, forces->second, d);
  }
  const auto bodyForces = first.find("xfrc_applied");
  if (bodyForces != first.end() && bodyForces->second.size() == 6 * layout.bodies().size()) {
    takeBodyForces(layout, bodyForces->second, d);
  }
}

void setInitialState(const Model& m, const Trace& trace, Data& d) {
  if (trace.key >= m.nkey)
    throw CommandError(fmt::format("the trace starts from keyframe {}, which the model lacks", trace.key));
  if (trace.key >= 0) resetToKey(m, d, trace.key);
  if (m.nflexnode > 0) {
    setInitialFlexState(m, trace, d);
    return;
  }
  if (trace.velocities == "sine") {
    for (int i = 0; i < m.nv; ++i) d.qvel[i] = 0.1 * std::sin(1.0 + i);
  }
  // outside forces are constant, so the first state has them
  const auto take = [&](const char* name, Array<double>& target) {
    if (trace.samples.empty()) return;
    const auto found = trace.samples.front().fields.find(name);
    if (found == trace.samples.front().fields.end()) return;
    if (found->second.size() != static_cast<std::size_t>(target.size())) {
      throw CommandError(
          fmt::format("the trace has {} numbers in {}, the model {}", found->second.size(), name, target.size()));
    }
    std::copy(found->second.begin(), found->second.end(), target.begin());
  };
  take("xfrc_applied", d.xfrc_applied);
  take("qfrc_applied", d.qfrc_applied);
}

std::vector<double> toVector(const Array<double>& values) { return {values.begin(), values.end()}; }

void compareRun(const Model& m, const Trace& trace, Comparison& comparison) {
  Data d(m);
  setInitialState(m, trace, d);
  const std::unique_ptr<ControlSource> controls = makeControls(trace.controls, m);
  int done = 0;
  for (const TraceSample& sample : trace.samples) {
    for (; done < sample.step; ++done) {
      controls->apply(m, d);
      step(m, d);
    }
    controls->apply(m, d);
    Data state = d;
    forward(m, state);
    energy(m, state);
    // RK4 has no discrete inverse, in either engine
    const bool hasInverse = !(m.opt.enabled(enable::kInvDiscrete) && m.opt.integrator == Integrator::RK4);
    Data again = state;
    if (hasInverse) inverse(m, again);
    comparison.compareData(sample, state, hasInverse ? toVector(again.qfrc_inverse) : std::vector<double>());
  }
}

std::string when(const FieldReport& r) {
  return r.step == FieldReport::kCompiled ? "in the compiled model" : fmt::format("at step {}", r.step);
}

/// How bad a report is: its error in units of its tolerance; exact arrays that agree are the best of all.
double badness(const FieldReport& r) { return r.error == 0 ? 0 : r.tolerance > 0 ? r.error / r.tolerance : r.error; }

const FieldReport* worstOf(const std::vector<FieldReport>& reports) {
  const auto worst = std::max_element(reports.begin(), reports.end(), [](const FieldReport& a, const FieldReport& b) {
    return badness(a) < badness(b);
  });
  return worst == reports.end() ? nullptr : &*worst;
}

/// One report per field, the worst of all steps, in the order of the computation.
std::vector<FieldReport> worstByField(const std::vector<FieldReport>& reports) {
  std::vector<FieldReport> result;
  for (const FieldReport& r : reports) {
    const auto known =
        std::find_if(result.begin(), result.end(), [&](const FieldReport& k) { return k.field == r.field; });
    if (known == result.end()) {
      result.push_back(r);
    } else if (badness(r) > badness(*known)) {
      *known = r;
    }
  }
  return result;
}

nlohmann::ordered_json asJson(const FieldReport& r) {
  nlohmann::ordered_json j{{"field", r.field}, {"stage", r.stage}, {"tolerance", r.tolerance}, {"entry", r.entry}};
  j["step"] = r.step == FieldReport::kCompiled ? nlohmann::ordered_json() : nlohmann::ordered_json(r.step);
  j["error"] = std::isfinite(r.error) ? nlohmann::ordered_json(r.error) : nlohmann::ordered_json("inf");
  return j;
}

void printJson(const std::vector<FieldReport>& reports, const FieldReport* first) {
  nlohmann::ordered_json j;
  j["agrees"] = first == nullptr;
  j["first"] = first ? asJson(*first) : nlohmann::ordered_json();
  const FieldReport* worst = worstOf(reports);
  j["worst"] = worst ? asJson(*worst) : nlohmann::ordered_json();
  j["fields"] = nlohmann::ordered_json::array();
  for (const FieldReport& r : worstByField(reports)) j["fields"].push_back(asJson(r));
  fmt::print("{}\n", j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void printText(const CompareOptions& o, const Trace& trace, const std::vector<FieldReport>& reports,
               const FieldReport* first) {
  const std::vector<FieldReport> fields = worstByField(reports);
  const auto differing = std::count_if(fields.begin(), fields.end(), [](const FieldReport& r) { return r.differs(); });
  if (o.verbose) {
    fmt::print("{:<22}{:<16}{:>11}{:>11}  {}\n", "field", "stage", "error", "tolerance", "worst entry");
    for (const FieldReport& r : fields) {
      fmt::print("{:<22}{:<16}{:>11.2e}{:>11.0e}  {}{}\n", r.field, r.stage, r.error, r.tolerance,
                 r.error > 0 ? when(r) + ": " + r.entry : "equal", r.differs() ? "  DIFFERS" : "");
    }
  }
  fmt::print("{} fields compared with MuJoCo {} in {} states, {} differ\n", fields.size(), trace.version,
             trace.samples.size(), differing);
  if (first) {
    fmt::print("first difference {}, {}: {}, relative error {:.3g}\n", when(*first), first->stage, first->entry,
               first->error);
  }
  if (const FieldReport* worst = worstOf(reports)) {
    fmt::print("worst {} {:.3g} {}\n", worst->field, worst->error, when(*worst));
  }
}

int execute(CompareOptions o) {
  const Trace trace = readTrace(o.trace);
  if (o.choices.gap.empty()) o.choices.gap = "outside";  // as MuJoCo reads it since 3.9
  o.choices.quiet = true;
  Model m = loadChosen(o.model, o.choices);
  Comparison comparison(m, trace, o.tolerances);
  comparison.compareModel();

  for (const std::string& setting : trace.settings) setOption(m.opt, setting);
  if (const auto fault = checkOption(m.opt)) throw CommandError(fmt::format("{}: {}", o.trace, *fault));
  if (o.smooth && !trace.smooth) throw CommandError("--smooth, but the trace was made with constraints");
  if (trace.smooth) m.opt.disableflags |= disable::kConstraint | disable::kContact;
  // sizes and addresses that differ would make nonsense of a comparison of states
  const bool sameShape = !comparison.reports().front().differs();
  if (sameShape) compareRun(m, trace, comparison);

  const std::vector<FieldReport>& reports = comparison.reports();
  const auto first = std::find_if(reports.begin(), reports.end(), [](const FieldReport& r) { return r.differs(); });
  const FieldReport* firstDifference = first == reports.end() ? nullptr : &*first;
  if (o.json) {
    printJson(reports, firstDifference);
  } else {
    printText(o, trace, reports, firstDifference);
  }
  return firstDifference ? kProblem : kOk;
}

}  // namespace

Command addCompareCommand(CLI::App& app) {
  auto o = std::make_shared<CompareOptions>();
  CLI::App* compare =
      app.add_subcommand("compare", "Compare a model and its motion with a trace of the reference engine");
  compare->add_option("MODEL", o->model, "MJCF or URDF file")->required();
  compare->add_option("TRACE", o->trace, "Trace of the same model, made by tests/conformance/oracle.mjs")->required();
  compare->add_flag("--smooth", o->smooth, "Insist on a trace without constraints and contacts");
  const auto addTolerance = [&](const char* name, double& value, const char* what) {
    compare->add_option(name, value, what)->transform(nonNegativeNumber())->capture_default_str();
  };
  addTolerance("--tol", o->tolerances.data, "Tolerance for arrays of Data, relative");
  addTolerance("--tol-solved", o->tolerances.solved, "Tolerance for what follows from the constraint solver");
  addTolerance("--tol-constants", o->tolerances.constants, "Tolerance for compiled constants");
  addTolerance("--tol-mesh", o->tolerances.mesh, "Tolerance for constants that follow from meshes");
  compare->add_flag("--verbose", o->verbose, "List every field");
  compare->add_flag("--json", o->json, "As JSON");
  addModelChoices(*compare, o->choices);
  compare->get_option("--gap")->description("How to read a contact's gap (default: outside, as the trace does)");
  return {compare, [o] { return execute(*o); }};
}

}  // namespace sinew::cli
