#pragma once

#include <string>

#include "compile/draft.h"
#include "sinew/scene.h"

/// The parts that makeScene() puts together.
namespace sinew::draw {

/// Where warnings go; may be nobody.
class Report {
 public:
  explicit Report(Warnings* warnings) : warnings_(warnings) {}
  void warn(const std::string& text) const {
    if (warnings_) warnings_->push_back(text);
  }

 private:
  Warnings* warnings_;
};

/// The textures of the Spec, one for one. One whose file cannot be read has no pixels (width 0) and a warning.
/// Together, with what a Renderer makes of them, they take `maxMemory` bytes at most.
std::vector<SceneTexture> texturesOf(const Spec& spec, const Report& report, std::uint64_t maxMemory);

/// The materials of the Spec, one for one. References to textures without pixels are dropped.
std::vector<SceneMaterial> materialsOf(const Spec& spec, const std::vector<SceneTexture>& textures);
/// Index of the material called `name`, -1 if it is empty or absent.
int findMaterial(const std::vector<SceneMaterial>& materials, const std::string& name);

/// The colour of an object: its own, or that of its material if it has one and kept the default colour.
Color finalColor(const Color& own, int material, const std::vector<SceneMaterial>& materials);

/// How the texture of a rigid shape lies on it.
void mapTexture(const Scene& scene, SceneInstance& instance);

/// Triangles of mesh `id` of the Model. `spec` may be null (nothing is known about its file).
SceneMesh drawnMesh(const Model& m, int id, const spec::Mesh* spec, const spec::Compiler* compiler,
                    const Report& report);
/// Triangles of height field `id`: its top, sides and bottom.
SceneMesh drawnHeightField(const Model& m, int id);
/// Area-weighted normals, one per corner; faces that meet at more than `creaseDegrees` do not smooth each other.
/// Replaces positions, normals, uv and indices; corners that agree become one vertex.
void makeNormals(SceneMesh& mesh, double creaseDegrees);
void setBounds(SceneMesh& mesh);

/// The lights of the drawn bodies.
std::vector<SceneLight> lightsOf(const draft::Draft& drawn, const Model& m, const std::vector<SceneTexture>& textures);

/// The element a flex comes from: one of the last two is set; none if it is not known.
struct FlexSource {
  const spec::FlexBase* base = nullptr;
  const spec::Flex* listed = nullptr;
  const spec::Flexcomp* generated = nullptr;
};
/// The elements that the flexes of the Model come from, in their order.
std::vector<FlexSource> flexSources(const Spec& spec);
/// The surface of flex `id` without its material.
SceneFlex drawnFlex(const Model& m, int id, const FlexSource& source, bool textured);

/// The skins of the Spec whose data can be read.
std::vector<SceneSkin> skinsOf(const Spec& spec, const Model& m, const std::vector<SceneMaterial>& materials,
                               const std::vector<SceneTexture>& textures, const Report& report);

/// The bytes of a file that a texture or skin names: in `directory`, else beside the MJCF file that names it. Throws
/// LoadError with the paths that were tried.
std::string readPicture(const std::string& directory, const spec::VisualElement& element, std::string file,
                        bool stripPath);

// ---- frames
/// Colour values of flexes; returns the range of the colour bar.
void colorFlexes(const Scene& scene, const Model& m, Data& d, const FrameOptions& options, Frame& frame);
void decorate(const Scene& scene, const Model& m, const Data& d, const FrameOptions& options, Frame& frame);
void listContacts(const Model& m, const Data& d, Frame& frame);

}  // namespace sinew::draw
