#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "command.h"
#include "extras.h"
#include "interruption.h"
#include "model_source.h"
#include "numbers.h"
#include "output.h"
#include "rollout_folder.h"
#include "rollout_job.h"
#include "rollout_merge.h"
#include "rollout_pace.h"
#include "rollout_progress.h"
#include "rollout_team.h"
#include "sinew/errors.h"

namespace sinew::cli {
namespace {

using Json = nlohmann::ordered_json;

struct RolloutOptions {
  JobOptions job;
  std::string out, resume, shard;
  std::vector<std::string> merge;
  int threads = 0;  // 0: all, or one under mpirun
  bool json = false;
  std::vector<const CLI::Option*> jobOptions;  // what cannot be said again with --resume
};

struct Shard {
  std::int64_t index = 0, count = 1;
};

std::int64_t numberIn(const char* text) {
  if (!text) return -1;
  const std::string_view word(text);
  std::int64_t value = -1;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && stop == word.data() + word.size() ? value : -1;
}

/// --shard I/N, or the place of this task in an array of SLURM.
Shard shardOf(const std::string& text, bool isQuiet) {
  if (!text.empty()) {
    const std::size_t slash = text.find('/');
    const std::int64_t index = slash == text.npos ? -1 : numberIn(text.substr(0, slash).c_str());
    const std::int64_t count = slash == text.npos ? -1 : numberIn(text.substr(slash + 1).c_str());
    if (index < 0 || count < 1 || index >= count) {
      throw CommandError(fmt::format("--shard: expected I/N with I from 0 to N - 1, found '{}'", text));
    }
    if (count > kMostRuns) {
      throw CommandError(fmt::format("--shard: expected at most {} parts, found '{}'", kMostRuns, text));
    }
    return {index, count};
  }
  const std::int64_t id = numberIn(std::getenv("SLURM_ARRAY_TASK_ID"));
  if (id < 0) return {};
  const std::int64_t count = numberIn(std::getenv("SLURM_ARRAY_TASK_COUNT"));
  const std::int64_t least = numberIn(std::getenv("SLURM_ARRAY_TASK_MIN"));
  const std::int64_t most = numberIn(std::getenv("SLURM_ARRAY_TASK_MAX"));
  const std::int64_t given = numberIn(std::getenv("SLURM_ARRAY_TASK_STEP")), stride = given > 0 ? given : 1;
  // an array such as 1,5,7 has no rule by which a task could know its place
  const bool isRegular = count > 0 && least >= 0 && most >= least && (most - least) / stride + 1 == count &&
                         count <= kMostRuns && id >= least && id <= most && (id - least) % stride == 0;
  if (!isRegular) {
    throw CommandError(fmt::format(
        "SLURM_ARRAY_TASK_ID is {}, but its place in the array cannot be told from _COUNT {}, _MIN {}, _MAX {}; "
        "say --shard I/N",
        id, count, least, most));
  }
  const Shard shard{(id - least) / stride, count};
  if (isQuiet) return shard;
  fmt::print(stderr, "note: task {} of a SLURM array computes shard {}/{}; --shard 0/1 computes everything\n", id,
             shard.index, shard.count);
  return shard;
}

/// Number of processes that mpirun (of OpenMPI or MPICH) or srun with PMI started, 0: it was none of these.
std::int64_t processesOfMpi() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"}) {
    if (const std::int64_t size = numberIn(std::getenv(name)); size > 0) return size;
  }
  return 0;
}

std::unique_ptr<Team> makeTeam() {
  if (extras().makeTeam) return extras().makeTeam();
  const std::int64_t processes = processesOfMpi();
  if (processes < 2) return std::make_unique<SoloTeam>();
  continueAs("sinew-mpi");
  throw CommandError(fmt::format(
      "mpirun started {} processes, but the program sinew-mpi, which makes them one job, is not in '{}'; it is "
      "built where libopenmpi-dev is installed. --shard I/N needs no MPI",
      processes, programFolder()));
}

