#include <fmt/format.h>

#include "compile/asset_file.h"
#include "compile/assets.h"
#include "compile/place.h"
#include "geom/height_field.h"
#include "geom/mesh_error.h"

namespace sinew::draft {
namespace {

geom::HeightField makeHeightField(const spec::HField& spec, const spec::Compiler& compiler) {
  const Place place = placeOf(spec);
  if (spec.name.empty()) place.fail("a height field needs a name");
  for (const double size : spec.size) {
    if (!(size > 0)) place.fail(fmt::format("all four numbers of 'size' must be positive, found {}", size));
  }
  const bool fromFile = !spec.file.empty();
  if (fromFile && (spec.nrow != 0 || spec.ncol != 0 || !spec.elevation.empty())) {
    place.fail("'file' and 'nrow', 'ncol', 'elevation' exclude each other");
  }
  try {
    if (!fromFile) return geom::hfieldFromElevation(spec.nrow, spec.ncol, spec.elevation);
    const std::vector<unsigned char> bytes = readAsset(spec.directory, spec.file, compiler.strippath, place);
    return geom::loadHfield(bytes, spec.file, spec.content_type);
  } catch (const geom::MeshError& error) {
    place.fail(fromFile ? fmt::format("file \"{}\": {}", spec.file, error.what()) : error.what());
  }
}

}  // namespace

void draftHeightFields(Draft& draft) {
  for (const spec::HField& spec : draft.spec->hfields) {
    draft.hfields.push_back({&spec, makeHeightField(spec, draft.compiler())});
  }
}

}  // namespace sinew::draft
