"""Names and numbers of MuJoCo 3.12.0's enumerations and constants. Written by make_enums.py."""

from enum import Enum, IntEnum

MUJOCO_VERSION = "3.12.0"
MUJOCO_VERSION_NUMBER = 3012000


class _Named(IntEnum):
    __str__ = Enum.__str__  # with its name, in all versions of Python


class mjtAlignFree(_Named):
    mjALIGNFREE_FALSE = 0
    mjALIGNFREE_TRUE = 1
    mjALIGNFREE_AUTO = 2


class mjtBias(_Named):
    mjBIAS_NONE = 0
    mjBIAS_AFFINE = 1
    mjBIAS_MUSCLE = 2
    mjBIAS_DCMOTOR = 3
    mjBIAS_SO3 = 4
    mjBIAS_USER = 5


class mjtBuiltin(_Named):
    mjBUILTIN_NONE = 0
    mjBUILTIN_GRADIENT = 1
    mjBUILTIN_CHECKER = 2
    mjBUILTIN_FLAT = 3


class mjtButton(_Named):
    mjBUTTON_NONE = 0
    mjBUTTON_LEFT = 1
    mjBUTTON_RIGHT = 2
    mjBUTTON_MIDDLE = 3


class mjtCTimer(_Named):
    mjCTIMER_TOTAL = 0
    mjCTIMER_ASSETS = 1
    mjCTIMER_TEXTURE = 2
    mjCTIMER_MESH_LOAD = 3
    mjCTIMER_MESH_HULL = 4
    mjCTIMER_MESH_POLYGON = 5
    mjCTIMER_MESH_INERTIA = 6
    mjCTIMER_MESH_BVH = 7
    mjCTIMER_MESH_OCTREE = 8
    mjNCTIMER = 9


class mjtCamLight(_Named):
    mjCAMLIGHT_FIXED = 0
    mjCAMLIGHT_TRACK = 1
    mjCAMLIGHT_TRACKCOM = 2
    mjCAMLIGHT_TARGETBODY = 3
    mjCAMLIGHT_TARGETBODYCOM = 4


class mjtCamOutBit(_Named):
    mjCAMOUT_RGB = 1
    mjCAMOUT_DEPTH = 2
    mjCAMOUT_DIST = 4
    mjCAMOUT_NORMAL = 8
    mjCAMOUT_SEG = 16
    mjNCAMOUT = 5


class mjtCamera(_Named):
    mjCAMERA_FREE = 0
    mjCAMERA_TRACKING = 1
    mjCAMERA_FIXED = 2
    mjCAMERA_USER = 3


class mjtCatBit(_Named):
    mjCAT_STATIC = 1
    mjCAT_DYNAMIC = 2
    mjCAT_DECOR = 4
    mjCAT_ALL = 7


class mjtColorSpace(_Named):
    mjCOLORSPACE_AUTO = 0
    mjCOLORSPACE_LINEAR = 1
    mjCOLORSPACE_SRGB = 2


class mjtConDataField(_Named):
    mjCONDATA_FOUND = 0
    mjCONDATA_FORCE = 1
    mjCONDATA_TORQUE = 2
    mjCONDATA_DIST = 3
    mjCONDATA_POS = 4
    mjCONDATA_NORMAL = 5
    mjCONDATA_TANGENT = 6
    mjNCONDATA = 7


class mjtCone(_Named):
    mjCONE_PYRAMIDAL = 0
    mjCONE_ELLIPTIC = 1


class mjtConflict(_Named):
    mjCONFLICT_WARNING = 0
    mjCONFLICT_MERGE = 1
    mjCONFLICT_ERROR = 2


class mjtConstraint(_Named):
    mjCNSTR_EQUALITY = 0
    mjCNSTR_FRICTION_DOF = 1
    mjCNSTR_FRICTION_TENDON = 2
    mjCNSTR_LIMIT_JOINT = 3
    mjCNSTR_LIMIT_TENDON = 4
    mjCNSTR_CONTACT_FRICTIONLESS = 5
    mjCNSTR_CONTACT_PYRAMIDAL = 6
    mjCNSTR_CONTACT_ELLIPTIC = 7


class mjtConstraintState(_Named):
    mjCNSTRSTATE_SATISFIED = 0
    mjCNSTRSTATE_QUADRATIC = 1
    mjCNSTRSTATE_LINEARNEG = 2
    mjCNSTRSTATE_LINEARPOS = 3
    mjCNSTRSTATE_CONE = 4


class mjtCtrlChart(_Named):
    mjCHART_EXPMAP = 1
    mjCHART_QUAT = 2


class mjtCtrlInput(_Named):
    mjINPUT_POS = 1
    mjINPUT_VEL = 2
    mjINPUT_FF = 4
    mjINPUT_VOLTAGE = 8
    mjINPUT_NONE = 16


class mjtDataType(_Named):
    mjDATATYPE_REAL = 0
    mjDATATYPE_POSITIVE = 1
    mjDATATYPE_AXIS = 2
    mjDATATYPE_QUATERNION = 3


class mjtDepthMap(_Named):
    mjDEPTH_ZERONEAR = 0
    mjDEPTH_ZEROFAR = 1


class mjtDisableBit(_Named):
    mjDSBL_CONSTRAINT = 1
    mjDSBL_EQUALITY = 2
    mjDSBL_FRICTIONLOSS = 4
    mjDSBL_LIMIT = 8
    mjDSBL_CONTACT = 16
    mjDSBL_SPRING = 32
    mjDSBL_DAMPER = 64
    mjDSBL_GRAVITY = 128
    mjDSBL_CLAMPCTRL = 256
    mjDSBL_WARMSTART = 512
    mjDSBL_FILTERPARENT = 1024
    mjDSBL_ACTUATION = 2048
    mjDSBL_REFSAFE = 4096
    mjDSBL_SENSOR = 8192
    mjDSBL_MIDPHASE = 16384
    mjDSBL_EULERDAMP = 32768
    mjDSBL_AUTORESET = 65536
    mjDSBL_NATIVECCD = 131072
    mjDSBL_ISLAND = 262144
    mjDSBL_MULTICCD = 524288
    mjNDISABLE = 20


class mjtDyn(_Named):
    mjDYN_NONE = 0
    mjDYN_INTEGRATOR = 1
    mjDYN_FILTER = 2
    mjDYN_FILTEREXACT = 3
    mjDYN_MUSCLE = 4
    mjDYN_DCMOTOR = 5
    mjDYN_PID = 6
    mjDYN_USER = 7


