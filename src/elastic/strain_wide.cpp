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

/// Whether point p is the first (1) or second (-1) end of edge a, or none (0).
template <int Dim>
constexpr int endOf(int p, int a) {
  return StrainElement<Dim>::kEdge[a][0] == p ? 1 : StrainElement<Dim>::kEdge[a][1] == p ? -1 : 0;
}

/// Place of M_ab in the packed matrix.
template <int Dim>
constexpr int packed(int a, int b) {
  constexpr int n = StrainElement<Dim>::kEdges;
  return a <= b ? a * n - a * (a - 1) / 2 + b - a : packed<Dim>(b, a);
}

/// Rows [row, row + 4) of one column of four matrices, from one number of each lane.
inline __attribute__((always_inline)) void storeFour(const Wide& r0, const Wide& r1, const Wide& r2, const Wide& r3,
                                                     std::ptrdiff_t apart, double* out) {
  const Wide a = __builtin_shufflevector(r0, r1, 0, 4, 2, 6), b = __builtin_shufflevector(r0, r1, 1, 5, 3, 7);
  const Wide c = __builtin_shufflevector(r2, r3, 0, 4, 2, 6), d = __builtin_shufflevector(r2, r3, 1, 5, 3, 7);
  store(out, __builtin_shufflevector(a, c, 0, 1, 4, 5));
  store(out + apart, __builtin_shufflevector(b, d, 0, 1, 4, 5));
  store(out + 2 * apart, __builtin_shufflevector(a, c, 2, 3, 6, 7));
  store(out + 3 * apart, __builtin_shufflevector(b, d, 2, 3, 6, 7));
}

/// 2 sum_ab M_ab (sigma_a d_a)(sigma_b d_b)' + sum_a max(0, t_a) (sigma_a sigma_a') I with tensions t = M e, block by
/// block of the lower triangle; then the lanes apart. A translation of all points costs nothing, so that the blocks of
/// point 0 follow from the others.
template <int Dim>
inline __attribute__((always_inline)) void stiffnessOf(const double* group, const WidePoints<Dim>& x, double* K) {
  constexpr int n = StrainElement<Dim>::kEdges, points = Dim + 1, size = 3 * points;
  const double* length0sq = group + kLanes * StrainElement<Dim>::kPacked;
  const Wide zero{};
  Wide d[n][3], e[n], tension[n];
  edgesOf<Dim>(x, d);
  for (int a = 0; a < n; ++a) {
    e[a] = d[a][0] * d[a][0] + d[a][1] * d[a][1] + d[a][2] * d[a][2] - load(length0sq, a);
  }
  Wide w[n][points][3] = {};  // 2 sum_b M_ab sigma_b d_b
  for (int a = 0; a < n; ++a) {
    Wide t = zero;
    for (int b = 0; b < n; ++b) {
      const Wide M = load(group, packed<Dim>(a, b));
      t += M * e[b];
      for (int q = 1; q < points; ++q) {
        const int sign = endOf<Dim>(q, b);
        if (sign == 0) continue;
        const Wide scaled = static_cast<double>(2 * sign) * M;
        for (int k = 0; k < 3; ++k) w[a][q][k] += scaled * d[b][k];
      }
    }
    tension[a] = t > zero ? t : zero;
  }
  Wide sum[points][points][3][3];  // [p][q] with p >= q
  for (int p = 1; p < points; ++p) {
    for (int q = 1; q <= p; ++q) {
      Wide block[3][3] = {};
      for (int a = 0; a < n; ++a) {
        const int sign = endOf<Dim>(p, a), other = endOf<Dim>(q, a);
        if (sign == 0) continue;
        for (int k = 0; k < 3; ++k) {
          const Wide scaled = static_cast<double>(sign) * d[a][k];
          for (int l = 0; l < 3; ++l) block[k][l] += scaled * w[a][q][l];
          if (other != 0) block[k][k] += static_cast<double>(sign * other) * tension[a];
        }
      }
      for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) sum[p][q][k][l] = block[k][l];
      }
    }
  }
  const auto entry = [&](int r, int c) __attribute__((always_inline))->const Wide& {
    return r >= c ? sum[r / 3][c / 3][r % 3][c % 3] : sum[c / 3][r / 3][c % 3][r % 3];
  };
  for (int r = 3; r < size; ++r) {
    for (int k = 0; k < 3; ++k) {
      Wide rest = zero;
      for (int q = 1; q < points; ++q) rest -= entry(r, 3 * q + k);
      sum[r / 3][0][r % 3][k] = rest;
    }
  }
  for (int r = 0; r < 3; ++r) {
    for (int k = 0; k <= r; ++k) {
      Wide rest = zero;
      for (int q = 1; q < points; ++q) rest -= entry(3 * q + r, k);
      sum[0][0][r][k] = rest;
    }
  }
  constexpr int square = size * size;
  for (int c = 0; c < size; ++c) {
    int r = 0;
    for (; r + kLanes <= size; r += kLanes) {
      storeFour(entry(r, c), entry(r + 1, c), entry(r + 2, c), entry(r + 3, c), square, K + c * size + r);
    }
    for (; r < size; ++r) {
      for (int lane = 0; lane < kLanes; ++lane) K[lane * square + c * size + r] = entry(r, c)[lane];
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
