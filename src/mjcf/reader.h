#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "mjcf/document.h"
#include "mjcf/grammar_check.h"
#include "mjcf/model_library.h"
#include "mjcf/records.h"
#include "sinew/load.h"
#include "sinew/spec.h"
#include "spec/attach.h"
#include "spec/memory_budget.h"

namespace sinew::mjcf {

/// Turns a checked document into a Spec. Sections are read in a fixed order whatever their order in the text, the tree
/// of bodies last, because elements outside it may be copied together with parts of it.
class Reader {
 public:
  /// `openFiles` are the model files being read, outermost first, so that a model cannot attach itself. `library` has
  /// the files that the document names; what is generated is charged to `budget`.
  Reader(const Document& document, Warnings& warnings, ModelLibrary& library, spec::MemoryBudget& budget,
         std::vector<std::filesystem::path> openFiles, const LoadOptions& options);
  Spec read();

 private:
  // settings, in reader.cpp
  void readCompiler(const Node& section);
  void readOption(const Node& section);
  void readSize(const Node& section);
  void readStatistic(const Node& section);
  void readVisual(const Node& section);
  // default classes
  void readDefaultSection(const Node& section);
  void readDefaultClass(const Node& section, spec::DefaultClass& record);
  void readDefaultElement(const Node& node, spec::DefaultClass& record);
  void indexClasses(const spec::DefaultClass& record);
  const spec::DefaultClass& classNamed(const Node& node, std::string_view attribute) const;
  const spec::DefaultClass& classOf(const Node& node, const spec::DefaultClass& inherited) const;
  const spec::DefaultClass& mainClass() const { return classes_.at("main"); }
  // everything outside the tree
  void readCustom(const Node& section);
  void readAsset(const Node& section);
  void readContact(const Node& section);
  void readDeformable(const Node& section);
  void readEquality(const Node& section);
  void readTendon(const Node& section);
  void readActuator(const Node& section);
  void readSensor(const Node& section);
  void readKeyframe(const Node& section);
  // the tree, in reader_bodies.cpp
  void readBodyContent(const Node& section, spec::Body& body, int frame, const spec::DefaultClass& inherited);
  void readPlaced(const Node& node, spec::Body& body, int frame, const spec::DefaultClass& record);
  spec::Body& addBody(const Node& node, spec::Body& parent, int frame);
  int addFrame(const Node& node, spec::Body& body, int frame);
  void readBody(const Node& node, spec::Body& parent, int frame, const spec::DefaultClass& inherited);
  void readFrame(const Node& node, spec::Body& body, int frame, const spec::DefaultClass& inherited);
  void readJoint(const Node& node, spec::Body& body, int frame, const spec::DefaultClass& inherited);
  // flexes, in reader_flexes.cpp
  void readFlex(const Node& node);
  void readFlexcomp(const Node& node, const ElementType& type, spec::Body& body, int frame,
                    const spec::DefaultClass& record);
  // cables, in reader_cables.cpp
  void readExtension(const Node& section);
  void readBodyPlugin(const Node& node, spec::Body& body);
  void readComposite(const Node& node, spec::Body& body, int frame);
  std::string cableOf(const Node& plugin, const std::string& freshName);
  // macros, in reader_macros.cpp
  void readReplicate(const Node& node, spec::Body& body, int frame, const spec::DefaultClass& inherited);
  void readAttach(const Node& node, spec::Body& body, int frame);
  void attachFromSelf(const Node& node, spec::Body& body, int frame, const AttachRecord& record);
  void readModelAsset(const Node& node);
  /// Takes memory for something that `node` generates, before it is made; fails there if there is not enough.
  void charge(const Node& node, double bytes, const std::string& what);
  /// Fails at `node` if a tree of this depth, put into the body being read, is too deep.
  void requireDepth(const Node& node, std::size_t depth) const;

  /// A record of class `start`, overwritten by what the element says. Sets the origin.
  template <class R, class Start>
  R readElement(const Node& node, const ElementType& type, const Start& start) const;
  /// Where `file` named by `node` lies: its directory, after looking beside the included file that names it.
  std::string assetDirectory(const Node& node, std::string& file) const;

  const Document& document_;
  Warnings& warnings_;
  ModelLibrary& library_;
  spec::MemoryBudget& budget_;
  std::vector<std::filesystem::path> openFiles_;
  LoadOptions options_;
  Spec spec_;
  CompilerRecord compiler_;
  OptionRecord option_;
  std::map<std::string, spec::DefaultClass, std::less<>> classes_;  ///< without their children
  std::map<std::string, ModelLibrary::File&, std::less<>> models_;  ///< models that can be attached
  spec::PendingKeys pendingKeys_;
  std::size_t depth_ = 0;  ///< of the body being read; the world has none
};

template <class R, class Start>
R Reader::readElement(const Node& node, const ElementType& type, const Start& start) const {
  R record{};
  static_cast<Start&>(record) = start;
  record.name.clear();
  record.origin = node.origin();
  readAttributes(node, type, record);
  return record;
}

/// The Spec of a document in either format: MJCF, or URDF if its root is <robot>.
Spec readModel(Document& document, Warnings& warnings, ModelLibrary& library, spec::MemoryBudget& budget,
               std::vector<std::filesystem::path> openFiles, const LoadOptions& options);

/// An element kept as text: `base` (a class) overwritten by what the element says.
spec::VisualElement readVisualElement(const Node& node, const spec::VisualElement& base);

/// After `orientation`, which starts as that of a class, was read from `node`: an alternative to quat written there
/// replaces an inherited one. An inherited alternative still wins over a quat written on the element.
void applyOrientation(const Node& node, spec::Orientation& orientation);
/// After `tendon` was read from `node`: a single `springlength` stands for both ends.
void applySpringLength(const Node& node, spec::Tendon& tendon);
/// lowerActuator with errors placed at `node`.
spec::Actuator lowerActuatorAt(const Node& node, const ActuatorRecord& record);

/// Throws at `node` if the quaternion is zero.
void requireQuat(const Node& node, std::string_view attribute, const spec::Vec4& quat);

}  // namespace sinew::mjcf
