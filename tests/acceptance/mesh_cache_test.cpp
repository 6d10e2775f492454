#include "sinew/mesh_cache.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "sinew/load.h"
#include "support/command.h"

/// Meshes are made once per content (mesh_cache.h): same bits, fewer hulls.
namespace sinew {
namespace {

/// A convex thing with n sides, as OBJ.
std::string prism(int n, double height) {
  std::string text;
  for (const double z : {0.0, height}) {
    for (int i = 0; i < n; ++i) {
      text += fmt::format("v {:.9g} {:.9g} {:.9g}\n", std::cos(6.283185307 * i / n), std::sin(6.283185307 * i / n), z);
    }
  }
  for (int i = 0; i < n; ++i) {
    const int j = (i + 1) % n;
    text += fmt::format("f {} {} {}\nf {} {} {}\n", i + 1, j + 1, n + j + 1, i + 1, n + j + 1, n + i + 1);
    if (i > 1) text += fmt::format("f 1 {} {}\nf {} {} {}\n", i + 1, i, n + 1, n + i, n + i + 1);
  }
  return text;
}

std::string modelWith(const std::string& attributes) {
  return fmt::format(
      R"(<mujoco><asset><mesh name="m" file="m.obj" {}/></asset>
         <worldbody><body><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>)",
      attributes);
}

/// Counts from here on, with an empty cache; the limit is put back at the end.
class Counting {
 public:
  Counting() : limit_(meshCache().limit) {
    setMeshCacheLimit(0);
    setMeshCacheLimit(limit_);
    start_ = meshCache();
  }
  ~Counting() { setMeshCacheLimit(limit_); }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;
  int hits() const { return static_cast<int>(meshCache().hits - start_.hits); }
  int misses() const { return static_cast<int>(meshCache().misses - start_.misses); }

 private:
  std::uint64_t limit_;
  MeshCacheStatus start_;
};

std::string savedBytes(const test::TestFolder& folder, const Model& m) {
  saveModel(m, folder.path("saved"));
  return folder.read("saved");
}

TEST(MeshCache, TheSecondLoadFindsTheMeshAndGivesTheSameModel) {
  const test::TestFolder folder;
  folder.write("m.obj", prism(40, 0.7));
  const std::string file = folder.write("model.xml", modelWith(""));
  const Counting counting;
  const std::string first = savedBytes(folder, load(file));
  EXPECT_EQ(counting.misses(), 1);
  EXPECT_EQ(counting.hits(), 0);
  EXPECT_EQ(meshCache().meshes, 1);
  EXPECT_GT(meshCache().bytes, 80u * 3 * sizeof(float));
  EXPECT_EQ(savedBytes(folder, load(file)), first);
  EXPECT_EQ(counting.misses(), 1);
  EXPECT_EQ(counting.hits(), 1);
  setMeshCacheLimit(0);
  EXPECT_EQ(meshCache().meshes, 0);
  EXPECT_EQ(meshCache().bytes, 0u);
  EXPECT_EQ(savedBytes(folder, load(file)), first);
  EXPECT_EQ(counting.misses(), 2);
  EXPECT_EQ(meshCache().meshes, 0);
}

TEST(MeshCache, OtherContentAndOtherAttributesAreOtherMeshes) {
  const test::TestFolder folder;
  folder.write("m.obj", prism(12, 0.7));
  const Counting counting;
  int misses = 0;
  double mass = 0;
  for (const char* attributes : {"", R"(scale="1 1 2")", R"(refpos="0 0 .1")", R"(refquat="0 1 0 0")",
                                 R"(inertia="shell")", R"(inertia="convex")", R"(maxhullvert="8")"}) {
    const Model m = load(folder.write("model.xml", modelWith(attributes)));
    EXPECT_EQ(counting.misses(), ++misses) << attributes;
    if (misses == 1) mass = m.body_mass[1];
  }
  EXPECT_EQ(counting.hits(), 0);
  // one byte of the file
  folder.write("m.obj", prism(12, 0.8));
  const Model higher = load(folder.write("model.xml", modelWith("")));
  EXPECT_EQ(counting.misses(), ++misses);
  EXPECT_NEAR(higher.body_mass[1], mass * 0.8 / 0.7, 1e-4 * mass);
  folder.write("m.obj", prism(12, 0.7));
  EXPECT_EQ(load(folder.path("model.xml")).body_mass[1], mass);
  EXPECT_EQ(counting.hits(), 1);
}

TEST(MeshCache, WhatWasUsedLongestAgoGoesFirst) {
  const test::TestFolder folder;
  const std::string file = folder.write("model.xml", modelWith(""));
  const auto use = [&](double height) {
    folder.write("m.obj", prism(30, height));
    load(file);
  };
  const Counting counting;
  use(1);
  const std::uint64_t one = meshCache().bytes;
  setMeshCacheLimit(2 * one + one / 2);
  use(2);
  use(1);  // now 2 is the oldest
  EXPECT_EQ(counting.hits(), 1);
  use(3);
  EXPECT_EQ(meshCache().meshes, 2);
  EXPECT_LE(meshCache().bytes, meshCache().limit);
  use(1);
  EXPECT_EQ(counting.hits(), 2);
  use(2);
  EXPECT_EQ(counting.hits(), 2);
  EXPECT_EQ(counting.misses(), 4);
}

TEST(MeshCache, MeshesThatFailAreNotKept) {
  const test::TestFolder folder;
  folder.write("m.obj", "v 0 0 0\nv 1 0 0\nf 1 2 3\n");
  const std::string file = folder.write("model.xml", modelWith(""));
  const Counting counting;
  for (int i = 0; i < 2; ++i) EXPECT_THROW(load(file), LoadError);
  EXPECT_EQ(meshCache().meshes, 0);
  EXPECT_EQ(counting.hits(), 0);
}

TEST(MeshCache, ModelsLoadedByManyThreadsAtOnceAreTheSame) {
  const test::TestFolder folder;
  folder.write("m.obj", prism(60, 0.5));
  const std::string file = folder.write("model.xml", modelWith(""));
  const Counting counting;
  std::vector<double> inertia(16, 0);
  std::vector<std::thread> threads;
  for (double& result : inertia) threads.emplace_back([&result, &file] { result = load(file).body_inertia[0 + 3]; });
  for (std::thread& thread : threads) thread.join();
  for (const double result : inertia) EXPECT_EQ(result, inertia[0]);
  EXPECT_EQ(counting.hits() + counting.misses(), 16);
  EXPECT_EQ(meshCache().meshes, 1);
}

}  // namespace
}  // namespace sinew
