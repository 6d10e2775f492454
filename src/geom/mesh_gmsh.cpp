#include "geom/mesh_gmsh.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>

#include "geom/file_kind.h"
#include "geom/mesh_error.h"

namespace sinew::geom {
namespace {

/// Number of nodes of the element types of Gmsh that may be mixed into a file, 0 for types that are not read.
int nodesOfType(std::int64_t type) {
  switch (type) {
    case 1:  // segment
      return 2;
    case 2:  // triangle
      return 3;
    case 4:  // tetrahedron
      return 4;
    case 15:  // point
      return 1;
    default:
      return 0;
  }
}

/// The bytes of a file as numbers and lines, text or binary.
class Source {
 public:
  explicit Source(std::span<const unsigned char> data)
      : bytes_(data), text_(reinterpret_cast<const char*>(data.data()), data.size()) {}

  bool atEnd() const { return at_ >= text_.size(); }
  std::size_t left() const { return text_.size() - at_; }
  void setBinary() { binary_ = true; }
  bool isBinary() const { return binary_; }
  std::span<const unsigned char> bytes() const { return bytes_; }

  /// The rest of the line, without its end.
  std::string_view line() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view result = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    if (!result.empty() && result.back() == '\r') result.remove_suffix(1);
    return result;
  }

  /// In text, everything about a thing is on one line: nothing but space may follow there.
  void requireLineEnd(const std::string& what) {
    if (binary_) return;
    const std::string_view rest = line();
    if (rest.find_first_not_of(" \t") == rest.npos) return;
    throw MeshError("Gmsh file has more numbers than expected for " + what + ": \"" + printable(rest, 20) + "\"");
  }

  /// Only space may come before the mark.
  void requireNext(std::string_view mark) {
    const std::size_t next = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    if (text_.substr(next).starts_with(mark)) {
      at_ = next + mark.size();
      line();
      return;
    }
    const std::string_view found = text_.substr(next, text_.substr(next).find_first_of("\r\n"));
    throw MeshError("Gmsh file: " + std::string(mark) +
                    " is expected after as many things as were announced, found \"" + printable(found, 20) + "\"");
  }

  void skipPast(std::string_view mark) {
    const std::size_t found = text_.find(mark, at_);
    if (found == std::string_view::npos) throw MeshError("Gmsh file has no " + std::string(mark));
    at_ = found + mark.size();
    line();
  }

  /// A number stored as T in a binary file.
  template <class T>
  T number() {
    T value{};
    if (binary_) {
      if (left() < sizeof(T)) throw MeshError("Gmsh file ends in the middle of a number");
      std::memcpy(&value, text_.data() + at_, sizeof(T));
      at_ += sizeof(T);
      return value;
    }
    at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc()) {
      const std::string_view found = text_.substr(at_, std::min<std::size_t>(left(), 20));
      throw MeshError("Gmsh file has \"" + printable(found.substr(0, found.find_first_of(" \t\r\n")), 20) +
                      "\" where a number is needed");
    }
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  /// A count of things of at least `bytes` bytes each, which must fit into what is left of the file.
  template <class T>
  std::size_t count(std::size_t bytes, const char* what) {
    const T value = number<T>();
    if (value < 0 || static_cast<std::uint64_t>(value) > left() / bytes) {
      throw MeshError("Gmsh file has an impossible number of " + std::string(what) + ": " + std::to_string(value));
    }
    return static_cast<std::size_t>(value);
  }

 private:
  std::span<const unsigned char> bytes_;
  std::string_view text_;
  std::size_t at_ = 0;
  bool binary_ = false;
};

class GmshReader {
 public:
  explicit GmshReader(std::span<const unsigned char> data) : source_(data) {}

  SimplexMesh read() {
    readFormat();
    while (!source_.atEnd()) {
      const std::string section(source_.line());
      if (section.empty() || section[0] != '$') continue;
      if (section == "$Nodes") {
        newFormat_ ? readNodes41() : readNodes22();
        source_.requireNext("$EndNodes");
      } else if (section == "$Elements") {
        newFormat_ ? readElements41() : readElements22();
        source_.requireNext("$EndElements");
      } else {
        source_.skipPast("$End" + section.substr(1));
      }
    }
    if (mesh_.vertex.empty()) throw MeshError("Gmsh file has no nodes");
    for (int dim = 3; dim >= 1 && mesh_.dim == 0; --dim) {
      std::vector<int>& found = elements_[dim];
      if (found.empty()) continue;
      mesh_.dim = dim;
      mesh_.element = std::move(found);
    }
    if (mesh_.dim == 0) throw MeshError("Gmsh file has no segments, triangles or tetrahedra");
    return std::move(mesh_);
  }

 private:
  void readFormat() {
    if (source_.line() != "$MeshFormat") {
      throw MeshError("a Gmsh file must begin with $MeshFormat" + seemsToBe(source_.bytes()));
    }
    const double version = source_.number<double>();
    const int binary = source_.number<int>(), size = source_.number<int>();
    source_.line();
    newFormat_ = std::abs(version - 4.1) < 1e-6;
    if (!newFormat_ && std::abs(version - 2.2) > 1e-6) {
      throw MeshError("only versions 2.2 and 4.1 of Gmsh files are supported, found " + std::to_string(version));
    }
    if (size != 8) throw MeshError("a Gmsh file must have numbers of 8 bytes, found " + std::to_string(size));
    if (binary != 0) {
      source_.setBinary();
      if (source_.number<std::int32_t>() != 1) throw MeshError("a Gmsh file of the other byte order is not supported");
    }
    source_.skipPast("$EndMeshFormat");
  }

