#include "sinew/replay.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>

#include "replay/codec.h"
#include "sinew/files.h"
#include "sinew/scene.h"
#include "sinew/step.h"
#include "sinew/version.h"
#include "view/page.h"
#include "view/wire.h"

namespace sinew {
namespace {

using Json = nlohmann::ordered_json;
using replay::Bytes;
using view::FrameEncoder;

constexpr std::string_view kMarker = "<!--SINEW_DATA-->";
constexpr std::array kHeats{FlexColor::Stress, FlexColor::Strain, FlexColor::ContactForce};
constexpr int kHeatLevels = 250;

template <class T>
void put(Bytes& out, const T& value) {
  const std::size_t at = out.size();
  out.resize(at + sizeof(T));
  std::memcpy(out.data() + at, &value, sizeof(T));
}

template <class T>
Bytes bytesOf(const std::vector<T>& values) {
  Bytes out(values.size() * sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), values.data(), out.size());
  return out;
}

/// Arrays whose numbers are recorded for plots.
struct Plotted {
  const char* name;
  int count;
};

}  // namespace

struct Replay::Impl {
  Impl(const Spec* spec, const Model& model, const ReplayOptions& o)
      : options(o),
        m(model),
        scene(spec ? makeScene(*spec, m, &warnings, o.mostBytes) : makeScene(m)),
        encoder(scene, m, 1),
        posed(m),
        plots{{{"qpos", std::min(m.nq_rigid, o.mostPlots)},
               {"qvel", std::min(m.nv_rigid, o.mostPlots)},
               {"act", std::min(m.na, o.mostPlots)},
               {"ctrl", std::min(m.nu, o.mostPlots)},
               {"sensordata", std::min(m.nsensordata, o.mostPlots)}}} {
    if (!(o.framesPerSecond > 0) || !std::isfinite(o.framesPerSecond)) {
      throw LoadError(fmt::format("frames per second of a replay must be positive, found {}", o.framesPerSecond));
    }
    if (!view::hasPage()) throw LoadError(std::string(view::noPageText()));
  }

  std::size_t memory() const {
    std::size_t sum = 4 * (bodies.size() + vertices.size() + skins.size() + cameras.size() + plotted.size()) +
                      contacts.size() + 8 * scalars.size() + tendons.size();
    for (const auto& h : heat) sum += 4 * h.size();
    return sum;
  }

  void record(const Data& d) {
    if (d.signature != m.signature) throw std::invalid_argument("the Data was made for another Model");
    posed = d;
    forward(m, posed);
    energy(m, posed);
    const bool isGood =
        std::all_of(posed.xpos.begin(), posed.xpos.end(), [](double x) { return std::isfinite(x); }) &&
        std::all_of(posed.flexvert_xpos.begin(), posed.flexvert_xpos.end(), [](double x) { return std::isfinite(x); });
    FrameOptions show;
    show.flexes = false;
    updateFrame(scene, m, posed, frame, show);
    if (times.empty()) first = posed;
    times.push_back(d.time);
    bad.push_back(isGood ? 0 : 1);
    const std::size_t at = bodies.size(), width = 7 * encoder.movingBodies().size();
    bodies.resize(at + width);
    for (std::size_t i = 0; i < encoder.movingBodies().size(); ++i) {
      const int b = encoder.movingBodies()[i];
      float* out = bodies.data() + at + 7 * i;
      const float* last = at >= width && width > 0 ? out - width : nullptr;
      if (!isGood) {
        if (last) std::copy(last, last + 7, out);
        continue;
      }
      for (int k = 0; k < 3; ++k) out[k] = static_cast<float>(posed.xpos[3 * b + k]);
      double same = 0;
      for (int k = 0; k < 4; ++k) {
        out[3 + k] = static_cast<float>(posed.xquat[4 * b + k]);
        if (last) same += out[3 + k] * last[3 + k];
      }
      if (same < 0) {
        for (int k = 0; k < 4; ++k) out[3 + k] = -out[3 + k];  // the same rotation, near the last one
      }
    }
    append(vertices, posed.flexvert_xpos.data(), 3 * static_cast<std::size_t>(m.nflexvert), isGood);
    append(skins, frame.skinPosition.data(), frame.skinPosition.size(), true);
    for (std::size_t i = 0; i < scene.lights.size(); ++i) {
      append(cameras, frame.lightPos.data() + 3 * i, 3, true);
      append(cameras, frame.lightDir.data() + 3 * i, 3, true);
    }
    for (std::size_t i = 0; i < scene.cameras.size(); ++i) {
      append(cameras, frame.cameraPos.data() + 3 * i, 3, true);
      append(cameras, frame.cameraMat.data() + 9 * i, 9, true);
    }
    if (!scene.tendons.empty()) {
      for (const int adr : frame.tendonAdr) put(tendons, static_cast<std::uint32_t>(adr));
      for (const float x : frame.tendonSegment) put(tendons, x);
    }
    if (options.contacts) recordContacts();
    if (options.stress && m.nflex > 0) {
      for (std::size_t i = 0; i < kHeats.size(); ++i) {
        encoder.heatOf(m, posed, kHeats[i], heatValues);
        append(heat[i], heatValues.data(), heatValues.size(), true);
      }
    }
    for (const double x : FrameEncoder::scalarsOf(posed)) scalars.push_back(x);
    appendPlots();
    lastHash = stateHash(m, d);
    if (memory() > options.mostBytes) {
      throw LoadError(fmt::format("a replay of {} frames needs more than {} bytes of memory; record fewer frames",
                                  times.size(), options.mostBytes));
    }
  }

