#include "sinew/scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>

#include "sinew/load.h"
#include "sinew/step.h"
#include "support/command.h"
#include "support/paths.h"

namespace sinew {
namespace {

using test::TestFolder;

/// A model with its scene and a frame of its first state.
struct Shown {
  Spec spec;
  Model m;
  Data d;
  Warnings warnings;
  Scene scene;
  Frame frame;

  explicit Shown(Spec s, const FrameOptions& options = {})
      : spec(std::move(s)), m(compile(spec)), d(m), scene(makeScene(spec, m, &warnings)) {
    forward(m, d);
    updateFrame(scene, m, d, frame, options);
  }
  explicit Shown(const std::string& mjcf, const FrameOptions& options = {}) : Shown(readMjcfText(mjcf), options) {}
};

const SceneInstance& instance(const Scene& scene, const std::string& name) {
  for (const SceneInstance& i : scene.instances) {
    if (i.object.name == name) return i;
  }
  throw std::runtime_error("no instance " + name);
}

int pixel(const SceneTexture& t, int face, int row, int column, int channel = 0) {
  return t.pixels[((face * t.height + row) * t.width + column) * t.channels + channel];
}

// ------------------------------------------------------------------------------------------------ the corpus

TEST(Scene, SCENE_1_CountsOfEveryCorpusModelAreThoseOfMuJoCo) {
  const char* corpus = std::getenv("SINEW_CORPUS");
  if (!corpus) GTEST_SKIP() << "SINEW_CORPUS names no folder of models";
  std::ifstream table(test::sourceDir() / "tests/scene/corpus_counts.csv");
  std::string line;
  std::getline(table, line);
  int seen = 0;
  while (std::getline(table, line)) {
    std::istringstream row(line);
    std::string file, number;
    std::getline(row, file, ',');
    std::vector<std::size_t> expected;
    while (std::getline(row, number, ',')) expected.push_back(std::stoul(number));
    const std::filesystem::path path = std::filesystem::path(corpus) / file;
    if (!std::filesystem::exists(path)) continue;
    Spec spec;
    Model m;
    try {
      spec = readMjcf(path);
      m = compile(spec);
    } catch (const LoadError&) {
      continue;  // what Sinew refuses is the concern of other tests
    }
    SCOPED_TRACE(file);
    Warnings warnings;
    const Scene scene = makeScene(spec, m, &warnings);
    EXPECT_EQ(warnings, Warnings{});
    EXPECT_EQ(scene.materials.size(), expected[0]);
    EXPECT_EQ(scene.textures.size(), expected[1]);
    EXPECT_EQ(scene.lights.size(), expected[2]);
    EXPECT_EQ(scene.cameras.size(), expected[3]);
    EXPECT_EQ(scene.skins.size(), expected[4]);
    EXPECT_EQ(static_cast<std::size_t>(scene.numGeoms), expected[5]);
    EXPECT_EQ(scene.instances.size(), expected[5] + expected[6]);
    EXPECT_EQ(scene.tendons.size(), expected[7]);
    EXPECT_EQ(scene.flexes.size(), expected[8]);
    EXPECT_EQ(scene.meshes.size(), expected[9] + expected[10]);
    Data d(m);
    Frame frame;
    forward(m, d);
    updateFrame(scene, m, d, frame);
    EXPECT_TRUE(frame.finite) << frame.trouble;
    ++seen;
  }
  EXPECT_GT(seen, 150);
}

// ------------------------------------------------------------------------------------------------ textures, materials

constexpr const char* kTextures = R"(<mujoco><asset>
  <texture name="g2" type="2d" builtin="gradient" rgb1="0 0 0" rgb2="1 1 1" width="9" height="5"/>
  <texture name="gc" type="cube" builtin="gradient" rgb1="0 0 0" rgb2="1 1 1" width="5" height="30"/>
  <texture name="sky" type="skybox" builtin="gradient" rgb1="0 0 0" rgb2="1 1 1" width="5"/>
  <texture name="edge" type="2d" builtin="checker" rgb1=".1 .2 .3" rgb2=".5 .6 .7" width="7" height="6" mark="edge" markrgb="1 1 1"/>
  <texture name="cross" type="2d" builtin="checker" rgb1=".1 .2 .3" rgb2=".5 .6 .7" width="7" height="6" mark="cross" markrgb="1 1 1"/>
  <texture name="cube" type="cube" builtin="checker" rgb1=".1 .2 .3" rgb2=".5 .6 .7" width="4" height="24"/>
  <texture name="flat" type="cube" builtin="flat" rgb1=".1 .2 .3" rgb2=".5 .6 .7" width="2" height="12"/>
  <texture name="dots" type="2d" builtin="flat" rgb1="0 0 0" mark="random" random="0.1" markrgb="1 1 1" width="100" height="100"/>
  <material name="tiles" texture="cross" texrepeat="2 3" emission="0.1" specular="0.2" shininess="0.3" reflectance="0.4" rgba="1 0 0 1"/>
  <material name="uniform" texture="cross" texrepeat="2 3" texuniform="true"/>
  <material name="wrapped" texture="cube"/>
</asset><worldbody>
  <geom name="own" type="box" size="1 2 3" material="tiles" rgba="0 1 0 1"/>
  <geom name="inherits" type="box" size="1 2 3" material="tiles"/>
  <geom name="even" type="box" size="1 2 3" material="uniform"/>
  <geom name="cubed" type="box" size="1 2 4" material="wrapped"/>
</worldbody></mujoco>)";

/// The numbers are those of mjModel.tex_data of MuJoCo 3.12 for the same text.
TEST(Scene, SCENE_1_BuiltinTexturesHaveThePixelsOfMuJoCo) {
  const Shown shown(kTextures);
  const std::vector<SceneTexture>& t = shown.scene.textures;
  ASSERT_EQ(t.size(), 8u);
  const int gradient[5][9] = {{255, 255, 255, 255, 255, 255, 255, 255, 255},
                              {255, 240, 196, 148, 127, 148, 196, 240, 255},
                              {255, 208, 127, 46, 0, 46, 127, 208, 255},
                              {255, 240, 196, 148, 127, 148, 196, 240, 255},
                              {255, 255, 255, 255, 255, 255, 255, 255, 255}};
  for (int r = 0; r < 5; ++r) {
    for (int c = 0; c < 9; ++c) EXPECT_NEAR(pixel(t[0], 0, r, c), gradient[r][c], 1) << r << ' ' << c;
  }
  const int side[5][5] = {{61, 51, 46, 51, 61},
                          {89, 80, 76, 80, 89},
                          {127, 127, 127, 127, 127},
                          {165, 174, 178, 174, 165},
                          {193, 203, 208, 203, 193}};
  const int up[5][5] = {
      {61, 51, 46, 51, 61}, {51, 33, 23, 33, 51}, {46, 23, 0, 23, 46}, {51, 33, 23, 33, 51}, {61, 51, 46, 51, 61}};
  for (const int which : {1, 2}) {
    for (int r = 0; r < 5; ++r) {
      for (int c = 0; c < 5; ++c) {
        for (const int face : {0, 1, 4, 5}) EXPECT_NEAR(pixel(t[which], face, r, c), side[r][c], 1);
        EXPECT_NEAR(pixel(t[which], 2, r, c), up[r][c], 1);
        EXPECT_NEAR(pixel(t[which], 3, r, c), 255 - up[r][c], 1);
      }
    }
  }
  for (int r = 0; r < 6; ++r) {
    for (int c = 0; c < 7; ++c) {
      const int checker = (r >= 3) != (c >= 3) ? 127 : 25;
      EXPECT_EQ(pixel(t[3], 0, r, c), r == 0 || r == 5 || c == 0 || c == 6 ? 255 : checker);
      EXPECT_EQ(pixel(t[4], 0, r, c), r == 3 || c == 3 ? 255 : checker);
    }
  }
  for (int face = 0; face < 6; ++face) {
    EXPECT_EQ(pixel(t[5], face, 0, 0), face < 4 ? 25 : 127);
    EXPECT_EQ(pixel(t[5], face, 0, 3), face < 4 ? 127 : 25);
    EXPECT_EQ(pixel(t[6], face, 0, 0), face == 3 ? 127 : 25);
  }
  int dots = 0;
  for (int i = 0; i < 10000; ++i) dots += pixel(t[7], 0, i / 100, i % 100) == 255;
  EXPECT_NEAR(dots, 1000, 150);
  EXPECT_EQ(shown.scene.skybox, 2);
}

TEST(Scene, SCENE_1_MaterialsAreResolved) {
  const Shown shown(kTextures);
  const SceneMaterial& m = shown.scene.materials[0];
  EXPECT_EQ(m.texture, 4);
  EXPECT_FLOAT_EQ(m.emission, 0.1f);
  EXPECT_FLOAT_EQ(m.specular, 0.2f);
  EXPECT_FLOAT_EQ(m.shininess, 0.3f);
  EXPECT_FLOAT_EQ(m.reflectance, 0.4f);
  EXPECT_EQ(instance(shown.scene, "own").rgba, (Color{0, 1, 0, 1}));
  EXPECT_EQ(instance(shown.scene, "inherits").rgba, (Color{1, 0, 0, 1}));
  // 2 repeats over 2 m, 3 over 4 m; or 2 and 3 per metre
  const SceneInstance& stretched = instance(shown.scene, "own");
  EXPECT_EQ(stretched.map, TextureMap::Planar);
  EXPECT_FLOAT_EQ(stretched.texscale[0], 1);
  EXPECT_FLOAT_EQ(stretched.texscale[1], 0.75f);
  EXPECT_FLOAT_EQ(instance(shown.scene, "even").texscale[1], 3);
  EXPECT_EQ(instance(shown.scene, "cubed").map, TextureMap::Cube);
  EXPECT_FLOAT_EQ(instance(shown.scene, "cubed").texscale[2], 0.25f);
}

TEST(Scene, WhatAProgramChangesInTheModelIsTakenOver) {
  Shown shown(R"(<mujoco>
    <asset><material name="paint" rgba="0.1 0.2 0.3 1"/></asset>
    <worldbody>
      <camera name="eye" pos="0 -2 0"/>
      <body><geom name="own" size="0.1" rgba="1 0 0 1"/><geom name="painted" size="0.2" material="paint" group="1"/>
        <joint name="hinge"/><site name="mark"/></body>
    </worldbody>
    <tendon><fixed name="wire"><joint joint="hinge" coef="1"/></fixed></tendon></mujoco>)");
  Model& m = shown.m;
  Scene same = shown.scene;
  refreshScene(m, same);  // nothing was changed
  for (std::size_t i = 0; i < same.instances.size(); ++i) {
    EXPECT_EQ(same.instances[i].rgba, shown.scene.instances[i].rgba);
    EXPECT_EQ(same.instances[i].size, shown.scene.instances[i].size);
    EXPECT_EQ(same.instances[i].group, shown.scene.instances[i].group);
  }
  m.geom_size[0] = 0.5;
  m.geom_rgba[1] = 0.25f;
  m.geom_group[0] = 4;
  m.site_rgba[2] = 0.75f;
  m.tendon_width[0] = 0.01;
  m.cam_fovy[0] = 60;
  m.stat.extent = 7;
  shown.scene.materials[0].rgba = {0.9f, 0.8f, 0.7f, 1};
  refreshScene(m, shown.scene);
  EXPECT_EQ(instance(shown.scene, "own").size[0], 0.5f);
  EXPECT_EQ(instance(shown.scene, "own").rgba, (Color{1, 0.25f, 0, 1}));
  EXPECT_EQ(instance(shown.scene, "own").group, 4);
  EXPECT_EQ(instance(shown.scene, "painted").rgba, (Color{0.9f, 0.8f, 0.7f, 1}));
  EXPECT_EQ(instance(shown.scene, "mark").rgba[2], 0.75f);
  EXPECT_EQ(shown.scene.tendons[0].radius, 0.01f);
  EXPECT_EQ(shown.scene.cameras[0].fovy, 60);
  EXPECT_EQ(shown.scene.extent, 7);
  const Model other = compile(readMjcfText("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>"));
  EXPECT_THROW(refreshScene(other, shown.scene), std::invalid_argument);
}

TEST(Scene, SCENE_1_MissingPicturesAreWarningsWithFileAndLine) {
  const TestFolder folder;
  const std::string model = folder.write("model.xml", R"(<mujoco><asset>
  <texture name="gone" type="2d" file="gone.png"/>
  <texture name="text" type="2d" file="text.png"/>
  <material name="a" texture="gone"/>
</asset><worldbody><geom size="1" material="a"/></worldbody></mujoco>)");
  folder.write("text.png", "not a picture");
  const Shown shown(readMjcf(model));
  ASSERT_EQ(shown.warnings.size(), 2u);
  EXPECT_NE(shown.warnings[0].find("model.xml:2: <texture name=\"gone\">: file \"gone.png\" does not exist"),
            std::string::npos)
      << shown.warnings[0];
  EXPECT_NE(shown.warnings[1].find("model.xml:3: <texture name=\"text\">: it is not a PNG picture"), std::string::npos)
      << shown.warnings[1];
  EXPECT_EQ(shown.scene.materials[0].texture, -1);
  EXPECT_EQ(shown.scene.instances[0].map, TextureMap::None);
}

// SAFE-5: also what is only drawn. A cube has 6 x 3 bytes per pixel of a face; a flat texture 3 and, in a Renderer,
// 16 / 3 more.
TEST(Scene, SAFE_5_TexturesThatNeedTooMuchMemoryAreRefused) {
  const auto refusalOf = [](const std::string& textures, std::uint64_t most) -> std::string {
    const Spec spec = readMjcfText("<mujoco><asset>" + textures + "</asset></mujoco>");
    const Model m = compile(spec);
    try {
      makeScene(spec, m, nullptr, most);
    } catch (const LoadError& error) {
      return error.what();
    }
    return "";
  };
  const std::string cube = R"(<texture name="c" type="cube" builtin="flat" width="100"/>)",
                    flat = R"(<texture name="f" type="2d" builtin="flat" width="100" height="50"/>)";
  EXPECT_EQ(refusalOf(cube, 180000), "");
  EXPECT_EQ(refusalOf(cube, 179999),
            "model.xml:1: <texture name=\"c\">: 'width', 'height': a texture of 100 x 100 pixels would need about 176 "
            "kB of memory; the limit is 176 kB (--max-memory, LoadOptions::maxMemory)");
  EXPECT_EQ(refusalOf(flat, 41667), "");
  EXPECT_NE(refusalOf(flat, 41666).find("a texture of 100 x 50 pixels would need about 41 kB"), std::string::npos);
  EXPECT_EQ(refusalOf(cube + flat, 180000 + 41667), "");
  EXPECT_NE(refusalOf(cube + flat, 180000 + 41666).find("41 kB of memory after 176 kB for the rest"),
            std::string::npos);
  // more than the default allows
  EXPECT_NE(refusalOf(R"(<texture type="skybox" builtin="gradient" width="12000"/>)", std::uint64_t{2} << 30)
                .find("would need about 2.4 GB"),
            std::string::npos);
}

TEST(Scene, HugeTexturesAreRefused) {
  const Spec spec = readMjcfText(R"(<mujoco><asset>
    <texture name="huge" type="2d" builtin="flat" width="20000" height="8"/>
  </asset><worldbody><geom size="1"/></worldbody></mujoco>)");
  const Model m = compile(spec);
  try {
    makeScene(spec, m);
    FAIL() << "accepted";
  } catch (const LoadError& error) {
    EXPECT_NE(std::string(error.what()).find("the texture has 20000 x 8 pixels, at most 16384 in a direction"),
              std::string::npos)
        << error.what();
  }
}

// ------------------------------------------------------------------------------------------------ meshes

/// A square pyramid with texture coordinates and normals of its own.
constexpr const char* kObj = R"(v -1 -1 0
v 1 -1 0
v 1 1 0
v -1 1 0
v 0 0 1
vt 0 0
vt 1 0
vt 0.5 0.25
vn 0 -1 0
vn 0 0 -1
f 1/1/1 2/2/1 5/3/1
f 2 3 5
f 3 4 5
f 4 1 5
f 1/1/2 4/2/2 3/3/2
f 1 3 2
)";

