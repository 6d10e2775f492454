// A sweep over a soft gripper: which cubes does it lift, with soft and with stiff pads? Parameters by name with
// VariedModel, runs with Rollout. Two pads press with 6 N each, so friction 1 holds 12 N: Coulomb's law draws the line
// at 1.2 kg, whatever the pads are made of.
//
//   example_gripper_sweep examples/models/soft_gripper.xml

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <thread>
#include <vector>

#include "sinew/load.h"
#include "sinew/parameters.h"
#include "sinew/rollout.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s soft_gripper.xml\n", argv[0]);
    return EXIT_FAILURE;
  }
  sinew::VariedModel gripper(sinew::readMjcf(argv[1]), [](const sinew::Spec& s) { return sinew::compile(s); },
                             {"flex:*_pad.young", "body:cube.mass"});
  const std::vector<double> values{1e5, 0.3, 1e5, 2.5, 3e5, 0.3, 3e5, 2.5};  // Pa, kg
  const int runs = 4;
  gripper.prepare(values, runs);

  const sinew::Rollout plan(gripper.base(), 800, 800, {"sensordata"});  // the start and the end
  const int width = plan.arrays()[0].width();
  std::vector<std::vector<double>> samples(runs);
  // close, then lift
  const auto control = [](const sinew::Model&, sinew::Data& d, std::int64_t) {
    d.ctrl[0] = d.time < 1.2 ? 0 : 0.2;
    d.ctrl[1] = d.ctrl[2] = d.time < 0.2 ? 0 : 6;
  };
  const auto run = [&](int i) {
    const std::span<const double> its = std::span(values).subspan(static_cast<std::size_t>(2 * i), 2);
    sinew::VariedModel::Workspace workspace;
    const sinew::Model& m = gripper.modelOf(its, workspace);
    sinew::Data d(m);
    std::vector<double>& out = samples[static_cast<std::size_t>(i)];
    out.resize(static_cast<std::size_t>(plan.samples() * width));
    const std::vector<std::span<double>> spans{out};
    plan.run(m, d, spans, control);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < runs; ++i) threads.emplace_back(run, i);
  for (std::thread& thread : threads) thread.join();

  bool isRight = true;
  std::printf("Young's modulus   mass     lifted by\n");
  for (int i = 0; i < runs; ++i) {
    const std::vector<double>& z =
        samples[static_cast<std::size_t>(i)];  // position of the cube at the start and the end
    const double young = values[static_cast<std::size_t>(2 * i)], mass = values[static_cast<std::size_t>(2 * i + 1)];
    const double lifted = z[static_cast<std::size_t>(width + 2)] - z[2];
    std::printf("%12.0f Pa %7.2f kg %8.4f m\n", young, mass, lifted);
    isRight = isRight && (mass < 1.2 ? lifted > 0.02 : lifted < 0.005);
  }
  return isRight ? EXIT_SUCCESS : EXIT_FAILURE;
}
