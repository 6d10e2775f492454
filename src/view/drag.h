#pragma once

#include <array>
#include <vector>

#include "sinew/data.h"
#include "sinew/model.h"
#include "view/wire.h"

namespace sinew::view {

/// What the mouse holds.
struct DragRequest {
  enum class Kind { None, Force, Torque };
  Kind kind = Kind::None;
  int body = -1;                           ///< >= 0: a body
  std::array<double, 3> local{};           ///< point in the body's frame
  int flex = -1;                           ///< >= 0: a point of a flex
  std::array<int, 3> vertex{-1, -1, -1};   ///< of the flex, counted within it; -1: fewer than three
  std::array<double, 3> weight{1, 0, 0};   ///< they sum to 1
  std::array<double, 3> target{};          ///< Force: where the mouse pulls the point to, world
  std::array<double, 4> turn{1, 0, 0, 0};  ///< Torque: orientation that the body is turned to, world
};

/// The spring between the mouse and what it holds (docs/viewer.md, "Pulling things").
///   body    F = m_e (s (x* - x) - 2 sqrt(s) v), with s = <visual><map stiffness>, 1/s^2; m_e: effective mass at the
///           point, 3 / trace(J inv(M) J'), when it was taken hold of
///   torque  T = I_e (r q - 2 sqrt(r) w), with r = stiffnessrot, q the rotation vector to the target, I_e likewise
///   flex    F = M s (x* - x) - c v with M the mass of the flex, shared among the vertices around the point, which are
///           enough that the spring is stable: m_g >= 4 s h^2 M; c = min(2 sqrt(s) M, m_g / (2 h))
class Drag {
 public:
  /// Takes hold, moves the target, or lets go (Kind::None). Needs a forward() or step(). Returns why it cannot; empty:
  /// it can.
  std::string set(const Model& m, const Data& d, const DragRequest& request, double stiffness, double stiffnessrot);
  void release() { request_.kind = DragRequest::Kind::None; }
  const DragRequest& request() const { return request_; }
  bool isActive() const { return request_.kind != DragRequest::Kind::None; }

  /// Writes the force of the present poses and velocities into xfrc_applied and qfrc_applied, and remembers what was
  /// there.
  void apply(const Model& m, Data& d);
  /// Puts back what was there, where nobody has written since.
  void remove(Data& d);

  const DragLine& line() const { return line_; }

 private:
  struct Written {
    bool isBody;
    int index;
    double before, after;
  };
  void write(Data& d, bool isBody, int index, double value);
  void grip(const Model& m, const Data& d, double stiffness);

  DragRequest request_;
  double mass_ = 1, inertia_ = 1;  // effective
  double stiffness_ = 100, damping_ = 20;
  std::vector<int> gripVertex_;  // of the model
  std::vector<double> gripWeight_;
  std::vector<double> force_;
  std::vector<Written> written_;
  DragLine line_;
};

}  // namespace sinew::view
