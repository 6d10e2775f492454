#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collision/colliders.h"
#include "collision/collision.h"
#include "collision/elements.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"

namespace sinew {
namespace {

// Boxes in the axes of the world and of the geom only say which elements are worth a closer look: the contacts are
// those of looking at all of them.
TEST(ElementContacts, AreThoseOfAllElementsWhateverTheBoxesSay) {
  for (const std::string geom :
       {R"(type="box" size=".3 .2 .01")", R"(type="capsule" size=".02 .3")", R"(type="cylinder" size=".25 .01")",
        R"(type="ellipsoid" size=".3 .2 .02")", R"(type="sphere" size=".1")", R"(type="mesh" mesh="slab")"}) {
    for (const std::string flex :
         {R"(dim="2" count="9 9 1")", R"(dim="3" count="4 4 4")", R"(dim="1" count="20 1 1")"}) {
      // contacts where things are, not where they will be
      const Model m = test::modelOf(
          R"(<mujoco><option speculative="none"/><asset><mesh name="slab" vertex="-.3 -.2 -.01 .3 -.2 -.01 -.3 .2 -.01
          .3 .2 -.01 -.3 -.2 .01 .3 -.2 .01 -.3 .2 .01 .3 .2 .01"/></asset><worldbody>
          <body><freejoint/><geom )" +
          geom + R"( margin=".003"/></body>
          <flexcomp name="f" type="grid" spacing=".05 .05 .05" mass="1" radius=".004" )" +
          flex + R"(>
          <contact selfcollide="none"/><edge equality="true"/></flexcomp></worldbody></mujoco>)");
      Data d(m);
      std::mt19937 rng(9);
      std::uniform_real_distribution<double> uniform(-1, 1);
      int total = 0;
      for (int trial = 0; trial < 40; ++trial) {
        for (int k = 0; k < 3; ++k) d.qpos[k] = 0.15 * uniform(rng);
        for (int k = 3; k < 7; ++k) d.qpos[k] = uniform(rng);
        forward(m, d);
        const geom::CollideOptions options{m.opt.ccd_tolerance, m.opt.ccd_iterations, true, false};
        Array<geom::ContactPoint> expected;
        std::set<std::pair<int, int>> edges;  // each counts once
        for (int elem = 0; elem < m.nflexelem; ++elem) {
          if (!isActive(m, elem)) continue;
          const geom::Element element = elementAt(m, d, elem);
          const geom::Shape shape = shapeOf(m, d, 0);
          geom::collide(shape, element, 0.003, options, expected);
          if (element.count != 3) continue;
          const int* local = ElementVertices(m, elem).local;
          constexpr std::array<std::array<std::size_t, 2>, 3> kEdges = {{{1, 2}, {2, 0}, {0, 1}}};
          for (const auto& [i, j] : kEdges) {
            if (!edges.insert(std::minmax(local[i], local[j])).second) continue;
            geom::collideCrossing(shape, element.corner[i], element.corner[j], element.radius, 0.003, expected);
          }
        }
        ASSERT_EQ(d.contact.size(), expected.size()) << geom << flex << " trial " << trial;
        for (std::ptrdiff_t i = 0; i < expected.size(); ++i) EXPECT_EQ(d.contact[i].dist, expected[i].dist);
        total += static_cast<int>(expected.size());
      }
      EXPECT_GT(total, 10) << geom << flex;
    }
  }
}

/// A box edge presses into a fold right below a row of vertices: the sheet is vertical above it (y = 0) and leaves at
/// an angle below. The triangles around a vertex of the row have the same angles above and below, and the edge of the
/// box is so near to the row that the interpolation does not matter: M n = pi (y (y n) + n), so that the tangent of the
/// tilt is half of that of the fold, up to the skew of the mesh. Whichever way round the triangles are and wherever
/// their diagonals.
TEST(ElementContacts, EdgesOfBoxesMeetTheSmoothSheet) {
  const double angle = 0.4, radius = 0.001, below = 1e-6;
  const double c = std::cos(angle), s = std::sin(angle);
  for (const bool reversed : {false, true}) {
    for (const std::string law : {"stvk", "mujoco"}) {
      std::string vertices, elements;
      const int columns = 5;
      for (int row = 0; row < 3; ++row) {
        for (int i = 0; i < columns; ++i) {
          const double x = 0.02 * (i - 2) + 0.001 * row;
          const double y = row == 2 ? 0.02 * s : 0, z = row == 0 ? 0.02 : row == 1 ? 0 : -0.02 * c;
          vertices += fmt::format("{} {} {} ", x, y, z);
          if (row == 0 || i == 0) continue;
          const int a = (row - 1) * columns + i - 1, b = a + 1, e = row * columns + i - 1, f = e + 1;
          elements += reversed && i % 2 ? fmt::format("{} {} {} {} {} {} ", b, a, e, b, e, f)
                                        : fmt::format("{} {} {} {} {} {} ", a, b, e, b, f, e);
        }
      }
      // the box is on the side to which the sheet goes; its lower edge along x is where the fold has come near it
      const double near = 0.9 * radius;
      const Model m = test::modelOf(fmt::format(
          R"(<mujoco><option speculative="none"/><worldbody><geom type="box" size=".5 .1 .1" pos="0 {} {}"/></worldbody>
          <deformable><flex name="f" dim="2" radius="{}" vertex="{}" element="{}"><contact selfcollide="none"/>
          <elasticity young="1e5" thickness=".001" elastic2d="both" law="{}"/></flex></deformable></mujoco>)",
          0.1 + below * s + near * c, 0.1 - below * c + near * s, radius, vertices, elements, law));
      Data d(m);
      forward(m, d);
      int crossings = 0;
      for (const Contact& contact : d.contact) {
        // normals of the fold itself: below the row, where an edge of the mesh crosses that of the box
        if (contact.elem[1] < 0 || std::abs(contact.dist + radius - near) > 1e-6) continue;
        const double tilt = contact.frame[2] / contact.frame[1];
        if (std::abs(tilt) < 0.05) continue;
        ++crossings;
        EXPECT_NEAR(contact.frame[0], 0, 1e-9);
        EXPECT_NEAR(tilt, (law == "mujoco" ? 1 : 0.5) * s / c, 0.01) << law << reversed;
      }
      EXPECT_GT(crossings, 2) << law;
    }
  }
}

