#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>
#include <vector>

#include "machine.h"
#include "scenes/scenes.h"
#include "sinew/load.h"
#include "sinew/renderer.h"
#include "sinew/step.h"

/// Milliseconds per picture, by scene and size: update of the frame and of the tree, and the picture itself. Files on
/// the command line are drawn as well.
namespace {

using Clock = std::chrono::steady_clock;

/// The median of several runs: wall time and processor time, ms.
template <class F>
std::pair<double, double> timed(F f) {
  std::vector<double> wall, cpu;
  for (int i = 0; i < 5; ++i) {
    const auto start = Clock::now();
    const std::clock_t c = std::clock();
    f();
    cpu.push_back(1e3 * static_cast<double>(std::clock() - c) / CLOCKS_PER_SEC);
    wall.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  std::sort(wall.begin(), wall.end());
  std::sort(cpu.begin(), cpu.end());
  return {wall[2], cpu[2]};
}

/// A scene under two lights that cast shadows.
std::string lit(std::string mjcf) {
  const std::string world = "<worldbody>";
  mjcf.insert(mjcf.find(world) + world.size(), R"(
    <light pos="0 0 4" dir="0 0 -1" diffuse="0.5 0.5 0.5" castshadow="true"/>
    <light pos="-3 2 4" dir="3 -2 -3" diffuse="0.4 0.4 0.4" castshadow="true"/>)");
  return mjcf;
}

void measure(const std::string& name, const sinew::Spec& spec) {
  const sinew::Model m = sinew::compile(spec);
  sinew::Data d(m);
  while (d.time < 0.5) sinew::step(m, d);
  sinew::forward(m, d);
  const auto start = Clock::now();
  const auto scene = std::make_shared<const sinew::Scene>(sinew::makeScene(spec, m));
  const double make = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  for (const auto& [width, height] : {std::pair{320, 240}, std::pair{640, 480}, std::pair{1280, 720}}) {
    sinew::Renderer renderer(scene, width, height);
    sinew::Frame frame;
    const auto update = timed([&] {
      sinew::updateFrame(*scene, m, d, frame);
      renderer.update(frame);
    });
    const sinew::View view = sinew::viewOf(*scene, frame, "free", static_cast<double>(width) / height);
    const auto picture = timed([&] { renderer.rgb(view); });
    fmt::print("| {} | {} x {} | {:.1f} | {:.2f} | {:.1f} | {:.1f} |\n", name, width, height, make, update.first,
               picture.first, picture.second);
  }
}

}  // namespace

int main(int argc, char** argv) {
  fmt::print(
      "{}\n\n| scene | pixels | scene made, ms | update, ms | picture, ms | picture, ms of processor |\n"
      "|---|---|---|---|---|---|\n",
      sinew::bench::machineName());
  measure("humanoid with shadows", sinew::readMjcfText(lit(sinew::scenes::humanoidOnFloor().mjcf)));
  for (const auto& scene : {sinew::scenes::humanoidOnFloor(), sinew::scenes::demo(), sinew::scenes::softDrape()}) {
    measure(scene.name, sinew::readMjcfText(scene.mjcf));
  }
  for (int i = 1; i < argc; ++i) measure(argv[i], sinew::readMjcf(argv[i]));
}
