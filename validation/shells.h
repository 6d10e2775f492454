#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "validation/flex_run.h"

/// Triangle meshes and shells of the studies.
namespace sinew::validation {

using Uv = std::array<double, 2>;

/// Triangles over the unit square.
struct Grid {
  std::vector<Uv> at;
  std::vector<std::array<int, 3>> triangles;

  int add(double u, double v) {
    at.push_back({u, v});
    return static_cast<int>(at.size()) - 1;
  }
  const Uv& point(int i) const { return at[static_cast<std::size_t>(i)]; }
  /// The vertex nearest to a place.
  int nearest(double u, double v) const {
    const auto away = [&](const Uv& p) { return std::hypot(p[0] - u, p[1] - v); };
    return static_cast<int>(
        std::min_element(at.begin(), at.end(), [&](const Uv& a, const Uv& b) { return away(a) < away(b); }) -
        at.begin());
  }
};

/// Kinds of meshes: a shell must not care which one it is made of.
inline const std::vector<std::string> kMeshKinds{"parallel", "alternating", "crossed", "equilateral", "random"};

/// nu x nv cells over the unit square; `stretch` is the ratio of the sides of what it becomes, for kinds that care.
Grid gridOf(const std::string& kind, int nu, int nv, double stretch = 1);

/// A grid whose ends u = 0 and u = 1 are one.
Grid closed(const Grid& grid);

/// Triangles outside of the border edges whose middle `isClamped` names: all their vertices are to be pinned, so that
/// they clamp the edge. Returns the first of their vertices.
int addClamps(Grid& grid, const std::function<bool(const Uv&)>& isClamped);

struct Shell {
  std::vector<Point> points;
  std::vector<std::array<int, 3>> triangles;
  std::vector<int> pins;
  double young = 0, poisson = 0, thickness = 0;
  std::string more;  ///< of <elasticity>
  std::string option = R"(timestep="1" integrator="implicitfast" gravity="0 0 0")";

  std::string world() const {
    std::string p, e, pin;
    for (const Point& x : points) p += fmt::format("{:.17g} {:.17g} {:.17g} ", x[0], x[1], x[2]);
    for (const auto& t : triangles) e += fmt::format("{} {} {} ", t[0], t[1], t[2]);
    for (const int i : pins) pin += fmt::format("{} ", i);
    if (!pin.empty()) pin = fmt::format(R"(<pin id="{}"/>)", pin);
    return fmt::format(R"(<flexcomp name="s" type="direct" dim="2" point="{}" element="{}" radius="0.0001" mass="1">
        <contact contype="0" conaffinity="0" selfcollide="none"/>
        <elasticity young="{}" poisson="{}" thickness="{}" elastic2d="both" law="stvk" {}/>{}</flexcomp>)",
                       p, e, young, poisson, thickness, more, pin);
  }
  /// Share of each vertex in the area of the triangles before `end`.
  std::vector<double> areas(std::size_t end) const {
    std::vector<double> area(points.size(), 0);
    for (std::size_t t = 0; t < end; ++t) {
      const Point &a = points[static_cast<std::size_t>(triangles[t][0])],
                  &b = points[static_cast<std::size_t>(triangles[t][1])],
                  &c = points[static_cast<std::size_t>(triangles[t][2])];
      const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
      const double s =
          0.5 * std::hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
      for (const int i : triangles[t]) area[static_cast<std::size_t>(i)] += s / 3;
    }
    return area;
  }
};

/// Steps far longer than the slowest period until what is left of the way is a small part of `size`. Throws
/// std::runtime_error if it does not come to rest.
void settle(FlexRun& run, double size, double accuracy = 1e-5, int most = 400);

/// Deflection in the middle of a square plate of side 1 under uniform load, over q a^4 / D.
/// `more` is added to <elasticity>.
double plateCoefficient(const std::string& kind, int n, double poisson, bool clamped, const std::string& more = "");
inline constexpr double kSupportedPlate = 0.00406235, kClampedPlate = 0.00126532;

/// Shell cantilever under end shear [Sze, Liu and Lo 2004]: L 10, b 1, t 0.1, E 1.2e6, nu 0, P = 4.
struct EndShear {
  double U, W, twist;
};
EndShear endShear(const std::string& kind, int n, int across);

/// A strip under an end moment M = 2 pi E I / L becomes a full circle [Sze, Liu and Lo 2004]: distance of its tip from
/// its root, over its length.
double rollUp(const std::string& kind, int n, int across);

/// Cylinder with free ends, pulled apart by two forces of 40000 [Sze, Liu and Lo 2004]: displacement of a force.
double pulledCylinder(const std::string& kind, int around, int along);

/// Small deflections of a shell on slides and pins: vertices whose `held` axes cannot move ride on bodies with slides
/// along the others.
struct SlideShell {
  Shell shell;
  std::vector<std::array<bool, 3>> held;

  std::string world(std::string& flex) const;

  /// Displacements under forces on the vertices.
  std::vector<Point> solve(const std::vector<Point>& force, double size, double accuracy) const;
};

/// Scordelis and Lo's roof: sag in the middle of a free edge.
double roof(const std::string& kind, int n);

/// Hemisphere with a hole of 18 degrees, R 10, t 0.04, E 6.825e7, nu 0.3, pinched by four forces of 2.
double pinchedHemisphere(const std::string& kind, int around, int along);

/// Cylinder between diaphragms, R 300, L 600, t 3, E 3e6, nu 0.3, pinched by two forces of 1: displacement of a force.
/// Cells at the forces are `finest` of the size of those of an even grid, cells far from them are larger in return.
double pinchedCylinder(const std::string& kind, int around, int along, double finest);

}  // namespace sinew::validation