/// What touches a flat sheet of 5 x 5 vertices at z = 0, radius 4 mm, of a fixed geom; without what is only near.
std::vector<Contact> contactsOfSheet(const std::string& geom, const std::string& law) {
  const Model m = test::modelOf(
      R"(<mujoco><option speculative="none"/><asset><mesh name="slab" vertex="-.3 -.3 -.05 .3 -.3 -.05 -.3 .3 -.05
      .3 .3 -.05 -.3 -.3 .05 .3 -.3 .05 -.3 .3 .05 .3 .3 .05"/></asset><worldbody><geom )" +
      geom + R"(/><flexcomp name="f" type="grid" dim="2" count="5 5 1" spacing=".05 .05 .05" mass="1" radius=".004">
      <contact selfcollide="none"/>)" +
      law + "</flexcomp></worldbody></mujoco>");
  Data d(m);
  forward(m, d);
  std::vector<Contact> touching;
  std::copy_if(d.contact.begin(), d.contact.end(), std::back_inserter(touching),
               [](const Contact& contact) { return contact.dist < 0; });
  return touching;
}

const std::string kTextbook = R"(<elasticity young="1e5" thickness=".001" elastic2d="both" law="stvk"/>)";
const std::string kReference = R"(<edge equality="true"/>)";

// Inner vertices of the sheet have six triangles, edges have two; MuJoCo 3.12 lists each of them.
TEST(ElementContacts, AVertexOrEdgeThatTrianglesShareIsOneContactUnderTextbookLaws) {
  struct Case {
    std::string geom;
    std::size_t textbook, reference;
    int carriers;  ///< vertices that a contact of the sheet acts on
  };
  for (const Case& c : {Case{R"(type="sphere" size=".05" pos="0 0 .053")", 1, 6, 1},     // on the vertex in the middle
                        Case{R"(type="sphere" size=".05" pos=".025 0 .053")", 1, 2, 2},  // on an edge
                        Case{R"(type="capsule" size=".05 .01" pos="0 0 .063")", 1, 6, 1},   // its end on the vertex
                        Case{R"(type="box" size=".3 .3 .05" pos="0 0 -.053")", 25, 96, 1},  // lies on it
                        Case{R"(type="mesh" mesh="slab" pos="0 0 -.053")", 25, 32, 1},
                        Case{R"(type="cylinder" size=".3 .05" pos="0 0 -.053")", 25, 32, 1}}) {
    EXPECT_EQ(contactsOfSheet(c.geom, kReference).size(), c.reference) << c.geom;
    const std::vector<Contact> contacts = contactsOfSheet(c.geom, kTextbook);
    ASSERT_EQ(contacts.size(), c.textbook) << c.geom;
    std::set<int> vertices;
    for (const Contact& contact : contacts) {
      EXPECT_NEAR(contact.dist, -0.001, 1e-6) << c.geom;  // the tolerance of the convex collider
      EXPECT_EQ(contact.side[1].count, c.carriers) << c.geom;
      EXPECT_TRUE(c.carriers > 1 || vertices.insert(contact.vert[1]).second) << c.geom;
    }
  }
}

// The tip of a pyramid of four triangles over the inside of a triangle, both ways round: which element has the smaller
// number must not matter.
TEST(ElementContacts, AVertexOnATriangleOfTheSameFlexIsOneContact) {
  const std::string tip = "0 0 .003 .1 .1 .1 -.1 .1 .1 -.1 -.1 .1 .1 -.1 .1 ", floor = ".3 .1 0 -.3 .11 0 .02 -.3 0 ";
  const auto contacts = [&](const std::string& elements, const std::string& law) {
    const Model m =
        test::modelOf(R"(<mujoco><option speculative="none"/><worldbody><flexcomp name="f" type="direct" dim="2"
        mass="1" radius=".002" point=")" +
                      tip + floor + R"(" element=")" + elements +
                      R"("><contact selfcollide="auto" internal="false"/>)" + law + "</flexcomp></worldbody></mujoco>");
    Data d(m);
    forward(m, d);
    return std::count_if(d.contact.begin(), d.contact.end(), [](const Contact& contact) { return contact.dist < 0; });
  };
  for (const std::string elements : {"0 1 2 0 2 3 0 3 4 0 4 1 5 6 7", "0 1 2 0 2 3 5 6 7 0 3 4 0 4 1"}) {
    EXPECT_EQ(contacts(elements, kReference), 4);
    EXPECT_EQ(contacts(elements, kTextbook), 1);
  }
}

}  // namespace
}  // namespace sinew
