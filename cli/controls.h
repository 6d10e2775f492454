#pragma once

#include <memory>
#include <string>

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew::cli {

/// Where controls come from. apply() is called before every step and every sample, at the time in d.
class ControlSource {
 public:
  virtual ~ControlSource() = default;
  virtual void apply(const Model& m, Data& d) = 0;
};

/// "zero", "keep" (leave what the keyframe or user put there), "sine", or the path of a CSV file.
///
/// sine: ctrl_i = c_i + 0.5 h_i sin(0.7 i + 3 t), with c_i and h_i the centre and half width of ctrlrange where its
/// lower end is below its upper end, else 0 and 1.
///
/// CSV: rows of time and one number per control, by growing time, after an optional line of headings. A row holds from
/// its time until the next one; before the first row controls are zero.
///
/// Throws CommandError for a file that cannot be used, with its line.
std::unique_ptr<ControlSource> makeControls(const std::string& choice, const Model& m);

}  // namespace sinew::cli