/// The threads of this process at work on the missing chunks.
class Crew {
 public:
  Crew(const Job& job, const RolloutFolder& folder, const std::vector<std::int64_t>& missing, Team& team, int threads)
      : job_(job), folder_(folder), missing_(missing), team_(team), log_(folder, processName()) {
    log_.write({{"command", commandLine()},
                {"host", hostName()},
                {"pid", getpid()},
                {"rank", team.rank()},
                {"ranks", team.size()},
                {"threads", threads}});
    for (int t = 0; t < threads; ++t) crew_.emplace_back([this, t] { work(t); });
  }
  ~Crew() { join(); }

  /// Waits a moment; false when all are done.
  bool isAtWork() {
    std::unique_lock guard(mutex_);
    return !changed_.wait_for(guard, std::chrono::milliseconds(100), [&] { return done_ == crew_.size(); });
  }
  void join() {
    for (std::thread& thread : crew_) {
      if (thread.joinable()) thread.join();
    }
  }
  /// What ended a thread, if something did.
  std::exception_ptr failure() const { return failure_; }

 private:
  bool mustStop() const { return isStopped_ || Interruption::signal() != 0; }

  void work(int thread) {
    try {
      Job::Workspace workspace(job_);
      const std::string unique = fmt::format("{}-{}", processName(), thread);
      double waited = 0;
      for (bool hasAsked = false; !mustStop();) {
        const double start = now();
        if (!hasAsked) team_.ask(thread);
        const std::int64_t piece = team_.next(thread);
        waited += now() - start;
        if (piece < 0) break;
        AskAhead ahead;
        ahead.begin(now());
        hasAsked = false;
        compute(missing_[piece], thread, unique, workspace, [&](double done) {
          if (hasAsked || !ahead.isTime(now(), done)) return;
          team_.ask(thread);
          hasAsked = true;
        });
      }
      const std::lock_guard guard(mutex_);
      log_.write({{"thread", thread}, {"waited", waited}});
    } catch (...) {
      const std::lock_guard guard(mutex_);
      if (!failure_) failure_ = std::current_exception();
      isStopped_ = true;
    }
    const std::lock_guard guard(mutex_);
    ++done_;
    changed_.notify_all();
  }

  static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  /// Computes and writes a chunk. Says now and then what share of it is done.
  void compute(std::int64_t chunk, int thread, const std::string& unique, Job::Workspace& workspace,
               const std::function<void(double done)>& progress) {
    const double start = now();
    const std::int64_t first = job_.chunks().first(chunk), count = job_.chunks().size(chunk);
    ResultTable results(job_.shape(), first, count);
    const double perRun = 1.0 / static_cast<double>(count);
    const double perStep = perRun / static_cast<double>(std::max<std::int64_t>(1, job_.plan().steps()));
    for (std::int64_t run = first; run < first + count; ++run) {
      const auto look = [&] {
        progress(perRun * static_cast<double>(run - first) + perStep * static_cast<double>(workspace.step));
        return mustStop();
      };
      if (!job_.compute(run, workspace, look, results)) return;  // the chunk is not written
    }
    progress(1);
    results.write(folder_.chunkFile(chunk), unique);
    const double seconds = now() - start;
    const std::lock_guard guard(mutex_);
    log_.write({{"chunk", chunk}, {"first", first}, {"runs", count}, {"thread", thread}, {"seconds", seconds}});
    team_.report(count);
  }

  const Job& job_;
  const RolloutFolder& folder_;
  const std::vector<std::int64_t>& missing_;
  Team& team_;
  JobLog log_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t done_ = 0;
  std::atomic<bool> isStopped_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> crew_;
};

struct RolloutSummary {
  std::string model;
  Tally tally;
  std::int64_t wanted = 0, before = 0, computedRuns = 0;  // runs: in this shard, complete before
  std::int64_t missing = 0;                               // chunks
  double wall = 0;
  int signal = 0;
};

