#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sinew::draw {

/// 8-bit pixels, rows from top to bottom.
struct Picture {
  int width = 0;
  int height = 0;
  int channels = 0;   ///< 1 to 4
  bool srgb = false;  ///< the file says so
  std::vector<std::uint8_t> pixels;
};

/// Reads any PNG: palettes become RGB, 16 bits the upper 8, fewer bits are stretched to 0..255. Throws LoadError that
/// says what is wrong, also for pictures of more than 16384 pixels in a direction.
Picture readPng(const std::string& bytes);

/// What the reference engine and this one refuse: larger pictures.
inline constexpr int kMaxPictureSide = 16384;

}  // namespace sinew::draw
