#include "elastic/strain_wide.h"

namespace sinew::elastic {
namespace {

inline __attribute__((always_inline)) Wide load(const double* numbers, int index) {
  return loadWide(numbers + kLanes * index);
}

/// Edges d_b = x_i - x_j.
template <int Dim>
inline __attribute__((always_inline)) void edgesOf(const WidePoints<Dim>& x, Wide (&d)[StrainElement<Dim>::kEdges][3]) {
  for (int b = 0; b < StrainElement<Dim>::kEdges; ++b) {
    const auto [i, j] = StrainElement<Dim>::kEdge[b];
    for (int k = 0; k < 3; ++k) d[b][k] = x[i][k] - x[j][k];
  }
}

/// f -= sum_b sigma_b (M e)_b d_b.
template <int Dim>
inline __attribute__((always_inline)) void pull(const double* metric, const Wide (&e)[StrainElement<Dim>::kEdges],
                                                const Wide (&d)[StrainElement<Dim>::kEdges][3], WidePoints<Dim>& f) {
  constexpr int n = StrainElement<Dim>::kEdges;
  Wide t[n] = {};
  int k = 0;
  for (int a = 0; a < n; ++a) {
    t[a] += load(metric, k++) * e[a];
    for (int b = a + 1; b < n; ++b, ++k) {
      const Wide M = load(metric, k);
      t[a] += M * e[b];
      t[b] += M * e[a];
    }
  }
  for (int b = 0; b < n; ++b) {
    const auto [i, j] = StrainElement<Dim>::kEdge[b];
    for (int c = 0; c < 3; ++c) {
      const Wide tension = t[b] * d[b][c];
      f[i][c] -= tension;
      f[j][c] += tension;
    }
  }
}

/// The push against being inside out, and which elements are.
inline __attribute__((always_inline)) int pushBack(const Wide& c, const Wide (&x)[4][3], bool springs,
                                                   WidePoints<3>& f) {
  Wide d[3][3];
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) d[i][k] = x[i + 1][k] - x[0][k];
  }
  const auto cross = [](const Wide(&a)[3], const Wide(&b)[3], Wide(&out)[3]) {
    for (int k = 0; k < 3; ++k) {
      const int k1 = (k + 1) % 3;
      const int k2 = (k + 2) % 3;
      out[k] = a[k1] * b[k2] - a[k2] * b[k1];
    }
  };
  Wide n[3][3];  // gradients of V by points 1, 2, 3
  cross(d[1], d[2], n[0]);
  cross(d[2], d[0], n[1]);
  cross(d[0], d[1], n[2]);
  const Wide V = d[0][0] * n[0][0] + d[0][1] * n[0][1] + d[0][2] * n[0][2];
  const Wide product = c * V;  // negative where inside out: c has the sign of the rest volume
  int mask = 0;
  Wide slope = {};
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!(product[lane] < 0)) continue;
    mask |= 1 << lane;
    slope[lane] = c[lane] > 0 ? product[lane] : -product[lane];  // |c| V
  }
  if (mask == 0 || !springs) return mask;
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 3; ++i) {
      f[i + 1][k] -= slope * n[i][k];
      f[0][k] += slope * n[i][k];
    }
  }
  return mask;
}

