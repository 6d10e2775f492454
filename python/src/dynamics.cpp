#include "sinew/dynamics.h"

#include "common.h"
#include "sinew/derivatives.h"
#include "sinew/query.h"
#include "sinew/sleep.h"
#include "sinew/version.h"

namespace sinew::python {
namespace {

using MaybeOutput = std::optional<Output>;

void checkId(int id, int count, const char* what) {
  if (id < 0 || id >= count) {
    throw std::invalid_argument(std::string(what) + " " + std::to_string(id) + " does not exist: there are " +
                                std::to_string(count));
  }
}

template <void (*jacobian)(const Model&, const Data&, int, std::span<double>, std::span<double>)>
void objectJacobian(const ModelBox& m, const DataBox& d, const MaybeOutput& jacp, const MaybeOutput& jacr, int id) {
  requireSame(m, d);
  jacobian(*m.model, *d.data, id, out(jacp), out(jacr));
}

RayOptions rayOptions(const std::optional<std::array<bool, 6>>& groups, bool statics, bool flexes, int excludeBody,
                      double cutoff) {
  RayOptions options;
  if (groups) options.groups = *groups;
  options.statics = statics;
  options.flexes = flexes;
  options.excludeBody = excludeBody;
  options.cutoff = cutoff;
  return options;
}

nb::tuple asTuple(const RayHit& hit) {
  return nb::make_tuple(hit.distance, copyOf<double>(hit.point), copyOf<double>(hit.normal), hit.geom, hit.flex,
                        hit.element);
}

nb::object matrix(const std::vector<double>& values, int rows, int columns) {
  auto kept = std::make_shared<std::vector<double>>(values);
  return view(kept->data(), rows, columns, kept, true);
}

}  // namespace

void bindDynamics(nb::module_& module) {
  module.attr("__version__") = std::string(kVersion);

  module.def(
      "jac",
      [](const ModelBox& m, const DataBox& d, const MaybeOutput& jacp, const MaybeOutput& jacr, const Numbers& point,
         int body) {
        requireSame(m, d);
        pointJacobian(*m.model, *d.data, body, vector3(point, "point"), out(jacp), out(jacr));
      },
      "m"_a, "d"_a, "jacp"_a.none().noconvert(), "jacr"_a.none().noconvert(), "point"_a, "body"_a);
  module.def(
      "jac_dot",
      [](const ModelBox& m, const DataBox& d, const MaybeOutput& jacp, const MaybeOutput& jacr, const Numbers& point,
         int body) {
        requireSame(m, d);
        pointJacobianDot(*m.model, *d.data, body, vector3(point, "point"), out(jacp), out(jacr));
      },
      "m"_a, "d"_a, "jacp"_a.none().noconvert(), "jacr"_a.none().noconvert(), "point"_a, "body"_a);
  module.def("jac_body", &objectJacobian<&bodyJacobian>, "m"_a, "d"_a, "jacp"_a.none().noconvert(),
             "jacr"_a.none().noconvert(), "body"_a);
  module.def("jac_body_com", &objectJacobian<&bodyComJacobian>, "m"_a, "d"_a, "jacp"_a.none().noconvert(),
             "jacr"_a.none().noconvert(), "body"_a);
  module.def("jac_geom", &objectJacobian<&geomJacobian>, "m"_a, "d"_a, "jacp"_a.none().noconvert(),
             "jacr"_a.none().noconvert(), "geom"_a);
  module.def("jac_site", &objectJacobian<&siteJacobian>, "m"_a, "d"_a, "jacp"_a.none().noconvert(),
             "jacr"_a.none().noconvert(), "site"_a);
  module.def(
      "jac_subtree_com",
      [](const ModelBox& m, const DataBox& d, const Output& jacp, int body) {
        requireSame(m, d);
        subtreeComJacobian(*m.model, *d.data, body, out(jacp));
      },
      "m"_a, "d"_a, "jacp"_a.noconvert(), "body"_a);
  module.def(
      "angmom_mat",
      [](const ModelBox& m, const DataBox& d, const Output& mat, int body) {
        requireSame(m, d);
        angularMomentumMatrix(*m.model, *d.data, body, out(mat));
      },
      "m"_a, "d"_a, "mat"_a.noconvert(), "body"_a);
  module.def(
      "jac_flex_vertex",
      [](const ModelBox& m, const DataBox& d, const Output& jacp, int vertex) {
        requireSame(m, d);
        flexVertexJacobian(*m.model, *d.data, vertex, out(jacp));
      },
      "m"_a, "d"_a, "jacp"_a.noconvert(), "vertex"_a);
  module.def(
      "apply_ft",
      [](const ModelBox& m, const DataBox& d, const Numbers& force, const Numbers& torque, const Numbers& point,
         int body, const Output& qfrc) {
        requireSame(m, d);
        addForceAtPoint(*m.model, *d.data, body, vector3(point, "point"), vector3(force, "force"),
                        vector3(torque, "torque"), out(qfrc));
      },
      "m"_a, "d"_a, "force"_a, "torque"_a, "point"_a, "body"_a, "qfrc_target"_a.noconvert());
  module.def(
      "apply_flex_force",
      [](const ModelBox& m, const DataBox& d, const Numbers& force, int vertex, const Output& qfrc) {
        requireSame(m, d);
        addForceAtFlexVertex(*m.model, *d.data, vertex, vector3(force, "force"), out(qfrc));
      },
      "m"_a, "d"_a, "force"_a, "vertex"_a, "qfrc_target"_a.noconvert());
  module.def(
      "mul_m",
      [](const ModelBox& m, const DataBox& d, const Output& res, const Numbers& vec) {
        requireSame(m, d);
        multiplyMass(*m.model, *d.data, in(vec), out(res));
      },
      "m"_a, "d"_a, "res"_a.noconvert(), "vec"_a);
  module.def(
      "solve_m",
      [](const ModelBox& m, const DataBox& d, const Output& x, const Numbers& y) {
        requireSame(m, d);
        const auto n = static_cast<std::size_t>(m.model->nv);
        if (n == 0 || x.size() != y.size() || x.size() % n != 0) {
          throw std::invalid_argument("x and y must hold the same multiple of nv = " + std::to_string(n) + " numbers");
        }
        for (std::size_t row = 0; row < x.size(); row += n) {
          solveMass(*m.model, *d.data, in(y).subspan(row, n), out(x).subspan(row, n));
        }
      },
      "m"_a, "d"_a, "x"_a.noconvert(), "y"_a);
  module.def(
      "full_m",
      [](const ModelBox& m, const DataBox& d, const Output& dst) {
        requireSame(m, d);
        fullMass(*m.model, *d.data, out(dst));
      },
      "m"_a, "d"_a, "dst"_a.noconvert());
  module.def(
      "rne",
      [](const ModelBox& m, DataBox& d, int withAcceleration, const Output& result) {
        requireSame(m, d);
        const Busy busy(d);
        newtonEuler(*m.model, *d.data,
                    withAcceleration ? std::span<const double>(d.data->qacc) : std::span<const double>(), out(result));
      },
      "m"_a, "d"_a, "flg_acc"_a, "result"_a.noconvert());
  module.def(
      "rne_post_constraint",
      [](const ModelBox& m, DataBox& d) {
        requireSame(m, d);
        const Busy busy(d);
        computeBodyForces(*m.model, *d.data);
      },
      "m"_a, "d"_a);
  module.def(
      "integrate_pos",
      [](const ModelBox& m, const Output& qpos, const Numbers& qvel, double dt) {
        integratePositions(*m.model, out(qpos), in(qvel), dt);
      },
      "m"_a, "qpos"_a.noconvert(), "qvel"_a, "dt"_a);
  module.def(
      "differentiate_pos",
      [](const ModelBox& m, const Output& qvel, double dt, const Numbers& qpos1, const Numbers& qpos2) {
        differentiatePositions(*m.model, out(qvel), dt, in(qpos1), in(qpos2));
      },
      "m"_a, "qvel"_a.noconvert(), "dt"_a, "qpos1"_a, "qpos2"_a);
  const auto spatial = [](const SpatialMotion& motion, const Output& res) {
    if (res.size() != 6) throw std::invalid_argument("res: needs 6 numbers, found " + std::to_string(res.size()));
    std::copy(motion.angular.begin(), motion.angular.end(), res.data());
    std::copy(motion.linear.begin(), motion.linear.end(), res.data() + 3);
  };
  module.def(
      "object_velocity",
      [spatial](const ModelBox& m, const DataBox& d, int type, int id, const Output& res, int local) {
        requireSame(m, d);
        spatial(objectVelocity(*m.model, *d.data, static_cast<ObjType>(type), id, local ? Axes::Local : Axes::World),
                res);
      },
      "m"_a, "d"_a, "objtype"_a, "objid"_a, "res"_a.noconvert(), "flg_local"_a);
  module.def(
      "object_acceleration",
      [spatial](const ModelBox& m, const DataBox& d, int type, int id, const Output& res, int local) {
        requireSame(m, d);
        spatial(
            objectAcceleration(*m.model, *d.data, static_cast<ObjType>(type), id, local ? Axes::Local : Axes::World),
            res);
      },
      "m"_a, "d"_a, "objtype"_a, "objid"_a, "res"_a.noconvert(), "flg_local"_a);
  module.def(
      "flex_vertex_velocity",
      [](const ModelBox& m, const DataBox& d, int vertex) {
        requireSame(m, d);
        return copyOf<double>(flexVertexVelocity(*m.model, *d.data, vertex));
      },
      "m"_a, "d"_a, "vertex"_a);
  module.def(
      "contact_force",
      [](const ModelBox& m, const DataBox& d, int id, const Output& result) {
        requireSame(m, d);
        requireIdle(d);
        checkId(id, d.data->ncon(), "contact");
        if (result.size() != 6) {
          throw std::invalid_argument("result: needs 6 numbers, found " + std::to_string(result.size()));
        }
        const auto force = contactForce(*m.model, *d.data, id);
        std::copy(force.begin(), force.end(), result.data());
      },
      "m"_a, "d"_a, "id"_a, "result"_a.noconvert());
  module.def(
      "ray",
      [](const ModelBox& m, DataBox& d, const Numbers& origin, const Numbers& direction,
         const std::optional<std::array<bool, 6>>& groups, bool statics, bool flexes, int excludeBody, double cutoff) {
        requireSame(m, d);
        const Asking asking(d);
        return asTuple(ray(*m.model, *d.data, vector3(origin, "origin"), vector3(direction, "direction"),
                           rayOptions(groups, statics, flexes, excludeBody, cutoff)));
      },
      "m"_a, "d"_a, "origin"_a, "direction"_a, "groups"_a.none() = nb::none(), "statics"_a = true, "flexes"_a = true,
      "exclude_body"_a = -1, "cutoff"_a = std::numeric_limits<double>::infinity());
  module.def(
      "ray_at",
      [](const ModelBox& m, DataBox& d, int type, int id, const Numbers& origin, const Numbers& direction) {
        requireSame(m, d);
        const Asking asking(d);
        return asTuple(rayAt(*m.model, *d.data, {static_cast<ObjType>(type), id}, vector3(origin, "origin"),
                             vector3(direction, "direction")));
      },
      "m"_a, "d"_a, "type"_a, "id"_a, "origin"_a, "direction"_a);
  module.def(
      "rays",
      [](const ModelBox& m, DataBox& d, const Numbers& origins, const Numbers& directions,
         const std::optional<std::array<bool, 6>>& groups, bool statics, bool flexes, int excludeBody, double cutoff) {
        requireSame(m, d);
        if (origins.size() % 3 || directions.size() % 3)
          throw std::invalid_argument("origins and directions have 3 numbers each");
        using Vec = std::array<double, 3>;
        static_assert(sizeof(Vec) == 3 * sizeof(double));
        const std::span from(reinterpret_cast<const Vec*>(origins.data()), origins.size() / 3);
        const std::span to(reinterpret_cast<const Vec*>(directions.data()), directions.size() / 3);
        std::vector<RayHit> hits(to.size());
        {
          const Asking asking(d);
          const Stepping model(m);
          const Unlocked release;
          rays(*model, *d.data, from, to, hits, rayOptions(groups, statics, flexes, excludeBody, cutoff));
        }
        std::vector<double> distance, normal;
        std::vector<int> geom, flex, element;
        for (const RayHit& hit : hits) {
          distance.push_back(hit.distance);
          normal.insert(normal.end(), hit.normal.begin(), hit.normal.end());
          geom.push_back(hit.geom);
          flex.push_back(hit.flex);
          element.push_back(hit.element);
        }
        return nb::make_tuple(copyOf<double>(distance), matrix(normal, static_cast<int>(hits.size()), 3),
                              copyOf<int>(geom), copyOf<int>(flex), copyOf<int>(element));
      },
      "m"_a, "d"_a, "origins"_a, "directions"_a, "groups"_a.none() = nb::none(), "statics"_a = true, "flexes"_a = true,
      "exclude_body"_a = -1, "cutoff"_a = std::numeric_limits<double>::infinity());
  module.def(
      "distance",
      [](const ModelBox& m, DataBox& d, int type1, int id1, int type2, int id2, double cutoff) {
        requireSame(m, d);
        const Asking asking(d);
        const Distance r =
            distance(*m.model, *d.data, {static_cast<ObjType>(type1), id1}, {static_cast<ObjType>(type2), id2}, cutoff);
        return nb::make_tuple(r.distance, r.found, copyOf<double>(r.from), copyOf<double>(r.to), r.element1,
                              r.element2);
      },
      "m"_a, "d"_a, "type1"_a, "id1"_a, "type2"_a, "id2"_a, "cutoff"_a);
  module.def("is_asleep", [](const ModelBox& m, const DataBox& d, int body) {
    requireSame(m, d);
    checkId(body, m.model->nbody, "body");
    return isAsleep(*m.model, *d.data, body);
  });
  module.def("wake_all", [](const ModelBox& m, DataBox& d) {
    requireSame(m, d);
    const Busy busy(d);
    wakeAll(*m.model, *d.data);
  });
  module.def(
      "transition_derivatives",
      [](const ModelBox& m, const DataBox& d, double eps, bool centered, int threads) {
        requireSame(m, d);
        TransitionDerivatives t;
        {
          const Asking asking(d);
          const Stepping model(m);
          const Unlocked release;
          t = transitionDerivatives(*model, *d.data, {eps, centered, threads});
        }
        return nb::make_tuple(matrix(t.A, t.states, t.states), matrix(t.B, t.states, t.controls),
                              matrix(t.C, t.sensors, t.states), matrix(t.D, t.sensors, t.controls));
      },
      "m"_a, "d"_a, "eps"_a = 1e-6, "centered"_a = false, "threads"_a = 1);
  module.def(
      "inverse_derivatives",
      [](const ModelBox& m, const DataBox& d, double eps, bool centered, int threads) {
        requireSame(m, d);
        InverseDerivatives t;
        {
          const Asking asking(d);
          const Stepping model(m);
          const Unlocked release;
          t = inverseDerivatives(*model, *d.data, {eps, centered, threads});
        }
        const int n = t.dofs, s = t.sensors;
        return nb::make_tuple(matrix(t.DfDq, n, n), matrix(t.DfDv, n, n), matrix(t.DfDa, n, n), matrix(t.DsDq, s, n),
                              matrix(t.DsDv, s, n), matrix(t.DsDa, s, n));
      },
      "m"_a, "d"_a, "eps"_a = 1e-6, "centered"_a = false, "threads"_a = 1);
}

}  // namespace sinew::python
