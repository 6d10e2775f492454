#include <algorithm>
#include <cmath>

#include "math/types.h"
#include "scene/parts.h"
#include "sinew/step.h"

namespace sinew::draw {
namespace {

/// sqrt(3/2 s : s) with s the deviator of a symmetric tensor xx yy zz xy yz zx.
double vonMises(const double* t) {
  const double a = t[0] - t[1], b = t[1] - t[2], c = t[2] - t[0];
  return std::sqrt(0.5 * (a * a + b * b + c * c) + 3 * (t[3] * t[3] + t[4] * t[4] + t[5] * t[5]));
}

double elementValue(const Data& d, int e, FlexColor by) {
  const double *stress = &d.flexelem_stress[6 * e], *strain = &d.flexelem_strain[6 * e];
  switch (by) {
    case FlexColor::Stress:
      return vonMises(stress);
    case FlexColor::Strain:
      return vonMises(strain) * 2 / 3;  // so that a stretched rod shows its elongation
    case FlexColor::Energy: {
      double sum = 0;
      for (int k = 0; k < 6; ++k) sum += (k < 3 ? 0.5 : 1) * stress[k] * strain[k];
      return std::abs(sum);
    }
    case FlexColor::Material:
    case FlexColor::ContactForce:
      break;
  }
  return 0;
}

}  // namespace

void colorFlexes(const Scene& scene, const Model& m, Data& d, const FrameOptions& options, Frame& frame) {
  frame.flexColor = options.flexColor;
  frame.flexRange = {0, 0};
  if (options.flexColor == FlexColor::Material || m.nflex == 0) {
    frame.flexValue.clear();
    return;
  }
  measureFlexes(m, d);
  frame.flexValue.assign(static_cast<std::size_t>(scene.numFlexVertices), 0.f);
  double largest = 0;
  for (const SceneFlex& flex : scene.flexes) {
    const int f = flex.object.id, n = m.flex_vertnum[f], corners = m.flex_dim[f] + 1;
    // mean over the elements around each vertex, weighted by their size
    std::vector<float>& sum = frame.flexScratch;
    sum.assign(2 * static_cast<std::size_t>(n), 0.f);
    if (options.flexColor == FlexColor::ContactForce) {
      for (int v = 0; v < n; ++v) {
        sum[2 * static_cast<std::size_t>(v)] =
            static_cast<float>(vec3(d.flexvert_force.data(), m.flex_vertadr[f] + v).norm());
        sum[2 * static_cast<std::size_t>(v) + 1] = 1;
      }
    } else {
      for (int e = 0; e < m.flex_elemnum[f]; ++e) {
        const int element = m.flex_elemadr[f] + e;
        const double value = elementValue(d, element, options.flexColor), size = m.flexelem_size0[element];
        for (int k = 0; k < corners; ++k) {
          const auto v = static_cast<std::size_t>(m.flex_elem[m.flex_elemdataadr[f] + corners * e + k]);
          sum[2 * v] += static_cast<float>(size * value);
          sum[2 * v + 1] += static_cast<float>(size);
        }
      }
    }
    for (int i = 0; i < flex.vertexNum; ++i) {
      const auto v = static_cast<std::size_t>(flex.source[i]);
      const float value = sum[2 * v + 1] > 0 ? sum[2 * v] / sum[2 * v + 1] : 0;
      frame.flexValue[flex.vertexAdr + i] = value;
      largest = std::max(largest, static_cast<double>(value));
    }
  }
  frame.flexRange = options.colorRange;
  if (frame.flexRange[0] == frame.flexRange[1]) frame.flexRange = {0, largest > 0 ? largest : 1};
}

}  // namespace sinew::draw
