#include "targets.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>

#include "base/hash.h"
#include "command.h"
#include "controls.h"
#include "geom/height_field.h"
#include "geom/mesh_error.h"
#include "geom/mesh_gmsh.h"
#include "geom/mesh_load.h"
#include "geom/tri_mesh.h"
#include "npy_archive.h"
#include "npz.h"
#include "rollout_controls.h"
#include "rollout_sweep.h"
#include "sample_files.h"
#include "sinew/load.h"
#include "sinew/step.h"
#ifdef SINEW_HAS_VIEWER
#include <nlohmann/json.hpp>

#include "view/session.h"
#endif

namespace sinew::fuzz {
namespace {

using Input = std::span<const std::uint8_t>;

constexpr int kSteps = 3;
/// Beyond these sizes a model is loaded but not stepped: what takes long is not worth the time.
constexpr int kMostDofs = 200, kMostGeoms = 60, kMostElements = 400, kMostPixels = 4096, kMostFaces = 4096;
constexpr int kMostIterations = 50;
constexpr std::uint64_t kMostMemory = std::uint64_t{256} << 20;

Bytes bytesOf(std::string_view text) { return {text.begin(), text.end()}; }

bool isSmall(const Model& m) {
  return m.nv <= kMostDofs && m.ngeom <= kMostGeoms && m.nflexelem <= kMostElements && m.nhfielddata <= kMostPixels &&
         m.nmeshface <= kMostFaces && m.ntendon <= kMostGeoms && m.nsensordata <= 1000 && m.nuserdata <= 1000;
}

bool allFinite(const Array<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

void expectFiniteOrTold(const Model& m, const Data& d) {
  if (!allFinite(d.qpos) || !allFinite(d.qvel) || !allFinite(d.act)) {
    if (d.status.ok()) throw Finding{"the state is not finite and nobody says so"};
  }
  if (!d.status.ok() && describeStatus(m, d).empty()) throw Finding{"trouble without words"};
}

/// Steps, saves in the middle, and sees that the copy goes on the same way, bit for bit.
void stepAndRestore(const Model& m, Data& d) {
  step(m, d);
  const std::vector<std::byte> state = saveState(m, d);
  Data copy(m);
  restoreState(m, copy, state);
  for (int i = 1; i < kSteps; ++i) step(m, d);
  for (int i = 1; i < kSteps; ++i) step(m, copy);
  expectFiniteOrTold(m, d);
  if (stateHash(m, d) != stateHash(m, copy)) throw Finding{"a restored state goes another way"};
}

void boundTime(Model& m) {
  m.opt.iterations = std::min(m.opt.iterations, kMostIterations);
  m.opt.ls_iterations = std::min(m.opt.ls_iterations, kMostIterations);
  m.opt.noslip_iterations = std::min(m.opt.noslip_iterations, kMostIterations);
  m.opt.ccd_iterations = std::min(m.opt.ccd_iterations, kMostIterations);
}

void work(Model m) {
  if (!isSmall(m)) return;
  boundTime(m);
  Data d(m);
  for (int i = 0; i < m.nv; ++i) d.qvel[i] = 0.1 * std::sin(1.0 + i);
  for (int i = 0; i < m.nu; ++i) d.ctrl[i] = std::sin(0.7 * i);
  stepAndRestore(m, d);
  for (int key = 0; key < std::min(m.nkey, 2); ++key) {
    resetToKey(m, d, key);
    stepAndRestore(m, d);
  }
}

/// True unless the reader refuses the input with the error that belongs to it, which must say something.
template <class Error>
bool taken(const std::function<void()>& read) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    if (std::strlen(error.what()) < 5) throw Finding{"an error without words"};
    return false;
  }
}

// ------------------------------------------------------------------------------------------------------------ models

bool runMjcf(Input input) {
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  return taken<LoadError>([&] {
    Warnings warnings;
    LoadOptions options;
    options.maxMemory = kMostMemory;
    const Spec spec = readMjcfText(text, "input.xml", assetDirectory(), &warnings);
    const std::string written = writeMjcf(spec, assetDirectory());
    if (writeMjcf(readMjcfText(written, "written.xml", assetDirectory()), assetDirectory()) != written) {
      throw Finding{"what was written reads as something else"};
    }
    work(compile(spec, &warnings, options));
  });
}

/// A model with some of everything, for what is about a model.
const std::string& richModel() {
  static const std::string text =
      R"(<mujoco><option timestep="0.005"/><asset><hfield name="h" nrow="2" ncol="2" size="1 1 .1 .1"/>
<mesh name="m" vertex="0 0 0  .1 0 0  0 .1 0  0 0 .1"/></asset>
<worldbody><geom type="plane" size="1 1 1"/><geom type="hfield" hfield="h" pos="2 0 0"/><body name="b" pos="0 0 .3"><freejoint/>
<geom type="mesh" mesh="m"/><body pos=".1 0 0"><joint name="j" range="-1 1" limited="true" frictionloss=".1"/><geom size=".05"/>
<site name="s" pos=".1 0 0"/></body></body><site name="anchor" pos="0 0 1"/><body mocap="true"><geom size=".01" contype="0"/></body>
<flexcomp name="cloth" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1" pos="0 0 .6" radius=".01" mass=".1">
<edge equality="true"/></flexcomp></worldbody>
<tendon><spatial name="t" stiffness="1"><site site="s"/><site site="anchor"/></spatial></tendon>
<equality><connect body1="b" anchor="0 0 .1"/></equality>
<actuator><position joint="j" kp="2"/><intvelocity joint="j" kp="1" actrange="-1 1"/><muscle tendon="t" lengthrange=".1 1"/></actuator>
<sensor><jointpos joint="j"/><rangefinder site="s"/><touch site="s"/><framelinvel objtype="body" objname="b" delay="0.01" nsample="4"/>
</sensor><keyframe><key name="k" time="1"/></keyframe></mujoco>)";
  return text;
}

