// A program that makes its own steps and lets a viewer watch: what the test of VIEW-8 talks to. It prints the URL, then a
// line per tenth of a second: what came back from the windows. Each step is made under the lock.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include "sinew/load.h"
#include "sinew/step.h"
#include "sinew/viewer.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const sinew::Spec spec = sinew::readMjcf(argv[1]);
  sinew::Model m = sinew::compile(spec);
  sinew::Data d(m);
  sinew::forward(m, d);
  sinew::ViewerOptions options;
  options.port = 0;
  sinew::Viewer viewer(spec, m, d, options);
  fmt::print("{}\n", viewer.url());
  std::fflush(stdout);
  const double* friction = m.geom_friction.data();
  long steps = 0;
  for (auto next = std::chrono::steady_clock::now(); viewer.isRunning(); ++steps) {
    if (!viewer.isPaused()) {
      const auto lock = viewer.lock();
      sinew::step(m, d);
    }
    viewer.sync();
    if (steps % 50 == 0) {
      double pull = 0, flex = 0;
      for (const double x : d.xfrc_applied) pull += x * x;
      for (const double x : d.qfrc_applied) flex += x * x;
      fmt::print("state {} {} {} {} {} {} {} {}\n", steps, m.nu > 0 ? d.ctrl[0] : 0.0, std::sqrt(pull), std::sqrt(flex),
                 d.qpos[0], viewer.windows(), m.opt.timestep, friction == m.geom_friction.data() ? 1 : 0);
      std::fflush(stdout);
    }
    next += std::chrono::milliseconds(2);
    std::this_thread::sleep_until(next);
  }
  viewer.close();
  viewer.close();  // twice is as good as once
  fmt::print("ended {}\n", viewer.isRunning() ? "running" : "closed");
  return 0;
}
