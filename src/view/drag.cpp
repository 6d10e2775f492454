#include "view/drag.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/dynamics.h"

namespace sinew::view {
namespace {

using Vector = std::array<double, 3>;

Vector rotate(const double* r, const Vector& x) {
  return {r[0] * x[0] + r[1] * x[1] + r[2] * x[2], r[3] * x[0] + r[4] * x[1] + r[5] * x[2],
          r[6] * x[0] + r[7] * x[1] + r[8] * x[2]};
}
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// 3 / trace(J inv(M) J') for the generalized forces of three unit loads.
template <class AddLoad>
double effective(const Model& m, const Data& d, AddLoad&& addLoad) {
  std::vector<double> f(static_cast<std::size_t>(m.nv)), a(f.size());
  double trace = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    std::fill(f.begin(), f.end(), 0.0);
    Vector unit{};
    unit[k] = 1;
    addLoad(unit, f);
    solveMass(m, d, f, a);
    for (std::size_t i = 0; i < f.size(); ++i) trace += f[i] * a[i];
  }
  return trace > 1e-15 ? 3 / trace : 0;
}

/// Rotation vector that takes `from` to `to`, shorter than a half turn.
Vector turnBetween(const double* from, const std::array<double, 4>& to) {
  // to * conj(from)
  const double w = to[0] * from[0] + to[1] * from[1] + to[2] * from[2] + to[3] * from[3];
  const Vector u{to[1], to[2], to[3]}, v{from[1], from[2], from[3]};
  const Vector c = cross(u, v);
  Vector r;
  for (std::size_t k = 0; k < 3; ++k) r[k] = -to[0] * v[k] + from[0] * u[k] - c[k];
  const double s = std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
  if (s < 1e-12) return {0, 0, 0};
  double angle = 2 * std::atan2(s, w);
  if (angle > M_PI) angle -= 2 * M_PI;
  for (double& x : r) x *= angle / s;
  return r;
}

}  // namespace

std::string Drag::set(const Model& m, const Data& d, const DragRequest& request, double stiffness,
                      double stiffnessrot) {
  const auto isFinite = [](const auto& values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x) && std::abs(x) < 1e6; });
  };
  if (request.kind == DragRequest::Kind::None) {
    release();
    return {};
  }
  if (!isFinite(request.target) || !isFinite(request.local) || !isFinite(request.weight) || !isFinite(request.turn)) {
    return "the mouse must be at a finite place";
  }
  const bool isSame = isActive() && request.kind == request_.kind && request.body == request_.body &&
                      request.flex == request_.flex && request.vertex == request_.vertex &&
                      request.local == request_.local;
  if (request.body >= m.nbody || request.flex >= m.nflex || (request.body < 0) == (request.flex < 0)) {
    return fmt::format("there is no body {} or flex {} to pull", request.body, request.flex);
  }
  if (request.flex >= 0) {
    if (request.kind == DragRequest::Kind::Torque) return "a point of a flex can be pulled, not turned";
    for (const int v : request.vertex) {
      if (v >= m.flex_vertnum[request.flex]) return fmt::format("the flex has no vertex {}", v);
    }
    const double sum = request.weight[0] + request.weight[1] + request.weight[2];
    if (request.vertex[0] < 0 || std::abs(sum - 1) > 1e-3 ||
        *std::min_element(request.weight.begin(), request.weight.end()) < -1e-3) {
      return "weights of vertices must not be negative and sum to 1";
    }
  }
  request_ = request;
  if (isSame) return {};
  if (request.flex >= 0) {
    grip(m, d, stiffness);
    return {};
  }
  if (m.body_weldid[request.body] == 0) {
    release();
    return "what is fixed to the world cannot be pulled";
  }
  const double* xpos = d.xpos.data() + 3 * request.body;
  const Vector offset = rotate(d.xmat.data() + 9 * request.body, request.local);
  const Vector point{xpos[0] + offset[0], xpos[1] + offset[1], xpos[2] + offset[2]};
  if (request.kind == DragRequest::Kind::Force) {
    mass_ = effective(m, d, [&](const Vector& unit, std::vector<double>& f) {
      addForceAtPoint(m, d, request.body, point, unit, {0, 0, 0}, f);
    });
    stiffness_ = mass_ * stiffness;
    damping_ = 2 * std::sqrt(stiffness) * mass_;
  } else {
    inertia_ = effective(m, d, [&](const Vector& unit, std::vector<double>& f) {
      addForceAtPoint(m, d, request.body, point, {0, 0, 0}, unit, f);
    });
    stiffness_ = inertia_ * stiffnessrot;
    damping_ = 2 * std::sqrt(stiffnessrot) * inertia_;
  }
  return {};
}

