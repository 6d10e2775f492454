#include "common.h"
#include "scene_box.h"

namespace sinew::python {
namespace {

/// A member of all entries of a vector as a numpy array over the entries themselves: `columns` numbers from `at(entry)`
/// on. The numbers of one entry follow each other, those of the next are an entry further on.
template <class Entry, class At>
nb::object column(const SceneBox& box, std::vector<Entry>& entries, std::ptrdiff_t columns, bool writable, At at) {
  using T = std::remove_pointer_t<decltype(at(entries[0]))>;
  using Shown = std::conditional_t<std::is_enum_v<T>, int, T>;
  static_assert(sizeof(Shown) == sizeof(T) && sizeof(Entry) % sizeof(T) == 0);
  static Shown nothing[1] = {};
  auto* kept = new std::shared_ptr<Scene>(box.scene);
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::shared_ptr<Scene>*>(p); });
  auto* first = entries.empty() ? nothing : reinterpret_cast<Shown*>(at(entries[0]));
  const std::size_t shape[2] = {entries.size(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(columns, 0))};
  const std::int64_t strides[2] = {static_cast<std::int64_t>(sizeof(Entry) / sizeof(T)), 1};
  const std::size_t dims = columns < 0 ? 1 : 2;
  if (writable) {
    return nb::cast(nb::ndarray<nb::numpy, Shown>(first, dims, shape, owner, strides), nb::rv_policy::reference);
  }
  return nb::cast(nb::ndarray<nb::numpy, const Shown>(first, dims, shape, owner, strides), nb::rv_policy::reference);
}

nb::object lightArray(SceneBox& box, const std::string& name) {
  std::vector<SceneLight>& lights = box.scene->lights;
  const auto one = [&](auto member, bool writable = true) {
    return column(box, lights, -1, writable, [member](SceneLight& l) { return &(l.*member); });
  };
  const auto three = [&](auto member) {
    return column(box, lights, 3, true, [member](SceneLight& l) { return (l.*member).data(); });
  };
  if (name == "bodyid") return one(&SceneLight::body, false);
  if (name == "type") return one(&SceneLight::type, false);
  if (name == "mode") return one(&SceneLight::mode, false);
  if (name == "targetbodyid") return one(&SceneLight::target, false);
  if (name == "texid") return one(&SceneLight::texture, false);
  if (name == "pos") return three(&SceneLight::pos);
  if (name == "dir") return three(&SceneLight::dir);
  if (name == "pos0") return three(&SceneLight::pos0);
  if (name == "poscom0") return three(&SceneLight::poscom0);
  if (name == "dir0") return three(&SceneLight::dir0);
  if (name == "active") return one(&SceneLight::active);
  if (name == "castshadow") return one(&SceneLight::castshadow);
  if (name == "attenuation") return three(&SceneLight::attenuation);
  if (name == "cutoff") return one(&SceneLight::cutoff);
  if (name == "exponent") return one(&SceneLight::exponent);
  if (name == "ambient") return three(&SceneLight::ambient);
  if (name == "diffuse") return three(&SceneLight::diffuse);
  if (name == "specular") return three(&SceneLight::specular);
  if (name == "range") return one(&SceneLight::range);
  if (name == "bulbradius") return one(&SceneLight::bulbradius);
  if (name == "intensity") return one(&SceneLight::intensity);
  if (name == "softness") return one(&SceneLight::softness);
  throw nb::attribute_error(name.c_str());
}

nb::object materialArray(SceneBox& box, const std::string& name) {
  std::vector<SceneMaterial>& materials = box.scene->materials;
  const auto one = [&](auto member) {
    return column(box, materials, -1, true, [member](SceneMaterial& m) { return &(m.*member); });
  };
  if (name == "rgba") return column(box, materials, 4, true, [](SceneMaterial& m) { return m.rgba.data(); });
  if (name == "texrepeat") return column(box, materials, 2, true, [](SceneMaterial& m) { return m.texrepeat.data(); });
  if (name == "texuniform") return one(&SceneMaterial::texuniform);
  if (name == "emission") return one(&SceneMaterial::emission);
  if (name == "specular") return one(&SceneMaterial::specular);
  if (name == "shininess") return one(&SceneMaterial::shininess);
  if (name == "reflectance") return one(&SceneMaterial::reflectance);
  if (name == "metallic") return one(&SceneMaterial::metallic);
  if (name == "roughness") return one(&SceneMaterial::roughness);
  if (name == "layers") return column(box, materials, 9, false, [](SceneMaterial& m) { return m.layers.data(); });
  throw nb::attribute_error(name.c_str());
}

nb::object skinArray(SceneBox& box, const std::string& name) {
  std::vector<SceneSkin>& skins = box.scene->skins;
  if (name == "rgba") return column(box, skins, 4, true, [](SceneSkin& s) { return s.rgba.data(); });
  if (name == "group") return column(box, skins, -1, true, [](SceneSkin& s) { return &s.group; });
  if (name == "matid") return column(box, skins, -1, false, [](SceneSkin& s) { return &s.material; });
  if (name == "inflate") return column(box, skins, -1, true, [](SceneSkin& s) { return &s.inflate; });
  throw nb::attribute_error(name.c_str());
}

template <class T>
nb::object copied(const std::vector<T>& values, std::ptrdiff_t columns = -1) {
  return copyOf<T>(std::span<const T>(values), columns);
}

