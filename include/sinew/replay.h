#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "sinew/data.h"
#include "sinew/errors.h"
#include "sinew/model.h"
#include "sinew/spec.h"

/// Replay files: one HTML file that holds a recorded run, the scene and the page of the viewer. It opens from a disk or
/// a mail, without a server and without a network; it plays, scrubs, plots and shows stress and contacts.
namespace sinew {

struct ReplayOptions {
  double framesPerSecond = 30;  ///< of simulated time
  bool contacts = true;         ///< record contacts, the `mostContacts` strongest of each frame
  int mostContacts = 128;
  bool stress = true;        ///< record stress, strain and contact force of flexes
  double precision = 2e-5;   ///< of vertices of flexes, in extents of the model
  int mostPlots = 512;       ///< numbers of qpos, qvel, ctrl, sensordata that are recorded, each at most so many
  std::string title = {};    ///< shown in the page; empty: the model's name
  std::string command = {};  ///< provenance: what made the run
  std::string file = {};     ///< provenance: the model's file
  std::string seed = {};     ///< provenance
  std::uint64_t mostBytes = std::uint64_t{2} << 30;  ///< of memory for textures, and while recording
};

/// Records a run.
///
///     Replay replay(spec, m);
///     for (...) { if (replay.isDue(d)) replay.record(d); step(m, d); }
///     replay.save("out.html");
class Replay {
 public:
  /// Copies the model. Throws LoadError if this build cannot make replay files.
  Replay(const Spec& spec, const Model& m, const ReplayOptions& options = {});
  explicit Replay(const Model& m, const ReplayOptions& options = {});
  ~Replay();
  Replay(Replay&&) noexcept;
  Replay& operator=(Replay&&) noexcept;

  /// Whether the time of `d` is that of the next frame.
  bool isDue(const Data& d) const;
  /// Adds the state of `d`, whose derived arrays need not be up to date; `d` is not changed. A state that is not finite
  /// is recorded as the last good one. Throws LoadError when the recording exceeds mostBytes, std::invalid_argument if
  /// `d` was made for another Model.
  void record(const Data& d);
  int frames() const;

  std::string html() const;
  /// The file appears when it is complete. Throws LoadError if it cannot be written.
  void save(const std::filesystem::path& file) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sinew
