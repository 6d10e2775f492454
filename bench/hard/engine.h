#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hard/pile.h"

/// Engines with hard contacts behind one interface, each as its makers set it up, but for the sweeps per step: no
/// sleeping, one thread.
namespace sinew::bench {

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;
  virtual void step() = 0;
  virtual std::vector<BodyState> states() const = 0;
  /// Mean sweeps of the last step; 0: the engine does not say.
  virtual double sweeps() const { return 0; }
};

/// What all of them are given where they are compared.
inline constexpr int kSweeps = 10;

std::unique_ptr<Engine> makeSinew(const Pile& pile, int sweeps);
/// Null if the bench was built without that engine.
std::unique_ptr<Engine> makeBullet(const Pile& pile, int sweeps);
std::unique_ptr<Engine> makeOde(const Pile& pile, int sweeps);

}  // namespace sinew::bench