TEST(Scene, SCENE_1_ObjKeepsNormalsAndTextureCoordinates) {
  const TestFolder folder;
  folder.write("pyramid.obj", kObj);
  const std::string model = folder.write("model.xml", R"(<mujoco><asset>
    <mesh name="p" file="pyramid.obj" scale="2 2 2" refpos="0 0 0.25"/></asset>
    <worldbody><geom name="p" type="mesh" mesh="p" pos="1 0 0"/></worldbody></mujoco>)");
  const Shown shown(readMjcf(model));
  ASSERT_EQ(shown.scene.meshes.size(), 1u);
  const SceneMesh& mesh = shown.scene.meshes[0];
  ASSERT_EQ(mesh.indices.size(), 18u);
  ASSERT_EQ(mesh.uv.size(), 2 * mesh.positions.size() / 3);
  const auto world = [&](std::uint32_t v, int k) {
    double x = shown.frame.instancePos[k];
    for (int j = 0; j < 3; ++j)
      x += shown.frame.instanceMat[3 * k + j] * mesh.positions[3 * v + static_cast<std::size_t>(j)];
    return x;
  };
  // the tip of the first face: 2 (0, 0, 1 - 0.25) + (1, 0, 0); v counts from the top
  const std::uint32_t tip = mesh.indices[2];
  EXPECT_NEAR(world(tip, 0), 1, 1e-6);
  EXPECT_NEAR(world(tip, 1), 0, 1e-6);
  EXPECT_NEAR(world(tip, 2), 1.5, 1e-6);
  EXPECT_FLOAT_EQ(mesh.uv[2 * tip], 0.5f);
  EXPECT_FLOAT_EQ(mesh.uv[2 * tip + 1], 0.75f);
  // its normal is the one of the file, turned into the mesh's own frame
  double n[3] = {0, 0, 0};
  for (int k = 0; k < 3; ++k) {
    for (int j = 0; j < 3; ++j)
      n[k] += shown.frame.instanceMat[3 * k + j] * mesh.normals[3 * tip + static_cast<std::size_t>(j)];
  }
  EXPECT_NEAR(n[0], 0, 1e-6);
  EXPECT_NEAR(n[1], -1, 1e-6);
  EXPECT_NEAR(n[2], 0, 1e-6);
}

