#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sinew/data.h"
#include "sinew/model.h"

/// Pages of docs/: the files they show, by the rule that scripts/docs.py has.
namespace sinew::test {

/// A fenced block right below a line that begins with a file name in backquotes and ends with a colon. Throws
/// std::runtime_error that names page and file if there is none.
std::string fileOfPage(const std::string& page, const std::string& file);

/// Controls by time: rows of a time and one number per control, as `sinew run --ctrl FILE.csv` reads them.
class PageControls {
 public:
  explicit PageControls(const std::string& csv);
  /// Sets d.ctrl to the last row that is not later than d.time.
  void apply(const Model& m, Data& d) const;

 private:
  std::vector<std::vector<double>> rows_;
};

}  // namespace sinew::test
