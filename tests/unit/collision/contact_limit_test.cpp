#include "collision/contact_limit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "collision/collision.h"
#include "geom/thin_out.h"
#include "kinematics/kinematics.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"

namespace sinew {
namespace {

using geom::ContactPoint;

TEST(ThinOut, KeepsTheDeepestAndASpreadInTheirOrder) {
  std::mt19937 rng(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  Array<ContactPoint> points;
  points.push_back({.dist = 7, .feature = -1});  // not its own
  constexpr int kCount = 20000, kMost = 1000;
  for (int i = 0; i < kCount; ++i) {
    const double x = uniform(rng), y = uniform(rng);
    points.push_back({.pos = {x, y, 0}, .dist = -x - 1e-3 * uniform(rng), .feature = i});
  }
  const Array<ContactPoint> before = points;
  geom::thinOut(points, 1, kMost);
  ASSERT_EQ(points.size(), 1 + kMost);
  EXPECT_EQ(points[0].feature, -1);
  for (std::ptrdiff_t i = 2; i < points.size(); ++i) EXPECT_LT(points[i - 1].feature, points[i].feature);
  for (std::ptrdiff_t i = 1; i < points.size(); ++i) EXPECT_EQ(points[i].dist, before[points[i].feature + 1].dist);
  // the deepest 500 are all there
  std::vector<double> all, kept;
  for (std::ptrdiff_t i = 1; i < before.size(); ++i) all.push_back(before[i].dist);
  for (std::ptrdiff_t i = 1; i < points.size(); ++i) kept.push_back(points[i].dist);
  std::sort(all.begin(), all.end());
  std::sort(kept.begin(), kept.end());
  EXPECT_TRUE(std::equal(all.begin(), all.begin() + kMost / 2, kept.begin()));
  // and every tenth of the square still has points
  for (int i = 0; i < 10; ++i) {
    for (int j = 0; j < 10; ++j) {
      EXPECT_TRUE(std::any_of(points.begin() + 1, points.end(),
                              [&](const ContactPoint& p) {
                                return static_cast<int>(10 * p.pos[0]) == i && static_cast<int>(10 * p.pos[1]) == j;
                              }))
          << i << " " << j;
    }
  }
  Array<ContactPoint> again = before;
  geom::thinOut(again, 1, kMost);
  EXPECT_TRUE(std::equal(again.begin(), again.end(), points.begin(),
                         [](const ContactPoint& a, const ContactPoint& b) { return a.feature == b.feature; }));
}

TEST(ThinOut, LeavesFewPointsAndEqualPlacesAlone) {
  Array<ContactPoint> points;
  for (int i = 0; i < 50; ++i) points.push_back({.dist = -1, .feature = i});
  geom::thinOut(points, 0, 50);
  EXPECT_EQ(points.size(), 50);
  geom::thinOut(points, 0, 7);  // all in one place, all as deep
  EXPECT_EQ(points.size(), 7);
}

// More contacts in a step than there may be: the deepest stay, with their carriers, and the trouble names a pair that
// lost one.
TEST(ContactLimit, KeepsTheDeepestContactsOfAStep) {
  constexpr int kBalls = 750;  // all in one place: 280,875 pairs
  const Model m = test::modelOf("<mujoco><worldbody><replicate count=\"" + std::to_string(kBalls) +
                                "\" offset=\"0.0002 0 0\"><body><freejoint/><geom size=\"0.1\"/></body></replicate>"
                                "</worldbody></mujoco>");
  Data d(m);
  kinematics(m, d);
  collide(m, d);
  ASSERT_EQ(d.contact.size(), kMostContacts);
  const TroubleReport& report = d.status[Trouble::ContactLimit];
  EXPECT_EQ(report.count, 1);
  EXPECT_EQ(report.value, kBalls * (kBalls - 1) / 2);
  // the more the numbers differ, the less two balls overlap
  int farthest = 0;
  for (const Contact& c : d.contact) {
    farthest = std::max(farthest, c.geom[1] - c.geom[0]);
    ASSERT_EQ(d.support_carrier[c.side[0].begin], m.geom_bodyid[c.geom[0]]);
    ASSERT_EQ(d.support_carrier[c.side[1].begin], m.geom_bodyid[c.geom[1]]);
  }
  std::ptrdiff_t nearer = 0;
  for (int apart = 1; apart < farthest; ++apart) nearer += kBalls - apart;
  EXPECT_LE(nearer, kMostContacts);
  EXPECT_GT(nearer + kBalls - farthest, kMostContacts - 1);
  EXPECT_GE(report.collider[1] - report.collider[0], farthest);
  const std::string text = describeStatus(m, d);
  EXPECT_NE(text.find("a step makes 280875 contacts, more than memory allows"), std::string::npos) << text;
  EXPECT_EQ(d.support_carrier.size(), 2 * kMostContacts);
}

}  // namespace
}  // namespace sinew
