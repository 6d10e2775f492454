#include "render/gif.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace sinew::render {
namespace {

using Rgb8 = std::array<int, 3>;

void put16(std::string& out, int value) {
  out.push_back(static_cast<char>(value & 255));
  out.push_back(static_cast<char>((value >> 8) & 255));
}

/// Colours are counted in cells of 5 bits per channel.
int cellOf(const std::uint8_t* p) { return (p[0] >> 3) << 10 | (p[1] >> 3) << 5 | (p[2] >> 3); }

struct Cell {
  Rgb8 mean{};
  double count = 0;
};

/// Median cut: the box of colours with the largest spread is halved until there are 256.
std::vector<Rgb8> choosePalette(std::vector<Cell> cells) {
  struct Box {
    std::size_t begin, end;
    int axis = 0;
    double spread = 0;
  };
  const auto measured = [&](std::size_t begin, std::size_t end) {
    Box box{begin, end};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double sum = 0, squares = 0, count = 0;
      for (std::size_t i = begin; i < end; ++i) {
        const double x = cells[i].mean[axis];
        sum += cells[i].count * x, squares += cells[i].count * x * x, count += cells[i].count;
      }
      const double spread = squares - sum * sum / count;
      if (spread > box.spread) box.spread = spread, box.axis = static_cast<int>(axis);
    }
    return box;
  };
  std::vector<Box> boxes{measured(0, cells.size())};
  while (boxes.size() < 256) {
    const auto widest =
        std::max_element(boxes.begin(), boxes.end(), [](const Box& a, const Box& b) { return a.spread < b.spread; });
    if (widest->end - widest->begin < 2 || widest->spread <= 0) break;
    const Box box = *widest;
    const std::size_t axis = static_cast<std::size_t>(box.axis);
    const auto begin = cells.begin() + static_cast<std::ptrdiff_t>(box.begin),
               end = cells.begin() + static_cast<std::ptrdiff_t>(box.end);
    std::stable_sort(begin, end, [&](const Cell& a, const Cell& b) { return a.mean[axis] < b.mean[axis]; });
    double total = 0, half = 0;
    for (auto it = begin; it != end; ++it) total += it->count;
    std::size_t middle = box.begin;
    while (middle + 1 < box.end - 1 && half + cells[middle].count < total / 2) half += cells[middle++].count;
    ++middle;
    *widest = measured(box.begin, middle);
    boxes.push_back(measured(middle, box.end));
  }
  std::vector<Rgb8> palette;
  for (const Box& box : boxes) {
    std::array<double, 3> sum{};
    double count = 0;
    for (std::size_t i = box.begin; i < box.end; ++i) {
      for (std::size_t k = 0; k < 3; ++k) sum[k] += cells[i].count * cells[i].mean[k];
      count += cells[i].count;
    }
    Rgb8 color{};
    for (std::size_t k = 0; k < 3; ++k) color[k] = static_cast<int>(std::lround(sum[k] / std::max(1.0, count)));
    palette.push_back(color);
  }
  palette.resize(256, Rgb8{0, 0, 0});
  return palette;
}

std::vector<Cell> countColors(const Image& image) {
  std::vector<std::array<double, 4>> sums(32768, {0, 0, 0, 0});
  for (std::size_t i = 0; i + 2 < image.pixels.size(); i += 3) {
    auto& sum = sums[cellOf(&image.pixels[i])];
    for (std::size_t k = 0; k < 3; ++k) sum[k] += image.pixels[i + k];
    sum[3] += 1;
  }
  std::vector<Cell> cells;
  for (const auto& sum : sums) {
    if (sum[3] == 0) continue;
    Cell cell;
    for (std::size_t k = 0; k < 3; ++k) cell.mean[k] = static_cast<int>(std::lround(sum[k] / sum[3]));
    cell.count = sum[3];
    cells.push_back(cell);
  }
  return cells;
}

int nearest(const std::vector<Rgb8>& palette, const Rgb8& c) {
  int best = 0, least = 1 << 30;
  for (std::size_t i = 0; i < palette.size(); ++i) {
    int distance = 0;
    for (std::size_t k = 0; k < 3; ++k) distance += (palette[i][k] - c[k]) * (palette[i][k] - c[k]);
    if (distance < least) least = distance, best = static_cast<int>(i);
  }
  return best;
}

