#include "mjcf/records.h"
#include "mjcf/table_sections.h"

namespace sinew::mjcf {
namespace {

constexpr std::string_view kPlugin = "an engine plugin";
constexpr std::string_view kMeshPlugin = "a mesh made by an engine plugin";

constexpr Keyword kMeshInertia[] = {{"convex", 0}, {"exact", 1}, {"legacy", 2}, {"shell", 3}};
constexpr Keyword kMeshBuiltin[] = {{"none", 0},        {"sphere", 1},     {"hemisphere", 2}, {"cone", 3},
                                    {"supersphere", 4}, {"supertorus", 5}, {"wedge", 6},      {"plate", 7}};
constexpr Keyword kTextureType[] = {{"2d"}, {"cube"}, {"skybox"}};
constexpr Keyword kColorSpace[] = {{"auto"}, {"linear"}, {"sRGB"}};
constexpr Keyword kTextureBuiltin[] = {{"none"}, {"gradient"}, {"checker"}, {"flat"}};
constexpr Keyword kMark[] = {{"none"}, {"edge"}, {"cross"}, {"random"}};
constexpr Keyword kLayerRole[] = {{"rgb"},     {"occlusion"}, {"roughness"}, {"metallic"}, {"normal"},
                                  {"opacity"}, {"emissive"},  {"rgba"},      {"orm"}};

void declareConfig(ElementStore& store, ElementType& parent) {
  using C = ConfigRecord;
  Declare<C>(addChild(store, parent, "config")).attr("key", &C::key, kRequired).attr("value", &C::value);
}

void declareMesh(ElementStore& store, ElementType& asset) {
  ElementType& mesh = addChild(store, asset, "mesh");
  using M = spec::Mesh;
  Declare<M>(mesh)
      .attr("name", &M::name)
      .attr("content_type", &M::content_type, kNotInDefault)
      .attr("file", &M::file, kNotInDefault)
      .attr("vertex", &M::vertex, kNotInDefault)
      .attr("normal", &M::normal, kNotInDefault)
      .attr("texcoord", &M::texcoord, kNotInDefault)
      .attr("face", &M::face, kNotInDefault)
      .attr("refpos", &M::refpos, kNotInDefault)
      .attr("refquat", &M::refquat, kNotInDefault)
      .attr("scale", &M::scale)
      .attr("smoothnormal", &M::smoothnormal, kNotInDefault)
      .attr("maxhullvert", &M::maxhullvert)
      .word("inertia", &M::inertia, kMeshInertia)
      .defaultIs("legacy")
      .word("builtin", &M::builtin, kMeshBuiltin, kNotInDefault)
      .attr("params", &M::params, kNotInDefault)
      .attr("material", &M::material, kNotInDefault)
      .exclusive({{"builtin"}, {"file"}})
      .exclusive({{"builtin"}, {"vertex"}});
  declareClass(mesh);
  declarePluginChild(store, mesh);
}

void declareMaterial(ElementStore& store, ElementType& asset) {
  ElementType& material = addChild(store, asset, "material");
  material.visual = true;
  DeclareText(material)
      .text("name")
      .text("class")
      .text("texture")
      .real("texrepeat", 2)
      .boolean("texuniform")
      .real("emission")
      .real("specular")
      .real("shininess")
      .real("reflectance")
      .real("metallic")
      .real("roughness")
      .real("rgba", 4);
  ElementType& layer = addChild(store, material, "layer");
  layer.visual = true;
  DeclareText(layer).text("texture").word("role", kLayerRole, kRequired);
}

void declareTexture(ElementStore& store, ElementType& asset) {
  ElementType& texture = addChild(store, asset, "texture");
  texture.visual = true;
  DeclareText d(texture);
  d.text("name").word("type", kTextureType).word("colorspace", kColorSpace).text("content_type").text("file");
  d.integer("gridsize", 2).text("gridlayout");
  for (const std::string_view side : {"fileright", "fileleft", "fileup", "filedown", "filefront", "fileback"})
    d.text(side);
  d.word("builtin", kTextureBuiltin)
      .real("rgb1", 3)
      .real("rgb2", 3)
      .word("mark", kMark)
      .real("markrgb", 3)
      .real("random")
      .integer("width")
      .integer("height")
      .boolean("hflip")
      .boolean("vflip")
      .integer("nchannel");
}

}  // namespace

void declareSkin(ElementStore& store, ElementType& parent) {
  ElementType& skin = addChild(store, parent, "skin");
  skin.visual = true;
  DeclareText(skin)
      .text("name")
      .text("file")
      .text("material")
      .real("rgba", 4)
      .real("inflate")
      .real("vertex", 0, kAnyCount)
      .real("texcoord", 0, kAnyCount)
      .integer("face", 0, kAnyCount)
      .integer("group");
  ElementType& bone = addChild(store, skin, "bone");
  bone.visual = true;
  DeclareText(bone)
      .text("body", kRequired)
      .real("bindpos", 3, 3, kRequired)
      .real("bindquat", 4, 4, kRequired)
      .integer("vertid", 1, kAnyCount, kRequired)
      .real("vertweight", 1, kAnyCount, kRequired);
}

void declareClass(ElementType& type) {
  Attribute& a = *type.attributes.emplace(type.attributes.begin() + 1);
  a.name = "class";
  a.defaultText = "main";
  a.flags = kReading;
}

void declarePluginChild(ElementStore& store, ElementType& parent) {
  ElementType& plugin = addChild(store, parent, "plugin");
  plugin.unsupported = parent.tag == "mesh" ? kMeshPlugin : kPlugin;
  DeclareText(plugin).text("plugin").text("instance");
  declareConfig(store, plugin);
}

void declareCablePlugin(ElementStore& store, ElementType& parent) {
  using P = PluginRecord;
  ElementType& plugin = addChild(store, parent, "plugin", false, "of a cable");
  Declare<P>(plugin).attr("plugin", &P::plugin).attr("instance", &P::instance);
  declareConfig(store, plugin);
}

void declareAssets(ElementStore& store, ElementType& root) {
  ElementType& extension = addChild(store, root, "extension");
  ElementType& plugin = addChild(store, extension, "plugin", false, "in extension");
  Declare<PluginRecord>(plugin).attr("plugin", &PluginRecord::plugin, kRequired);
  ElementType& instance = addChild(store, plugin, "instance");
  Declare<PluginInstanceRecord>(instance).attr("name", &PluginInstanceRecord::name, kRequired);
  declareConfig(store, instance);

  ElementType& asset = addChild(store, root, "asset");
  declareMesh(store, asset);
  using H = spec::HField;
  Declare<H>(addChild(store, asset, "hfield"))
      .attr("name", &H::name)
      .attr("content_type", &H::content_type)
      .attr("file", &H::file)
      .attr("nrow", &H::nrow)
      .attr("ncol", &H::ncol)
      .attr("size", &H::size, kRequired)
      .attr("elevation", &H::elevation);
  declareSkin(store, asset);
  declareTexture(store, asset);
  declareMaterial(store, asset);
  using A = ModelAssetRecord;
  Declare<A>(addChild(store, asset, "model"))
      .attr("name", &A::name, kReading)
      .attr("file", &A::file, kReading | kRequired)
      .attr("content_type", &A::content_type, kReading);
}

}  // namespace sinew::mjcf