class mjtEnableBit(_Named):
    mjENBL_OVERRIDE = 1
    mjENBL_ENERGY = 2
    mjENBL_FWDINV = 4
    mjENBL_INVDISCRETE = 8
    mjENBL_SLEEP = 16
    mjENBL_DIAGEXACT = 32
    mjNENABLE = 6


class mjtEq(_Named):
    mjEQ_CONNECT = 0
    mjEQ_WELD = 1
    mjEQ_JOINT = 2
    mjEQ_TENDON = 3
    mjEQ_FLEX = 4
    mjEQ_FLEXVERT = 5
    mjEQ_FLEXSTRAIN = 6
    mjEQ_DISTANCE = 7


class mjtEvent(_Named):
    mjEVENT_NONE = 0
    mjEVENT_MOVE = 1
    mjEVENT_PRESS = 2
    mjEVENT_RELEASE = 3
    mjEVENT_SCROLL = 4
    mjEVENT_KEY = 5
    mjEVENT_RESIZE = 6
    mjEVENT_REDRAW = 7
    mjEVENT_FILESDROP = 8


class mjtFlexSelf(_Named):
    mjFLEXSELF_NONE = 0
    mjFLEXSELF_NARROW = 1
    mjFLEXSELF_BVH = 2
    mjFLEXSELF_SAP = 3
    mjFLEXSELF_AUTO = 4


class mjtFont(_Named):
    mjFONT_NORMAL = 0
    mjFONT_SHADOW = 1
    mjFONT_BIG = 2


class mjtFontScale(_Named):
    mjFONTSCALE_50 = 50
    mjFONTSCALE_100 = 100
    mjFONTSCALE_150 = 150
    mjFONTSCALE_200 = 200
    mjFONTSCALE_250 = 250
    mjFONTSCALE_300 = 300


class mjtFrame(_Named):
    mjFRAME_NONE = 0
    mjFRAME_BODY = 1
    mjFRAME_GEOM = 2
    mjFRAME_SITE = 3
    mjFRAME_CAMERA = 4
    mjFRAME_LIGHT = 5
    mjFRAME_CONTACT = 6
    mjFRAME_WORLD = 7
    mjNFRAME = 8


class mjtFramebuffer(_Named):
    mjFB_WINDOW = 0
    mjFB_OFFSCREEN = 1


class mjtGain(_Named):
    mjGAIN_FIXED = 0
    mjGAIN_AFFINE = 1
    mjGAIN_MUSCLE = 2
    mjGAIN_DCMOTOR = 3
    mjGAIN_SO3 = 4
    mjGAIN_PID = 5
    mjGAIN_USER = 6


class mjtGeom(_Named):
    mjGEOM_PLANE = 0
    mjGEOM_HFIELD = 1
    mjGEOM_SPHERE = 2
    mjGEOM_CAPSULE = 3
    mjGEOM_ELLIPSOID = 4
    mjGEOM_CYLINDER = 5
    mjGEOM_BOX = 6
    mjGEOM_MESH = 7
    mjGEOM_SDF = 8
    mjNGEOMTYPES = 9
    mjGEOM_ARROW = 100
    mjGEOM_ARROW1 = 101
    mjGEOM_ARROW2 = 102
    mjGEOM_LINE = 103
    mjGEOM_LINEBOX = 104
    mjGEOM_FLEX = 105
    mjGEOM_SKIN = 106
    mjGEOM_LABEL = 107
    mjGEOM_TRIANGLE = 108
    mjGEOM_NONE = 1001


class mjtGeomInertia(_Named):
    mjINERTIA_VOLUME = 0
    mjINERTIA_SHELL = 1


class mjtGridPos(_Named):
    mjGRID_TOPLEFT = 0
    mjGRID_TOPRIGHT = 1
    mjGRID_BOTTOMLEFT = 2
    mjGRID_BOTTOMRIGHT = 3
    mjGRID_TOP = 4
    mjGRID_BOTTOM = 5
    mjGRID_LEFT = 6
    mjGRID_RIGHT = 7


class mjtInertiaFromGeom(_Named):
    mjINERTIAFROMGEOM_FALSE = 0
    mjINERTIAFROMGEOM_TRUE = 1
    mjINERTIAFROMGEOM_AUTO = 2


class mjtIntegrator(_Named):
    mjINT_EULER = 0
    mjINT_RK4 = 1
    mjINT_IMPLICIT = 2
    mjINT_IMPLICITFAST = 3


class mjtItem(_Named):
    mjITEM_END = -2
    mjITEM_SECTION = -1
    mjITEM_SEPARATOR = 0
    mjITEM_STATIC = 1
    mjITEM_BUTTON = 2
    mjITEM_CHECKINT = 3
    mjITEM_CHECKBYTE = 4
    mjITEM_RADIO = 5
    mjITEM_RADIOLINE = 6
    mjITEM_SELECT = 7
    mjITEM_SLIDERINT = 8
    mjITEM_SLIDERNUM = 9
    mjITEM_EDITINT = 10
    mjITEM_EDITNUM = 11
    mjITEM_EDITFLOAT = 12
    mjITEM_EDITTXT = 13
    mjNITEM = 14


class mjtJacobian(_Named):
    mjJAC_DENSE = 0
    mjJAC_SPARSE = 1
    mjJAC_AUTO = 2


class mjtJoint(_Named):
    mjJNT_FREE = 0
    mjJNT_BALL = 1
    mjJNT_SLIDE = 2
    mjJNT_HINGE = 3


class mjtLRMode(_Named):
    mjLRMODE_NONE = 0
    mjLRMODE_MUSCLE = 1
    mjLRMODE_MUSCLEUSER = 2
    mjLRMODE_ALL = 3


class mjtLabel(_Named):
    mjLABEL_NONE = 0
    mjLABEL_BODY = 1
    mjLABEL_JOINT = 2
    mjLABEL_GEOM = 3
    mjLABEL_SITE = 4
    mjLABEL_CAMERA = 5
    mjLABEL_LIGHT = 6
    mjLABEL_TENDON = 7
    mjLABEL_ACTUATOR = 8
    mjLABEL_CONSTRAINT = 9
    mjLABEL_FLEX = 10
    mjLABEL_SKIN = 11
    mjLABEL_SELECTION = 12
    mjLABEL_SELPNT = 13
    mjLABEL_CONTACTPOINT = 14
    mjLABEL_CONTACTFORCE = 15
    mjLABEL_ISLAND = 16
    mjNLABEL = 17


class mjtLightType(_Named):
    mjLIGHT_SPOT = 0
    mjLIGHT_DIRECTIONAL = 1
    mjLIGHT_POINT = 2
    mjLIGHT_IMAGE = 3