  void addNode(std::int64_t tag) {
    tags_.push_back(tag);
    if (!index_.emplace(tag, static_cast<int>(index_.size())).second) {
      throw MeshError("Gmsh file has node " + std::to_string(tag) + " twice");
    }
  }
  void addPosition() {
    for (int k = 0; k < 3; ++k) {
      const double x = source_.number<double>();
      if (!std::isfinite(x)) {
        const std::int64_t tag = tags_[mesh_.vertex.size() / 3];
        throw MeshError("Gmsh file has node " + std::to_string(tag) + " at a place that is not finite");
      }
      mesh_.vertex.push_back(x);
    }
  }

  void readNodes22() {
    const std::size_t n = lineCount("nodes");
    for (std::size_t i = 0; i < n; ++i) {
      addNode(source_.number<std::int32_t>());
      addPosition();
      source_.requireLineEnd("node " + std::to_string(tags_.back()));
    }
  }

  /// In files of version 2.2 the number of things is text even if these are binary.
  std::size_t lineCount(const char* what) {
    const std::string text(source_.line());
    std::size_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    const bool alone = text.find_first_not_of(" \t", static_cast<std::size_t>(end - text.data())) == text.npos;
    if (error != std::errc() || !alone || n > source_.left()) {
      throw MeshError("Gmsh file: a line with the number of " + std::string(what) + " is needed, found \"" +
                      printable(text, 20) + "\"");
    }
    return n;
  }

  void readNodes41() {
    const std::size_t blocks = source_.count<std::int64_t>(1, "blocks");
    const auto announced = source_.number<std::int64_t>();
    for (int k = 0; k < 2; ++k) source_.number<std::int64_t>();  // smallest and largest tag
    source_.requireLineEnd("the section of nodes");
    for (std::size_t b = 0; b < blocks; ++b) {
      source_.number<std::int32_t>();  // dimension and tag of the entity
      source_.number<std::int32_t>();
      if (source_.number<std::int32_t>() != 0) throw MeshError("Gmsh file has parametric nodes: not supported");
      const std::size_t n = source_.count<std::int64_t>(8, "nodes");
      for (std::size_t i = 0; i < n; ++i) addNode(source_.number<std::int64_t>());
      for (std::size_t i = 0; i < n; ++i) addPosition();
    }
    requireCount(announced, tags_.size(), "nodes");
  }

  static void requireCount(std::int64_t announced, std::size_t found, const char* what) {
    if (announced >= 0 && static_cast<std::uint64_t>(announced) == found) return;
    throw MeshError("Gmsh file announces " + std::to_string(announced) + " " + what + " and has " +
                    std::to_string(found));
  }

  /// Takes the nodes of the element `element`, `Tag` being how their tags are stored.
  template <class Tag>
  void addElement(Tag element, int nodes) {
    std::vector<int>& list = elements_[nodes - 1];
    for (int k = 0; k < nodes; ++k) {
      const Tag node = source_.number<Tag>();
      const auto found = index_.find(node);
      if (found == index_.end()) {
        throw MeshError("Gmsh file has element " + std::to_string(element) + " with node " + std::to_string(node) +
                        ", which does not exist");
      }
      list.push_back(found->second);
    }
  }

  int checkedNodes(std::int64_t type) {
    const int nodes = nodesOfType(type);
    if (nodes == 0) throw MeshError("Gmsh file has elements of type " + std::to_string(type) + ": not supported");
    return nodes;
  }

  void readElements22() {
    const std::size_t n = lineCount("elements");
    for (std::size_t done = 0; done < n;) {
      // text: tag, type, ...; binary: type, how many follow, ... and the tag before each of them
      std::int32_t tag = source_.isBinary() ? 0 : source_.number<std::int32_t>();
      const int nodes = checkedNodes(source_.number<std::int32_t>());
      const std::size_t follow = source_.isBinary() ? source_.count<std::int32_t>(4, "elements") : 1;
      if (follow == 0 || follow > n - done) throw MeshError("Gmsh file has a wrong number of elements");
      const std::size_t tags = source_.count<std::int32_t>(1, "tags");
      for (std::size_t i = 0; i < follow; ++i) {
        if (source_.isBinary()) tag = source_.number<std::int32_t>();
        for (std::size_t k = 0; k < tags; ++k) source_.number<std::int32_t>();
        addElement(tag, nodes);
        source_.requireLineEnd("element " + std::to_string(tag));
      }
      done += follow;
    }
  }

  void readElements41() {
    const std::size_t blocks = source_.count<std::int64_t>(1, "blocks");
    const auto announced = source_.number<std::int64_t>();
    for (int k = 0; k < 2; ++k) source_.number<std::int64_t>();
    source_.requireLineEnd("the section of elements");
    std::size_t found = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
      source_.number<std::int32_t>();
      source_.number<std::int32_t>();
      const int nodes = checkedNodes(source_.number<std::int32_t>());
      const std::size_t n = source_.count<std::int64_t>(4, "elements");
      for (std::size_t i = 0; i < n; ++i) {
        const auto tag = source_.number<std::int64_t>();
        addElement(tag, nodes);
        source_.requireLineEnd("element " + std::to_string(tag));
      }
      found += n;
    }
    requireCount(announced, found, "elements");
  }

  Source source_;
  bool newFormat_ = false;
  SimplexMesh mesh_;
  std::unordered_map<std::int64_t, int> index_;
  std::vector<std::int64_t> tags_;            ///< of the nodes, as they come
  std::array<std::vector<int>, 4> elements_;  ///< by dimension
};

}  // namespace

SimplexMesh loadGmsh(std::span<const unsigned char> data) { return GmshReader(data).read(); }

}  // namespace sinew::geom