template <int Dim>
inline __attribute__((always_inline)) int forcesOf(const double* group, const StrainTerms& terms,
                                                   const WidePoints<Dim>& x, const WidePoints<Dim>& v,
                                                   WidePoints<Dim>& force, WidePoints<Dim>* damper) {
  constexpr int n = StrainElement<Dim>::kEdges;
  const double* metric = group;
  const double* length0sq = group + kLanes * StrainElement<Dim>::kPacked;
  Wide d[n][3];
  edgesOf<Dim>(x, d);
  Wide lengthSq[n], e[n] = {}, rate[n] = {};
  for (int a = 0; a < n; ++a) {
    lengthSq[a] = d[a][0] * d[a][0] + d[a][1] * d[a][1] + d[a][2] * d[a][2];
    if (terms.springs) e[a] = lengthSq[a] - load(length0sq, a);
  }
  if (terms.dampingTime > 0) {
    Wide dv[n][3];
    edgesOf<Dim>(v, dv);
    for (int a = 0; a < n; ++a) {
      const Wide lengthRate = d[a][0] * dv[a][0] + d[a][1] * dv[a][1] + d[a][2] * dv[a][2];  // L dL/dt
      const Wide tiny = {1e-300, 1e-300, 1e-300, 1e-300};
      rate[a] = terms.dampingTime * (2 * lengthRate - terms.h * (lengthRate * lengthRate / (lengthSq[a] + tiny)));
    }
  }
  for (int i = 0; i <= Dim; ++i) {
    for (int k = 0; k < 3; ++k) {
      force[i][k] = Wide{};
      if (damper) (*damper)[i][k] = Wide{};
    }
  }
  if (terms.dampingTime > 0 && damper) {
    pull<Dim>(metric, rate, d, *damper);
  } else {
    for (int a = 0; a < n; ++a) e[a] += rate[a];
  }
  pull<Dim>(metric, e, d, force);
  if constexpr (Dim == 3) {
    return pushBack(load(length0sq, n), x, terms.springs, force);
  } else {
    return 0;
  }
}

/// 2 sum_ab M_ab (sigma_a d_a)(sigma_b d_b)' + sum_a max(0, t_a) (sigma_a sigma_a') I with tensions t = M e, block by
/// block of the lower triangle; then the lanes apart.
template <int Dim>
inline __attribute__((always_inline)) void stiffnessOf(const double* group, const WidePoints<Dim>& x, double* K) {
  constexpr int n = StrainElement<Dim>::kEdges, points = Dim + 1, size = 3 * points;
  const double* length0sq = group + kLanes * StrainElement<Dim>::kPacked;
  Wide d[n][3], e[n], t[n] = {};
  edgesOf<Dim>(x, d);
  for (int a = 0; a < n; ++a) {
    e[a] = d[a][0] * d[a][0] + d[a][1] * d[a][1] + d[a][2] * d[a][2] - load(length0sq, a);
  }
  Wide sum[points][points][3][3] = {};  // [i][j] with i >= j
  const auto add = [&](int i, int j, const Wide(&product)[3][3], bool negative, bool transposed) {
    for (int k = 0; k < 3; ++k) {
      for (int l = 0; l < 3; ++l) {
        const Wide& p = transposed ? product[l][k] : product[k][l];
        sum[i][j][k][l] = negative ? sum[i][j][k][l] - p : sum[i][j][k][l] + p;
      }
    }
  };
  int index = 0;
  for (int a = 0; a < n; ++a) {
    for (int b = a; b < n; ++b, ++index) {
      const Wide M = load(group, index);
      t[a] += M * e[b];
      if (a != b) t[b] += M * e[a];
      Wide product[3][3];
      for (int k = 0; k < 3; ++k) {
        const Wide scaled = 2 * M * d[a][k];
        for (int l = 0; l < 3; ++l) product[k][l] = scaled * d[b][l];
      }
      for (int p = 0; p < 2; ++p) {
        for (int q = 0; q < 2; ++q) {
          const int i = StrainElement<Dim>::kEdge[a][p];
          const int j = StrainElement<Dim>::kEdge[b][q];
          // M_ab and M_ba; the lower triangle takes (i, j) from one and (j, i) from the other
          if (i >= j) add(i, j, product, p != q, false);
          if (a != b && j >= i) add(j, i, product, p != q, true);
        }
      }
    }
  }
  const Wide zero{};
  for (int a = 0; a < n; ++a) {
    const int i = StrainElement<Dim>::kEdge[a][0];
    const int j = StrainElement<Dim>::kEdge[a][1];
    const Wide tension = t[a] > zero ? t[a] : zero;
    for (int k = 0; k < 3; ++k) {
      sum[i][i][k][k] += tension;
      sum[j][j][k][k] += tension;
      sum[i > j ? i : j][i > j ? j : i][k][k] -= tension;
    }
  }
  for (int i = 0; i < points; ++i) {
    for (int j = 0; j <= i; ++j) {
      for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
          for (int lane = 0; lane < kLanes; ++lane) {
            double* out = K + lane * size * size;
            out[(3 * i + k) * size + 3 * j + l] = out[(3 * j + l) * size + 3 * i + k] = sum[i][j][k][l][lane];
          }
        }
      }
    }
  }
}