  /// Numbers of a frame; those of the last one again if they are not good.
  template <class T>
  static void append(std::vector<float>& series, const T* values, std::size_t n, bool isGood) {
    const std::size_t at = series.size();
    series.resize(at + n);
    for (std::size_t i = 0; i < n; ++i) {
      series[at + i] = isGood ? static_cast<float>(values[i]) : at >= n ? series[at + i - n] : 0.0f;
    }
  }

  void appendPlots() {
    const auto add = [&](const Array<double>& a, int n) {
      for (int i = 0; i < n; ++i) plotted.push_back(static_cast<float>(a[i]));
    };
    add(posed.qpos, plots[0].count);
    add(posed.qvel, plots[1].count);
    add(posed.act, plots[2].count);
    add(posed.ctrl, plots[3].count);
    add(posed.sensordata, plots[4].count);
  }

  /// The strongest contacts: place and sides exactly, forces in 16 bits.
  void recordContacts() {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < frame.contacts.size(); ++i) {
      const auto& f = frame.contacts[i].force;
      order.emplace_back(-(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]), i);
    }
    const std::size_t n = std::min(order.size(), static_cast<std::size_t>(std::max(0, options.mostContacts)));
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), order.end());
    order.resize(n);
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    contactCount.push_back(static_cast<std::uint32_t>(n));
    contactTotal.push_back(static_cast<std::uint32_t>(frame.contacts.size()));
    const auto code = [](const SceneObject& o) { return o.type == ObjType::Flex ? -1 - o.id : o.id; };
    for (const auto& [force, i] : order) {
      const FrameContact& c = frame.contacts[i];
      for (const double x : c.pos) put(contacts, static_cast<float>(x));
      for (int k = 0; k < 3; ++k) put(contacts, replay::halfOf(static_cast<float>(c.frame[k])));
      for (const double x : c.force) put(contacts, replay::halfOf(static_cast<float>(x)));
      put(contacts, replay::halfOf(static_cast<float>(c.dist)));
      put(contacts, static_cast<std::uint16_t>((c.active ? 1 : 0) + (c.sliding ? 2 : 0)));
      put(contacts, static_cast<std::int32_t>(code(c.side[0])));
      put(contacts, static_cast<std::int32_t>(code(c.side[1])));
    }
  }

  std::string provenance() const {
    const std::time_t now = std::time(nullptr);
    return Json{{"sinew", std::string(kVersion)},
                {"model", fmt::format("{:016x}", hashOf(m))},
                {"file", options.file},
                {"command", options.command},
                {"seed", options.seed},
                {"date", fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(now))},
                {"timestep", m.opt.timestep},
                {"frames", times.size()},
                {"start", times.empty() ? 0 : times.front()},
                {"end", times.empty() ? 0 : times.back()},
                {"last_state_hash", fmt::format("{:016x}", lastHash)}}
        .dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  /// Lines of records of `size` bytes turned into columns, which deflate better.
  static Bytes columns(const Bytes& rows, std::size_t size) {
    Bytes out(rows.size());
    const std::size_t n = rows.size() / size;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < size; ++k) out[k * n + i] = rows[i * size + k];
    }
    return out;
  }

  Bytes data() const {
    if (times.empty()) throw LoadError("a replay needs at least one frame");
    const view::SceneMode mode{"replay", options.title, warnings, provenance()};
    Json streams = Json::object();
    Bytes body;
    const auto add = [&](const char* name, const Bytes& bytes) {
      const Bytes packed = replay::deflated(bytes);
      streams[name] = {body.size(), packed.size(), bytes.size()};
      body.insert(body.end(), packed.begin(), packed.end());
    };
    add("scene", view::encodeScene(scene, m, *first, 1, mode));
    add("times", bytesOf(times));
    add("bad", bad);
    const std::size_t moving = encoder.movingBodies().size();
    std::vector<std::uint32_t> starts;
    for (std::size_t i = 0; i <= moving; ++i) starts.push_back(static_cast<std::uint32_t>(7 * i));
    add("bodies", replay::encodeSeries(bodies, 7 * moving, starts, 7, 0));
    starts.clear();
    for (int f = 0; f < m.nflex; ++f) starts.push_back(static_cast<std::uint32_t>(3 * m.flex_vertadr[f]));
    starts.push_back(static_cast<std::uint32_t>(3 * m.nflexvert));
    const double step = options.precision * scene.extent;
    add("flexes", replay::encodeSeries(vertices, 3 * static_cast<std::size_t>(m.nflexvert), starts, 3, step));
    const auto skinWidth = static_cast<std::uint32_t>(3 * scene.numSkinVertices);
    const std::array<std::uint32_t, 2> skinStarts{0, skinWidth};
    add("skins", replay::encodeSeries(skins, skinWidth, skinStarts, 3, step));
    add("cameras", columns(bytesOf(cameras), std::max<std::size_t>(1, 4 * cameras.size() / times.size())));
    add("tendons", tendons);
    add("contactCount", bytesOf(contactCount));
    add("contactTotal", bytesOf(contactTotal));
    add("contacts", columns(contacts, kContactBytes));
    if (options.stress && m.nflex > 0) {
      for (std::size_t i = 0; i < kHeats.size(); ++i) {
        add(kHeatNames[i], replay::encodeHeat(heat[i], static_cast<std::size_t>(m.nflexvert), kHeatLevels));
      }
    }
    add("scalars", bytesOf(scalars));
    add("plots", columns(bytesOf(plotted), std::max<std::size_t>(1, 4 * plotted.size() / times.size())));
    Json plotNames = Json::array();
    for (const Plotted& p : plots) plotNames.push_back({p.name, p.count});
    const Json header{{"version", 1}, {"frames", times.size()}, {"streams", streams}, {"plots", plotNames}};
    const std::string text = header.dump();
    Bytes out;
    put(out, std::uint32_t{0x52574e53});  // "SNWR"
    put(out, static_cast<std::uint32_t>(text.size()));
    out.insert(out.end(), text.begin(), text.end());
    out.insert(out.end(), body.begin(), body.end());
    return out;
  }

  static constexpr std::size_t kContactBytes = 12 + 6 + 6 + 2 + 2 + 8;
  static constexpr std::array<const char*, 3> kHeatNames{"stress", "strain", "force"};

  const ReplayOptions options;
  const Model m;
  Warnings warnings;
  const Scene scene;
  FrameEncoder encoder;
  Data posed;
  std::array<Plotted, 5> plots;
  Frame frame;
  std::vector<float> heatValues;
  std::optional<Data> first;
  std::vector<double> times, scalars;
  std::vector<std::uint8_t> bad;
  std::vector<float> bodies, vertices, skins, cameras, plotted;
  std::array<std::vector<float>, 3> heat;
  Bytes tendons, contacts;
  std::vector<std::uint32_t> contactCount, contactTotal;
  std::uint64_t lastHash = 0;
};

