#include <fmt/format.h>

#include <algorithm>

#include "compile/asset_file.h"
#include "compile/assets.h"
#include "compile/place.h"
#include "geom/height_field.h"
#include "geom/mesh_error.h"

namespace sinew::draft {
namespace {

geom::HeightField makeHeightField(const Draft& draft, const spec::HField& spec) {
  const Place place = placeOf(spec);
  if (spec.name.empty()) place.fail("a height field needs a name");
  for (const double size : spec.size) {
    if (!(size > 0)) place.fail(fmt::format("all four numbers of 'size' must be positive, found {}", size));
  }
  const bool fromFile = !spec.file.empty();
  if (fromFile && (spec.nrow != 0 || spec.ncol != 0 || !spec.elevation.empty())) {
    place.fail("'file' and 'nrow', 'ncol', 'elevation' exclude each other");
  }
  if (!fromFile) {
    // once in the draft, once in the Model
    draft.charge(place, 2.0 * sizeof(float) * std::max(0, spec.nrow) * std::max(0, spec.ncol),
                 fmt::format("'nrow' {} and 'ncol' {}: these elevations", spec.nrow, spec.ncol));
  }
  try {
    if (!fromFile) return geom::hfieldFromElevation(spec.nrow, spec.ncol, spec.elevation);
    const std::vector<unsigned char> bytes = readAsset(spec.directory, spec.file, draft.compiler().strippath, place);
    return geom::loadHfield(bytes, spec.file, spec.content_type);
  } catch (const geom::MeshError& error) {
    place.fail(fromFile ? fmt::format("file \"{}\": {}", spec.file, error.what()) : error.what());
  }
}

}  // namespace

void draftHeightFields(Draft& draft) {
  for (const spec::HField& spec : draft.spec->hfields) {
    draft.hfields.push_back({&spec, makeHeightField(draft, spec)});
  }
}

}  // namespace sinew::draft