class mjtLimited(_Named):
    mjLIMITED_FALSE = 0
    mjLIMITED_TRUE = 1
    mjLIMITED_AUTO = 2


class mjtLogLevel(_Named):
    mjLOG_DEBUG = 0
    mjLOG_INFO = 1
    mjLOG_WARNING = 2
    mjLOG_ERROR = 3


class mjtLogTopic(_Named):
    mjTOPIC_NONE = 0
    mjTOPIC_TIME_STP = 1
    mjTOPIC_TIME_CMP = 2
    mjTOPIC_SLEEP = 3
    mjNTOPIC = 3


class mjtMark(_Named):
    mjMARK_NONE = 0
    mjMARK_EDGE = 1
    mjMARK_CROSS = 2
    mjMARK_RANDOM = 3


class mjtMeshBuiltin(_Named):
    mjMESH_BUILTIN_NONE = 0
    mjMESH_BUILTIN_SPHERE = 1
    mjMESH_BUILTIN_HEMISPHERE = 2
    mjMESH_BUILTIN_CONE = 3
    mjMESH_BUILTIN_SUPERSPHERE = 4
    mjMESH_BUILTIN_SUPERTORUS = 5
    mjMESH_BUILTIN_WEDGE = 6
    mjMESH_BUILTIN_PLATE = 7


class mjtMeshInertia(_Named):
    mjMESH_INERTIA_CONVEX = 0
    mjMESH_INERTIA_EXACT = 1
    mjMESH_INERTIA_LEGACY = 2
    mjMESH_INERTIA_SHELL = 3


class mjtMouse(_Named):
    mjMOUSE_NONE = 0
    mjMOUSE_ROTATE_V = 1
    mjMOUSE_ROTATE_H = 2
    mjMOUSE_MOVE_V = 3
    mjMOUSE_MOVE_H = 4
    mjMOUSE_ZOOM = 5
    mjMOUSE_MOVE_V_REL = 6
    mjMOUSE_MOVE_H_REL = 7
    mjMOUSE_TURN_V = 8
    mjMOUSE_TURN_H = 9


class mjtObj(_Named):
    mjOBJ_UNKNOWN = 0
    mjOBJ_BODY = 1
    mjOBJ_XBODY = 2
    mjOBJ_JOINT = 3
    mjOBJ_DOF = 4
    mjOBJ_GEOM = 5
    mjOBJ_SITE = 6
    mjOBJ_CAMERA = 7
    mjOBJ_LIGHT = 8
    mjOBJ_FLEX = 9
    mjOBJ_MESH = 10
    mjOBJ_SKIN = 11
    mjOBJ_HFIELD = 12
    mjOBJ_TEXTURE = 13
    mjOBJ_MATERIAL = 14
    mjOBJ_PAIR = 15
    mjOBJ_EXCLUDE = 16
    mjOBJ_EQUALITY = 17
    mjOBJ_TENDON = 18
    mjOBJ_ACTUATOR = 19
    mjOBJ_SENSOR = 20
    mjOBJ_NUMERIC = 21
    mjOBJ_TEXT = 22
    mjOBJ_TUPLE = 23
    mjOBJ_KEY = 24
    mjOBJ_PLUGIN = 25
    mjNOBJECT = 26
    mjOBJ_FRAME = 100
    mjOBJ_DEFAULT = 101
    mjOBJ_MODEL = 102


class mjtOrientation(_Named):
    mjORIENTATION_QUAT = 0
    mjORIENTATION_AXISANGLE = 1
    mjORIENTATION_XYAXES = 2
    mjORIENTATION_ZAXIS = 3
    mjORIENTATION_EULER = 4


class mjtPertBit(_Named):
    mjPERT_TRANSLATE = 1
    mjPERT_ROTATE = 2


class mjtPluginCapabilityBit(_Named):
    mjPLUGIN_ACTUATOR = 1
    mjPLUGIN_SENSOR = 2
    mjPLUGIN_PASSIVE = 4
    mjPLUGIN_SDF = 8


class mjtProjection(_Named):
    mjPROJ_PERSPECTIVE = 0
    mjPROJ_ORTHOGRAPHIC = 1


class mjtRayDataField(_Named):
    mjRAYDATA_DIST = 0
    mjRAYDATA_DIR = 1
    mjRAYDATA_ORIGIN = 2
    mjRAYDATA_POINT = 3
    mjRAYDATA_NORMAL = 4
    mjRAYDATA_DEPTH = 5
    mjNRAYDATA = 6


class mjtRndFlag(_Named):
    mjRND_SHADOW = 0
    mjRND_WIREFRAME = 1
    mjRND_REFLECTION = 2
    mjRND_ADDITIVE = 3
    mjRND_SKYBOX = 4
    mjRND_FOG = 5
    mjRND_HAZE = 6
    mjRND_DEPTH = 7
    mjRND_SEGMENT = 8
    mjRND_IDCOLOR = 9
    mjRND_CULL_FACE = 10
    mjNRNDFLAG = 11


class mjtSDFType(_Named):
    mjSDFTYPE_SINGLE = 0
    mjSDFTYPE_INTERSECTION = 1
    mjSDFTYPE_MIDSURFACE = 2
    mjSDFTYPE_COLLISION = 3


class mjtSameFrame(_Named):
    mjSAMEFRAME_NONE = 0
    mjSAMEFRAME_BODY = 1
    mjSAMEFRAME_INERTIA = 2
    mjSAMEFRAME_BODYROT = 3
    mjSAMEFRAME_INERTIAROT = 4


class mjtSection(_Named):
    mjSECT_CLOSED = 0
    mjSECT_OPEN = 1
    mjSECT_FIXED = 2