const Model& sampleModel() {
  static const Model m = compile(readMjcfText(richModel()));
  return m;
}

Bytes savedModel(const std::string& mjcf) {
  const std::filesystem::path file = fileWith({}, "seed.bin");
  saveModel(compile(readMjcfText(mjcf)), file);
  return readAll(file);
}

std::vector<Bytes> savedModels() {
  return {savedModel(richModel()), savedModel("<mujoco/>"),
          savedModel(R"(<mujoco><worldbody><body><joint/><geom size="1"/></body></worldbody></mujoco>)")};
}

/// The input with the checksum that belongs to it, as of someone who wants it to be read: magic bytes with the version
/// of the format, signature, checksum, and what it is about.
Bytes withChecksum(Input input) {
  constexpr std::size_t kMagic = 8, kHeader = kMagic + 2 * sizeof(std::uint64_t);
  Bytes bytes(input.begin(), input.end());
  if (bytes.size() < kHeader || std::memcmp(bytes.data(), "SINEWM01", kMagic) <= 0) return bytes;  // 01 has none
  Hasher hasher;
  hasher.add(bytes.data() + kHeader, bytes.size() - kHeader);
  const std::uint64_t checksum = hasher.value();
  std::memcpy(bytes.data() + kHeader - sizeof checksum, &checksum, sizeof checksum);
  return bytes;
}

bool runSavedModel(Input input) {
  const auto run = [](Input bytes) {
    const std::filesystem::path file = fileWith(bytes, "model.bin");
    return taken<LoadError>([&] { work(loadModel(file)); });
  };
  const Bytes signedInput = withChecksum(input);
  const bool asItIs = run(input);
  return std::ranges::equal(signedInput, input) ? asItIs : run(signedInput) || asItIs;
}

std::vector<Bytes> savedStates() {
  const Model& m = sampleModel();
  Data d(m);
  std::vector<Bytes> seeds;
  for (int i = 0; i < 3; ++i) {
    const std::vector<std::byte> state = saveState(m, d);
    const auto* first = reinterpret_cast<const std::uint8_t*>(state.data());
    seeds.emplace_back(first, first + state.size());
    for (int k = 0; k < 40; ++k) step(m, d);
  }
  return seeds;
}

bool runSavedState(Input input) {
  const Model& m = sampleModel();
  Data d(m);
  return taken<std::invalid_argument>([&] {
    restoreState(m, d, std::as_bytes(input));
    stepAndRestore(m, d);
  });
}

