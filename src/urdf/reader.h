#pragma once

#include "mjcf/document.h"
#include "sinew/load.h"

namespace sinew::urdf {

/// Turns a document whose root is <robot> into a Spec, in the way the reference engine does (docs/urdf.md). The tree of
/// the document is used up: what is left aside is taken out of it.
Spec readRobot(mjcf::Document& document, Warnings& warnings, const LoadOptions& options);

}  // namespace sinew::urdf