SINEW_KERNEL void triangleStiffness(const double* group, const WidePoints<2>& x, double* K) {
  stiffnessOf<2>(group, x, K);
}
SINEW_KERNEL void tetrahedronStiffness(const double* group, const WidePoints<3>& x, double* K) {
  stiffnessOf<3>(group, x, K);
}

SINEW_KERNEL int triangleForces(const double* group, const StrainTerms& terms, const WidePoints<2>& x,
                                const WidePoints<2>& v, WidePoints<2>& force, WidePoints<2>* damper) {
  return forcesOf<2>(group, terms, x, v, force, damper);
}
SINEW_KERNEL int tetrahedronForces(const double* group, const StrainTerms& terms, const WidePoints<3>& x,
                                   const WidePoints<3>& v, WidePoints<3>& force, WidePoints<3>* damper) {
  return forcesOf<3>(group, terms, x, v, force, damper);
}

}  // namespace

template <int Dim>
int strainForces(const double* group, const StrainTerms& terms, const WidePoints<Dim>& x, const WidePoints<Dim>& v,
                 WidePoints<Dim>& force, WidePoints<Dim>* damper) {
  if constexpr (Dim == 2) {
    return triangleForces(group, terms, x, v, force, damper);
  } else {
    return tetrahedronForces(group, terms, x, v, force, damper);
  }
}

template <int Dim>
int strainStiffness(const double* group, const WidePoints<Dim>& x, Stiffness<Dim + 1>* K) {
  if constexpr (Dim == 2) {
    triangleStiffness(group, x, K->data());
    return 0;
  } else {
    tetrahedronStiffness(group, x, K->data());
    WidePoints<3> ignored;
    return pushBack(load(group, kStrainNumbers<3> - 1), x, false, ignored);
  }
}

template <int Dim>
void storeStrain(const StrainElement<Dim>& element, int lane, double* group) {
  double* out = group + lane;
  for (const double value : element.metric) *out = value, out += kLanes;
  for (const double value : element.length0sq) *out = value, out += kLanes;
  *out = element.pushBack;
}

template <int Dim>
StrainElement<Dim> loadStrain(const double* group, int lane) {
  StrainElement<Dim> element;
  const double* in = group + lane;
  for (double& value : element.metric) value = *in, in += kLanes;
  for (double& value : element.length0sq) value = *in, in += kLanes;
  element.pushBack = *in;
  return element;
}

template int strainForces<2>(const double*, const StrainTerms&, const WidePoints<2>&, const WidePoints<2>&,
                             WidePoints<2>&, WidePoints<2>*);
template int strainForces<3>(const double*, const StrainTerms&, const WidePoints<3>&, const WidePoints<3>&,
                             WidePoints<3>&, WidePoints<3>*);
template int strainStiffness<2>(const double*, const WidePoints<2>&, Stiffness<3>*);
template int strainStiffness<3>(const double*, const WidePoints<3>&, Stiffness<4>*);
template void storeStrain<2>(const StrainElement<2>&, int, double*);
template void storeStrain<3>(const StrainElement<3>&, int, double*);
template StrainElement<2> loadStrain<2>(const double*, int);
template StrainElement<3> loadStrain<3>(const double*, int);

}  // namespace sinew::elastic