// ------------------------------------------------------------------------------------------------- meshes and images

template <geom::MeshFormat Format>
bool runMesh(Input input) {
  return taken<geom::MeshError>([&] { geom::checkMesh(geom::loadMesh(input, Format)); });
}

/// A file through a model that uses it: everything that is made of a mesh is made, and the geom falls on a plane.
bool runAsset(Input input, const std::string& file, const std::string& asset, const std::string& use) {
  const std::filesystem::path path = fileWith(input, file);
  return taken<LoadError>([&] {
    LoadOptions options;
    options.maxMemory = kMostMemory;
    const std::string text = fmt::format(
        R"(<mujoco><asset>{}</asset><worldbody><geom type="plane" size="1 1 1"/>{}</worldbody></mujoco>)", asset, use);
    work(compile(readMjcfText(text, "asset.xml", path.parent_path()), nullptr, options));
  });
}

constexpr const char* kMeshBody = R"(<body pos="0 0 .1"><freejoint/><geom type="mesh" mesh="a"/></body>)";

bool runStl(Input input) {
  return runMesh<geom::MeshFormat::Stl>(input) &&
         runAsset(input, "a.stl", R"(<mesh name="a" file="a.stl"/>)", kMeshBody);
}

bool runObj(Input input) {
  taken<geom::MeshError>([&] { geom::loadObjLines(input); });
  return runMesh<geom::MeshFormat::Obj>(input) &&
         runAsset(input, "a.obj", R"(<mesh name="a" file="a.obj"/>)", kMeshBody);
}

bool runMsh(Input input) {
  return runMesh<geom::MeshFormat::Msh>(input) &&
         runAsset(input, "a.msh", R"(<mesh name="a" file="a.msh"/>)", kMeshBody);
}

bool runGmsh(Input input) {
  int dim = 0;
  if (!taken<geom::MeshError>([&] { dim = geom::loadGmsh(input).dim; })) return false;
  return runAsset(
      input, "a.gmsh.msh", "",
      fmt::format(R"(<flexcomp name="a" type="gmsh" file="a.gmsh.msh" dim="{}" radius=".01" mass="1"/>)", dim));
}

bool runPng(Input input) {
  if (!taken<geom::MeshError>([&] { geom::loadHfield(input, "a.png"); })) return false;
  return runAsset(
      input, "a.png", R"(<hfield name="a" file="a.png" size="1 1 .1 .1"/>)",
      R"(<geom type="hfield" hfield="a"/><body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>)");
}

bool runHfield(Input input) {
  if (!taken<geom::MeshError>([&] { geom::loadHfield(input, "a.bin"); })) return false;
  return runAsset(input, "a.bin", R"(<hfield name="a" file="a.bin" size="1 1 .1 .1"/>)",
                  R"(<geom type="hfield" hfield="a"/><body pos="0 0 .1"><freejoint/><geom size=".1"/></body>)");
}

// -------------------------------------------------------------------------------------------------------- the command

