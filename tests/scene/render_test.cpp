#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numbers>

#include "sinew/load.h"
#include "sinew/renderer.h"
#include "sinew/step.h"
#include "support/command.h"

namespace sinew {
namespace {

using test::CommandResult;
using test::runShell;
using test::runSinew;
using test::TestFolder;

struct Drawn {
  Model m;
  Data d;
  std::shared_ptr<const Scene> scene;
  Frame frame;
  Renderer renderer;

  Drawn(const std::string& mjcf, int width, int height, const RenderOptions& options = {}, FrameOptions shown = {})
      : Drawn(readMjcfText(mjcf), width, height, options, shown) {}
  Drawn(const Spec& spec, int width, int height, const RenderOptions& options, const FrameOptions& shown)
      : m(compile(spec)),
        d(m),
        scene(std::make_shared<const Scene>(makeScene(spec, m))),
        renderer(scene, width, height, options) {
    forward(m, d);
    updateFrame(*scene, m, d, frame, shown);
    renderer.update(frame);
  }
  View view(const char* camera = "c") const {
    return viewOf(*scene, frame, camera, static_cast<double>(renderer.width()) / renderer.height());
  }
};

/// A camera at (0, 0, 3) that looks straight down; its picture is 2 tan(fovy/2) high at distance 1.
std::string lookingDown(const std::string& content) {
  return "<mujoco><statistic extent='3' center='0 0 0'/><worldbody><camera name='c' pos='0 0 3' fovy='60'/>" + content +
         "</worldbody></mujoco>";
}

/// The ray through the middle of a pixel of that camera, per unit of depth.
void direction(int size, int row, int column, double& x, double& y) {
  const double half = std::tan(std::numbers::pi / 6);
  x = half * (2 * (column + 0.5) / size - 1);
  y = half * (1 - 2 * (row + 0.5) / size);
}

constexpr int kSize = 61;

template <class F>
void compareDepth(const std::string& content, F expected) {
  Drawn drawn(lookingDown(content), kSize, kSize);
  std::vector<float> depth(kSize * kSize);
  drawn.renderer.depth(drawn.view(), depth);
  int compared = 0;
  for (int row = 0; row < kSize; ++row) {
    for (int column = 0; column < kSize; ++column) {
      double x = 0, y = 0;
      direction(kSize, row, column, x, y);
      const double z = expected(x, y);
      if (z < 0) continue;
      EXPECT_NEAR(depth[row * kSize + column], z, 1e-4) << row << ' ' << column;
      ++compared;
    }
  }
  EXPECT_GT(compared, 200);
}

TEST(Render, RENDER_2_DepthOfAPlaneIsExact) {
  // through (0, 0, 1), tilted by 0.3 rad about y: the normal is (sin, 0, cos)
  compareDepth("<geom type='plane' size='0 0 1' pos='0 0 1' euler='0 17.188733853924695 0'/>", [](double x, double) {
    const double s = std::sin(0.3), c = std::cos(0.3);
    return 2 * c / (c - s * x);  // (t x, t y, 3 - t) on it
  });
}

TEST(Render, RENDER_2_DepthOfASphereIsExact) {
  compareDepth("<geom size='0.8' pos='0.1 -0.2 0.5'/>", [](double x, double y) {
    // |t d - p|^2 = r^2 with d = (x, y, -1) and p seen from the camera
    const double a = x * x + y * y + 1, b = 0.1 * x - 0.2 * y + 2.5, c = 0.01 + 0.04 + 6.25 - 0.64;
    const double det = b * b - a * c;
    if (det < 0.02) return det < -0.02 ? 150.0 : -1.0;  // zfar is 50 extents
    return (b - std::sqrt(det)) / a;
  });
}

TEST(Render, RENDER_2_DepthOfABoxIsExact) {
  compareDepth("<geom type='box' size='0.5 0.7 0.25' pos='0 0 1'/>", [](double x, double y) {
    const double top = 3 - 1.25;
    if (std::abs(x * top) < 0.5 && std::abs(y * top) < 0.7) return top;
    // from above the sides of a box hide behind its top
    return std::abs(x * top) > 0.51 || std::abs(y * top) > 0.71 ? 150.0 : -1.0;
  });
}

TEST(Render, EveryShapeIsSeenWhereItIs) {
  struct Case {
    const char* geom;
    double depth;
  };
  for (const Case& c : {Case{"<geom type='capsule' size='0.2 0.5' pos='0 0 1'/>", 3 - 1.7},
                        Case{"<geom type='capsule' size='0.2 0.5' pos='0 0 1' euler='90 0 0'/>", 3 - 1.2},
                        Case{"<geom type='cylinder' size='0.2 0.5' pos='0 0 1'/>", 3 - 1.5},
                        Case{"<geom type='cylinder' size='0.2 0.5' pos='0 0 1' euler='0 90 0'/>", 3 - 1.2},
                        Case{"<geom type='ellipsoid' size='0.2 0.5 0.3' pos='0 0 1'/>", 3 - 1.3},
                        Case{"<site type='box' size='0.2 0.5 0.3' pos='0 0 1'/>", 3 - 1.3}}) {
    Drawn drawn(lookingDown(c.geom), 1, 1);
    std::vector<float> depth(1), normal(3);
    drawn.renderer.depth(drawn.view(), depth);
    drawn.renderer.normals(drawn.view(), normal);
    EXPECT_NEAR(depth[0], c.depth, 1e-5) << c.geom;
    EXPECT_NEAR(normal[2], 1, 1e-5) << c.geom;
  }
}

constexpr const char* kObjects = R"(<geom name="floor" type="plane" size="0 0 1"/>
  <geom name="left" type="box" size=".3 .3 .3" pos="-.6 0 .3"/><site name="right" type="sphere" size=".3" pos=".6 0 .3"/>
  <body pos="0 .6 .5"><geom name="hidden" size=".1" rgba="1 0 0 0"/></body>
  <flexcomp name="cloth" type="grid" dim="2" count="4 4 1" spacing=".1 .1 .1" radius=".01" pos="0 -.6 .3"/>)";

TEST(Render, RENDER_2_SegmentationNamesTheObject) {
  Drawn drawn(lookingDown(kObjects), 101, 101);
  std::vector<std::int32_t> seen(2 * 101 * 101);
  drawn.renderer.segmentation(drawn.view(), seen);
  const double half = std::tan(std::numbers::pi / 6);
  const auto at = [&](double x, double y, double z) {
    const double depth = 3 - z;
    const int column = static_cast<int>((x / depth / half + 1) / 2 * 101),
              row = static_cast<int>((1 - y / depth / half) / 2 * 101);
    return std::pair<int, int>{seen[2 * (row * 101 + column)], seen[2 * (row * 101 + column) + 1]};
  };
  const auto is = [&](ObjType type, int id) { return std::pair<int, int>{id, static_cast<int>(type)}; };
  EXPECT_EQ(at(-0.6, 0, 0.6), is(ObjType::Geom, 1));
  EXPECT_EQ(at(-0.8, 0.2, 0.6), is(ObjType::Geom, 1));
  EXPECT_EQ(at(0.6, 0, 0.6), is(ObjType::Site, 0));
  EXPECT_EQ(at(0, 0, 0), is(ObjType::Geom, 0));
  EXPECT_EQ(at(0, 0.6, 0), is(ObjType::Geom, 0));  // alpha 0 is not drawn
  EXPECT_EQ(at(0, -0.6, 0.31), is(ObjType::Flex, 0));
  // every pixel of the box's top belongs to it, and only to it
  for (int row = 0; row < 101; ++row) {
    for (int column = 0; column < 101; ++column) {
      const double x = 2.4 * half * (2 * (column + 0.5) / 101 - 1), y = 2.4 * half * (1 - 2 * (row + 0.5) / 101);
      if (std::max(std::abs(x + 0.6), std::abs(y)) < 0.28) {
        EXPECT_EQ(seen[2 * (row * 101 + column)], 1);
      }
    }
  }
}

TEST(Render, RENDER_2_PicturesDoNotDependOnTheNumberOfThreads) {
  std::vector<std::uint8_t> first;
  for (const int threads : {1, 2, 5}) {
    RenderOptions options;
    options.threads = threads;
    options.occlusion = 4;
    FrameOptions shown;
    shown.contactPoints = shown.joints = true;
    Drawn drawn(lookingDown(std::string(kObjects) + "<light pos='1 1 3' dir='-.3 -.3 -1'/>"), 120, 90, options, shown);
    const Image image = drawn.renderer.rgb(drawn.view());
    if (first.empty()) first = image.pixels;
    EXPECT_EQ(image.pixels, first) << threads;
  }
}

TEST(Render, ShadowsFallAwayFromTheLight) {
  RenderOptions options;
  options.samples = 1;
  Drawn drawn(lookingDown("<light pos='-2 0 2' dir='1 0 -1' cutoff='90' exponent='0'/><geom type='plane' size='0 0 1' "
                          "rgba='.8 .8 .8 1'/>"
                          "<geom size='.3' pos='0 0 .6'/>"),
              101, 101, options);
  const auto brightness = [&](const Image& image, double x) {
    const double half = std::tan(std::numbers::pi / 6);
    const int column = static_cast<int>((x / 3 / half + 1) / 2 * 101);
    return static_cast<int>(image.pixels[3 * (50 * 101 + column)]);
  };
  const Image with = drawn.renderer.rgb(drawn.view());
  // the ray from the light over the ball's middle meets the floor at x = 2 * 2 / 1.4 - 2
  EXPECT_LT(brightness(with, 0.857), brightness(with, -0.857) - 40);
  drawn.renderer.options().shadows = false;
  const Image without = drawn.renderer.rgb(drawn.view());
  EXPECT_GT(brightness(without, 0.857), brightness(with, 0.857) + 40);
}

TEST(Render, SoftSurfacesMoveWithTheirFrame) {
  Drawn drawn(
      lookingDown(
          "<flexcomp name='cloth' type='grid' dim='2' count='5 5 1' spacing='.2 .2 .2' radius='.01' pos='0 0 1'/>"),
      1, 1);
  std::vector<float> depth(1);
  drawn.renderer.depth(drawn.view(), depth);
  EXPECT_NEAR(depth[0], 3 - 1.01, 1e-5);
  for (int i = 0; i < drawn.m.nflexnode; ++i) drawn.d.qpos[drawn.m.nq_rigid + 3 * i + 2] = 0.5;
  forward(drawn.m, drawn.d);
  updateFrame(*drawn.scene, drawn.m, drawn.d, drawn.frame);
  drawn.renderer.update(drawn.frame);
  drawn.renderer.depth(drawn.view(), depth);
  EXPECT_NEAR(depth[0], 3 - 0.51, 1e-5);
}

TEST(Render, WrongSizesAreRefused) {
  const Spec spec = readMjcfText("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>");
  const Model m = compile(spec);
  const auto scene = std::make_shared<const Scene>(makeScene(spec, m));
  try {
    Renderer(scene, 0, 480);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "a picture needs 1 x 1 to 16384 x 16384 pixels, found 0 x 480");
  }
  Renderer renderer(scene, 4, 4);
  std::vector<std::uint8_t> out(48);
  EXPECT_THROW(renderer.rgb(View{}, out), std::invalid_argument);  // no frame yet
}

