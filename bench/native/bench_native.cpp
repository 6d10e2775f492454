// Sinew against native MuJoCo (the library inside PyPI's wheel) in one process, by processor time.
//
// Both engines warm up and then repeat the same stretch of steps from saved states, piece by piece and turn by turn, so
// that whatever else the machine does disturbs both alike; the least time of each piece counts, and the pieces are
// added.

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "machine.h"
#include "sinew/load.h"
#include "sinew/step.h"

namespace {

namespace fs = std::filesystem;

struct Settings {
  int warmup = 300;
  int pieces = 5;
  int pieceSteps = 20;
  int rounds = 8;
  int maxDofs = 1'000'000;
};

/// The controls both engines get: those of keyframe 0, else the centres of their ranges, plus a tenth of the half
/// ranges times a sine.
class Controls {
 public:
  explicit Controls(const mjModel& m) {
    for (mjtSize i = 0; i < m.nu; ++i) {
      const double low = m.actuator_ctrlrange[2 * i], high = m.actuator_ctrlrange[2 * i + 1];
      const bool isLimited = low < high;
      center_.push_back(m.nkey > 0 ? m.key_ctrl[i] : isLimited ? 0.5 * (low + high) : 0);
      amplitude_.push_back(0.1 * (isLimited ? 0.5 * (high - low) : 1));
    }
  }

  void apply(double time, double* ctrl) const {
    for (std::size_t i = 0; i < center_.size(); ++i) {
      ctrl[i] = center_[i] + amplitude_[i] * std::sin(0.7 * static_cast<double>(i) + 3 * time);
    }
  }

 private:
  std::vector<double> center_, amplitude_;
};

/// The states at the beginning of every piece of the stretch, and the least time of each piece. `Engine` has a copyable
/// state, steps and gives its load (contacts, rows).
template <class Engine>
class Replay {
 public:
  Replay(Engine& engine, const Settings& s) : engine_(engine), s_(s), least_(static_cast<std::size_t>(s.pieces)) {
    std::fill(least_.begin(), least_.end(), std::numeric_limits<double>::infinity());
    for (int piece = 0; piece < s.pieces; ++piece) {
      starts_.push_back(engine.save());
      for (int i = 0; i < s.pieceSteps; ++i) {
        engine.step();
        contacts_ += engine.contacts();
        rows_ += engine.rows();
      }
    }
    end_ = engine.positions();
  }

  void run(int piece) {
    engine_.restore(*starts_[piece]);
    const double begin = sinew::bench::cpuMicroseconds();
    for (int i = 0; i < s_.pieceSteps; ++i) engine_.step();
    double& least = least_[piece];
    least = std::min(least, sinew::bench::cpuMicroseconds() - begin);
  }

  [[nodiscard]] double microsecondsPerStep() const {
    double sum = 0;
    for (const double time : least_) sum += time;
    return sum / (s_.pieces * s_.pieceSteps);
  }
  [[nodiscard]] double contacts() const { return static_cast<double>(contacts_) / (s_.pieces * s_.pieceSteps); }
  [[nodiscard]] double rows() const { return static_cast<double>(rows_) / (s_.pieces * s_.pieceSteps); }
  [[nodiscard]] const std::vector<double>& end() const { return end_; }

 private:
  Engine& engine_;
  Settings s_;
  std::vector<std::shared_ptr<typename Engine::Saved>> starts_;
  std::vector<double> least_, end_;
  long contacts_ = 0, rows_ = 0;
};

struct MujocoDeleter {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
  void operator()(mjData* d) const { mj_deleteData(d); }
};

class MujocoEngine {
 public:
  using Saved = mjData;

  explicit MujocoEngine(const fs::path& file) {
    char error[1000] = "";
    m_.reset(mj_loadXML(file.c_str(), nullptr, error, sizeof error));
    if (!m_) throw std::runtime_error(fmt::format("MuJoCo: {}", error));
    d_.reset(mj_makeData(m_.get()));
    if (m_->nkey > 0) mj_resetDataKeyframe(m_.get(), d_.get(), 0);
    controls_.emplace(*m_);
  }

