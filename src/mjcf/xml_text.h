#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sinew::mjcf {

/// Writes indented XML, one element per line.
class XmlText {
 public:
  /// Opens an element; attributes follow, then children, then close().
  void open(std::string_view tag);
  void attribute(std::string_view name, std::string_view value);
  void close();
  const std::string& text() const { return text_; }

 private:
  void indent(std::size_t depth) { text_.append(2 * depth, ' '); }
  std::string text_;
  std::vector<std::string> open_;
  bool inTag_ = false;  ///< the start tag of the innermost element is still open
};

}  // namespace sinew::mjcf