TEST(Scene, FacesWithoutNormalsHaveSharpEdgesWhereTheyMeetAtAnAngle) {
  const Shown shown(R"(<mujoco><asset>
    <mesh name="cube" vertex="0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1"/>
    <mesh name="ball" builtin="sphere" params="3"/></asset>
    <worldbody><geom type="mesh" mesh="cube"/><geom type="mesh" mesh="ball"/></worldbody></mujoco>)");
  const SceneMesh& cube = shown.scene.meshes[0];
  EXPECT_EQ(cube.positions.size() / 3, 24u);  // 8 corners, three normals at each
  for (std::size_t i = 0; i < cube.normals.size(); i += 3) {
    const float largest =
        std::max({std::abs(cube.normals[i]), std::abs(cube.normals[i + 1]), std::abs(cube.normals[i + 2])});
    EXPECT_NEAR(largest, 1, 1e-5);
  }
  const SceneMesh& ball = shown.scene.meshes[1];
  for (std::size_t i = 0; i < ball.normals.size(); i += 3) {
    double dot = 0, length = 0;
    for (std::size_t k = 0; k < 3; ++k)
      dot += ball.normals[i + k] * ball.positions[i + k], length += ball.positions[i + k] * ball.positions[i + k];
    EXPECT_GT(dot / std::sqrt(length), 0.98);  // outward, and smooth
  }
}

