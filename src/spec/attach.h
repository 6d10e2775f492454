#pragma once

#include <string>
#include <vector>

#include "sinew/errors.h"
#include "sinew/spec.h"
#include "spec/references.h"

/// Copying parts of models: the operations behind <attach> and <replicate>, also for programs that edit a Spec.
///
/// A copy gets new names (Naming). Elements outside the tree that refer to the copied part come along under new names:
/// contact pairs and exclusions, tendons, equalities, actuators, sensors, tuples. From another model come its assets,
/// custom data, default classes and keyframes as well.
namespace sinew::spec {

/// Puts what is in `part` into `into`: frames, elements and bodies, in that order, inside frame `frame` of `into`
/// (-1: none). Only the content of `part` counts, not its own name, pose or inertia.
void graft(Body part, Body& into, int frame);

/// What of `body` lies in frame `frame` (an index into its frames) or below, that frame included.
Body contentOfFrame(const Body& body, int frame);

/// Copies of a part of the same model. `part` is not in the tree of `spec`, or is about to be copied within it.
class Replicator {
 public:
  /// Remembers the elements of `spec` outside the tree that refer to `part`.
  Replicator(Spec& spec, const Body& part);

  /// After a copy of the part, renamed by rename(), was put into the tree of `spec`: copies what refers to it.
  void copyReferring(const Naming& naming, const Body& copy);
  /// Renames a copy of the part.
  void rename(Body& copy, const Naming& naming) const { renameTree(copy, naming, false, inside_); }
  /// After the part itself left the model: removes what referred to it.
  void removeReferring();
  /// Memory of the elements outside the tree that are copied each time, bytes.
  double bytesReferring() const;

 private:
  template <class Element>
  struct Group {
    std::vector<Element> originals;
    std::vector<std::size_t> places;  ///< their indices in the Spec
  };
  template <class Element>
  void collect(const std::vector<Element>& elements, ObjType type, Group<Element>& group);
  template <class Element>
  void copyGroup(const Group<Element>& group, ObjType type, const Naming& naming, std::vector<Element>& out);
  template <class Element>
  static void removeGroup(const Group<Element>& group, std::vector<Element>& elements);

  Spec& spec_;
  NameIndex inside_;  ///< names in the part, and of elements that refer to it
  NameIndex names_;   ///< names in the model and the part
  Group<Flex> flexes_;
  Group<Pair> pairs_;
  Group<Exclude> excludes_;
  Group<Tendon> tendons_;
  Group<Equality> equalities_;
  Group<Actuator> actuators_;
  Group<Sensor> sensors_;
  Group<Tuple> tuples_;
};

/// State of attached models' keyframes, kept by element name until the order of all joints and actuators is known.
class PendingKeys {
 public:
  /// Takes over the keyframes of `child`, whose elements get the names `naming` gives. Elements of `child` that need a
  /// name to be found again and have none are given one, which finish() removes. Throws LoadError for keyframes of a
  /// wrong size.
  void add(Spec& child, const Naming& naming);
  /// The joints and mocap bodies of `part` are about to be renamed: keyframes taken over so far follow them. (Of
  /// several copies of a part, its keyframes belong to the first.)
  void follow(const Body& part, const Naming& naming);
  /// Appends the keyframes to `spec`. Values of joints and bodies a keyframe does not speak of are NaN, which stands
  /// for the reference configuration; shorter keyframes of `spec` itself are filled up likewise.
  void finish(Spec& spec);

 private:
  struct Entry {
    Key key;  ///< name, time, and which lists are present
    std::vector<std::pair<std::string, std::vector<double>>> qpos, qvel, act, ctrl, mpos, mquat;
  };
  std::vector<Entry> entries_;
  bool attached_ = false;
  int serial_ = 0;
};

/// What of a model to attach.
struct AttachSource {
  std::string body;   ///< a body with everything below it
  std::string frame;  ///< or what is in a frame; both empty: the whole world
};

/// Copies part of `child` into body `into` of `parent`, in frame `frame` (-1: none), with new names. Settings that
/// differ are resolved as parent.compiler.conflict says; units and limits of `child` are rewritten to mean the same
/// under the settings of `parent`. Throws LoadError; appends to `warnings`.
void attach(Spec& parent, Body& into, int frame, Spec child, const AttachSource& source, const Naming& naming,
            PendingKeys& keys, Warnings& warnings);

/// Resolves settings of a model that is attached against those of its parent, as parent.compiler.conflict says.
/// Throws LoadError where the policy asks for it.
void resolveConflicts(Spec& parent, const Spec& child, Warnings& warnings);

/// Rewrites angles, orientations, limits and inertia choices of `child` so that they mean under the settings `parent`
/// what they mean under its own. Throws LoadError where no rewriting can do that.
void adoptSettings(Spec& child, const Compiler& parent);

}  // namespace sinew::spec
