// A model written and read again compiles to the same arrays, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "sinew/load.h"
#include "support/paths.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;

/// First difference between the model and its written form; "not a model" for parts that other files include.
std::string differenceAfterWriting(const fs::path& file) {
  Model model;
  Spec spec;
  try {
    spec = readMjcf(file);
    model = compile(spec);
  } catch (const LoadError&) {
    return "not a model";
  }
  const std::string text = writeMjcf(spec, file.parent_path());
  return firstDifference(model, compile(readMjcfText(text, file.filename().string(), file.parent_path())));
}

TEST(MjcfRoundTrip, EverySceneCompilesToTheSameModel) {
  const fs::path folder = test::sourceDir() / "tests/conformance/scenes";
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".xml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  int models = 0;
  for (const fs::path& file : files) {
    if (file.filename() == "attach_inertia_settings.xml") continue;  // cannot be written into one file
    const std::string difference = differenceAfterWriting(file);
    if (difference == "not a model") continue;
    ++models;
    EXPECT_EQ(difference, "") << file;
  }
  EXPECT_GE(models, 60);
}

TEST(MjcfRoundTrip, KeyframesOfAttachedModelsTakeTheReferenceElsewhere) {
  const Model m = compile(readMjcfText(R"(<mujoco><worldbody><body><joint ref="0.5" type="slide"/><geom size="1"/>
    <body><joint type="slide"/><geom size="1"/></body></body></worldbody>
    <keyframe><key qpos="ref 2"/></keyframe></mujoco>)"));
  EXPECT_EQ(m.key_qpos[0], 0.5);
  EXPECT_EQ(m.key_qpos[1], 2);
}

}  // namespace
}  // namespace sinew
