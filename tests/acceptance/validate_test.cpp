#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/command.h"
#include "validation/study.h"

/// `sinew validate`: published values. The studies themselves are run by the tests of their ids; here it is the command
/// and its arithmetic.
namespace sinew {
namespace {

using validation::Result;
using validation::Study;

TEST(Validate, VALIDATE_1_TheQuickSubsetIsWithinItsBounds) {
  const test::TestFolder folder;
  const test::CommandResult result = test::runSinew({"validate", "--quick", "--out", folder.path("page.md")});
  EXPECT_EQ(result.exitCode, 0) << result.out << result.err;
  EXPECT_NE(result.out.find("0 outside of their bounds"), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("MISS"), std::string::npos);
  const std::string text = folder.read("page.md");
  EXPECT_NE(text.find("| VALID-1 |"), std::string::npos);
  EXPECT_NE(text.find("| SHELL-1 |"), std::string::npos);
  EXPECT_NE(folder.read("page.svg").find("<polyline"), std::string::npos);
}

TEST(Validate, VALIDATE_1_ThereAreAtLeast25Values) {
  std::size_t values = 0;
  std::set<std::string> titles;
  for (const Study& s : validation::studies()) {
    values += s.quantities.size();
    EXPECT_TRUE(titles.insert(s.title).second) << s.title << " twice";
    EXPECT_FALSE(s.source.empty()) << s.title;
    for (const validation::Quantity& q : s.quantities) EXPECT_GT(q.bound, 0) << s.title;
  }
  EXPECT_GE(values, 25u);
}

TEST(Validate, VALIDATE_1_ErrorOrderAndBound) {
  // the error falls with the square of the size of the cells: 2 (1 + 1/n^2)
  const Study study{"X", "t", "s", {10, 20}, {{"q", 2, 0.003}, {"zero", 0, 0.003}}, true, [](int n) {
                      return std::vector{2 + 2.0 / (n * n), 1.0 / (n * n)};
                    }};
  for (const Result& r : validation::run(study)) {
    EXPECT_NEAR(r.errors[0], 0.01, 1e-12) << r.quantity->name;
    EXPECT_NEAR(r.errors[1], 0.0025, 1e-12) << r.quantity->name;
    EXPECT_NEAR(r.order, 2, 1e-9);
    EXPECT_TRUE(r.isWithin);
  }
  Study tight = study;
  tight.quantities[0].bound = 0.002;
  EXPECT_FALSE(validation::run(tight)[0].isWithin);
  Study broken = study;
  broken.run = [](int) -> std::vector<double> { throw std::runtime_error("not at rest"); };
  EXPECT_FALSE(validation::run(broken)[0].isWithin);
  EXPECT_EQ(validation::run(broken)[0].failure, "not at rest");
  broken.run = [](int) { return std::vector{std::nan(""), std::nan("")}; };
  EXPECT_FALSE(validation::run(broken)[0].isWithin);
}

TEST(Validate, SaysWhatIsWrong) {
  const test::CommandResult unknown = test::runSinew({"validate", "NOPE-1"});
  EXPECT_EQ(unknown.exitCode, 2);
  EXPECT_NE(unknown.err.find("no study is called \"NOPE-1\"; --list shows them"), std::string::npos) << unknown.err;
  const test::CommandResult wrong = test::runSinew({"validate", "--quick", "--out", "page.txt"});
  EXPECT_EQ(wrong.exitCode, 2);
  EXPECT_NE(wrong.err.find("--out writes a page: its name must end in .md, found \"page.txt\""), std::string::npos);
  const test::CommandResult nowhere = test::runSinew({"validate", "--quick", "--out", "/nowhere/page.md"});
  EXPECT_EQ(nowhere.exitCode, 1);
  EXPECT_NE(nowhere.err.find("cannot write \"/nowhere/page.md\""), std::string::npos) << nowhere.err;
}

}  // namespace
}  // namespace sinew