/// Vertices, triangles and bones of a skin; copies.
nb::dict skinParts(const SceneBox& box, std::size_t i) {
  const SceneSkin& skin = box.scene->skins.at(i);
  nb::dict parts;
  parts["vert"] = copied(skin.positions, 3);
  parts["texcoord"] = copied(skin.uv, 2);
  parts["face"] = copied(std::vector<int>(skin.indices.begin(), skin.indices.end()), 3);
  nb::list bones;
  for (const SceneSkin::Bone& bone : skin.bones) {
    bones.append(nb::make_tuple(bone.body, bone.bindpos, bone.bindquat, copied(bone.vertices), copied(bone.weights)));
  }
  parts["bones"] = bones;
  return parts;
}

/// Type, width, height of all faces, channels, colour space and pixels (a copy) of every texture.
nb::list textures(const SceneBox& box) {
  nb::list all;
  for (const SceneTexture& t : box.scene->textures) {
    all.append(nb::make_tuple(static_cast<int>(t.type), t.width, t.height * t.faces(), t.channels, t.srgb ? 2 : 0,
                              copied(t.pixels)));
  }
  return all;
}

void setPixels(SceneBox& box, std::size_t i, nb::ndarray<const std::uint8_t, nb::c_contig, nb::device::cpu> pixels) {
  std::vector<std::uint8_t>& mine = box.scene->textures.at(i).pixels;
  if (pixels.size() != mine.size()) {
    throw std::invalid_argument("texture " + std::to_string(i) + ": needs " + std::to_string(mine.size()) +
                                " bytes, found " + std::to_string(pixels.size()));
  }
  std::copy_n(pixels.data(), pixels.size(), mine.begin());
}

/// Vertices, normals, texture coordinates and triangles that are drawn for a mesh or height field; copies.
nb::tuple meshParts(const SceneBox& box, std::size_t i) {
  const SceneMesh& mesh = box.scene->meshes.at(i);
  return nb::make_tuple(copied(mesh.positions, 3), copied(mesh.normals, 3), copied(mesh.uv, 2),
                        copied(std::vector<int>(mesh.indices.begin(), mesh.indices.end()), 3));
}

nb::object materialIds(const SceneBox& box, const std::string& of) {
  const Scene& s = *box.scene;
  std::vector<int> ids;
  const auto geoms = static_cast<std::size_t>(s.numGeoms);
  if (of == "geom") {
    for (std::size_t i = 0; i < geoms; ++i) ids.push_back(s.instances[i].material);
  } else if (of == "site") {
    for (std::size_t i = geoms; i < s.instances.size(); ++i) ids.push_back(s.instances[i].material);
  } else if (of == "tendon") {
    for (const SceneTendon& t : s.tendons) ids.push_back(t.material);
  } else if (of == "flex") {
    for (const SceneFlex& f : s.flexes) ids.push_back(f.material);
  } else {
    throw nb::attribute_error(of.c_str());
  }
  return copied(ids);
}

std::vector<std::string> namesOf(const SceneBox& box, int type) {
  std::vector<std::string> names;
  const auto collect = [&](const auto& entries) {
    for (const auto& entry : entries) names.push_back(entry.object.name);
  };
  switch (static_cast<ObjType>(type)) {
    case ObjType::Light:
      collect(box.scene->lights);
      break;
    case ObjType::Material:
      collect(box.scene->materials);
      break;
    case ObjType::Texture:
      collect(box.scene->textures);
      break;
    case ObjType::Skin:
      collect(box.scene->skins);
      break;
    default:
      throw std::invalid_argument("a scene has no objects of type " + std::to_string(type));
  }
  return names;
}

/// Positions and directions of the lights in the world, for the state that was evaluated last.
nb::tuple lightPoses(SceneBox& box, const ModelBox& m, DataBox& d) {
  requireSame(m, d);
  const Busy busy(d);
  updateFrame(*box.scene, *m.model, *d.data, box.frame, {});
  return nb::make_tuple(copied(box.frame.lightPos, 3), copied(box.frame.lightDir, 3));
}

}  // namespace

void bindScene(nb::module_& module) {
  nb::class_<SceneBox> scene(module, "SceneBase", "What is drawn of a Model: lights, materials, textures, skins.");
  scene.def("__init__", [](SceneBox* self, const ModelBox& m, const std::string& file, const std::string& text,
                           const std::string& folder) {
    std::shared_ptr<Scene> made;
    {
      const Unlocked release;
      const std::optional<Spec> spec = describe(file, text, folder);
      made = std::make_shared<Scene>(spec ? makeScene(*spec, *m.model) : makeScene(*m.model));
    }
    new (self) SceneBox{std::move(made), {}};
  });
  scene.def("light", &lightArray);
  scene.def("material", &materialArray);
  scene.def("skin", &skinArray);
  scene.def("skin_parts", &skinParts);
  scene.def("textures", &textures);
  scene.def("set_pixels", &setPixels);
  scene.def("mesh_parts", &meshParts);
  scene.def("material_ids", &materialIds);
  scene.def("names", &namesOf);
  scene.def("light_poses", &lightPoses);
  scene.def("set_visual", [](SceneBox& box, const std::string& text) {
    box.scene->visual = visualOf(readMjcfText(text, "visual", ""));
  });
}

}  // namespace sinew::python