TEST(Scene, SurfacesPointOutward) {
  const Shown shown(
      R"(<mujoco><asset><hfield name="h" nrow="3" ncol="4" size="1 2 0.5 0.3" elevation="0 0 0 0 0 1 0.5 0 0 0 0 0"/></asset>
    <worldbody><geom type="hfield" hfield="h"/>
    <flexcomp name="solid" type="grid" dim="3" count="3 3 3" spacing=".1 .1 .1" radius=".01" pos="0 0 2"><contact selfcollide="none"/></flexcomp>
    <flexcomp name="sheet" type="grid" dim="2" count="4 3 1" spacing=".1 .1 .1" radius=".01" pos="0 0 3"/>
    </worldbody></mujoco>)");
  // volume by the divergence theorem: positive only if triangles run counter-clockwise seen from outside and close
  const auto volume = [](const float* p, const std::vector<std::uint32_t>& indices) {
    double sum = 0;
    for (std::size_t i = 0; i < indices.size(); i += 3) {
      const float *a = p + 3 * indices[i], *b = p + 3 * indices[i + 1], *c = p + 3 * indices[i + 2];
      sum +=
          a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum / 6;
  };
  // base 2 x 4 x 0.3 and the two peaks over cells of 2/3 x 2
  EXPECT_NEAR(volume(shown.scene.meshes[0].positions.data(), shown.scene.meshes[0].indices),
              2 * 4 * 0.3 + (1 + 0.5) * 0.5 * (2.0 / 3) * 2, 1e-4);
  for (const SceneFlex& flex : shown.scene.flexes) {
    const double v = volume(shown.frame.flexPosition.data() + 3 * flex.vertexAdr, flex.indices);
    SCOPED_TRACE(flex.object.name);
    // the solid grows by its radius, the sheet is 2 radius thick
    if (flex.dim == 3) {
      EXPECT_NEAR(v, 0.2 * 0.2 * 0.2, 0.4 * 0.008);
    }
    if (flex.dim == 2) {
      EXPECT_NEAR(v, 0.3 * 0.2 * 0.02, 1e-5);
    }
    EXPECT_GT(v, 0);
  }
}

// ------------------------------------------------------------------------------------------------ lights, cameras

constexpr const char* kTracking = R"(<mujoco><worldbody>
  <light name="spot" pos="0 0 3" dir="0 0 -2" cutoff="30" exponent="5" diffuse="1 0.5 0.25" castshadow="false"/>
  <light name="sun" type="directional" dir="1 0 -1"/>
  <body name="mover" pos="1 0 0"><joint type="slide" axis="1 0 0"/><joint type="hinge" axis="0 0 1"/>
    <geom size=".1" pos=".5 0 0"/>
    <light name="fixed" pos="0 0 1" dir="1 0 0"/>
    <light name="track" mode="track" pos="0 0 1" dir="1 0 0"/>
    <light name="trackcom" mode="trackcom" pos="0 0 1" dir="1 0 0"/>
    <light name="aims" mode="targetbody" target="mark" pos="0 0 1"/>
    <camera name="fixed" pos="0 -2 0" xyaxes="1 0 0 0 0 1"/>
    <camera name="track" mode="track" pos="0 -2 0" xyaxes="1 0 0 0 0 1"/>
  </body>
  <body name="mark" pos="0 0 5"><geom size=".1"/></body>
</worldbody></mujoco>)";