Replay::Replay(const Spec& spec, const Model& m, const ReplayOptions& options)
    : impl_(std::make_unique<Impl>(&spec, m, options)) {}
Replay::Replay(const Model& m, const ReplayOptions& options) : impl_(std::make_unique<Impl>(nullptr, m, options)) {}
Replay::~Replay() = default;
Replay::Replay(Replay&&) noexcept = default;
Replay& Replay::operator=(Replay&&) noexcept = default;

bool Replay::isDue(const Data& d) const {
  const std::vector<double>& times = impl_->times;
  if (times.empty()) return true;
  const double next = times.front() + static_cast<double>(times.size()) / impl_->options.framesPerSecond;
  return d.time > times.back() && d.time >= next - 0.5 * impl_->m.opt.timestep;
}

void Replay::record(const Data& d) { impl_->record(d); }
int Replay::frames() const { return static_cast<int>(impl_->times.size()); }

std::string Replay::html() const {
  const std::string data = replay::base64(impl_->data());
  std::string page = view::pageText();
  const std::size_t at = page.find(kMarker);
  if (at == page.npos) throw LoadError("the viewer page in this build has no place for a recording");
  page.replace(at, kMarker.size(), "<script id=\"sinew-data\" type=\"text/plain\">" + data + "</script>");
  return page;
}

void Replay::save(const std::filesystem::path& file) const {
  const std::string text = html();
  replaceFile(file, std::as_bytes(std::span(text)));
}

}  // namespace sinew