void Drag::grip(const Model& m, const Data& d, double stiffness) {
  const int f = request_.flex, adr = m.flex_vertadr[f], num = m.flex_vertnum[f];
  // mass of each vertex: that of the nodes which carry it
  const auto massOf = [&](int v) {
    const auto node = [&](int point) {
      const int n = m.flexpoint_nodeid[point];
      return n >= 0 && !m.flexnode_pinned[n] ? m.flexnode_mass[n] : 0.0;
    };
    const int support = m.flexvert_supportadr[v];
    if (support < 0) return node(m.flex_pointadr[f] + v - adr);
    double sum = 0;
    for (int k = 0; k < m.flexvert_supportnum[v]; ++k) {
      sum += m.flexsupport_weight[support + k] * node(m.flexsupport_pointid[support + k]);
    }
    return sum;
  };
  double total = 0;
  for (int p = 0; p < m.flex_pointnum[f]; ++p) {
    const int n = m.flexpoint_nodeid[m.flex_pointadr[f] + p];
    if (n >= 0 && !m.flexnode_pinned[n]) total += m.flexnode_mass[n];
    if (n < 0) total += m.body_mass[m.flexpoint_bodyid[m.flex_pointadr[f] + p]];
  }
  mass_ = total;
  stiffness_ = total * stiffness;

  gripVertex_.clear();
  gripWeight_.clear();
  Vector centre{};
  double gripMass = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    if (request_.vertex[k] < 0) continue;
    const int v = adr + request_.vertex[k];
    gripVertex_.push_back(v);
    gripWeight_.push_back(std::max(0.0, request_.weight[k]));
    for (int x = 0; x < 3; ++x) centre[x] += request_.weight[k] * d.flexvert_xpos[3 * v + x];
  }
  const double h = m.opt.timestep;
  const double needed = std::min(total, 4 * stiffness_ * h * h);
  // effective mass of weights w: 1 / sum w^2 / m
  double compliance = 0;
  for (std::size_t i = 0; i < gripVertex_.size(); ++i) {
    const double mass = massOf(gripVertex_[i]);
    if (mass > 0) compliance += gripWeight_[i] * gripWeight_[i] / mass;
  }
  gripMass = compliance > 0 ? 1 / compliance : total;
  if (gripMass < needed && m.flex_interp[f] == 0) {
    // more of the nearest vertices, by mass
    std::vector<std::pair<double, int>> near;
    for (int v = adr; v < adr + num; ++v) {
      double distance = 0;
      for (int x = 0; x < 3; ++x) {
        const double delta = d.flexvert_xpos[3 * v + x] - centre[x];
        distance += delta * delta;
      }
      near.emplace_back(distance, v);
    }
    std::sort(near.begin(), near.end());
    gripVertex_.clear();
    gripWeight_.clear();
    gripMass = 0;
    for (const auto& [distance, v] : near) {
      const double mass = massOf(v);
      if (mass == 0) continue;
      gripVertex_.push_back(v);
      gripWeight_.push_back(mass);
      gripMass += mass;
      if (gripMass >= needed) break;
    }
    for (double& w : gripWeight_) w /= gripMass;
  }
  damping_ = std::min(2 * std::sqrt(stiffness) * total, gripMass / (2 * h));
}

void Drag::write(Data& d, bool isBody, int index, double value) {
  double& place = isBody ? d.xfrc_applied[index] : d.qfrc_applied[index];
  written_.push_back({isBody, index, place, place + value});
  place += value;
}

void Drag::remove(Data& d) {
  for (auto w = written_.rbegin(); w != written_.rend(); ++w) {
    double& place = w->isBody ? d.xfrc_applied[w->index] : d.qfrc_applied[w->index];
    if (place == w->after) place = w->before;
  }
  written_.clear();
}

void Drag::apply(const Model& m, Data& d) {
  remove(d);
  if (!isActive()) return;
  if (request_.flex >= 0) {
    Vector x{}, v{};
    for (std::size_t i = 0; i < gripVertex_.size(); ++i) {
      const Vector velocity = flexVertexVelocity(m, d, gripVertex_[i]);
      for (std::size_t k = 0; k < 3; ++k) {
        x[k] += gripWeight_[i] * d.flexvert_xpos[3 * gripVertex_[i] + static_cast<int>(k)];
        v[k] += gripWeight_[i] * velocity[k];
      }
    }
    for (std::size_t k = 0; k < 3; ++k) line_.force[k] = stiffness_ * (request_.target[k] - x[k]) - damping_ * v[k];
    line_.anchor = x;
    line_.target = request_.target;
    force_.assign(static_cast<std::size_t>(m.nv), 0.0);
    for (std::size_t i = 0; i < gripVertex_.size(); ++i) {
      Vector share = line_.force;
      for (double& s : share) s *= gripWeight_[i];
      addForceAtFlexVertex(m, d, gripVertex_[i], share, force_);
    }
    for (int i = 0; i < m.nv; ++i) {
      if (force_[i] != 0) write(d, false, i, force_[i]);
    }
    return;
  }
  const int b = request_.body;
  const Vector offset = rotate(d.xmat.data() + 9 * b, request_.local);
  Vector point, arm;
  for (std::size_t k = 0; k < 3; ++k) {
    point[k] = d.xpos[3 * b + static_cast<int>(k)] + offset[k];
    arm[k] = point[k] - d.xipos[3 * b + static_cast<int>(k)];
  }
  const SpatialMotion motion = objectVelocity(m, d, ObjType::XBody, b);
  Vector force{}, torque{};
  if (request_.kind == DragRequest::Kind::Force) {
    const Vector swing = cross(motion.angular, offset);
    for (std::size_t k = 0; k < 3; ++k) {
      force[k] = stiffness_ * (request_.target[k] - point[k]) - damping_ * (motion.linear[k] + swing[k]);
    }
    torque = cross(arm, force);
    line_.target = request_.target;
  } else {
    const Vector turn = turnBetween(d.xquat.data() + 4 * b, request_.turn);
    for (std::size_t k = 0; k < 3; ++k) torque[k] = stiffness_ * turn[k] - damping_ * motion.angular[k];
    line_.target = point;
  }
  line_.anchor = point;
  line_.force = request_.kind == DragRequest::Kind::Force ? force : torque;
  for (int k = 0; k < 3; ++k) {
    write(d, true, 6 * b + k, force[k]);
    write(d, true, 6 * b + 3 + k, torque[k]);
  }
}

}  // namespace sinew::view