  void step() {
    controls_->apply(d_->time, d_->ctrl);
    mj_step(m_.get(), d_.get());
  }
  [[nodiscard]] std::shared_ptr<mjData> save() const {
    return {mj_copyData(nullptr, m_.get(), d_.get()), MujocoDeleter()};
  }
  void restore(const mjData& saved) { mj_copyData(d_.get(), m_.get(), &saved); }
  [[nodiscard]] int contacts() const { return static_cast<int>(d_->ncon); }
  [[nodiscard]] int rows() const { return static_cast<int>(d_->nefc); }
  [[nodiscard]] std::vector<double> positions() const { return {d_->qpos, d_->qpos + m_->nq}; }
  [[nodiscard]] bool hasWarned() const {
    return d_->warning[mjWARN_BADQPOS].number + d_->warning[mjWARN_BADQVEL].number +
               d_->warning[mjWARN_BADQACC].number >
           0;
  }
  [[nodiscard]] const mjModel& model() const { return *m_; }
  [[nodiscard]] const mjData& data() const { return *d_; }
  [[nodiscard]] const Controls& controls() const { return *controls_; }
  void setSolver(int solver) { m_->opt.solver = solver; }

 private:
  std::unique_ptr<mjModel, MujocoDeleter> m_;
  std::unique_ptr<mjData, MujocoDeleter> d_;
  std::optional<Controls> controls_;
};

class SinewEngine {
 public:
  using Saved = sinew::Data;

  SinewEngine(const fs::path& file, const Controls& controls)
      : m_(sinew::load(file, nullptr, outside())), d_(m_), controls_(controls) {
    if (m_.nkey > 0) sinew::resetToKey(m_, d_, 0);
  }

  void step() {
    controls_.apply(d_.time, d_.ctrl.data());
    sinew::step(m_, d_);
  }
  [[nodiscard]] std::shared_ptr<sinew::Data> save() const { return std::make_shared<sinew::Data>(d_); }
  void restore(const sinew::Data& saved) { d_ = saved; }
  [[nodiscard]] int contacts() const { return d_.ncon(); }
  [[nodiscard]] int rows() const { return d_.nefc(); }
  [[nodiscard]] std::vector<double> positions() const { return {d_.qpos.begin(), d_.qpos.end()}; }
  [[nodiscard]] const sinew::Model& model() const { return m_; }
  [[nodiscard]] bool isSound() const { return sinew::describeStatus(m_, d_).empty(); }

  /// Takes over the state of the other engine if both count coordinates alike, so that both see the same contacts.
  bool takeState(const MujocoEngine& other) {
    const mjModel& m = other.model();
    const mjData& d = other.data();
    if (m_.nflex > 0 || m.nq != m_.nq || m.nv != m_.nv || m.na != m_.na || m.nmocap != m_.nmocap) return false;
    std::copy_n(d.qpos, m.nq, d_.qpos.begin());
    std::copy_n(d.qvel, m.nv, d_.qvel.begin());
    std::copy_n(d.act, m.na, d_.act.begin());
    std::copy_n(d.qacc_warmstart, m.nv, d_.qacc_warmstart.begin());
    d_.time = d.time;
    return true;
  }

 private:
  static sinew::LoadOptions outside() {
    sinew::LoadOptions options;
    options.gap = sinew::GapReading::Outside;  // as MuJoCo reads it since 3.9
    return options;
  }