class mjtSensor(_Named):
    mjSENS_TOUCH = 0
    mjSENS_ACCELEROMETER = 1
    mjSENS_VELOCIMETER = 2
    mjSENS_GYRO = 3
    mjSENS_FORCE = 4
    mjSENS_TORQUE = 5
    mjSENS_MAGNETOMETER = 6
    mjSENS_RANGEFINDER = 7
    mjSENS_CAMPROJECTION = 8
    mjSENS_JOINTPOS = 9
    mjSENS_JOINTVEL = 10
    mjSENS_TENDONPOS = 11
    mjSENS_TENDONVEL = 12
    mjSENS_ACTUATORPOS = 13
    mjSENS_ACTUATORVEL = 14
    mjSENS_ACTUATORFRC = 15
    mjSENS_JOINTACTFRC = 16
    mjSENS_TENDONACTFRC = 17
    mjSENS_BALLQUAT = 18
    mjSENS_BALLANGVEL = 19
    mjSENS_JOINTLIMITPOS = 20
    mjSENS_JOINTLIMITVEL = 21
    mjSENS_JOINTLIMITFRC = 22
    mjSENS_TENDONLIMITPOS = 23
    mjSENS_TENDONLIMITVEL = 24
    mjSENS_TENDONLIMITFRC = 25
    mjSENS_FRAMEPOS = 26
    mjSENS_FRAMEQUAT = 27
    mjSENS_FRAMEXAXIS = 28
    mjSENS_FRAMEYAXIS = 29
    mjSENS_FRAMEZAXIS = 30
    mjSENS_FRAMELINVEL = 31
    mjSENS_FRAMEANGVEL = 32
    mjSENS_FRAMELINACC = 33
    mjSENS_FRAMEANGACC = 34
    mjSENS_SUBTREECOM = 35
    mjSENS_SUBTREELINVEL = 36
    mjSENS_SUBTREEANGMOM = 37
    mjSENS_INSIDESITE = 38
    mjSENS_GEOMDIST = 39
    mjSENS_GEOMNORMAL = 40
    mjSENS_GEOMFROMTO = 41
    mjSENS_CONTACT = 42
    mjSENS_E_POTENTIAL = 43
    mjSENS_E_KINETIC = 44
    mjSENS_CLOCK = 45
    mjSENS_TACTILE = 46
    mjSENS_PLUGIN = 47
    mjSENS_USER = 48


class mjtSleepPolicy(_Named):
    mjSLEEP_AUTO = 0
    mjSLEEP_AUTO_NEVER = 1
    mjSLEEP_AUTO_ALLOWED = 2
    mjSLEEP_NEVER = 3
    mjSLEEP_ALLOWED = 4
    mjSLEEP_INIT = 5


class mjtSleepState(_Named):
    mjS_STATIC = -1
    mjS_ASLEEP = 0
    mjS_AWAKE = 1


class mjtSolver(_Named):
    mjSOL_PGS = 0
    mjSOL_CG = 1
    mjSOL_NEWTON = 2


class mjtStage(_Named):
    mjSTAGE_NONE = 0
    mjSTAGE_POS = 1
    mjSTAGE_VEL = 2
    mjSTAGE_ACC = 3


class mjtState(_Named):
    mjSTATE_TIME = 1
    mjSTATE_QPOS = 2
    mjSTATE_QVEL = 4
    mjSTATE_ACT = 8
    mjSTATE_HISTORY = 16
    mjSTATE_WARMSTART = 32
    mjSTATE_CTRL = 64
    mjSTATE_QFRC_APPLIED = 128
    mjSTATE_XFRC_APPLIED = 256
    mjSTATE_EQ_ACTIVE = 512
    mjSTATE_MOCAP_POS = 1024
    mjSTATE_MOCAP_QUAT = 2048
    mjSTATE_USERDATA = 4096
    mjSTATE_PLUGIN = 8192
    mjNSTATE = 14
    mjSTATE_PHYSICS = 30
    mjSTATE_FULLPHYSICS = 8223
    mjSTATE_USER = 8128
    mjSTATE_INTEGRATION = 16383


class mjtStereo(_Named):
    mjSTEREO_NONE = 0
    mjSTEREO_QUADBUFFERED = 1
    mjSTEREO_SIDEBYSIDE = 2


class mjtTexture(_Named):
    mjTEXTURE_2D = 0
    mjTEXTURE_CUBE = 1
    mjTEXTURE_SKYBOX = 2


class mjtTextureRole(_Named):
    mjTEXROLE_USER = 0
    mjTEXROLE_RGB = 1
    mjTEXROLE_OCCLUSION = 2
    mjTEXROLE_ROUGHNESS = 3
    mjTEXROLE_METALLIC = 4
    mjTEXROLE_NORMAL = 5
    mjTEXROLE_OPACITY = 6
    mjTEXROLE_EMISSIVE = 7
    mjTEXROLE_RGBA = 8
    mjTEXROLE_ORM = 9
    mjNTEXROLE = 10


class mjtTimer(_Named):
    mjTIMER_STEP = 0
    mjTIMER_FORWARD = 1
    mjTIMER_INVERSE = 2
    mjTIMER_POSITION = 3
    mjTIMER_VELOCITY = 4
    mjTIMER_ACTUATION = 5
    mjTIMER_CONSTRAINT = 6
    mjTIMER_ADVANCE = 7
    mjTIMER_POS_KINEMATICS = 8
    mjTIMER_POS_INERTIA = 9
    mjTIMER_POS_COLLISION = 10
    mjTIMER_POS_MAKE = 11
    mjTIMER_POS_PROJECT = 12
    mjTIMER_COL_BROAD = 13
    mjTIMER_COL_NARROW = 14
    mjNTIMER = 15


class mjtTrn(_Named):
    mjTRN_JOINT = 0
    mjTRN_JOINTINPARENT = 1
    mjTRN_SLIDERCRANK = 2
    mjTRN_TENDON = 3
    mjTRN_SITE = 4
    mjTRN_BODY = 5
    mjTRN_SO3 = 6
    mjTRN_UNDEFINED = 1000


class mjtVisFlag(_Named):
    mjVIS_CONVEXHULL = 0
    mjVIS_TEXTURE = 1
    mjVIS_JOINT = 2
    mjVIS_CAMERA = 3
    mjVIS_ACTUATOR = 4
    mjVIS_ACTIVATION = 5
    mjVIS_LIGHT = 6
    mjVIS_TENDON = 7
    mjVIS_RANGEFINDER = 8
    mjVIS_CONSTRAINT = 9
    mjVIS_INERTIA = 10
    mjVIS_SCLINERTIA = 11
    mjVIS_PERTFORCE = 12
    mjVIS_PERTOBJ = 13
    mjVIS_CONTACTPOINT = 14
    mjVIS_ISLAND = 15
    mjVIS_CONTACTFORCE = 16
    mjVIS_CONTACTSPLIT = 17
    mjVIS_TRANSPARENT = 18
    mjVIS_AUTOCONNECT = 19
    mjVIS_COM = 20
    mjVIS_SELECT = 21
    mjVIS_STATIC = 22
    mjVIS_SKIN = 23
    mjVIS_FLEXVERT = 24
    mjVIS_FLEXEDGE = 25
    mjVIS_FLEXFACE = 26
    mjVIS_FLEXSKIN = 27
    mjVIS_BODYBVH = 28
    mjVIS_MESHBVH = 29
    mjVIS_SDFITER = 30
    mjNVISFLAG = 31


