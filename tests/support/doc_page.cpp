#include "support/doc_page.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "support/paths.h"

namespace sinew::test {

std::string fileOfPage(const std::string& page, const std::string& file) {
  std::ifstream in(sourceDir() / "docs" / page);
  std::string line, above;
  while (std::getline(in, line)) {
    const bool isFence = line.rfind("```", 0) == 0;
    const bool isNamed = above.rfind("`" + file + "`", 0) == 0 && above.back() == ':';
    if (isFence && isNamed) {
      std::string text;
      while (std::getline(in, line) && line != "```") text += line + "\n";
      return text;
    }
    if (!line.empty()) above = line;
  }
  throw std::runtime_error("docs/" + page + " shows no file " + file);
}

PageControls::PageControls(const std::string& csv) {
  std::istringstream in(csv);
  std::string line;
  std::getline(in, line);  // headings
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    std::string cell;
    std::vector<double> row;
    while (std::getline(cells, cell, ',')) row.push_back(std::stod(cell));
    if (!row.empty()) rows_.push_back(row);
  }
}

void PageControls::apply(const Model& m, Data& d) const {
  for (const std::vector<double>& row : rows_) {
    if (row[0] > d.time + 1e-9) break;
    if (static_cast<int>(row.size()) != m.nu + 1) throw std::runtime_error("a row needs a time and every control");
    for (int i = 0; i < m.nu; ++i) d.ctrl[i] = row[static_cast<std::size_t>(i) + 1];
  }
}

}  // namespace sinew::test