void print(const RolloutOptions& o, const Job& job, const Shard& shard, const Team& team, int threads,
           const RolloutSummary& s) {
  const double rate = s.wall > 0 ? static_cast<double>(s.computedRuns) / s.wall : 0;
  const double stepRate = rate * static_cast<double>(job.plan().steps());
  if (o.json) {
    Json j{{"model", s.model},
           {"folder", o.out},
           {"runs", s.wanted},
           {"complete", s.tally.runs},
           {"complete_before", s.before},
           {"steps_per_run", job.plan().steps()},
           {"diverged", s.tally.diverged},
           {"failed", s.tally.failed},
           {"trouble", s.tally.trouble},
           {"causes", s.tally.causes},
           {"wall_seconds", s.wall},
           {"runs_per_second", rate},
           {"steps_per_second", stepRate},
           {"processes", team.size()},
           {"threads", threads}};
    if (shard.count > 1) j["shard"] = fmt::format("{}/{}", shard.index, shard.count);
    if (s.signal != 0) j["stopped"] = signalName(s.signal);
    fmt::print("{}\n", j.dump(2, ' ', false, Json::error_handler_t::replace));
    return;
  }
  const auto row = [](const char* name, const std::string& value) { fmt::print("{:<18}{}\n", name, value); };
  row("model", s.model);
  if (shard.count > 1) row("shard", fmt::format("{}/{}", shard.index, shard.count));
  row("runs", fmt::format("{} of {} complete{}", s.tally.runs, s.wanted,
                          s.before > 0 ? fmt::format(", {} of them before", s.before) : ""));
  row("steps", fmt::format("{} per run", job.plan().steps()));
  if (s.computedRuns > 0)
    row("speed", fmt::format("{:.4g} runs/s, {:.4g} steps/s in {:.3g} s", rate, stepRate, s.wall));
  row("processes", fmt::format("{}, {} thread{} each", team.size(), threads, threads == 1 ? "" : "s"));
  row("diverged", fmt::format("{} of {} runs", s.tally.diverged, s.tally.runs));
  if (s.tally.failed > 0) row("not compiled", fmt::format("{} of {} runs", s.tally.failed, s.tally.runs));
  if (s.tally.trouble > 0)
    row("other trouble", fmt::format("{} of {} runs, see the array 'cause'", s.tally.trouble, s.tally.runs));
  row("results", o.out);
  if (s.signal != 0) row("stopped by", fmt::format("{}; --resume {} continues", signalName(s.signal), o.out));
}

/// Everything a member of the team needs beside the model.
struct Setup {
  Shard shard;
  int threads = 1;
  std::unique_ptr<Job> job;
};

Setup prepare(const RolloutOptions& o, const Team& team) {
  Setup s;
  s.shard = shardOf(o.shard, team.rank() > 0);
  if (team.rank() > 0) {
    JobOptions quiet = o.job;
    quiet.choices.quiet = true;
    s.job = std::make_unique<Job>(quiet);
  } else {
    s.job = std::make_unique<Job>(o.job);
  }
  const int hardware = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  s.threads = o.threads > 0 ? o.threads : team.size() > 1 ? 1 : hardware;
  if (s.job->model().compiles() && team.rank() == 0) {
    fmt::print(stderr,
               "note: a varied number is not in the compiled model as it is; every run compiles a model of its own\n");
  }
  return s;
}

/// Rank 0 opens the folder; what it finds is for all.
Json openFolder(const Job& job, const ChunkRange& range, RolloutFolder& folder) {
  folder.create(job.manifest());
  folder.lock(range, job.chunks());
  folder.clean(range);
  return folder.missing(range, job.chunks(), job.shape());
}

/// Does `work`; what it throws becomes the complaint that all processes hear of.
template <class Work>
void together(Team& team, Work&& work) {
  std::string complaint;
  int code = kBadInput;
  try {
    work();
  } catch (const CommandError& error) {
    complaint = error.what();
    code = error.exitCode();
  } catch (const std::bad_alloc&) {
    complaint = "not enough memory";
    code = kProblem;
  } catch (const std::exception& error) {
    complaint = error.what();
  }
  const std::string first = team.agree(complaint.empty() ? "" : fmt::format("{}{}", code, complaint));
  if (first.empty()) return;
  // mpirun ends all processes when the first one fails, which must be the one that says why
  if (team.rank() > 0) throw QuietExit(kOk);
  throw CommandError(first.substr(1), first[0] - '0');
}