class mjtWarning(_Named):
    mjWARN_INERTIA = 0
    mjWARN_CONTACTFULL = 1
    mjWARN_CNSTRFULL = 2
    mjWARN_BADQPOS = 3
    mjWARN_BADQVEL = 4
    mjWARN_BADQACC = 5
    mjWARN_BADCTRL = 6
    mjNWARNING = 7


class mjtWrap(_Named):
    mjWRAP_NONE = 0
    mjWRAP_JOINT = 1
    mjWRAP_PULLEY = 2
    mjWRAP_SITE = 3
    mjWRAP_SPHERE = 4
    mjWRAP_CYLINDER = 5


mjDISABLESTRING = ('Constraint', 'Equality', 'Frictionloss', 'Limit', 'Contact', 'Spring', 'Damper', 'Gravity', 'Clampctrl', 'Warmstart', 'Filterparent', 'Actuation', 'Refsafe', 'Sensor', 'Midphase', 'Eulerdamp', 'AutoReset', 'NativeCCD', 'Island', 'MultiCCD')
mjENABLESTRING = ('Override', 'Energy', 'Fwdinv', 'InvDiscrete', 'Sleep', 'DiagExact')
mjFRAMESTRING = ('None', 'Body', 'Geom', 'Site', 'Camera', 'Light', 'Contact', 'World')
mjLABELSTRING = ('None', 'Body', 'Joint', 'Geom', 'Site', 'Camera', 'Light', 'Tendon', 'Actuator', 'Constraint', 'Flex', 'Skin', 'Selection', 'SelPoint', 'Contact', 'ContactForce', 'Island')
mjMAXCONPAIR = 50
mjMAXFLEXNODES = 27
mjMAXIMP = 0.9999
mjMAXLIGHT = 100
mjMAXLINE = 100
mjMAXLINEPNT = 1001
mjMAXOVERLAY = 500
mjMAXPLANEGRID = 200
mjMAXTREEDEPTH = 50
mjMAXVAL = 10000000000.0
mjMINAWAKE = 10
mjMINIMP = 0.0001
mjMINMU = 1e-05
mjMINVAL = 1e-15
mjNBIAS = 10
mjNDYN = 10
mjNEQDATA = 11
mjNFLUID = 12
mjNGAIN = 10
mjNGROUP = 6
mjNIMP = 5
mjNISLAND = 20
mjNPOLY = 2
mjNREF = 2
mjNSENS = 3
mjNSOLVER = 200
mjPI = 3.141592653589793
mjRNDSTRING = (('Shadow', '1', 'S'), ('Wireframe', '0', 'W'), ('Reflection', '1', 'R'), ('Additive', '0', 'L'), ('Skybox', '1', 'K'), ('Fog', '0', 'G'), ('Haze', '1', '/'), ('Depth', '0', ''), ('Segment', '0', ','), ('Id Color', '0', ''), ('Cull Face', '1', ''))
mjTIMERSTRING = ('step', 'forward', 'inverse', 'position', 'velocity', 'actuation', 'constraint', 'advance', 'pos_kinematics', 'pos_inertia', 'pos_collision', 'pos_make', 'pos_project', 'col_broadphase', 'col_narrowphase')
mjVERSION_HEADER = 3012000
mjVISSTRING = (('Convex Hull', '0', 'H'), ('Texture', '1', 'X'), ('Joint', '0', 'J'), ('Camera', '0', 'Q'), ('Actuator', '0', 'U'), ('Activation', '0', ','), ('Light', '0', 'Z'), ('Tendon', '1', 'V'), ('Range Finder', '1', 'Y'), ('Equality', '0', 'E'), ('Inertia', '0', 'I'), ('Scale Inertia', '0', "'"), ('Perturb Force', '0', 'B'), ('Perturb Object', '1', 'O'), ('Contact Point', '0', 'C'), ('Island', '0', 'N'), ('Contact Force', '0', 'F'), ('Contact Split', '0', 'P'), ('Transparent', '0', 'T'), ('Auto Connect', '0', 'A'), ('Center of Mass', '0', 'M'), ('Select Point', '0', ''), ('Static Body', '1', 'D'), ('Skin', '1', ';'), ('Flex Vert', '0', ''), ('Flex Edge', '1', ''), ('Flex Face', '0', ''), ('Flex Skin', '1', ''), ('Body Tree', '0', '`'), ('Mesh Tree', '0', '\\'), ('SDF iters', '0', ''))

