#pragma once

#include <functional>
#include <string>

#include "geom/png.h"

namespace sinew::draw {

using Picture = geom::PngImage;

/// Reads any PNG: palettes become RGB, 16 bits the upper 8, fewer bits are stretched to 0..255. Throws LoadError that
/// says what is wrong, also for pictures of more than 16384 pixels in a direction. `accept` may refuse a size, by
/// throwing, before memory is taken for it.
Picture readPng(const std::string& bytes, const std::function<void(int width, int height)>& accept);

/// What the reference engine and this one refuse: larger pictures.
inline constexpr int kMaxPictureSide = 16384;

}  // namespace sinew::draw