int compute(RolloutOptions o) {
  const std::unique_ptr<Team> team = makeTeam();
  Setup setup;
  RolloutFolder folder(o.out);
  std::string found;
  ChunkRange range;
  together(*team, [&] {
    setup = prepare(o, *team);
    const Chunks& chunks = setup.job->chunks();
    range = {chunks.partBegin(setup.shard.index, setup.shard.count),
             chunks.partBegin(setup.shard.index + 1, setup.shard.count)};
  });
  together(*team, [&] {
    if (team->rank() == 0) found = openFolder(*setup.job, range, folder).dump();
  });
  const Job& job = *setup.job;
  const std::vector<std::int64_t> missing = Json::parse(team->share(found)).get<std::vector<std::int64_t>>();
  RolloutSummary summary;
  summary.model = o.job.model;
  const Chunks& chunks = job.chunks();
  if (range.end > range.begin) {
    summary.wanted = chunks.first(range.end - 1) + chunks.size(range.end - 1) - chunks.first(range.begin);
  }
  std::int64_t open = 0;
  for (const std::int64_t c : missing) open += chunks.size(c);
  summary.before = summary.wanted - open;

  const auto start = std::chrono::steady_clock::now();
  team->begin(static_cast<std::int64_t>(missing.size()), setup.threads);
  std::exception_ptr failure;
  {
    const Interruption interruption;
    RolloutProgress progress(summary.wanted, summary.before, job.plan().steps(), team->rank() == 0);
    if (!missing.empty()) {
      Crew crew(job, folder, missing, *team, setup.threads);
      while (crew.isAtWork()) progress.show(summary.before + team->finished());
      crew.join();
      failure = crew.failure();
    }
    summary.signal = Interruption::signal();
    if (failure || summary.signal != 0) {
      if (team->size() > 1 && failure) {
        try {
          std::rethrow_exception(failure);
        } catch (const std::exception& error) {
          fmt::print(stderr, "error: {}\n", error.what());
        }
        team->abort(kProblem);
      }
      if (team->size() > 1) team->abort(kSignal + summary.signal);
    } else {
      team->end();
      while (!team->isOver()) {
        if (Interruption::signal() != 0) team->abort(kSignal + Interruption::signal());
        progress.show(summary.before + team->finished());
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
    }
  }
  if (team->rank() > 0) return kOk;
  summary.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  summary.tally = folder.tally(range, chunks);
  summary.computedRuns = std::max<std::int64_t>(0, summary.tally.runs - summary.before);
  if (failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& error) {
      throw CommandError(fmt::format("{}\n{} of {} runs are complete; --resume {} continues", error.what(),
                                     summary.tally.runs, summary.wanted, o.out),
                         kProblem);
    }
  }
  print(o, job, setup.shard, *team, setup.threads, summary);
  flushOutput();
  const std::int64_t lost = summary.tally.diverged + summary.tally.failed;
  if (lost > 0) {
    fmt::print(stderr, "error: {} of {} runs {}\n", lost, summary.tally.runs,
               summary.tally.failed == 0 ? "diverged" : "diverged or could not be compiled");
    for (const std::string& cause : summary.tally.causes) fmt::print(stderr, "  {}\n", cause);
  }
  if (summary.signal != 0) return kSignal + summary.signal;
  return lost > 0 ? kProblem : kOk;
}

/// --resume: what is missing in a folder, as its rollout.json says.
void takeOver(RolloutOptions& o) {
  for (const CLI::Option* option : o.jobOptions) {
    if (option->count() > 0) {
      throw CommandError(
          fmt::format("--resume continues the job as it is; {} cannot be said again", option->get_name()));
    }
  }
  const RolloutFolder folder(o.resume);
  try {
    o.job = JobOptions::of(folder.manifest().at("options"));
  } catch (const nlohmann::ordered_json::exception& error) {
    throw CommandError(fmt::format("'{}': rollout.json is damaged: {}", o.resume, error.what()));
  }
  o.out = o.resume;
}