/// What is printed to standard output meanwhile goes nowhere.
class Silence {
 public:
  Silence() : saved_(dup(STDOUT_FILENO)) {
    std::fflush(stdout);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
  }
  ~Silence() {
    std::fflush(stdout);
    dup2(saved_, STDOUT_FILENO);
    close(saved_);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  int saved_;
};

bool runTrace(Input input) {
  const std::filesystem::path trace = fileWith(input, "trace.json");
  static const std::filesystem::path model = fileWith(bytesOf(kTracedModel), "traced.xml");
  const Silence silence;
  return taken<cli::CommandError>([&] {
    CLI::App app;
    const cli::Command compare = cli::addCompareCommand(app);
    app.parse(fmt::format("compare {} {}", model.string(), trace.string()));
    compare.execute();
  });
}

std::vector<Bytes> traces() { return {traceOf(compile(readMjcfText(std::string(kTracedModel))))}; }

bool runControls(Input input) {
  const Model& m = sampleModel();
  const std::filesystem::path file = fileWith(input, "controls.csv");
  return taken<cli::CommandError>([&] {
    const std::unique_ptr<cli::ControlSource> controls = cli::makeControls(file.string(), m);
    Data d(m);
    for (int i = 0; i < 20; ++i) {
      controls->apply(m, d);
      d.time += 0.05;
    }
  });
}

std::vector<Bytes> controlFiles() {
  return {bytesOf("time,j,v,t\n0,0,0,0\n0.1,1,-1,0.5\n0.25,1e-3,2,0\n"), bytesOf("0 1 2 3\n0.5 3 2 1\n"),
          bytesOf("0,0,0,0\r\n1,1,1,1\r\n")};
}

bool runArchive(Input input) {
  const Model& m = sampleModel();
  const std::filesystem::path file = fileWith(input, "controls.npz");
  return taken<cli::CommandError>([&] {
    std::uint64_t hash = 0;
    const std::unique_ptr<cli::RunControls> controls = cli::makeRunControls(file.string(), m, 2, 1, hash);
    Data d(m);
    for (int i = 0; i < 20; ++i) {
      controls->apply(m, d, i % 2, i);
      d.time += 0.05;
    }
    cli::NpyArchive(file.string()).isIntact();
  });
}

/// Controls of three rows, with and without times, for all runs and for each.
std::vector<Bytes> archives() {
  std::vector<Bytes> files;
  const auto nu = static_cast<std::uint64_t>(sampleModel().nu);
  for (const bool hasTime : {false, true}) {
    std::vector<std::uint64_t> shape{3, nu};
    if (!hasTime) shape.insert(shape.begin(), 2);
    std::vector<cli::NpzLayout::Member> members(hasTime ? 2 : 1);
    std::vector<std::vector<double>> values{
        std::vector<double>(static_cast<std::size_t>(hasTime ? 3 * nu : 6 * nu), 0.5), {0, 0.1, 0.2}};
    for (std::size_t k = 0; k < members.size(); ++k) {
      members[k].name = k == 0 ? "ctrl.npy" : "time.npy";
      members[k].header = cli::npyHeader("<f8", k == 0 ? shape : std::vector<std::uint64_t>{3});
      members[k].size = members[k].header.size() + values[k].size() * sizeof(double);
      const std::string_view content(reinterpret_cast<const char*>(values[k].data()),
                                     values[k].size() * sizeof(double));
      members[k].checksum = cli::crc32(content, cli::crc32(members[k].header));
    }
    const cli::NpzLayout layout(members);
    std::string bytes;
    for (std::size_t k = 0; k < members.size(); ++k) {
      bytes += layout.localRecord(layout.members()[k]) + members[k].header;
      bytes.append(reinterpret_cast<const char*>(values[k].data()), values[k].size() * sizeof(double));
    }
    bytes += layout.directory();
    files.push_back(bytesOf(bytes));
  }
  return files;
}

bool runSweep(Input input) {
  const std::filesystem::path file = fileWith(input, "sweep.csv");
  return taken<cli::CommandError>([&] {
    const cli::Sweep sweep({file.string()});
    const std::vector<double> nominal(sweep.addresses().size(), 1.0);
    if (sweep.gridSize() < 1000) sweep.draw(sweep.gridSize(), 1, nominal);
  });
}

std::vector<Bytes> sweeps() {
  return {bytesOf("geom:floor.friction[0],joint:knee.qpos\n0.1,1\n0.2,2\n"), bytesOf("\"a,b\"\r\n1\r\n")};
}

// --------------------------------------------------------------------------------------------------------- the viewer

#ifdef SINEW_HAS_VIEWER
/// Each line is a message of the window that steers, or after a '#' of another one. The model is stepped in between, as
/// it is by a program that shows it.
bool runViewer(Input input) {
  static const Spec original = readMjcfText(richModel());
  static view::Session session(
      [] {
        ViewerOptions options;
        options.port = 0;
        return options;
      }(),
      "passive");
  constexpr std::size_t kMostMessages = 20;
  Spec spec = original;
  Model m = sampleModel();
  spec.option = m.opt;
  Data d(m);
  session.setModel(&spec, &m, &d, {});
  const std::uint64_t refusals = session.refusals();
  std::vector<view::Event> events{{view::Event::Kind::Opened, 1, {}}, {view::Event::Kind::Opened, 2, {}}};
  const auto advance = [&] {
    session.drag().remove(d);
    session.handle(events, [](const nlohmann::json&) { return false; });
    events.clear();
    session.publish(d, {}, 1);
    session.drag().apply(m, d);
    boundTime(m);
    step(m, d);
    expectFiniteOrTold(m, d);
  };
  std::string_view rest(reinterpret_cast<const char*>(input.data()), input.size());
  for (std::size_t i = 0; i < kMostMessages && !rest.empty(); ++i) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const bool isOther = line.starts_with('#');
    if (isOther) line.remove_prefix(1);
    events.push_back({view::Event::Kind::Text, isOther ? 2U : 1U, std::string(line)});
    advance();
  }
  events = {{view::Event::Kind::Closed, 1, {}}, {view::Event::Kind::Closed, 2, {}}};
  advance();
  return session.refusals() == refusals;
}