// ------------------------------------------------------------------------------------------------ the command

constexpr const char* kModel =
    R"(<mujoco><worldbody><light pos="0 0 2"/><camera name="side" pos="0 -2 .5" xyaxes="1 0 0 0 0 1"/>
  <geom type="plane" size="1 1 1"/><body pos="0 0 .3"><freejoint/><geom size=".1"/></body></worldbody></mujoco>)";

TEST(Render, RENDER_1_TheCommandWritesPicturesAndFilms) {
  const TestFolder folder;
  const std::string model = folder.write("model.xml", kModel);
  CommandResult r = runSinew({"render", model, "--out", folder.path("a.png"), "--size", "64x48", "--camera", "side",
                              "--show", "contacts,forces,frames"});
  EXPECT_EQ(r.exitCode, 0) << r.err;
  EXPECT_EQ(folder.read("a.png").substr(1, 3), "PNG");
  for (const char* what : {"depth", "segmentation", "normals"}) {
    r = runSinew({"render", model, "--out", folder.path("b.png"), "--size", "16x16", "--what", what});
    EXPECT_EQ(r.exitCode, 0) << r.err;
  }
  r = runSinew({"render", model, "--out", folder.path("a.gif"), "--size", "32x24", "--duration", "0.2", "--fps", "20"});
  EXPECT_EQ(r.exitCode, 0) << r.err;
  const std::string gif = folder.read("a.gif");
  EXPECT_EQ(gif.substr(0, 6), "GIF89a");
  EXPECT_EQ(gif.back(), ';');
  if (runShell("command -v ffmpeg").exitCode == 0) {
    // what ffmpeg makes of our GIF, and of our pictures
    const CommandResult probe =
        runShell("ffprobe -v error -count_frames -show_entries stream=width,height,nb_read_frames -of csv=p=0 '" +
                 folder.path("a.gif") + "'");
    EXPECT_EQ(probe.out, "32,24,4\n") << probe.err;
    r = runSinew(
        {"render", model, "--out", folder.path("a.mp4"), "--size", "33x24", "--duration", "0.2", "--fps", "20"});
    EXPECT_EQ(r.exitCode, 0) << r.err;
    EXPECT_EQ(runShell("ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 '" +
                       folder.path("a.mp4") + "'")
                  .out,
              "4\n");
  }
}