int execute(RolloutOptions o) {
  if (!o.merge.empty()) {
    if (processesOfMpi() > 1 && numberIn(std::getenv("OMPI_COMM_WORLD_RANK")) > 0) return kOk;  // one is enough
    mergeRollout(o.merge[0], o.merge[1]);
    return kOk;
  }
  if (!o.resume.empty()) {
    takeOver(o);
  } else {
    if (o.job.model.empty()) throw CommandError("MODEL is needed, or --resume, or --merge");
    if (o.out.empty()) throw CommandError("--out is needed: the folder for the results");
    if (o.job.steps < 0 && !(o.job.duration > 0))
      throw CommandError("--steps or --duration is needed: how long is a run?");
  }
  return compute(std::move(o));
}

}  // namespace

void SoloTeam::abort(int code) { std::_Exit(code); }

Command addRolloutCommand(CLI::App& app) {
  auto o = std::make_shared<RolloutOptions>();
  JobOptions& job = o->job;
  CLI::App* sub = app.add_subcommand("rollout", "Simulate many runs of a model, on all cores and over machines");
  const auto jobOption = [&](CLI::Option* option) {
    o->jobOptions.push_back(option);
    return option;
  };
  jobOption(sub->add_option("MODEL", job.model, "MJCF or URDF file"));
  jobOption(sub->add_option("--runs", job.runs, "Number of runs (default: the points of the grid of --vary)"))
      ->transform(wholeNumber(1, kMostRuns))
      ->type_name("N");
  CLI::Option* duration = jobOption(sub->add_option("--duration", job.duration, "Simulated seconds of each run"));
  duration->transform(positiveNumber());
  jobOption(sub->add_option("--steps", job.steps, "Number of steps of each run"))
      ->transform(wholeNumber(0, kMostSteps))
      ->excludes(duration);
  jobOption(sub->add_option("--seed", job.seed, "Run i depends on (seed, i) alone (default 0)"))
      ->transform(wholeNumber(0, std::int64_t{9'000'000'000'000'000'000}));
  jobOption(sub->add_option("--key", job.key, "Start from this keyframe"))->type_name("NAME|INDEX");
  jobOption(sub->add_option("--controls,--ctrl", job.controls,
                            "zero (default), sine, noise, noise(scale,hold), keyframe, FILE.csv or FILE.npz"))
      ->type_name("CONTROLS");
  jobOption(
      sub->add_option("--vary", job.vary,
                      "A number that differs between runs, and how: geom:floor.friction[0]=uniform(0.4,1.2), or a "
                      "CSV file; uniform, loguniform, normal, latin, grid, list"))
      ->allow_extra_args(false)
      ->type_name("ADDRESS=VALUES");
  jobOption(sub->add_option("--record", job.record, "Arrays to record (default time,qpos,qvel,sensordata)"))
      ->delimiter(',')
      ->type_name("NAMES");
  jobOption(sub->add_option("--every", job.every, "Record every K-th step (default: the start and the end alone)"))
      ->transform(wholeNumber(1, kMostSteps))
      ->type_name("K");
  jobOption(sub->add_option("--chunk", job.chunk, "Runs per file of results (default: chosen from the job)"))
      ->transform(wholeNumber(1, 1'000'000'000))
      ->type_name("N");
  jobOption(sub->add_option("--out", o->out, "Folder for the results; the same command continues what is there"))
      ->type_name("DIR");
  sub->add_option("--shard", o->shard, "Compute part I of N (from 0); tasks of a SLURM array do so by themselves")
      ->type_name("I/N");
  sub->add_option("--threads", o->threads, "Threads of each process (default: all cores; 1 under mpirun)")
      ->transform(wholeNumber(1, kMostThreads))
      ->type_name("N");
  CLI::Option* resume =
      sub->add_option("--resume", o->resume, "Compute what is missing in this folder")->type_name("DIR");
  sub->add_option("--merge", o->merge, "Put all results of a folder into FILE.npz or FILE.h5")
      ->expected(2)
      ->excludes(resume)
      ->type_name("DIR FILE");
  sub->add_flag("--json", o->json, "Sum up as JSON");
  addModelChoices(*sub, job.choices);
  return {sub, [o] { return execute(*o); }};
}

}  // namespace sinew::cli