# every public name, so that a missing one is told apart from a misspelt one
NAMES = frozenset(
    'Any FatalError GLContext HEADERS_DIR IO MJTNUM_BYTES MJTNUM_DTYPE MjByteVec MjCharVec MjContact MjData MjDoubleVec MjFloatVec MjIntVec MjLROpt MjLogConfig MjLogMessage MjModel MjOption MjPreContact MjSolverStat MjSpec MjStatistic MjStringVec MjStruct MjTimerStat MjVfs MjVisual MjVisualHeadlight MjVisualRgba MjWarningStat MjrContext MjrRect MjrRendererInfo MjrVertexAttribute MjsActuator MjsAuthored MjsBody MjsCamera MjsCompiler MjsDefault MjsElement MjsEquality MjsExclude MjsFlex MjsFrame MjsGeom MjsHField MjsJoint MjsKey MjsLight MjsMaterial MjsMesh MjsNumeric MjsOrientation MjsPair MjsPlugin MjsSensor MjsSite MjsSkin MjsTendon MjsTendonPath MjsText MjsTexture MjsTuple MjsWrap MjvCamera MjvFigure MjvGLCamera MjvGeom MjvLight MjvOption MjvPerturb MjvScene PLUGINS_DIR PLUGIN_HANDLES Renderer Sequence TypeAlias UnexpectedError Union ctypes from_zip get_mjcb_act_bias get_mjcb_act_dyn get_mjcb_act_gain get_mjcb_contactfilter get_mjcb_control get_mjcb_passive get_mjcb_sensor get_mjcb_time get_mju_user_free get_mju_user_malloc get_mju_user_warning glfw mjDISABLESTRING mjENABLESTRING mjFRAMESTRING mjLABELSTRING mjMAXCONPAIR mjMAXFLEXNODES mjMAXIMP mjMAXLIGHT mjMAXLINE mjMAXLINEPNT mjMAXOVERLAY mjMAXPLANEGRID mjMAXTREEDEPTH mjMAXVAL mjMINAWAKE mjMINIMP mjMINMU mjMINVAL mjNBIAS mjNDYN mjNEQDATA mjNFLUID mjNGAIN mjNGROUP mjNIMP mjNISLAND mjNPOLY mjNREF mjNSENS mjNSOLVER mjPI mjRNDSTRING mjTIMERSTRING mjVERSION_HEADER mjVISSTRING mj_Euler mj_RungeKutta mj_actuatorInputName mj_addContact mj_addM mj_angmomMat mj_applyFT mj_camlight mj_checkAcc mj_checkPos mj_checkVel mj_clearCache mj_collision mj_comPos mj_comVel mj_compareFwdInv mj_constraintUpdate mj_contactForce mj_copyData mj_copyState mj_crb mj_defaultLROpt mj_defaultOption mj_defaultSolRefImp mj_defaultVisual mj_differentiatePos mj_energyPos mj_energyVel mj_extractState mj_factorM mj_flex mj_forward mj_forwardSkip mj_fullM mj_fwdAcceleration mj_fwdActuation mj_fwdConstraint mj_fwdKinematics mj_fwdPosition mj_fwdVelocity mj_geomDistance mj_getCache mj_getCacheCapacity mj_getCacheSize mj_getState mj_getTotalmass mj_id2name mj_implicit mj_initCtrlHistory mj_initSensorHistory mj_integratePos mj_invConstraint mj_invPosition mj_invVelocity mj_inverse mj_inverseSkip mj_isDual mj_isPyramidal mj_isSparse mj_island mj_jac mj_jacBody mj_jacBodyCom mj_jacDot mj_jacGeom mj_jacPointAxis mj_jacSite mj_jacSubtreeCom mj_kinematics mj_loadAllPluginLibraries mj_loadPluginLibrary mj_local2Global mj_makeConstraint mj_makeM mj_maxContact mj_mulJacTVec mj_mulJacVec mj_mulM mj_mulM2 mj_multiRay mj_name2id mj_normalizeQuat mj_objectAcceleration mj_objectVelocity mj_passive mj_printData mj_printFormattedData mj_printFormattedModel mj_printFormattedScene mj_printModel mj_printScene mj_printSchema mj_projectConstraint mj_ray mj_rayFlex mj_rayHfield mj_rayMesh mj_readCtrl mj_readSensor mj_referenceConstraint mj_resetCallbacks mj_resetCtrl mj_resetData mj_resetDataDebug mj_resetDataKeyframe mj_rne mj_rnePostConstraint mj_saveLastXML mj_saveModel mj_sensorAcc mj_sensorPos mj_sensorVel mj_setCacheCapacity mj_setConst mj_setKeyframe mj_setLengthRange mj_setState mj_setTotalmass mj_sizeModel mj_solveM mj_solveM2 mj_stateSize mj_step mj_step1 mj_step2 mj_subtreeVel mj_tendon mj_transmission mj_version mj_versionString mjd_inverseFD mjd_quatIntegrate mjd_subQuat mjd_transitionFD mjrIndexType mjrMeshPrimitiveType mjrPixelFormat mjrVertexAttributeType mjrVertexAttributeUsage mjr_addAux mjr_blitAux mjr_blitBuffer mjr_changeFont mjr_defaultRendererInfo mjr_drawPixels mjr_figure mjr_findRect mjr_finish mjr_getError mjr_getRendererInfo mjr_label mjr_maxViewport mjr_overlay mjr_readPixels mjr_rectangle mjr_render mjr_resizeOffscreen mjr_restoreBuffer mjr_setAux mjr_setBuffer mjr_text mjr_uploadHField mjr_uploadMesh mjr_uploadTexture mjtAlignFree mjtBias mjtBuiltin mjtButton mjtCTimer mjtCamLight mjtCamOutBit mjtCamera mjtCatBit mjtColorSpace mjtConDataField mjtCone mjtConflict mjtConstraint mjtConstraintState mjtCtrlChart mjtCtrlInput mjtDataType mjtDepthMap mjtDisableBit mjtDyn mjtEnableBit mjtEq mjtEvent mjtFlexSelf mjtFont mjtFontScale mjtFrame mjtFramebuffer mjtGain mjtGeom mjtGeomInertia mjtGridPos mjtInertiaFromGeom mjtIntegrator mjtItem mjtJacobian mjtJoint mjtLRMode mjtLabel mjtLightType mjtLimited mjtLogLevel mjtLogTopic mjtMark mjtMeshBuiltin mjtMeshInertia mjtMouse mjtObj mjtOrientation mjtPertBit mjtPluginCapabilityBit mjtProjection mjtRayDataField mjtRndFlag mjtSDFType mjtSameFrame mjtSection mjtSensor mjtSleepPolicy mjtSleepState mjtSolver mjtStage mjtState mjtStereo mjtTexture mjtTextureRole mjtTimer mjtTrn mjtVisFlag mjtWarning mjtWrap mju_Halton mju_L1 mju_add mju_add3 mju_addScl mju_addScl3 mju_addTo mju_addTo3 mju_addToScl mju_addToScl3 mju_axisAngle2Quat mju_band2Dense mju_bandDiag mju_bandMulMatVec mju_boxQP mju_cholFactor mju_cholFactorBand mju_cholSolve mju_cholSolveBand mju_cholUpdate mju_clip mju_copy mju_copy3 mju_copy4 mju_cross mju_d2n mju_decodePyramid mju_dense2Band mju_dense2sparse mju_derivQuat mju_dist3 mju_dot mju_dot3 mju_eig3 mju_encodePyramid mju_euler2Quat mju_eye mju_f2n mju_fill mju_getXMLDependencies mju_insertionSort mju_insertionSortInt mju_isBad mju_isZero mju_mat2Quat mju_mat2Rot mju_max mju_min mju_mulMatMat mju_mulMatMatT mju_mulMatTMat mju_mulMatTVec mju_mulMatTVec3 mju_mulMatVec mju_mulMatVec3 mju_mulPose mju_mulQuat mju_mulQuatAxis mju_mulVecMatVec mju_muscleBias mju_muscleDynamics mju_muscleGain mju_n2d mju_n2f mju_negPose mju_negQuat mju_norm mju_norm3 mju_normalize mju_normalize3 mju_normalize4 mju_printMat mju_printMatSparse mju_quat2Mat mju_quat2Vel mju_quatIntegrate mju_quatZ2Vec mju_rayGeom mju_raySkin mju_rotVecQuat mju_round mju_scl mju_scl3 mju_sigmoid mju_sign mju_sparse2dense mju_springDamper mju_sqrMatTD mju_standardNormal mju_str2Type mju_sub mju_sub3 mju_subFrom mju_subFrom3 mju_subQuat mju_sum mju_sym2dense mju_symmetrize mju_threadpool mju_transformSpatial mju_transpose mju_trnVecPose mju_type2Str mju_unit4 mju_warningText mju_writeLog mju_writeNumBytes mju_zero mju_zero3 mju_zero4 mjv_addGeoms mjv_alignToCamera mjv_applyPerturbForce mjv_applyPerturbPose mjv_averageCamera mjv_camera2GLCamera mjv_cameraFrame mjv_cameraFrustum mjv_cameraInModel mjv_cameraInRoom mjv_connector mjv_defaultCamera mjv_defaultFigure mjv_defaultFreeCamera mjv_defaultOption mjv_defaultPerturb mjv_frustumHeight mjv_initGeom mjv_initPerturb mjv_makeLights mjv_model2room mjv_moveCamera mjv_moveModel mjv_movePerturb mjv_room2model mjv_select mjv_updateCamera mjv_updateScene mjv_updateSkin np os platform rendering set_mjcb_act_bias set_mjcb_act_dyn set_mjcb_act_gain set_mjcb_contactfilter set_mjcb_control set_mjcb_passive set_mjcb_sensor set_mjcb_time set_mju_user_free set_mju_user_malloc set_mju_user_warning subprocess to_zip warnings zipfile'.split()
)
MODEL_NAMES = frozenset(
    'B_colind B_rowadr B_rownnz D_colind D_diag D_rowadr D_rownnz M_colind M_rowadr M_rownnz actuator actuator_acc0 actuator_actadr actuator_actearly actuator_actlimited actuator_actnum actuator_actrange actuator_armature actuator_biasprm actuator_biastype actuator_cranklength actuator_ctrladr actuator_ctrllimited actuator_ctrlnum actuator_ctrlrange actuator_ctrlspec actuator_damping actuator_dampingpoly actuator_delay actuator_dynprm actuator_dyntype actuator_forcelimited actuator_forcerange actuator_gainprm actuator_gaintype actuator_gear actuator_group actuator_history actuator_historyadr actuator_length0 actuator_lengthrange actuator_outadr actuator_outnum actuator_plugin actuator_trnid actuator_trntype actuator_user bind bind_scalar body body_bvhadr body_bvhnum body_conaffinity body_contype body_dofadr body_dofnum body_geomadr body_geomnum body_gravcomp body_inertia body_invweight0 body_ipos body_iquat body_jntadr body_jntnum body_margin body_mass body_mocapid body_parentid body_plugin body_pos body_quat body_rootid body_sameframe body_simple body_subtreemass body_treeid body_user body_weldid bvh_aabb bvh_child bvh_depth bvh_nodeid cam cam_bodyid cam_fovy cam_intrinsic cam_ipd cam_mat0 cam_mode cam_output cam_pos cam_pos0 cam_poscom0 cam_projection cam_quat cam_resolution cam_sensorsize cam_targetbodyid cam_user camera dof_M0 dof_Madr dof_armature dof_bodyid dof_damping dof_dampingpoly dof_frictionloss dof_invweight0 dof_jntid dof_length dof_parentid dof_simplenum dof_solimp dof_solref dof_treeid efm0_L efm0_L_colind efm0_L_rowadr efm0_L_rownnz efm0_dofid eq eq_active0 eq_data eq_obj1id eq_obj2id eq_objtype eq_solimp eq_solref eq_type equality exclude exclude_signature flex_activelayers flex_bending flex_bendingadr flex_bvhadr flex_bvhnum flex_cellnum flex_centered flex_conaffinity flex_condim flex_contype flex_damping flex_dim flex_edge flex_edgeadr flex_edgedamping flex_edgeequality flex_edgeflap flex_edgenum flex_edgestiffness flex_elem flex_elemadr flex_elemdataadr flex_elemedge flex_elemedgeadr flex_elemlayer flex_elemnum flex_elemtexcoord flex_evpair flex_evpairadr flex_evpairnum flex_flatskin flex_friction flex_gap flex_group flex_internal flex_interp flex_margin flex_matid flex_node flex_node0 flex_nodeadr flex_nodebodyid flex_nodenum flex_passive flex_priority flex_radius flex_rgba flex_rigid flex_selfcollide flex_shell flex_shelldataadr flex_shellnum flex_size flex_solimp flex_solmix flex_solref flex_stiffness flex_stiffnessadr flex_texcoord flex_texcoordadr flex_vert flex_vert0 flex_vertadr flex_vertbodyid flex_vertedge flex_vertedgeadr flex_vertedgenum flex_vertmetric flex_vertnum flexedge_J_colind flexedge_J_rowadr flexedge_J_rownnz flexedge_invweight0 flexedge_length0 flexedge_rigid flexvert_J_colind flexvert_J_rowadr flexvert_J_rownnz flg_adhesion flg_gravcomp flg_surfacevel from_binary_path from_xml_path from_xml_string geom geom_aabb geom_adhesion geom_bodyid geom_conaffinity geom_condim geom_contype geom_dataid geom_fluid geom_friction geom_gap geom_group geom_margin geom_matid geom_plugin geom_pos geom_priority geom_quat geom_rbound geom_rgba geom_sameframe geom_size geom_solimp geom_solmix geom_solref geom_surfacevel geom_type geom_user hfield hfield_adr hfield_data hfield_ncol hfield_nrow hfield_pathadr hfield_size jnt jnt_actfrclimited jnt_actfrcrange jnt_actgravcomp jnt_actuatorid jnt_axis jnt_bodyid jnt_dofadr jnt_group jnt_limited jnt_margin jnt_pos jnt_qposadr jnt_range jnt_solimp jnt_solref jnt_stiffness jnt_stiffnesspoly jnt_type jnt_user joint key key_act key_ctrl key_mpos key_mquat key_qpos key_qvel key_time keyframe light light_active light_ambient light_attenuation light_bodyid light_bulbradius light_castshadow light_cutoff light_diffuse light_dir light_dir0 light_exponent light_intensity light_mode light_pos light_pos0 light_poscom0 light_range light_softness light_specular light_targetbodyid light_texid light_type mapD2M mapM2D mapM2M mat mat_emission mat_metallic mat_reflectance mat_rgba mat_roughness mat_shininess mat_specular mat_texid mat_texrepeat mat_texuniform material mesh mesh_bvhadr mesh_bvhnum mesh_extrema mesh_face mesh_faceadr mesh_facenormal mesh_facenum mesh_facetexcoord mesh_graph mesh_graphadr mesh_normal mesh_normaladr mesh_normalnum mesh_octadr mesh_octnum mesh_pathadr mesh_polyadr mesh_polymap mesh_polymapadr mesh_polymapnum mesh_polynormal mesh_polynum mesh_polyvert mesh_polyvertadr mesh_polyvertnum mesh_pos mesh_quat mesh_scale mesh_texcoord mesh_texcoordadr mesh_texcoordnum mesh_vert mesh_vertadr mesh_vertnum nB nC nD nJfe nJfv nJmom nJten nM na nactuator name_actuatoradr name_bodyadr name_camadr name_eqadr name_excludeadr name_flexadr name_geomadr name_hfieldadr name_jntadr name_keyadr name_lightadr name_matadr name_meshadr name_numericadr name_pairadr name_pluginadr name_sensoradr name_siteadr name_skinadr name_tendonadr name_texadr name_textadr name_tupleadr names names_map narena nbody nbuffer nbvh nbvhdynamic nbvhstatic ncam nconmax nefm0L nefm0dof nemax neq nexclude nflex nflexbending nflexedge nflexelem nflexelemdata nflexelemedge nflexevpair nflexnode nflexshelldata nflexstiffness nflextexcoord nflexvert ngeom ngravcomp nhfield nhfielddata nhistory njmax njnt nkey nlight nmat nmesh nmeshdegmax nmeshface nmeshgraph nmeshnormal nmeshpoly nmeshpolymap nmeshpolyvert nmeshtexcoord nmeshvert nmocap nnames nnames_map nnumeric nnumericdata noct nout npair npaths nplugin npluginattr npluginstate npolygonmax nq nsensor nsensordata nsite nskin nskinbone nskinbonevert nskinface nskintexvert nskinvert ntendon ntex ntexdata ntext ntextdata ntree ntuple ntupledata nu numeric numeric_adr numeric_data numeric_size nuser_actuator nuser_body nuser_cam nuser_geom nuser_jnt nuser_sensor nuser_site nuser_tendon nuserdata nv nwrap oct_aabb oct_child oct_coeff oct_depth opt pair pair_adhesion pair_dim pair_friction pair_gap pair_geom1 pair_geom2 pair_margin pair_signature pair_solimp pair_solref pair_solreffriction paths plugin plugin_attr plugin_attradr plugin_stateadr plugin_statenum qpos0 qpos_spring sensor sensor_adr sensor_cutoff sensor_datatype sensor_delay sensor_dim sensor_history sensor_historyadr sensor_interval sensor_intprm sensor_needstage sensor_noise sensor_objid sensor_objtype sensor_plugin sensor_refid sensor_reftype sensor_type sensor_user signature site site_bodyid site_group site_matid site_pos site_quat site_rgba site_sameframe site_size site_type site_user skin skin_boneadr skin_bonebindpos skin_bonebindquat skin_bonebodyid skin_bonenum skin_bonevertadr skin_bonevertid skin_bonevertnum skin_bonevertweight skin_face skin_faceadr skin_facenum skin_group skin_inflate skin_matid skin_pathadr skin_rgba skin_texcoord skin_texcoordadr skin_vert skin_vertadr skin_vertnum stat ten_J_colind ten_J_rowadr ten_J_rownnz tendon tendon_actfrclimited tendon_actfrcrange tendon_actuatorid tendon_adr tendon_armature tendon_damping tendon_dampingpoly tendon_frictionloss tendon_group tendon_invweight0 tendon_length0 tendon_lengthspring tendon_limited tendon_margin tendon_matid tendon_num tendon_range tendon_rgba tendon_solimp_fri tendon_solimp_lim tendon_solref_fri tendon_solref_lim tendon_stiffness tendon_stiffnesspoly tendon_treeid tendon_treenum tendon_user tendon_width tex tex_adr tex_colorspace tex_data tex_height tex_nchannel tex_pathadr tex_type tex_width text_adr text_data text_size texture tree_bodyadr tree_bodynum tree_dofadr tree_dofnum tree_sleep_policy tuple tuple_adr tuple_objid tuple_objprm tuple_objtype tuple_size vis wrap_objid wrap_prm wrap_type'.split()
)
DATA_NAMES = frozenset(
    'M act act_dot actuator actuator_force actuator_length actuator_moment actuator_velocity bind bind_scalar body body_awake body_awake_ind bvh_aabb_dyn bvh_active cacc cam cam_xmat cam_xpos camera cdof cdof_dot cfrc_ext cfrc_int cinert contact crb ctrl cvel dof_awake_ind dof_island efc_AR efc_AR_colind efc_AR_rowadr efc_AR_rownnz efc_D efc_J efc_J_colind efc_J_rowadr efc_J_rownnz efc_J_rowsuper efc_KBIP efc_R efc_Y efc_Y_colind efc_Y_rowadr efc_Y_rownnz efc_aref efc_b efc_diagA efc_force efc_frictionloss efc_id efc_island efc_margin efc_pos efc_state efc_type efc_vel efm_K_colind efm_K_rowadr efm_K_rownnz efm_K_val efm_L efm_active efm_c efm_dofid energy eq_active flexedge_J flexedge_length flexedge_velocity flexelem_aabb flexelem_krot flexvert_J flexvert_length flexvert_xpos flg_energypos flg_energyvel flg_rnepost flg_subtreevel geom geom_xmat geom_xpos history iacc iacc_smooth iefc_D iefc_R iefc_aref iefc_force iefc_frictionloss iefc_id iefc_state iefc_type ifrc_constraint ifrc_smooth island_dofadr island_idofadr island_iefcadr island_itreeadr island_ne island_nefc island_nf island_ntree island_nv jnt joint light light_xdir light_xpos map_dof2idof map_efc2iefc map_idof2dof map_iefc2efc map_itree2tree maxuse_arena maxuse_con maxuse_efc maxuse_stack mocap_pos mocap_quat model moment_colind moment_rowadr moment_rownnz nA nJ nY narena nbody_awake nbuffer ncon ne nefc nefmK nefmL nefmdof nf nidof nisland nl nparent_awake nplugin ntree_awake nv_awake parena parent_awake_ind pbase plugin plugin_data plugin_state pstack qDeriv qH qHDiagInv qLD qLDiagInv qLU qacc qacc_smooth qacc_warmstart qfrc_actuator qfrc_adhesion qfrc_applied qfrc_bias qfrc_constraint qfrc_damper qfrc_fluid qfrc_gravcomp qfrc_inverse qfrc_passive qfrc_smooth qfrc_spring qpos qvel sensor sensordata signature site site_xmat site_xpos solver solver_fwdinv solver_niter solver_nnz subtree_angmom subtree_com subtree_linvel ten ten_J ten_length ten_velocity ten_wrapadr ten_wrapnum tendon tendon_efcadr threadpool time timer tree_asleep tree_awake tree_island userdata warning wrap_obj wrap_xpos xanchor xaxis xfrc_applied ximat xipos xmat xpos xquat'.split()
)