TEST(Scene, LightsAndCamerasFollowTheirModes) {
  Shown shown(kTracking);
  ASSERT_EQ(shown.scene.lights.size(), 6u);
  EXPECT_EQ(shown.scene.lights[0].type, LightType::Spot);
  EXPECT_FLOAT_EQ(shown.scene.lights[0].cutoff, 30);
  EXPECT_FLOAT_EQ(shown.scene.lights[0].diffuse[1], 0.5f);
  EXPECT_FALSE(shown.scene.lights[0].castshadow);
  EXPECT_EQ(shown.scene.lights[1].type, LightType::Directional);
  EXPECT_NEAR(shown.scene.lights[1].dir[2], -std::sqrt(0.5), 1e-12);
  // a quarter turn and a move by 2
  shown.d.qpos[0] = 2;
  shown.d.qpos[1] = std::numbers::pi / 2;
  forward(shown.m, shown.d);
  updateFrame(shown.scene, shown.m, shown.d, shown.frame);
  const auto expect = [&](std::size_t light, std::array<double, 3> pos, std::array<double, 3> dir) {
    SCOPED_TRACE(shown.scene.lights[light].object.name);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(shown.frame.lightPos[3 * light + k], pos[k], 1e-9);
      EXPECT_NEAR(shown.frame.lightDir[3 * light + k], dir[k], 1e-9);
    }
  };
  expect(2, {3, 0, 1}, {0, 1, 0});
  expect(3, {3, 0, 1}, {1, 0, 0});
  expect(4, {3 - 0.5, 0.5, 1}, {1, 0, 0});  // the centre of mass went from (1.5, 0) to (3, 0.5)
  expect(5, {3, 0, 1}, {-0.6, 0, 0.8});
  const View fixed = viewOf(shown.scene, shown.frame, "fixed", 1.5),
             track = viewOf(shown.scene, shown.frame, "track", 1);
  EXPECT_NEAR(fixed.pos[0], 5, 1e-9);
  EXPECT_NEAR(track.pos[1], -2, 1e-9);
  EXPECT_NEAR(fixed.top, std::tan(std::numbers::pi / 8), 1e-12);
  EXPECT_NEAR(fixed.right, 1.5 * fixed.top, 1e-12);
  try {
    viewOf(shown.scene, shown.frame, "nobody", 1);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "no camera is named \"nobody\"; there are: free, fixed, track");
  }
}

