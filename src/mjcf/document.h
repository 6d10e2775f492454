#pragma once

#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinew/errors.h"
#include "sinew/spec.h"

/// XML text as a tree of elements that know where they were written, with <include> already expanded. The only place
/// that talks to the XML library.
namespace sinew::mjcf {

/// One XML file, or a piece of text standing for one.
struct SourceFile {
  std::shared_ptr<const std::string> name;  ///< as shown in messages
  std::filesystem::path path;               ///< empty for text that stands for a file
  std::filesystem::path directory;
  const SourceFile* includedBy = nullptr;  ///< null for the main file
  int includeLine = 0;                     ///< line of the <include> in that file
  std::shared_ptr<void> parsed;            ///< owns the characters the nodes point to
  std::string repaired;                    ///< the text that was parsed, where it is not the one that was read
};

/// An XML element. Children of included files appear in place of their <include>.
struct Node {
  const SourceFile* file = nullptr;
  int line = 0;
  std::string_view tag;
  std::vector<std::pair<std::string_view, std::string_view>> attributes;  ///< in document order
  std::vector<Node> children;
  std::string_view text;  ///< between the tags, up to the first child

  /// The attribute's text, or null.
  const std::string_view* find(std::string_view name) const;
  spec::Origin origin() const { return {file->name, line}; }
};

struct Document {
  Node root;
  std::filesystem::path directory;  ///< of the main file
  std::deque<SourceFile> files;     ///< main file first
};

/// A URDF file, which has rules of its own (src/urdf).
inline bool isRobot(const Document& document) { return document.root.tag == "robot"; }

/// Elements nested deeper than this are refused, so that no later recursion can exhaust the stack.
inline constexpr int kMaxDepth = 500;
/// Larger files are refused.
inline constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{1} << 30;

/// Reads and expands a file. Throws LoadError for unreadable files, malformed XML, bad or repeated includes.
/// Text between elements has no meaning in MJCF: it is reported in `warnings`. Below a root <robot> (URDF) nothing is
/// expanded or reported.
std::unique_ptr<Document> readDocument(const std::filesystem::path& file, Warnings& warnings);

/// The same for text; `name` stands for the file, includes are looked up in `directory`.
std::unique_ptr<Document> readDocumentText(std::string_view text, const std::string& name,
                                           const std::filesystem::path& directory, Warnings& warnings);

/// Throws LoadError "file:line: <tag name="x">: message", followed by the chain of including files.
[[noreturn]] void fail(const Node& node, const std::string& message);

/// The text `fail` would throw, without the chain of including files.
std::string located(const Node& node, const std::string& message);

}  // namespace sinew::mjcf
