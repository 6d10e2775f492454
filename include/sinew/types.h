#pragma once

/// Enumerations shared by Spec, Model and Data. The numbers are those of the reference engine, so that compiled arrays
/// can be compared entry by entry.
namespace sinew {

enum class JointType : int { Free = 0, Ball, Slide, Hinge };
enum class GeomType : int { Plane = 0, HField, Sphere, Capsule, Ellipsoid, Cylinder, Box, Mesh, Sdf };
/// How a step is taken (docs/integrators.md).
enum class Integrator : int { Euler = 0, RK4, Implicit, ImplicitFast, Midpoint };
/// Whether dampers and the stiffness of flexes are taken implicitly.
inline constexpr bool isImplicit(Integrator i) { return i != Integrator::Euler && i != Integrator::RK4; }
enum class Cone : int { Pyramidal = 0, Elliptic };
enum class JacobianForm : int { Dense = 0, Sparse, Auto };
enum class Solver : int { PGS = 0, CG, Newton, Impulse };
/// How the Impulse solver solves for hard contacts: Newton's method to the end, or block Gauss-Seidel sweeps.
enum class ImpulseMethod : int { Newton = 0, Sweep };
enum class EqualityType : int { Connect = 0, Weld, Joint, Tendon, Flex, FlexVert, FlexStrain };
/// How the points of a flex move: freely, along a line through the parent's origin, in the parent's xy plane, or as a
/// grid of nodes between which vertices are interpolated.
enum class FlexDof : int { Full = 0, Radial, Trilinear, Quadratic, Planar };
/// Law of elasticity: the reference engine's, or one in which Young's modulus and Poisson's ratio mean just that.
enum class FlexLaw : int { Reference = 0, StVenantKirchhoff, Corotational, NeoHookean };
/// What resists the bending of a sheet. Only Shell measures curvature as a tensor and converges to plate theory on any
/// mesh; the other two are springs on single folds.
enum class FlexBending : int { None = 0, Cotangent, Dihedral, Shell };
enum class SelfCollide : int { None = 0, Narrow, Bvh, Sap, Auto };
enum class WrapType : int { None = 0, Joint, Pulley, Site, Sphere, Cylinder };
enum class TransmissionType : int { Joint = 0, JointInParent, SliderCrank, Tendon, Site, Body, So3, Undefined = 1000 };
enum class DynType : int { None = 0, Integrator, Filter, FilterExact, Muscle, DcMotor, Pid, User };
enum class GainType : int { Fixed = 0, Affine, Muscle, DcMotor, So3, Pid, User };
enum class BiasType : int { None = 0, Affine, Muscle, DcMotor, So3, User };
/// Bits of what the controls of a pid or dcmotor actuator are; those present come in this order.
namespace input {
inline constexpr int kPos = 1;      ///< position setpoint
inline constexpr int kVel = 2;      ///< velocity setpoint
inline constexpr int kForce = 4;    ///< feedforward force
inline constexpr int kVoltage = 8;  ///< voltage at the terminals
inline constexpr int kNone = 16;    ///< no controls at all
/// How an orientation actuator is told where to turn: a rotation vector (3 controls) or a quaternion (4).
inline constexpr int kRotationVector = 1;
inline constexpr int kQuaternion = 2;
}  // namespace input
enum class CameraMode : int { Fixed = 0, Track, TrackCom, TargetBody, TargetBodyCom };
enum class Projection : int { Perspective = 0, Orthographic };
enum class Stage : int { None = 0, Pos, Vel, Acc };
enum class DataType : int { Real = 0, Positive, Axis, Quaternion };

enum class ObjType : int {
  Unknown = 0,
  Body,   ///< the body's inertial frame
  XBody,  ///< the body's own frame
  Joint,
  Dof,
  Geom,
  Site,
  Camera,
  Light,
  Flex,
  Mesh,
  Skin,
  HField,
  Texture,
  Material,
  Pair,
  Exclude,
  Equality,
  Tendon,
  Actuator,
  Sensor,
  Numeric,
  Text,
  Tuple,
  Key,
  Plugin
};

enum class SensorType : int {
  Touch = 0,
  Accelerometer,
  Velocimeter,
  Gyro,
  Force,
  Torque,
  Magnetometer,
  Rangefinder,
  CamProjection,
  JointPos,
  JointVel,
  TendonPos,
  TendonVel,
  ActuatorPos,
  ActuatorVel,
  ActuatorFrc,
  JointActFrc,
  TendonActFrc,
  BallQuat,
  BallAngVel,
  JointLimitPos,
  JointLimitVel,
  JointLimitFrc,
  TendonLimitPos,
  TendonLimitVel,
  TendonLimitFrc,
  FramePos,
  FrameQuat,
  FrameXAxis,
  FrameYAxis,
  FrameZAxis,
  FrameLinVel,
  FrameAngVel,
  FrameLinAcc,
  FrameAngAcc,
  SubtreeCom,
  SubtreeLinVel,
  SubtreeAngMom,
  InsideSite,
  GeomDist,
  GeomNormal,
  GeomFromTo,
  Contact,
  EPotential,
  EKinetic,
  Clock,
  Tactile,
  Plugin,
  User,
  // Sinew's own: what flexes feel
  FlexForce,
  FlexReaction,
  FlexStrain,
  FlexStress,
  FlexKinetic,
  FlexElastic,
  FlexMembrane,
  FlexMoment
};

/// How the frame of a geom, site or inertia relates to its body's frame. Equal frames (within 1e-6) are snapped: the
/// world pose is copied instead of composed.
enum class SameFrame : int { None = 0, Body, Inertia, BodyRot, InertiaRot };

enum class SleepPolicy : int { Auto = 0, AutoNever, AutoAllowed, Never, Allowed, Init };

/// Bits of Option::disableflags, in the order of the attributes of <option><flag>.
namespace disable {
inline constexpr int kConstraint = 1 << 0, kEquality = 1 << 1, kFrictionLoss = 1 << 2, kLimit = 1 << 3,
                     kContact = 1 << 4, kSpring = 1 << 5, kDamper = 1 << 6, kGravity = 1 << 7, kClampCtrl = 1 << 8,
                     kWarmStart = 1 << 9, kFilterParent = 1 << 10, kActuation = 1 << 11, kRefSafe = 1 << 12,
                     kSensor = 1 << 13, kMidPhase = 1 << 14, kEulerDamp = 1 << 15, kAutoReset = 1 << 16,
                     kNativeCcd = 1 << 17, kIsland = 1 << 18, kMultiCcd = 1 << 19;
}
/// Bits of Option::enableflags.
namespace enable {
inline constexpr int kOverride = 1 << 0, kEnergy = 1 << 1, kFwdInv = 1 << 2, kInvDiscrete = 1 << 3, kSleep = 1 << 4,
                     kDiagExact = 1 << 5;
}

}  // namespace sinew
