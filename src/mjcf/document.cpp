#include "mjcf/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <pugixml.hpp>
#include <set>

#include "sinew/files.h"
#include "spec/place.h"

namespace sinew::mjcf {
namespace fs = std::filesystem;
namespace {

/// Turns a byte offset into a line number. Offsets are asked for in increasing order, so one pass over the text serves
/// a whole file.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}

  int line(std::ptrdiff_t offset) {
    const std::size_t end = std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0)), text_.size());
    if (end < position_) position_ = 0, line_ = 1;
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(position_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    position_ = end;
    return line_;
  }

 private:
  std::string_view text_;
  std::size_t position_ = 0;
  int line_ = 1;
};

/// The path if there is such a file, or else the path with a/../b shortened to b (a may be a link, or missing) if there
/// is such a file, or else nothing.
fs::path existing(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error)) return path;
  return fs::exists(path.lexically_normal(), error) ? path.lexically_normal() : fs::path();
}

std::string clipped(std::string_view text) {
  constexpr std::size_t kShown = 40;
  std::string shown(text.substr(0, kShown));
  std::replace(shown.begin(), shown.end(), '\n', ' ');
  return text.size() > kShown ? shown + "..." : shown;
}

/// The text with a space put between attributes that follow each other at once, a="1"b="2". That is not XML, but other
/// readers of MJCF take it. `first` becomes the offset of the first such place in the result.
std::string withAttributesApart(std::string_view text, std::size_t& first) {
  std::string result;
  char quote = 0;
  bool inTag = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto skipTo = [&](std::string_view end) {
      const std::size_t stop = std::min(text.find(end, i), text.size() - 1);
      result.append(text.substr(i, stop - i));
      i = stop;
    };
    if (quote) {
      if (c == quote) {
        quote = 0;
        const char next = i + 1 < text.size() ? text[i + 1] : '>';
        if (std::isalpha(static_cast<unsigned char>(next)) || next == '_') {
          result += c;
          if (result.size() == i + 1) first = i + 1;
          result += ' ';
          continue;
        }
      }
    } else if (inTag) {
      if (c == '"' || c == '\'') quote = c;
      if (c == '>') inTag = false;
    } else if (text.substr(i).starts_with("<!--")) {
      skipTo("-->");
    } else if (text.substr(i).starts_with("<![CDATA[")) {
      skipTo("]]>");
    } else if (c == '<') {
      inTag = true;
    }
    result += text[i];
  }
  return result;
}

/// Parses files, splices includes, counts lines.
class Expander {
 public:
  Expander(Document& document, Warnings& warnings) : document_(document), warnings_(warnings) {}

  void expandMain(const fs::path& path, const std::string& name, std::string_view text) {
    SourceFile& file = document_.files.emplace_back();
    file.name = std::make_shared<const std::string>(name);
    file.path = path;
    file.directory = document_.directory;
    if (!path.empty()) included_.insert(canonical(path));
    const pugi::xml_node root = parse(file, text);
    isUrdf_ = std::string_view(root.name()) == "robot";
    LineCounter lines(text);
    document_.root = convert(file, root, lines, 1);
  }

 private:
  static std::string canonical(const fs::path& path) {
    std::error_code error;
    const fs::path result = fs::weakly_canonical(path, error);
    return (error ? path.lexically_normal() : result).string();
  }

