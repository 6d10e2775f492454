#include "collision/smooth_normals.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "collision/elements.h"
#include "model/workspace.h"

namespace sinew {

void SmoothNormals::prepare() {
  tensors_ = d_.work->arena.zeros<Tensor>(m_.flex_vertnum[flex_]);
  const int first = m_.flex_elemadr[flex_];
  for (int elem = first; elem < first + m_.flex_elemnum[flex_]; ++elem) {
    const ElementVertices vertices(m_, elem);
    const auto at = [&](int k) { return vec3(d_.flexvert_xpos.data(), vertices.first + vertices.local[k]); };
    const std::array<Vec3, 3> x = {at(0), at(1), at(2)};
    const Vec3 across = (x[1] - x[0]).cross(x[2] - x[0]);
    const double twice = across.norm();
    if (!(twice > 0)) continue;
    const Vec3 n = across / twice;
    for (std::size_t k = 0; k < 3; ++k) {
      const double angle = std::atan2(twice, (x[(k + 1) % 3] - x[k]).dot(x[(k + 2) % 3] - x[k]));
      Tensor& tensor = tensors_[vertices.local[k]];
      const Tensor add = {n[0] * n[0], n[1] * n[1], n[2] * n[2], n[0] * n[1], n[0] * n[2], n[1] * n[2]};
      for (std::size_t i = 0; i < add.size(); ++i) tensor[i] += angle * add[i];
    }
  }
}

void SmoothNormals::turn(const Mat3& boxAxes, int a, int b, std::span<geom::ContactPoint> points) {
  if (points.empty()) return;
  if (tensors_.empty()) prepare();
  const int first = m_.flex_vertadr[flex_];
  const Vec3 from = vec3(d_.flexvert_xpos.data(), first + a), to = vec3(d_.flexvert_xpos.data(), first + b);
  const Vec3 along = to - from;
  for (geom::ContactPoint& point : points) {
    const double t = std::clamp((point.pos - from).dot(along) / along.squaredNorm(), 0.0, 1.0);
    Tensor M;
    for (std::size_t i = 0; i < M.size(); ++i) M[i] = (1 - t) * tensors_[a][i] + t * tensors_[b][i];
    const Vec3& n = point.normal;
    const Vec3 smooth(M[0] * n[0] + M[3] * n[1] + M[4] * n[2], M[3] * n[0] + M[1] * n[1] + M[5] * n[2],
                      M[4] * n[0] + M[5] * n[1] + M[2] * n[2]);
    const int axis = (point.feature - 1) / 4;  // along the edge of the box
    Vec3 turned = Vec3::Zero();
    for (int k = 1; k < 3; ++k) {
      const Vec3 side = boxAxes.col((axis + k) % 3);
      const double s = side.dot(smooth);
      if (s * side.dot(n) > 0) turned += s * side;
    }
    const double length = turned.norm();
    if (length > 0) point.normal = turned / length;
  }
}

}  // namespace sinew