TEST(Scene, LightsFollowFusedAndAlignedBodies) {
  const Shown shown(R"(<mujoco><compiler fusestatic="true" alignfree="true"/><worldbody>
    <body pos="0 0 1"><geom size=".1"/><body pos="0 1 0" euler="0 0 90"><light name="up" pos="1 0 0" dir="1 0 0"/><geom size=".1"/></body></body>
    <body pos="5 0 0"><freejoint/><geom type="box" size=".1 .2 .3" pos="1 0 0" euler="20 30 40"/><light name="free" pos="0 0 2" dir="0 1 0"/></body>
  </worldbody></mujoco>)");
  ASSERT_EQ(shown.scene.lights.size(), 2u);
  EXPECT_EQ(shown.scene.nbody, 2);
  const double pos[2][3] = {{0, 2, 1}, {5, 0, 2}}, dir[2][3] = {{0, 1, 0}, {0, 1, 0}};
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(shown.frame.lightPos[3 * i + k], pos[i][k], 1e-9) << i;
      EXPECT_NEAR(shown.frame.lightDir[3 * i + k], dir[i][k], 1e-9) << i;
    }
  }
}

// ------------------------------------------------------------------------------------------------ frames

TEST(Frame, TendonsLieOnWhatTheyWrapAround) {
  const Shown shown(
      R"(<mujoco><worldbody><site name="a" pos="-1 0 -1"/><site name="b" pos="1 0 -1"/><site name="top" pos="0 0 1"/>
    <geom name="pulley" type="cylinder" size=".3 .2" euler="90 0 0"/></worldbody>
    <tendon><spatial width=".01"><site site="a"/><geom geom="pulley" sidesite="top"/><site site="b"/></spatial></tendon></mujoco>)");
  double length = 0, lowest = 1, highest = 0;
  const auto& s = shown.frame.tendonSegment;
  for (std::size_t i = 0; i < s.size(); i += 6) {
    length += std::hypot(s[i + 3] - s[i], s[i + 4] - s[i + 1], s[i + 5] - s[i + 2]);
    if (i > 0) lowest = std::min<double>(lowest, std::hypot(s[i], s[i + 2]));
    highest = std::max<double>(highest, s[i + 5]);
  }
  EXPECT_NEAR(lowest, 0.3, 1e-6);    // every inner point is on the pulley
  EXPECT_NEAR(highest, 0.3, 0.002);  // and it goes over the top
  EXPECT_NEAR(length, shown.d.ten_length[0], 0.002);
  EXPECT_EQ(shown.frame.tendonAdr.back(), static_cast<int>(s.size() / 6));
}