  /// Parses `text`, returns the root element. The text must outlive the nodes only until convert() has copied views
  /// out of the parsed document, which keeps its own copy.
  pugi::xml_node parse(SourceFile& file, std::string_view& text) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    const std::string where = chain(file);
    if (text.empty()) throw LoadError(fmt::format("{}: the file is empty{}", *file.name, where));
    const auto control = std::find_if(text.begin(), text.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
    });
    if (control != text.end()) {
      LineCounter lines(text);
      throw LoadError(fmt::format("{}:{}: the text contains the control character {}{}", *file.name,
                                  lines.line(control - text.begin()), static_cast<int>(*control), where));
    }
    auto parsed = std::make_shared<pugi::xml_document>();
    const auto load = [&] {
      return parsed->load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
    };
    pugi::xml_parse_result result = load();
    if (result.status == pugi::status_bad_attribute) {
      std::size_t first = 0;
      file.repaired = withAttributesApart(text, first);
      text = file.repaired;
      result = load();
      LineCounter lines(text);
      if (result) {
        warnings_.push_back(fmt::format("{}:{}: not well-formed XML: attributes without a space between them",
                                        *file.name, lines.line(static_cast<std::ptrdiff_t>(first))));
      }
    }
    if (result.status == pugi::status_end_element_mismatch) {
      // a closing tag too many after the root element, which other readers of MJCF do not mind
      const std::size_t stray = text.rfind("</", static_cast<std::size_t>(result.offset));
      if (stray != text.npos && parsed->load_buffer(text.data(), stray, pugi::parse_default, pugi::encoding_utf8)) {
        LineCounter lines(text);
        warnings_.push_back(fmt::format("{}:{}: not well-formed XML: what follows the root element is ignored",
                                        *file.name, lines.line(static_cast<std::ptrdiff_t>(stray))));
        result = {};
        result.status = pugi::status_ok;
      }
    }
    if (!result) {
      LineCounter lines(text);
      throw LoadError(fmt::format("{}:{}: not well-formed XML: {}{}", *file.name, lines.line(result.offset),
                                  result.description(), where));
    }
    file.parsed = parsed;
    pugi::xml_node root;
    for (const pugi::xml_node node : parsed->children()) {
      if (node.type() != pugi::node_element) continue;
      if (root) {
        LineCounter lines(text);
        throw LoadError(fmt::format("{}:{}: a second root element <{}>{}", *file.name, lines.line(node.offset_debug()),
                                    node.name(), where));
      }
      root = node;
    }
    if (!root) throw LoadError(fmt::format("{}: no XML element in the file{}", *file.name, where));
    return root;
  }

  static std::string chain(const SourceFile& file) {
    std::string text;
    int listed = 0;
    for (const SourceFile* f = &file; f->includedBy && listed < 20; f = f->includedBy, ++listed)
      text += fmt::format("\n  included from {}:{}", *f->includedBy->name, f->includeLine);
    return text;
  }

  Node convert(const SourceFile& file, const pugi::xml_node& xml, LineCounter& lines, int depth) {
    Node node = convertTag(file, xml, lines, depth);
    for (const pugi::xml_node child : xml.children()) {
      if (child.type() == pugi::node_element)
        convertChild(file, child, lines, depth, node.children);
      else if ((child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) && !isUrdf_)
        warnOfText(node, child);
    }
    return node;
  }

  // Apart from convert(), so that the recursion needs little of the stack.
  [[gnu::noinline]] static Node convertTag(const SourceFile& file, const pugi::xml_node& xml, LineCounter& lines,
                                           int depth) {
    Node node;
    node.file = &file;
    node.line = lines.line(xml.offset_debug());
    node.tag = xml.name();
    node.text = xml.text().get();
    if (depth > kMaxDepth) fail(node, fmt::format("elements are nested more than {} deep", kMaxDepth));
    for (const pugi::xml_attribute attribute : xml.attributes()) {
      const std::string_view name = attribute.name();
      if (node.find(name)) fail(node, fmt::format("attribute '{}' is given twice", name));
      node.attributes.emplace_back(name, attribute.value());
    }
    return node;
  }

  void convertChild(const SourceFile& file, const pugi::xml_node& xml, LineCounter& lines, int depth,
                    std::vector<Node>& siblings) {
    Node converted = convert(file, xml, lines, depth + 1);
    if (converted.tag == "include" && !isUrdf_)
      include(converted, siblings, depth);
    else
      siblings.push_back(std::move(converted));
  }

  [[gnu::noinline]] void warnOfText(const Node& node, const pugi::xml_node& text) {
    warnings_.push_back(located(node, fmt::format("the text \"{}\" has no meaning here", clipped(text.value()))));
  }

  /// Replaces an <include> by the children of the root of the file it names. The path is tried in the main file's
  /// directory first, then in that of the including file.
  [[gnu::noinline]] void include(const Node& node, std::vector<Node>& siblings, int depth) {
    if (!node.children.empty()) fail(node, "an include cannot have children");
    const std::string_view* name = node.find("file");
    if (!name) fail(node, "missing required attribute 'file'");
    for (const auto& [attribute, value] : node.attributes)
      if (attribute != "file") fail(node, fmt::format("unknown attribute '{}'; only 'file' is known", attribute));

    std::string slashes(*name);
    std::replace(slashes.begin(), slashes.end(), '\\', '/');
    fs::path path = existing(document_.directory / slashes);
    if (path.empty()) path = existing(node.file->directory / slashes);
    if (path.empty()) {
      fail(node, fmt::format("cannot find the included file \"{}\"; tried {}", *name,
                             spec::triedPaths({document_.directory / slashes, node.file->directory / slashes})));
    }
    if (!included_.insert(canonical(path)).second)
      fail(node, fmt::format("file \"{}\" is already part of the model; a file can be included once", *name));

    SourceFile& file = document_.files.emplace_back();
    file.name = std::make_shared<const std::string>(path.lexically_normal().string());
    file.path = path;
    file.directory = path.parent_path();
    file.includedBy = node.file;
    file.includeLine = node.line;
    std::string text;
    try {
      text = readFile(path, kMaxFileBytes);
    } catch (const LoadError& e) {
      fail(node, e.what());
    }
    std::string_view view = text;
    const pugi::xml_node root = parse(file, view);
    LineCounter lines(view);
    Node converted = convert(file, root, lines, depth);
    if (converted.children.empty()) fail(node, fmt::format("the included file \"{}\" has no elements", *name));
    for (Node& child : converted.children) siblings.push_back(std::move(child));
  }

  Document& document_;
  Warnings& warnings_;
  std::set<std::string> included_;
  bool isUrdf_ = false;  ///< has no <include>, and text in elements for other programs
};

}  // namespace

const std::string_view* Node::find(std::string_view name) const {
  for (const auto& attribute : attributes)
    if (attribute.first == name) return &attribute.second;
  return nullptr;
}

std::unique_ptr<Document> readDocument(const fs::path& file, Warnings& warnings) {
  const std::string text = readFile(file, kMaxFileBytes);
  auto document = std::make_unique<Document>();
  document->directory = file.parent_path();
  Expander(*document, warnings).expandMain(file, file.string(), text);
  return document;
}

std::unique_ptr<Document> readDocumentText(std::string_view text, const std::string& name, const fs::path& directory,
                                           Warnings& warnings) {
  auto document = std::make_unique<Document>();
  document->directory = directory;
  Expander(*document, warnings).expandMain({}, name, text);
  return document;
}

std::string located(const Node& node, const std::string& message) {
  const std::string_view* name = node.find("name");
  return spec::located(node.origin(), std::string(node.tag), name ? std::string(*name) : std::string(), message);
}

void fail(const Node& node, const std::string& message) {
  std::string text = located(node, message);
  int listed = 0;
  for (const SourceFile* f = node.file; f->includedBy && listed < 20; f = f->includedBy, ++listed)
    text += fmt::format("\n  included from {}:{}", *f->includedBy->name, f->includeLine);
  throw LoadError(text);
}

}  // namespace sinew::mjcf
