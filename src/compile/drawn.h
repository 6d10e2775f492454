#pragma once

#include "compile/draft.h"
#include "sinew/model.h"

namespace sinew::draft {

/// Which element of `spec` each body, geom, site, camera and light of its Model comes from: the bodies of the Model in
/// order, with pointers to the elements but without shapes, masses and flexes. Poses of bodies are those in their
/// parents before free bodies were aligned with their inertia, and lights have poses in these frames. Throws
/// std::invalid_argument if the Model was not compiled from this Spec.
Draft draftDrawn(const Spec& spec, const Model& m);

}  // namespace sinew::draft