TEST(Frame, SkinsFollowTheirBones) {
  const Shown shown(R"(<mujoco><asset><skin name="s" vertex="0 0 0 1 0 0 0 1 0 1 1 0" face="0 1 2 2 1 3" group="2">
    <bone body="a" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2 3" vertweight="1 0.5 1 0.5"/>
    <bone body="b" bindpos="1 0 0" bindquat="1 0 0 0" vertid="1 3" vertweight="0.5 0.5"/></skin></asset>
    <worldbody><body name="a" pos="0 0 1"><geom size=".1"/></body><body name="b" pos="1 0 3"><geom size=".1"/></body></worldbody></mujoco>)");
  ASSERT_EQ(shown.scene.skins.size(), 1u);
  EXPECT_EQ(shown.scene.skins[0].group, 2);
  const float z[4] = {1, 2, 1, 2};
  for (std::size_t v = 0; v < 4; ++v) EXPECT_NEAR(shown.frame.skinPosition[3 * v + 2], z[v], 1e-6);
}

TEST(Frame, ContactsCarryForceAndDecorationsTheirScale) {
  FrameOptions options;
  options.contactPoints = options.contactForces = options.joints = options.centersOfMass = options.inertias = true;
  options.frames = FrameKind::Body;
  const std::string text =
      R"(<mujoco><statistic meansize="0.5" meanmass="2"/><visual><scale contactwidth="0.4" com="0.6"/><map force="0.1"/></visual>
    <worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 .0999"><freejoint/><geom size=".1" mass="2"/></body></worldbody></mujoco>)";
  Shown shown(text, options);
  for (int i = 0; i < 500; ++i) step(shown.m, shown.d);
  forward(shown.m, shown.d);
  updateFrame(shown.scene, shown.m, shown.d, shown.frame, options);
  ASSERT_EQ(shown.frame.contacts.size(), 1u);
  EXPECT_NEAR(shown.frame.contacts[0].force[2], 2 * 9.81, 0.02);
  EXPECT_FALSE(shown.frame.contacts[0].sliding);
  EXPECT_EQ(shown.frame.contacts[0].side[0].type, ObjType::Geom);
  bool point = false, arrow = false, com = false;
  for (const Decoration& d : shown.frame.decorations) {
    if (d.shape == SceneShape::Cylinder && d.type == ObjType::Unknown) {
      point = true;
      EXPECT_NEAR(d.size[0], 0.2, 1e-6);
    }
    if (d.shape == SceneShape::Arrow && d.type == ObjType::Unknown) {
      arrow = true;
      EXPECT_NEAR(d.size[2], 2 * 9.81 * 0.1 / 2, 0.002);
    }
    if (d.shape == SceneShape::Sphere && d.type == ObjType::Body) {
      com = true;
      EXPECT_NEAR(d.size[0], 0.3, 1e-6);
    }
  }
  EXPECT_TRUE(point && arrow && com);
}

