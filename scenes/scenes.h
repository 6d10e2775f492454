#pragma once

#include <string>
#include <vector>

/// Parametric scenes, as MJCF text, for tests, benchmarks and the command.
namespace sinew::scenes {

struct Scene {
  std::string name;  ///< a word that can be part of a file name
  std::string mjcf;
};

// Without contact: geoms that could touch are excluded from it, so each runs the same with and without a contact
// solver.

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

// With contact: after a second or so everything touches something and still moves.

/// The person of humanoid() drops on a floor; joints have limits.
Scene humanoidOnFloor();

/// `count` persons drop on a floor, near enough to fall over each other.
Scene crowd(int count);

/// `count` spheres, capsules, ellipsoids, cylinders and boxes in turn fall into an open bin.
Scene bin(int count);

/// A wall of boxes, each on two others, `base` in the lowest row; a ram pushes it over. Elliptic friction cones.
Scene pyramid(int base);

/// `count` convex meshes of 8 to 40 vertices fall into an open bin.
Scene rubble(int count);

/// Hands of four fingers close around a ball each: tendons around pulleys with limits and friction, joints coupled by
/// tendon equalities, solved by projected Gauss-Seidel.
Scene hands(int count);

/// The scenes that benchmarks compare with the reference engine: smooth dynamics alone, and with contact.
std::vector<Scene> smoothScenes();
std::vector<Scene> contactScenes();
/// Both.
std::vector<Scene> benchmarkScenes();

}  // namespace sinew::scenes
