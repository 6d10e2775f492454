#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "base/joined.h"
#include "spec/attach.h"

namespace sinew::spec {
namespace {

enum class Merge { Smaller, Larger, Never };

std::string show(double value) { return fmt::format("{}", value); }
std::string show(int value) { return fmt::format("{}", value); }
template <std::size_t N>
std::string show(const std::array<double, N>& value) {
  return joined(value, " ");
}
template <class T>
requires std::is_enum_v<T> std::string show(T value) { return fmt::format("{}", static_cast<int>(value)); }

/// Goes through the settings both models have. A setting counts as stated when the text mentions it, or, for models
/// made by a program, when it differs from the default.
class Resolver {
 public:
  Resolver(Spec& parent, const Spec& child) : parent_(parent), child_(child), policy_(parent.compiler.conflict) {}

  template <class T>
  void field(const char* name, T Option::*member, Merge merge = Merge::Never) {
    settle(name, parent_.option.*member, child_.option.*member, Option{}.*member, merge, parent_.stated.contains(name),
           child_.stated.contains(name));
  }
  void size(const char* name, int Size::*member) {
    settle(name, parent_.size.*member, child_.size.*member, Size{}.*member, Merge::Larger, false, false);
  }

  /// Flags: under `merge` those the child sets are added, otherwise only contradictions are reported.
  void flags(const char* name, int Option::*member) {
    int& mine = parent_.option.*member;
    const int theirs = child_.option.*member;
    if (policy_ == Conflict::Merge) {
      if (theirs & ~mine) note(fmt::format("{}: added flags {} from the attached model", name, theirs & ~mine));
      mine |= theirs;
    } else if (mine != theirs && theirs != 0) {
      report(fmt::format("{}: the parent has {}, the attached model {}", name, mine, theirs));
    }
  }

  void finish(Warnings& warnings) const {
    const std::string subject = fmt::format("attaching \"{}\" to \"{}\"", child_.modelname, parent_.modelname);
    if (!errors_.empty())
      throw LoadError(fmt::format("{}: settings contradict each other: {}", subject, fmt::join(errors_, "; ")));
    if (!notes_.empty()) warnings.push_back(fmt::format("{}: {}", subject, fmt::join(notes_, "; ")));
  }

 private:
  template <class T>
  void settle(const char* name, T& mine, const T& theirs, const T& standard, Merge merge, bool mineStated,
              bool theirsStated) {
    if (mine == theirs) return;
    if (!mineStated && !theirsStated) mineStated = mine != standard, theirsStated = theirs != standard;
    if (!theirsStated) return;
    const std::string what =
        fmt::format("{}: the parent has {}, the attached model {}", name, show(mine), show(theirs));
    if (!mineStated) {
      if (policy_ == Conflict::Merge) {
        note(what + ", taking the attached model's");
        mine = theirs;
      } else {
        note(what + ", keeping the parent's");
      }
    } else if (policy_ == Conflict::Merge && merge != Merge::Never) {
      if constexpr (std::is_arithmetic_v<T>) {
        note(what + (merge == Merge::Smaller ? ", taking the smaller" : ", taking the larger"));
        mine = merge == Merge::Smaller ? std::min(mine, theirs) : std::max(mine, theirs);
      }
    } else {
      report(what);
    }
  }

  void note(std::string text) { notes_.push_back(std::move(text)); }
  void report(const std::string& text) {
    if (policy_ == Conflict::Warning)
      note(text + ", keeping the parent's");
    else
      errors_.push_back(text);
  }

  Spec& parent_;
  const Spec& child_;
  Conflict policy_;
  std::vector<std::string> notes_, errors_;
};

}  // namespace

void resolveConflicts(Spec& parent, const Spec& child, Warnings& warnings) {
  Resolver r(parent, child);
  r.field("timestep", &Option::timestep, Merge::Smaller);
  r.field("tolerance", &Option::tolerance, Merge::Smaller);
  r.field("ls_tolerance", &Option::ls_tolerance, Merge::Smaller);
  r.field("noslip_tolerance", &Option::noslip_tolerance, Merge::Smaller);
  r.field("ccd_tolerance", &Option::ccd_tolerance, Merge::Smaller);
  r.field("sleep_tolerance", &Option::sleep_tolerance, Merge::Smaller);
  r.field("iterations", &Option::iterations, Merge::Larger);
  r.field("ls_iterations", &Option::ls_iterations, Merge::Larger);
  r.field("noslip_iterations", &Option::noslip_iterations, Merge::Larger);
  r.field("ccd_iterations", &Option::ccd_iterations, Merge::Larger);
  r.field("sdf_iterations", &Option::sdf_iterations, Merge::Larger);
  r.field("sdf_initpoints", &Option::sdf_initpoints, Merge::Larger);
  r.field("impratio", &Option::impratio);
  r.field("density", &Option::density);
  r.field("viscosity", &Option::viscosity);
  r.field("o_margin", &Option::o_margin);
  r.field("integrator", &Option::integrator);
  r.field("cone", &Option::cone);
  r.field("jacobian", &Option::jacobian);
  r.field("solver", &Option::solver);
  r.field("method", &Option::method);
  r.field("gravity", &Option::gravity);
  r.field("wind", &Option::wind);
  r.field("magnetic", &Option::magnetic);
  r.field("o_solref", &Option::o_solref);
  r.field("o_solimp", &Option::o_solimp);
  r.field("o_friction", &Option::o_friction);
  r.flags("disable flags", &Option::disableflags);
  r.flags("enable flags", &Option::enableflags);
  r.flags("actuatorgroupdisable", &Option::disableactuator);
  r.size("nuserdata", &Size::nuserdata);
  r.size("nkey", &Size::nkey);
  r.size("nuser_body", &Size::nuser_body);
  r.size("nuser_jnt", &Size::nuser_jnt);
  r.size("nuser_geom", &Size::nuser_geom);
  r.size("nuser_site", &Size::nuser_site);
  r.size("nuser_cam", &Size::nuser_cam);
  r.size("nuser_tendon", &Size::nuser_tendon);
  r.size("nuser_actuator", &Size::nuser_actuator);
  r.size("nuser_sensor", &Size::nuser_sensor);
  if (!parent.size.origin.file) parent.size.origin = child.size.origin;
  r.finish(warnings);
}

}  // namespace sinew::spec
