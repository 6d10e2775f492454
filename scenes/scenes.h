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

/// What `sinew demo` shows: a robot that carries a soft ball and swings a weight on a rope at a tower of boxes, a cloth
/// that drapes over a post, balls that bounce on all of it. With contact and flexes; its keyframe tells the robot what
/// to do.
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

// With flexes: cloth and solids that fall on things, flutter, grip and sag.

/// A square sheet of 1 m with `side` x `side` points, held by length rows, hangs from two corners. Newton's method.
Scene hangingCloth(int side);
/// The same without pins, on a ball.
Scene clothOnBall(int side);
/// The same sheet as a stiff elastic one, integrated implicitly, on a ball.
Scene elasticCloth(int side);
/// A cube of 1 m with `side`^3 points, held by length rows, on a floor. Newton's method.
Scene solidCube(int side);
/// The same as a stiff elastic one, integrated implicitly.
Scene elasticCube(int side);
/// A stiff sheet of 16 x 16 points with length rows falls on a post and a ball.
Scene softPlate();
/// A sheet of 9 x 19 points with length rows on two pins in the wind; it collides with itself.
Scene softFlag();
/// Two soft pads of 3 x 6 x 9 points on sliding fingers close around an egg and lift it. Newton, elliptic cones.
Scene softGripper();
/// An elastic sheet of 20 x 20 points falls on a ball and a box; implicit.
Scene softDrape();
/// An elastic solid of 8 x 8 x 8 points on the floor, with a ball on it.
Scene softJelly();
/// An elastic sheet of 16 x 16 points, pinned all around, under a box and a capsule.
Scene softTrampoline();
/// A net of 14 x 8 points with length rows between two rows of pins, under a jointed body.
Scene softHammock();

/// The scenes that benchmarks compare with the reference engine: smooth dynamics alone, and with contact.
std::vector<Scene> smoothScenes();
std::vector<Scene> contactScenes();
std::vector<Scene> flexScenes();
/// All of them.
std::vector<Scene> benchmarkScenes();

}  // namespace sinew::scenes