TEST(Render, RENDER_1_TheCommandSaysWhatIsWrong) {
  const TestFolder folder;
  const std::string model = folder.write("model.xml", kModel);
  const auto expect = [&](std::vector<std::string> extra, int code, const std::string& text) {
    std::vector<std::string> arguments{"render", model};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    const CommandResult r = runSinew(arguments);
    EXPECT_EQ(r.exitCode, code) << r.err;
    EXPECT_NE(r.err.find(text), std::string::npos) << r.err;
  };
  const std::string out = folder.path("x.png");
  expect({"--out", folder.path("x.bmp")}, 2, "must end in .png, .gif, .mp4");
  expect({"--out", out, "--camera", "top"}, 2, "no camera is named \"top\"; there are: free, side");
  expect({"--out", out, "--size", "640"}, 2, "--size needs WIDTHxHEIGHT, for example 640x480, found '640'");
  expect({"--out", out, "--size", "0x10"}, 2, "a picture needs 1 x 1 to 16384 x 16384 pixels, found 0 x 10");
  expect({"--out", out, "--show", "magic"}, 2, "--show: 'magic' is not one of contacts, forces");
  const CommandResult r =
      runShell("PATH=/nonexistent \"$SINEW\" render '" + model + "' --out '" + folder.path("x.mp4") + "' --size 8x8");
  EXPECT_EQ(r.exitCode, 1);
  EXPECT_NE(r.err.find("videos are made by the program ffmpeg, which is not installed"), std::string::npos) << r.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path("x.mp4")));
}

}  // namespace
}  // namespace sinew
