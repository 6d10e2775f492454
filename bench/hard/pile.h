#pragma once

#include <array>
#include <string>
#include <vector>

/// Piles of free bodies, described once for every engine.
namespace sinew::bench {

/// A box with the half sizes `size`, or a sphere of radius size[0] if the others are zero.
struct PileBody {
  std::array<double, 3> size{};
  std::array<double, 3> pos{};
  std::array<double, 4> quat{1, 0, 0, 0};
  double mass = 1;
  bool isSphere() const { return size[1] == 0; }
};

struct Pile {
  std::string name;
  std::vector<PileBody> bodies;
  std::vector<PileBody> walls;  ///< boxes that never move; the floor z = 0 is there besides
  double friction = 0.5;        ///< between any two things
  double timestep = 1.0 / 60;
  int warmUp = 240;  ///< steps before the clock starts
  int timed = 120;   ///< steps it runs
};

/// A wall of boxes, each on two others, `layers` boxes in the lowest row.
Pile boxPyramid(int layers);
/// `count` boxes of different sizes fall into an open bin about ten layers high.
Pile boxPile(int count);
/// The same with spheres.
Pile spherePile(int count);
/// `count` cubes in stacks of ten, apart from each other.
Pile boxStacks(int count);

/// The pile as a model for Sinew.
std::string mjcfOf(const Pile& pile, const std::string& option);

/// Position, orientation and velocities (world axes) of one body.
struct BodyState {
  std::array<double, 3> pos{};
  std::array<double, 4> quat{1, 0, 0, 0};
  std::array<double, 3> velocity{}, spin{};
};

/// What one can see of a pile, whoever computed it.
struct Judgement {
  int contacts = 0;
  double deepest = 0;  ///< penetration, m
  double mean = 0;     ///< over all contacts that touch
  double energy = 0;   ///< kinetic and potential, J
  double fastest = 0;  ///< speed, m/s
};

/// One judge for all engines: Sinew's colliders find the contacts of the given states.
Judgement judge(const Pile& pile, const std::vector<BodyState>& states);

}  // namespace sinew::bench