/// The palette entry of each pixel. A regular pattern of small shifts hides the steps between entries and does not
/// flicker from picture to picture.
std::vector<std::uint8_t> mapPixels(const Image& image, const std::vector<Rgb8>& palette) {
  static constexpr int kPattern[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
  std::vector<int> known(262144, -1);  // 6 bits per channel
  std::vector<std::uint8_t> out(image.pixels.size() / 3);
  for (int row = 0; row < image.height; ++row) {
    for (int column = 0; column < image.width; ++column) {
      const std::size_t i =
          static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(column);
      const int shift = kPattern[row & 3][column & 3] / 2 - 4;
      Rgb8 c{};
      for (std::size_t k = 0; k < 3; ++k) c[k] = std::clamp(image.pixels[3 * i + k] + shift, 0, 255);
      int& entry = known[(c[0] >> 2) << 12 | (c[1] >> 2) << 6 | (c[2] >> 2)];
      if (entry < 0) entry = nearest(palette, c);
      out[i] = static_cast<std::uint8_t>(entry);
    }
  }
  return out;
}

/// Lempel-Ziv-Welch with codes of 9 to 12 bits, in blocks of at most 255 bytes.
std::string compress(const std::vector<std::uint8_t>& pixels) {
  constexpr int kClear = 256, kEnd = 257, kMost = 4095;
  std::string out(1, char{8});
  std::string block;
  std::uint32_t bits = 0;
  int bitCount = 0, width = 9, next = 258;
  const auto flushBlock = [&] {
    if (block.empty()) return;
    out.push_back(static_cast<char>(block.size()));
    out += block;
    block.clear();
  };
  const auto emit = [&](int code) {
    bits |= static_cast<std::uint32_t>(code) << bitCount;
    bitCount += width;
    while (bitCount >= 8) {
      block.push_back(static_cast<char>(bits & 255));
      bits >>= 8, bitCount -= 8;
      if (block.size() == 255) flushBlock();
    }
  };
  std::vector<std::int16_t> table(4096 * 256, -1);  // the string (prefix, byte)
  emit(kClear);
  int prefix = pixels.empty() ? -1 : pixels[0];
  for (std::size_t i = 1; i < pixels.size(); ++i) {
    std::int16_t& entry = table[static_cast<std::size_t>(prefix) * 256 + pixels[i]];
    if (entry >= 0) {
      prefix = entry;
      continue;
    }
    emit(prefix);
    entry = static_cast<std::int16_t>(next);
    if (next == (1 << width) && width < 12) ++width;
    if (next++ == kMost) {
      emit(kClear);
      std::fill(table.begin(), table.end(), std::int16_t{-1});
      width = 9, next = 258;
    }
    prefix = pixels[i];
  }
  if (prefix >= 0) emit(prefix);
  emit(kEnd);
  if (bitCount > 0) block.push_back(static_cast<char>(bits & 255));
  flushBlock();
  out.push_back('\0');
  return out;
}

}  // namespace

std::string gifHeader(int width, int height) {
  std::string out = "GIF89a";
  put16(out, width);
  put16(out, height);
  out += std::string("\x70\0\0", 3);                                // no palette for all pictures
  out += std::string("\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", 19);  // again and again
  return out;
}

std::string gifPicture(const Image& image, int centiseconds) {
  const std::vector<Rgb8> palette = choosePalette(countColors(image));
  std::string out("\x21\xf9\x04\x04", 4);
  put16(out, centiseconds);
  out += std::string("\0\0\x2c\0\0\0\0", 7);
  put16(out, image.width);
  put16(out, image.height);
  out.push_back(static_cast<char>(0x87));  // a palette of 256 for this picture
  for (const Rgb8& c : palette) {
    for (const int x : c) out.push_back(static_cast<char>(x));
  }
  return out + compress(mapPixels(image, palette));
}

std::string gifEnd() { return ";"; }

}  // namespace sinew::render