TEST(Frame, FlexesAreColouredByStress) {
  FrameOptions options;
  options.flexColor = FlexColor::Stress;
  // a bar under its own weight: rho g L at the top, nothing at the bottom
  Shown shown(R"(<mujoco><option timestep="0.002" integrator="implicitfast"/><worldbody>
    <flexcomp name="bar" type="grid" dim="3" count="3 3 9" spacing=".05 .05 .05" radius=".001" density="1000">
      <elasticity young="1e6" poisson="0" damping="0.05" law="stvk"/><contact selfcollide="none" contype="0" conaffinity="0"/><pin gridrange="0 0 8 2 2 8"/></flexcomp>
    </worldbody></mujoco>)",
              options);
  for (int i = 0; i < 1500; ++i) step(shown.m, shown.d);
  forward(shown.m, shown.d);
  updateFrame(shown.scene, shown.m, shown.d, shown.frame, options);
  const SceneFlex& flex = shown.scene.flexes[0];
  ASSERT_EQ(shown.frame.flexValue.size(), static_cast<std::size_t>(flex.vertexNum));
  double top = 0, bottom = 0;
  int tops = 0, bottoms = 0;
  for (std::size_t i = 0; i < flex.source.size(); ++i) {
    const int level = flex.source[i] % 9;
    if (level == 8) top += shown.frame.flexValue[i], ++tops;
    if (level == 0) bottom += shown.frame.flexValue[i], ++bottoms;
  }
  const double expected = 1000 * 9.81 * 0.4;
  EXPECT_NEAR(top / tops, expected, 0.2 * expected);
  EXPECT_LT(bottom / bottoms, 0.15 * expected);
  EXPECT_GE(shown.frame.flexRange[1], top / tops);
}

TEST(Frame, BadStatesAreDrawnAsTheLastGoodOne) {
  Shown shown(
      R"(<mujoco><worldbody><body name="b" pos="0 0 1"><freejoint/><geom size=".1"/></body></worldbody></mujoco>)");
  const std::vector<double> good = shown.frame.instancePos;
  shown.d.qpos[2] = std::nan("");
  shown.d.xpos[5] = std::nan("");
  updateFrame(shown.scene, shown.m, shown.d, shown.frame);
  EXPECT_FALSE(shown.frame.finite);
  EXPECT_NE(shown.frame.trouble.find("qpos[2] is nan"), std::string::npos) << shown.frame.trouble;
  EXPECT_EQ(shown.frame.instancePos, good);
  Frame fresh;
  updateFrame(shown.scene, shown.m, shown.d, fresh);
  EXPECT_EQ(fresh.instancePos, good);  // nothing good before: the reference configuration
}

TEST(Frame, ThingsThatDoNotBelongTogetherAreRefused) {
  const Shown a("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>");
  Shown b("<mujoco><worldbody><geom size='1'/><geom size='2'/></worldbody></mujoco>");
  Frame frame;
  EXPECT_THROW(updateFrame(a.scene, b.m, b.d, frame), std::invalid_argument);
  EXPECT_THROW(makeScene(a.spec, b.m), std::invalid_argument);
}

}  // namespace
}  // namespace sinew