  sinew::Model m_;
  sinew::Data d_;
  const Controls& controls_;
};

struct Result {
  std::string name, group;
  int nv = 0;
  double sinew = 0, mujoco = 0, best = 0;
  std::string bestSolver;
  double contacts[2] = {0, 0}, rows[2] = {0, 0};
  std::optional<double> distance;  // of the positions at the end of the stretch
};

const char* solverName(int solver) { return solver == mjSOL_PGS ? "PGS" : solver == mjSOL_CG ? "CG" : "Newton"; }

/// Times MuJoCo alone with another solver than that of the model, from its own warm-up.
std::optional<double> timeWithSolver(const fs::path& file, int solver, const Settings& s) {
  MujocoEngine engine(file);
  engine.setSolver(solver);
  for (int i = 0; i < s.warmup; ++i) engine.step();
  Replay replay(engine, s);
  for (int round = 0; round < s.rounds; ++round) {
    for (int piece = 0; piece < s.pieces; ++piece) replay.run(piece);
  }
  if (engine.hasWarned()) return std::nullopt;
  return replay.microsecondsPerStep();
}

Result measure(const std::string& name, const fs::path& file, const Settings& s) {
  MujocoEngine theirs(file);
  if (theirs.model().nv == 0) throw std::runtime_error("nothing moves");
  if (theirs.model().nv > s.maxDofs) throw std::runtime_error(fmt::format("{} dofs", theirs.model().nv));
  SinewEngine ours(file, theirs.controls());
  for (int i = 0; i < s.warmup; ++i) theirs.step();
  const bool isSameState = ours.takeState(theirs);
  if (!isSameState) {
    for (int i = 0; i < s.warmup; ++i) ours.step();
  }
  Replay mine(ours, s);
  Replay other(theirs, s);
  for (int round = 0; round < s.rounds; ++round) {
    for (int piece = 0; piece < s.pieces; ++piece) {
      mine.run(piece);
      other.run(piece);
    }
  }
  if (theirs.hasWarned()) throw std::runtime_error("MuJoCo: the state is not finite");
  if (!ours.isSound()) throw std::runtime_error("Sinew: the run had trouble");

  Result r;
  r.name = name;
  r.nv = ours.model().nv;
  r.sinew = mine.microsecondsPerStep();
  r.mujoco = other.microsecondsPerStep();
  r.contacts[0] = mine.contacts(), r.contacts[1] = other.contacts();
  r.rows[0] = mine.rows(), r.rows[1] = other.rows();
  const bool touches = r.contacts[0] + r.contacts[1] > 0;
  r.group = ours.model().nflex > 0 ? "flex" : touches ? "rigid, contact" : "rigid, no contact";
  if (isSameState) {
    r.distance = 0;
    for (std::size_t i = 0; i < mine.end().size(); ++i) {
      r.distance = std::max(*r.distance, std::abs(mine.end()[i] - other.end()[i]));
    }
  }
  r.best = r.mujoco;
  const mjOption& option = theirs.model().opt;
  r.bestSolver = solverName(option.solver);
  // Newton leaves the stiffness of flexes out of an implicit step, which is another, unstable motion
  const bool isImplicitFlex = r.group == "flex" && option.integrator >= mjINT_IMPLICIT;
  for (const int solver : {mjSOL_CG, mjSOL_NEWTON}) {
    if (solver == option.solver || (solver == mjSOL_NEWTON && isImplicitFlex)) continue;
    const std::optional<double> time = timeWithSolver(file, solver, s);
    if (time && *time < r.best) r.best = *time, r.bestSolver = solverName(solver);
  }
  return r;
}

/// Paths in the first column of the tables of INDEX.md.
std::vector<std::string> listedModels(const fs::path& corpus) {
  std::ifstream in(corpus / "INDEX.md");
  if (!in) throw std::runtime_error(fmt::format("there is no {}", (corpus / "INDEX.md").string()));
  std::vector<std::string> models;
  const std::regex row(R"(^\|\s*([^|\s]+\.xml)\s*\|)");
  for (std::string line; std::getline(in, line);) {
    if (std::smatch match; std::regex_search(line, match, row)) models.push_back(match[1]);
  }
  return models;
}

double geometricMean(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += std::log(v);
  return std::exp(sum / static_cast<double>(values.size()));
}

std::string means(const std::vector<Result>& results) {
  std::string text =
      "| models | number | ratio to the model's solver | ratio to MuJoCo's fastest solver | least ratio |\n";
  text += "|---|---|---|---|---|\n";
  for (const char* group : {"rigid, no contact", "rigid, contact", "flex"}) {
    std::vector<double> shipped, best;
    for (const Result& r : results) {
      if (r.group != group) continue;
      shipped.push_back(r.mujoco / r.sinew);
      best.push_back(r.best / r.sinew);
    }
    if (shipped.empty()) continue;
    text += fmt::format("| {} | {} | {:.2f} | {:.2f} | {:.2f} |\n", group, shipped.size(), geometricMean(shipped),
                        geometricMean(best), *std::min_element(best.begin(), best.end()));
  }
  return text;
}

std::string page(const std::vector<Result>& results, const std::vector<std::string>& left, const Settings& s) {
  std::string text = fmt::format("# Against native MuJoCo: {}\n\n", sinew::bench::machineName());
  text += fmt::format(
      "Written by `make bench-native`. Sinew against MuJoCo {} as published on PyPI (the library inside the wheel), in "
      "one process, one thread\n"
      "each: processor time of {} steps after {} of warm-up, repeated from saved states in pieces of {} steps, engines "
      "taking turns piece\n"
      "by piece; the least of {} rounds of each piece, added up. Ratios above 1: Sinew is faster. Rigid models start "
      "the stretch from MuJoCo's\n"
      "state, so that both see the same contacts; flexes, whose coordinates differ, from their own. Controls: keyframe "
      "0 or the centres of the\n"
      "ranges, plus a tenth of the half ranges times a sine.\n\n",
      mj_versionString(), s.pieces * s.pieceSteps, s.warmup, s.pieceSteps, s.rounds);
  text += "Geometric means:\n\n" + means(results);
  text +=
      "\n| model | dofs | Sinew us/step | MuJoCo us/step | ratio | MuJoCo's fastest solver | ratio | contacts (MuJoCo) "
      "| rows (MuJoCo) | "
      "positions apart |\n|---|---|---|---|---|---|---|---|---|---|\n";
  for (const Result& r : results) {
    text += fmt::format(
        "| {} | {} | {:.1f} | {:.1f} | {:.2f} | {} {:.1f} | {:.2f} | {:.1f} ({:.1f}) | {:.1f} ({:.1f}) | {} |\n",
        r.name, r.nv, r.sinew, r.mujoco, r.mujoco / r.sinew, r.bestSolver, r.best, r.best / r.sinew, r.contacts[0],
        r.contacts[1], r.rows[0], r.rows[1], r.distance ? fmt::format("{:.0e}", *r.distance) : "not compared");
  }
  if (!left.empty()) text += "\nNot measured:\n\n";
  for (const std::string& line : left) text += "- " + line + "\n";
  return text;
}

void ignore(const char*) {}

int run(const std::string& corpus, const std::string& filter, const std::string& out, const Settings& s) {
  mju_user_warning = ignore;
  std::vector<Result> results;
  std::vector<std::string> left;
  for (const std::string& name : listedModels(corpus)) {
    if (name.find(filter) == std::string::npos) continue;
    try {
      const Result r = measure(name, fs::path(corpus) / name, s);
      fmt::print("{:<70}{:>6}{:>11.1f}{:>11.1f}{:>7.2f}{:>7.2f}\n", name, r.nv, r.sinew, r.mujoco, r.mujoco / r.sinew,
                 r.best / r.sinew);
      std::fflush(stdout);
      results.push_back(r);
    } catch (const std::exception& error) {
      std::string reason = error.what();
      // no path of this machine in a page
      for (std::size_t at; (at = reason.find(corpus)) != std::string::npos;) reason.erase(at, corpus.size());
      std::replace(reason.begin(), reason.end(), '\n', ' ');
      left.push_back(fmt::format("{}: {}", name, reason));
    }
  }
  if (results.empty()) throw std::runtime_error("no model was measured");
  fmt::print("\n{}", means(results));
  if (!out.empty()) {
    std::ofstream(out) << page(results, left, s);
    fmt::print("wrote {}\n", out);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Times Sinew against native MuJoCo on a collection of models");
  std::string corpus, filter, out;
  Settings s;
  app.add_option("CORPUS", corpus, "Folder with an INDEX.md that lists models")->required();
  app.add_option("--filter", filter, "Only models whose path contains this");
  app.add_option("--max-dofs", s.maxDofs, "Leave larger models out");
  app.add_option("--warmup", s.warmup, "Steps before the stretch")->capture_default_str();
  app.add_option("--rounds", s.rounds, "Repetitions")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--pieces", s.pieces, "Pieces of the stretch")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--out", out, "Markdown file to write");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(corpus, filter, out, s);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
}
