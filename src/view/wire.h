#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/data.h"
#include "sinew/model.h"
#include "sinew/scene.h"
#include "sinew/viewer.h"
#include "view/server.h"

/// The messages that the page understands. docs/viewer.md describes them; viewer/src/wire.ts reads them. Numbers are
/// little-endian.
namespace sinew::view {

static_assert(std::endian::native == std::endian::little, "the messages are copies of arrays in memory");

inline constexpr std::uint32_t kFrameMagic = 0x46574e53;  ///< "SNWF"
inline constexpr std::uint32_t kSceneMagic = 0x53574e53;  ///< "SNWS"
inline constexpr std::uint16_t kWireVersion = 1;

/// Blocks of a frame. Readers skip tags that they do not know.
enum class Tag : std::uint16_t {
  Status = 1,
  Bodies,
  Flexes,
  Contacts,
  Tendons,
  Scalars,
  Watch,
  Heat,
  Controls,
  Cameras,
  Skins,
  Drag,
  Decorations,
  Geoms,  ///< of the program: count, bytes of labels; 15 floats each as decorations; length (u16) and bytes of each
          ///< label
  Looks   ///< instances that look other than in the scene: index, group, rgba, size
};

/// A message of blocks: magic, version, number of blocks, model, step, time; then tag, flags, length and bytes of each
/// block, padded to 8 bytes.
class FrameWriter {
 public:
  FrameWriter(Bytes& out, std::uint64_t model, std::uint64_t step, double time);
  void begin(Tag tag, std::uint16_t flags = 0);
  void end();
  template <class T>
  void put(const T& value) {
    put(std::span<const T>(&value, 1));
  }
  template <class T>
  void put(std::span<const T> values) {
    const std::size_t at = out_.size();
    out_.resize(at + values.size_bytes());
    if (!values.empty()) std::memcpy(out_.data() + at, values.data(), values.size_bytes());
  }
  /// Numbers as singles.
  void putFloats(std::span<const double> values);
  /// Room for `n` numbers, to be written at once.
  template <class T>
  T* room(std::size_t n) {
    const std::size_t at = out_.size();
    out_.resize(at + n * sizeof(T));
    return reinterpret_cast<T*>(out_.data() + at);
  }
  void finish();

 private:
  Bytes& out_;
  std::size_t block_ = 0;
  std::uint16_t blocks_ = 0;
};

/// Points as 16-bit numbers between the corners of their bounding box: 6 floats (lower, upper), then 3 numbers per
/// point.
void quantize(std::span<const double> points, float* box, std::uint16_t* out);
void quantize(std::span<const float> points, float* box, std::uint16_t* out);

/// One entry of an array of Data or one of the names of scalarNames().
struct WatchEntry {
  std::string array;
  int index = 0;
  auto operator<=>(const WatchEntry&) const = default;  // NOLINT(modernize-use-nullptr): it means the operator
};

/// What the windows want to see beside poses.
struct Wants {
  bool contacts = false;
  bool controls = false;  ///< values of controls and joint coordinates, for sliders
  bool energy = false;
  std::set<FlexColor> heat;
  std::set<std::string> decorations;  ///< "joints", "actuators", "com", "inertia", "constraints", "frames", ...
  std::set<WatchEntry> watch;
};

/// What is always sent of each frame, under these names.
std::span<const std::string_view> scalarNames();

/// What the page shows of a run beside its state.
struct RunStatus {
  double speed = 1;     ///< wanted, real time = 1
  double realTime = 0;  ///< reached
  bool paused = false;
  bool diverged = false;
  bool bad = false;        ///< the state is not finite; poses are the last good ones
  bool scrubbing = false;  ///< the state shown is one of the past
  bool fresh = true;       ///< derived arrays belong to the present state
  std::uint32_t historyCount = 0, historyIndex = 0;
  double historyStart = 0, historyEnd = 0;  ///< s
  std::uint64_t hash = 0;                   ///< of the state; 0: not computed (it runs)
};

/// A spring between a point and the mouse.
struct DragLine {
  std::array<double, 3> anchor{}, target{}, force{};
};

/// How an instance of the scene looks, where a program may change it.
struct Look {
  int group = 0;
  Color rgba{};
  Float3 size{};
  bool operator==(const Look&) const = default;
};
std::vector<Look> looksOf(const Scene& scene);

/// Most contacts in a frame; the ones with the largest forces are sent.
inline constexpr int kMostContacts = 2000;

/// Makes frames of one model. Keeps memory, and the last good poses.
class FrameEncoder {
 public:
  FrameEncoder(const Scene& scene, const Model& m, std::uint64_t id);

  /// The message for the derived arrays of `d`. Measures flexes if heat is wanted, and energy. `sent`: how instances
  /// looked when the scene was sent; empty: they look the same.
  SharedBytes encode(const Model& m, Data& d, const Wants& wants, const std::vector<WatchEntry>& watch,
                     std::uint32_t watchVersion, RunStatus status, std::uint64_t step, const DragLine* drag,
                     std::span<const ViewerGeom> geoms = {}, std::span<const Look> sent = {});

  /// Values of a heat map at the vertices of all flexes, and its largest value.
  void heatOf(const Model& m, Data& d, FlexColor color, std::vector<float>& values);
  /// Scalars in the order of scalarNames().
  static std::vector<double> scalarsOf(const Data& d);
  /// Value of an entry; not a number if there is none.
  static double valueOf(const Model& m, const Data& d, const WatchEntry& entry);

  const Frame& frame() const { return frame_; }
  const std::vector<int>& movingBodies() const { return moving_; }

 private:
  void putContacts(FrameWriter& w) const;

  const Scene& scene_;
  const std::uint64_t id_;
  std::vector<int> moving_;
  Frame frame_, heatFrame_;
  std::vector<float> heat_;
  std::vector<double> goodBodies_, goodVertices_;
  bool hasGood_ = false, placesMove_ = false;
};

/// Bodies that can move.
std::vector<int> movingBodies(const Model& m);

/// How a run is set up, for the scene message.
struct SceneMode {
  std::string mode = "live";  ///< "live", "passive" or "replay"
  std::string file;           ///< of the model, for the title; may be empty
  std::vector<std::string> warnings;
  std::string provenance;  ///< replay: JSON object
  bool leftPanel = true, rightPanel = true;
};

/// Everything that the page must know once: JSON, then numbers that it refers to.
Bytes encodeScene(const Scene& scene, const Model& m, const Data& d, std::uint64_t id, const SceneMode& mode);

/// Options as a JSON object.
std::string optionsJson(const Option& option);

}  // namespace sinew::view
