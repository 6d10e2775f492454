#include "compile/update_constants.h"

#include <algorithm>
#include <array>

#include "compile/constants.h"
#include "compile/statistics.h"
#include "geom/fluid.h"
#include "geom/shape.h"
#include "math/types.h"
#include "sinew/load.h"

namespace sinew {
namespace {

/// geom_aabb, geom_rbound and geom_fluid of the shapes that have sizes; those of meshes and height fields belong to
/// their assets.
void writeShapes(Model& m) {
  for (int g = 0; g < m.ngeom; ++g) {
    const GeomType type = m.geom_type[g];
    if (type == GeomType::Mesh || type == GeomType::HField || type == GeomType::Sdf) continue;
    const Vec3 size = vec3(m.geom_size.data(), g);
    const geom::Aabb box = geom::shapeAabb(type, size);
    MapVec3{m.geom_aabb.data() + 6 * g} = box.center;
    MapVec3{m.geom_aabb.data() + 6 * g + 3} = box.half;
    m.geom_rbound[g] = geom::shapeBoundingRadius(type, size);
    double* fluid = m.geom_fluid.data() + 12 * g;
    const Vec3 semiAxes = geom::fluidSemiAxes(type, size);
    if (!(fluid[0] > 0) || !(semiAxes.minCoeff() > 0)) continue;
    std::array<double, 5> coefficients;
    std::copy_n(fluid + 1, 5, coefficients.begin());
    const std::array<double, 12> row = geom::fluidCoefficients(semiAxes, coefficients);
    std::copy(row.begin(), row.end(), fluid);
  }
}

void update(const spec::Statistic* given, Model& m) {
  writeShapes(m);
  draft::writeMasses(m);
  const int flags = m.opt.enableflags;
  m.opt.enableflags &= ~enable::kSleep;  // nothing sleeps while constants are found
  Data d(m);
  draft::writeReference(m, d);
  if (given) draft::writeStatistics(*given, m, d);
  m.opt.enableflags = flags;
}

}  // namespace

void updateConstants(Model& m) { update(nullptr, m); }

void draft::updateConstantsAndStatistics(const spec::Statistic& given, Model& m) { update(&given, m); }

}  // namespace sinew
