#include "mjcf/xml_text.h"

namespace sinew::mjcf {

void XmlText::open(std::string_view tag) {
  if (inTag_) text_ += ">\n";
  indent(open_.size());
  text_.append("<").append(tag);
  open_.emplace_back(tag);
  inTag_ = true;
}

void XmlText::attribute(std::string_view name, std::string_view value) {
  text_.append(" ").append(name).append("=\"");
  for (const char c : value) {
    switch (c) {
      case '&':
        text_ += "&amp;";
        break;
      case '<':
        text_ += "&lt;";
        break;
      case '>':
        text_ += "&gt;";
        break;
      case '"':
        text_ += "&quot;";
        break;
      case '\n':
        text_ += "&#10;";
        break;
      case '\t':
        text_ += "&#9;";
        break;
      case '\r':
        text_ += "&#13;";
        break;
      default:
        text_ += c;
    }
  }
  text_ += '"';
}

void XmlText::close() {
  if (inTag_) {
    text_ += "/>\n";
  } else {
    indent(open_.size() - 1);
    text_.append("</").append(open_.back()).append(">\n");
  }
  open_.pop_back();
  inTag_ = false;
}

}  // namespace sinew::mjcf
