#pragma once

#include <string>
#include <vector>

/// Parametric scenes, as MJCF text, for tests, benchmarks and the command. Geoms that could touch are excluded from
/// contact, so each runs the same with and without a contact solver.
namespace sinew::scenes {

struct Scene {
  std::string name;  ///< a word that can be part of a file name
  std::string mjcf;
};

/// A person of capsules: free torso, 21 hinges with springs and motors, 27 dofs.
Scene humanoid();

/// A seven-joint arm on a table with position servos, a gripper of two fingers driven by one tendon, and sensors.
Scene arm();

/// One pendulum of `links` rods in a row, hinges alternating between x and y.
Scene chain(int links);

/// `trees` separate pendulums of `links` rods each: `trees * links` bodies.
Scene forest(int trees, int links);

/// `count` bodies that fly freely and spin.
Scene swarm(int count);

/// What `sinew run` shows without a model: a passive chain, an arm pulled by muscles around pulleys, spinning tops.
Scene demo();

/// The scenes that benchmarks compare with the reference engine.
std::vector<Scene> benchmarkScenes();

}  // namespace sinew::scenes
