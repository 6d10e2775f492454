#include "mjcf/units.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

#include "mjcf/attribute_table.h"
#include "mjcf/support_doc.h"

namespace sinew {
namespace {

using mjcf::ValueFormat;

bool isReal(const mjcf::Attribute& a) {
  return a.format.kind == ValueFormat::Kind::Real || a.format.kind == ValueFormat::Kind::Float;
}

TEST(Units, EveryNumberOfMjcfHasOne) {
  EXPECT_EQ(mjcf::supportDocument().find("| ? |"), std::string::npos);
  EXPECT_NE(mjcf::supportDocument().find("| young | double | Pa |"), std::string::npos);
}

TEST(Units, NoRowIsWithoutAnAttribute) {
  std::set<const mjcf::UnitRow*> used;
  std::set<const mjcf::ElementType*> visited;
  const std::function<void(const mjcf::ElementType&, const std::string&)> visit = [&](const mjcf::ElementType& type,
                                                                                      const std::string& parent) {
    if (!visited.insert(&type).second) return;
    const std::string path =
        parent.empty() || type.tag == "body" ? std::string(type.tag) : parent + "/" + std::string(type.tag);
    for (const mjcf::Attribute& a : type.attributes) {
      if (isReal(a) || a.format.kind == ValueFormat::Kind::Int) used.insert(mjcf::findUnit(path, a.name));
    }
    const bool isBody = type.tag == "worldbody" || type.tag == "body" || type.tag == "frame" || type.tag == "replicate";
    const std::string next = type.tag == "mujoco" ? "" : isBody ? "body" : path;
    for (const mjcf::ChildRule& rule : type.children) visit(*rule.type, next);
  };
  visit(mjcf::grammar(), "");
  for (const mjcf::UnitRow& row : mjcf::unitRows()) {
    EXPECT_TRUE(used.count(&row)) << "no attribute " << row.attribute << " in an element " << row.element;
  }
}

// Units that MJCF's own documentation states, and some that follow from the equations of motion.
TEST(Units, AreThoseOfTheField) {
  const auto unit = [](std::string_view path, std::string_view name) {
    return std::string(mjcf::unitOf(path, name).value_or("none"));
  };
  EXPECT_EQ(unit("option", "timestep"), "s");
  EXPECT_EQ(unit("body/inertial", "diaginertia"), "kg m^2");
  EXPECT_EQ(unit("body/geom", "pos"), "m");
  EXPECT_EQ(unit("body/joint", "range"), "m; hinge: angle");
  EXPECT_EQ(unit("body/joint", "margin"), "m; hinge: rad");  // not converted, unlike the range
  EXPECT_EQ(unit("tendon/spatial", "range"), "m");
  EXPECT_EQ(unit("actuator/muscle", "range"), "-");
  EXPECT_EQ(unit("body/light", "range"), "m");
  EXPECT_EQ(unit("body/flexcomp/edge", "damping"), "N s/m");
  EXPECT_EQ(unit("deformable/flex/elasticity", "damping"), "s");
  EXPECT_EQ(unit("body/flexcomp", "damping"), "s");
  EXPECT_EQ(unit("actuator/cylinder", "timeconst"), "s");
  EXPECT_EQ(unit("visual/scale", "forcewidth"), "meansize");
  EXPECT_EQ(unit("body/camera", "focalpixel"), "px");
  EXPECT_EQ(unit("contact/pair", "friction"), "-, -, m, m, m");
  EXPECT_EQ(unit("body/geom", "friction"), "-, m, m");
  EXPECT_EQ(unit("body/geom", "no such attribute"), "none");
}

}  // namespace
}  // namespace sinew
