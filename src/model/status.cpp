#include <fmt/format.h>

#include <algorithm>

#include "model/advice.h"
#include "model/callbacks.h"
#include "model/memory.h"
#include "model/option_check.h"
#include "sinew/data.h"

namespace sinew {
namespace {

/// `name "x"` if there is one, else the number.
std::string label(const Model& m, ObjType type, const char* kind, int id) {
  const std::string_view name = nameOf(m, type, id);
  return name.empty() ? fmt::format("{} {}", kind, id) : fmt::format("{} \"{}\"", kind, name);
}

std::string nodeOfFlex(const Model& m, int node) {
  const int flex = m.flexnode_flexid[node];
  return fmt::format("node {} of {}", m.flexnode_pointid[node] - m.flex_pointadr[flex],
                     label(m, ObjType::Flex, "flex", flex));
}

std::string jointOfCoordinate(const Model& m, int coordinate) {
  if (coordinate >= m.nq_rigid && coordinate < m.nq) return nodeOfFlex(m, (coordinate - m.nq_rigid) / 3);
  int joint = -1;
  while (joint + 1 < m.njnt && m.jnt_qposadr[joint + 1] <= coordinate) ++joint;
  if (joint < 0) return "no joint";
  return label(m, ObjType::Joint, "joint", joint) + " of " + label(m, ObjType::Body, "body", m.jnt_bodyid[joint]);
}

std::string jointOfDof(const Model& m, int dof) {
  if (dof < 0 || dof >= m.nv) return "no joint";
  if (dof >= m.nv_rigid) return nodeOfFlex(m, (dof - m.nv_rigid) / 3);
  const int joint = m.dof_jntid[dof];
  return label(m, ObjType::Joint, "joint", joint) + " of " + label(m, ObjType::Body, "body", m.jnt_bodyid[joint]);
}

std::string actuatorOfControl(const Model& m, int control) {
  int u = 0;
  while (u + 1 < m.nactuator && m.actuator_ctrladr[u + 1] <= control) ++u;
  return label(m, ObjType::Actuator, "actuator", u);
}

std::string mocapBody(const Model& m, int mocap) {
  const auto body = std::find(m.body_mocapid.begin(), m.body_mocapid.end(), mocap);
  return label(m, ObjType::Body, "body", static_cast<int>(body - m.body_mocapid.begin()));
}

const char* termName(ForceTerm term) {
  switch (term) {
    case ForceTerm::Bias:
      return "bias (gravity and motion)";
    case ForceTerm::Passive:
      return "passive";
    case ForceTerm::Actuator:
      return "actuator";
    case ForceTerm::Applied:
      return "applied";
    case ForceTerm::Constraint:
      return "constraint";
    case ForceTerm::None:
      break;
  }
  return "no";
}

/// "; largest force there: constraint, 3.2e+14 on dof 2", or nothing if no force is known.
std::string describe(const LargestForce& force) {
  if (force.term == ForceTerm::None) return {};
  return fmt::format("; largest force there: {}, {:.3g} on dof {}", termName(force.term), force.value, force.dof);
}

const char* termName(FlexTerm term) {
  switch (term) {
    case FlexTerm::EdgeSpring:
      return "the spring of an edge";
    case FlexTerm::EdgeDamper:
      return "the damper of an edge";
    case FlexTerm::Elasticity:
      return "elasticity";
    case FlexTerm::Bending:
      return "bending";
    case FlexTerm::EdgeRow:
      return "an equality";
    case FlexTerm::Contact:
      return "a contact";
    case FlexTerm::Applied:
      return "an applied force";
    case FlexTerm::None:
      break;
  }
  return "nothing";
}

/// "; what pushes hardest in flex "cloth" is bending, at vertex 3 of element 7, which explicit integration ...".
std::string describe(const Model& m, const FlexCause& cause) {
  if (cause.flex < 0 || cause.term == FlexTerm::None) return {};
  const bool isStrain = cause.term >= FlexTerm::EdgeSpring && cause.term <= FlexTerm::Bending;
  std::string text = fmt::format("; what pushes hardest {} {} is {}", isStrain ? "inside" : "in",
                                 label(m, ObjType::Flex, "flex", cause.flex), termName(cause.term));
  if (cause.vertex >= 0) {
    text += fmt::format(", at {} {}", m.flex_interp[cause.flex] == 0 ? "vertex" : "node", cause.vertex);
    if (cause.element >= 0) text += fmt::format(" of element {}", cause.element);
  }
  if (cause.stableTimestep > 0) {
    text += fmt::format("; explicit integration of it is stable up to a timestep of {:.4g} s, this one is {:.4g} s",
                        cause.stableTimestep, m.opt.timestep);
  }
  return text;
}

/// An element of a flex, or a cell: these are counted after all elements.
std::string pieceOfFlex(const Model& m, int index) {
  const bool isCell = index >= m.nflexelem;
  const int piece = isCell ? index - m.nflexelem : index;
  int f = m.nflex - 1;
  const Array<int>& adr = isCell ? m.flex_celladr : m.flex_elemadr;
  while (f > 0 && piece < adr[f]) --f;
  return fmt::format("{} {} of {}", isCell ? "cell" : "element", piece - adr[f], label(m, ObjType::Flex, "flex", f));
}

/// A collider: geoms first, then flexes.
std::string collider(const Model& m, int id) {
  return id < m.ngeom ? label(m, ObjType::Geom, "geom", id) : label(m, ObjType::Flex, "flex", id - m.ngeom);
}

/// The same, with the joint that moves a geom.
std::string movingCollider(const Model& m, int id) {
  if (id >= m.ngeom) return collider(m, id);
  const int body = m.body_weldid[m.geom_bodyid[id]];
  return m.body_dofnum[body] == 0 ? collider(m, id)
                                  : fmt::format("{} ({})", collider(m, id), jointOfDof(m, m.body_dofadr[body]));
}

const char* callbackName(int index) {
  switch (static_cast<CallbackKind>(index)) {
    case CallbackKind::Control:
      return "control";
    case CallbackKind::Passive:
      return "passive";
    case CallbackKind::ContactFilter:
      return "contactFilter";
    case CallbackKind::Sensor:
      return "sensor";
  }
  return "user's";
}

std::string describe(const Model& m, Trouble trouble, const TroubleReport& report) {
  const int index = report.first;
  switch (trouble) {
    case Trouble::BadQpos:
      return fmt::format("qpos[{}] ({}) was not finite or beyond 1e10", index, jointOfCoordinate(m, index));
    case Trouble::BadQvel:
      return fmt::format("qvel[{}] ({}) was not finite or beyond 1e10", index, jointOfDof(m, index));
    case Trouble::BadQacc:
      return fmt::format("qacc[{}] ({}) was not finite or beyond 1e10", index, jointOfDof(m, index));
    case Trouble::BadCtrl:
      return fmt::format("ctrl[{}] ({}) was not finite or beyond 1e10; all controls counted as zero", index,
                         actuatorOfControl(m, index));
    case Trouble::Inertia:
      return fmt::format("the inertia matrix is not positive definite at dof {} ({})", index, jointOfDof(m, index));
    case Trouble::Inverted:
      return fmt::format("{} was inside out; {}a smaller timestep, more damping or law=\"neohookean\" may help",
                         pieceOfFlex(m, index), isExplicit(m) ? "integrator=\"implicitfast\", " : "");
    case Trouble::BadApplied:
      return index < m.nv
                 ? fmt::format("qfrc_applied[{}] ({}) was not finite; it counted as zero", index, jointOfDof(m, index))
                 : fmt::format("xfrc_applied[{}] ({}) was not finite; it counted as zero", index - m.nv,
                               label(m, ObjType::Body, "body", (index - m.nv) / 6));
    case Trouble::BadMocap:
      return index < 3 * m.nmocap ? fmt::format("mocap_pos[{}] ({}) was not finite; the body stayed where it was",
                                                index, mocapBody(m, index / 3))
                                  : fmt::format(
                                        "mocap_quat[{}] ({}) was not finite, or the quaternion zero; the body "
                                        "stayed turned as it was",
                                        index - 3 * m.nmocap, mocapBody(m, (index - 3 * m.nmocap) / 4));
    case Trouble::BadOption:
      return describe(OptionFault{index, report.value}, m.opt) + "; the step did nothing";
    case Trouble::OtherModel:
      return "the Data was made for another Model; the step did nothing";
    case Trouble::ContactLimit:
      if (index == kOutOfMemory) {
        return fmt::format("memory ran out in a step, with {:.0f} contacts; the step was not made", report.value);
      }
      return index < 0
                 ? fmt::format(
                       "a step makes {:.0f} contacts, more than memory allows; the deepest ones were kept, "
                       "which left out some of {} and {}",
                       report.value, collider(m, report.collider[0]), collider(m, report.collider[1]))
                 : fmt::format("{} and {} make {:.0f} contacts, more than memory allows; the deepest ones were kept",
                               collider(m, report.collider[0]), collider(m, report.collider[1]), report.value);
    case Trouble::Energy:
      return fmt::format("the energy grew by {:.3g} J although nothing did work, most of it in {}", report.value,
                         jointOfDof(m, index));
    case Trouble::Unconverged:
      return fmt::format(
          "the solver did not converge in {:.0f} steps in a row: after {} iterations the last one still changed more "
          "than a tenth of the forces; more iterations or another solver may help",
          report.value, m.opt.iterations);
    case Trouble::TooDeep:
      return fmt::format("{} and {} overlap by {:.3g} m, more than the thinner one is thick{}",
                         movingCollider(m, report.collider[0]), movingCollider(m, report.collider[1]), report.value,
                         ofDepth(m));
    case Trouble::Callback:
      return fmt::format("the {} callback threw an exception; the step went on as if it had not been called",
                         callbackName(index));
    case Trouble::StageOrder:
      return "step2() came without step1(); it did nothing";
    case Trouble::Count:
      break;
  }
  return {};
}

}  // namespace

std::string describeStatus(const Model& m, const Data& d) {
  if (d.signature != m.signature) return describe(m, Trouble::OtherModel, {}) + "\n";  // its numbers mean nothing here
  std::string text;
  for (int i = 0; i < static_cast<int>(Trouble::Count); ++i) {
    const TroubleReport& report = d.status[static_cast<Trouble>(i)];
    if (report.count == 0) continue;
    const bool quotes = static_cast<Trouble>(i) == Trouble::Callback && !d.callbackError.empty();
    text += fmt::format("{}{}{}{}{} (first at t = {:.6g} s, {} time{})\n", describe(m, static_cast<Trouble>(i), report),
                        quotes ? ": " + d.callbackError : "", describe(report.force), describe(m, report.flex),
                        advice(m, report), report.time, report.count, report.count == 1 ? "" : "s");
  }
  return text;
}

}  // namespace sinew