std::vector<Bytes> viewerMessages() {
  return {
      bytesOf(R"({"c":"ctrl","i":0,"v":0.5}
{"c":"qpos","i":2,"v":0.4}
{"c":"eq","i":0,"v":false}
{"c":"info"}
#{"c":"steer"}
#{"c":"qpos","i":7,"v":-1e3})"),
      bytesOf(
          R"({"c":"want","contacts":true,"controls":true,"energy":true,"heat":[0,1,2,3,4],"show":["contact","frame"],"watch":[["qpos",3],["flexelem_strain",0],["energy.kinetic",0]]}
{"c":"camera","version":0,"fixed":-1,"lookat":[0,0,1],"distance":2,"azimuth":90,"elevation":-30}
{"c":"shown","version":0,"labels":"bodies"}
{"c":"select","body":2,"local":[0,0,0.1]}
{"c":"select","flex":0}
{"c":"save","key":"here"})"),
      bytesOf(R"({"c":"drag","kind":"force","body":2,"local":[0,0,0],"target":[0.5,0,1]}
{"c":"drag","kind":"force","body":2,"local":[0,0,0],"target":[0.5,0.5,1]}
{"c":"drag","kind":"none"}
{"c":"drag","kind":"torque","body":1,"local":[0,0,0],"turn":[0.7,0.7,0,0]}
{"c":"drag","kind":"none"}
{"c":"drag","kind":"force","flex":0,"vertex":[0,1,3],"weight":[0.2,0.3,0.5],"target":[0,0,2]})"),
      bytesOf(R"({"c":"opt","name":"timestep","value":0.001}
{"c":"opt","name":"gravity","value":[0,0,-1]}
{"c":"opt","name":"iterations","value":20}
{"c":"edit","kind":"geom","id":3,"field":"friction","value":[0.5,0.01,0.001]}
{"c":"edit","kind":"joint","id":1,"field":"damping","value":0.5}
{"c":"edit","kind":"flex","id":0,"field":"damping","value":0.1}
{"c":"save"})")};
}
#endif

constexpr std::size_t kText = 1 << 14, kBinary = 1 << 15;

constexpr Target kTargets[] = {
    {"mjcf", runMjcf, modelSeeds, kText, true},
    {"stl", runStl, stlFiles, kBinary, true},
    {"obj", runObj, objFiles, kText, true},
    {"msh", runMsh, mshFiles, kBinary, false},
    {"gmsh", runGmsh, gmshFiles, kBinary, true},
    {"png", runPng, pngFiles, kBinary, false},
    {"hfield", runHfield, hfieldFiles, kBinary, false},
    {"model", runSavedModel, savedModels, 1 << 18, false},
    {"state", runSavedState, savedStates, 1 << 16, false},
    {"trace", runTrace, traces, 1 << 17, true},
    {"controls", runControls, controlFiles, kText, true},
    {"archive", runArchive, archives, kBinary, false},
    {"sweep", runSweep, sweeps, kText, true},
#ifdef SINEW_HAS_VIEWER
    {"viewer", runViewer, viewerMessages, kText, true},
#endif
};

}  // namespace

std::span<const Target> targets() { return kTargets; }

const Target* findTarget(const std::string& name) {
  const auto found = std::ranges::find_if(kTargets, [&](const Target& t) { return t.name == name; });
  return found == std::end(kTargets) ? nullptr : &*found;
}

}  // namespace sinew::fuzz
