#include <fmt/format.h>

#include <algorithm>

#include "hard/engine.h"
#include "sinew/data.h"
#include "sinew/load.h"
#include "sinew/step.h"

namespace sinew::bench {
namespace {

class SinewEngine final : public Engine {
 public:
  SinewEngine(const Pile& pile, int sweeps)
      : model_(compile(
            readMjcfText(mjcfOf(pile, fmt::format("solver=\"Impulse\" method=\"sweep\" iterations=\"{}\"", sweeps)),
                         pile.name + ".xml"))),
        data_(model_) {}

  std::string name() const override { return "Sinew"; }
  void step() override { sinew::step(model_, data_); }

  std::vector<BodyState> states() const override {
    std::vector<BodyState> result(static_cast<std::size_t>(model_.njnt));
    for (std::size_t i = 0; i < result.size(); ++i) {
      BodyState& s = result[i];
      const double* q = data_.qpos.data() + 7 * i;
      const double* v = data_.qvel.data() + 6 * i;
      std::copy_n(q, 3, s.pos.begin());
      std::copy_n(q + 3, 4, s.quat.begin());
      std::copy_n(v, 3, s.velocity.begin());
      // the spin of a free joint is given in the body's axes
      const double* R = data_.xmat.data() + 9 * (i + 1);
      for (std::size_t k = 0; k < 3; ++k) s.spin[k] = R[3 * k] * v[3] + R[3 * k + 1] * v[4] + R[3 * k + 2] * v[5];
    }
    return result;
  }

  double sweeps() const override {
    double sum = 0;
    for (const IslandReport& island : data_.island) sum += island.iterations;
    return data_.island.empty() ? 0 : sum / static_cast<double>(data_.island.size());
  }

 private:
  Model model_;
  Data data_;
};

}  // namespace

std::unique_ptr<Engine> makeSinew(const Pile& pile, int sweeps) { return std::make_unique<SinewEngine>(pile, sweeps); }

}  // namespace sinew::bench
