// The messages of the server: src/view/wire.cpp writes them, docs/viewer.md describes them.

export type BlobRef = [offset: number, count: number];

export interface Texture { name: string; type: number; png: BlobRef[] }
export interface Material {
  name: string; rgba: number[]; texture: number; texrepeat: number[]; texuniform: boolean; emission: number;
  specular: number; shininess: number; reflectance: number; metallic: number; roughness: number;
}
export interface Instance {
  site: boolean; id: number; name: string; body: number; group: number; shape: number; size: number[]; mesh: number;
  material: number; rgba: number[]; map: number; texscale: number[]; pos: number[]; quat: number[];
}
export interface Light {
  name: string; type: number; active: boolean; castshadow: boolean; attenuation: number[]; cutoff: number;
  exponent: number; ambient: number[]; diffuse: number[]; specular: number[];
}
export interface CameraInfo {
  name: string; orthographic: boolean; fovy: number; sensorsize: number[]; intrinsic: number[]; resolution: number[];
}
export interface Flex {
  name: string; group: number; dim: number; material: number; rgba: number[]; map: number; radius: number;
  flat: boolean; vertadr: number; vertnum: number; elemadr: number; young: number; poisson: number; damping: number;
  edgestiffness: number; edgedamping: number; friction: number[]; source: BlobRef; offset: BlobRef; uv: BlobRef;
  indices: BlobRef; lines: BlobRef; element: BlobRef; surfaceTriangles: number; rimTriangle: number;
}
export interface Skin {
  name: string; group: number; material: number; rgba: number[]; map: number; vertexAdr: number; vertexNum: number;
  uv: BlobRef; indices: BlobRef;
}
export interface Joint {
  name: string; body: number; type: number; qpos: number; dof: number; group: number; limited: boolean;
  range: number[]; stiffness: number; damping: number; frictionloss: number;
}
export interface Actuator { name: string; ctrl: number; group: number; limited: boolean; range: number[] }
export interface ArrayInfo { name: string; rows: number; cols: number; of: string; doc: string }

export interface SceneInfo {
  version: number; sinew: string; id: string; mode: 'live' | 'passive' | 'replay'; file: string; warnings: string[];
  panels?: { left: boolean; right: boolean };
  name: string; extent: number; meansize: number; center: number[]; timestep: number; mass: number; flexmass: number;
  sizes: Record<string, number>; moving: number[]; poses: BlobRef; places: BlobRef;
  bodies: { name: string; parent: number; mass: number }[];
  textures: Texture[]; materials: Material[];
  meshes: { positions: BlobRef; normals: BlobRef; uv: BlobRef; indices: BlobRef }[];
  instances: Instance[]; lights: Light[]; cameras: CameraInfo[];
  tendons: { name: string; group: number; rgba: number[]; radius: number }[];
  flexes: Flex[]; skins: Skin[]; skybox: number; visual: Record<string, any>;
  joints: Joint[]; actuators: Actuator[]; sensors: { name: string; adr: number; dim: number }[];
  keys: string[]; equalities: string[];
  geoms: { name: string; friction: number[]; collides: boolean }[];
  arrays: ArrayInfo[]; scalars: string[]; options: Record<string, any>; optionDocs: Record<string, string>;
  provenance?: Record<string, any>;
  blob: ArrayBuffer; base: number;
}

export interface Contacts { total: number; count: number; values: Float32Array }  // kContactFloats numbers each
export const kContactFloats = 13;

export interface Heat { kind: number; low: number; high: number; values: Float32Array }  // values: 0..1

export interface FrameData {
  step: number; time: number;
  paused: boolean; diverged: boolean; bad: boolean; scrubbing: boolean;
  speed: number; realTime: number;
  historyStart: number; historyEnd: number; historyCount: number; historyIndex: number;
  hash: string;
  bodies: Float32Array | null;
  flexes: Float32Array | null;
  skins: Float32Array | null;
  places: Float32Array | null;
  tendons: { adr: Uint32Array; segments: Float32Array } | null;
  contacts: Contacts | null;
  heat: Heat[];
  scalars: Float64Array | null;
  watch: { version: number; values: Float64Array } | null;
  ctrl: Float32Array | null;
  qpos: Float32Array | null;
  active: Uint8Array | null;
  drag: Float32Array | null;
  decorations: Float32Array | null;
  geoms: { values: Float32Array; labels: string[] } | null;  // of the program; kDecorationFloats numbers each
  looks: Float32Array | null;                                // kLookFloats numbers per instance that was changed
}

export const kDecorationFloats = 15;
export const kLookFloats = 9;  // index, group, rgba, size

const kSceneMagic = 0x53574e53;
const kFrameMagic = 0x46574e53;

export const isScene = (b: ArrayBuffer) => b.byteLength > 8 && new DataView(b).getUint32(0, true) === kSceneMagic;
export const isFrame = (b: ArrayBuffer) => b.byteLength > 32 && new DataView(b).getUint32(0, true) === kFrameMagic;

export function decodeScene(bytes: ArrayBuffer): SceneInfo {
  const view = new DataView(bytes);
  if (view.getUint32(0, true) !== kSceneMagic) throw new Error('this is no scene');
  const length = view.getUint32(4, true);
  const scene = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 8, length))) as SceneInfo;
  if (scene.version !== 1) throw new Error(`the page reads version 1, the server writes ${scene.version}; reload the page`);
  scene.blob = bytes;
  scene.base = Math.ceil((8 + length) / 8) * 8;
  return scene;
}

export const floats = (s: SceneInfo, r: BlobRef) => new Float32Array(s.blob, s.base + r[0], r[1]);
export const ints = (s: SceneInfo, r: BlobRef) => new Int32Array(s.blob, s.base + r[0], r[1]);
export const uints = (s: SceneInfo, r: BlobRef) => new Uint32Array(s.blob, s.base + r[0], r[1]);
export const raw = (s: SceneInfo, r: BlobRef) => new Uint8Array(s.blob, s.base + r[0], r[1]);

export function emptyFrame(): FrameData {
  return {
    step: 0, time: 0, paused: true, diverged: false, bad: false, scrubbing: false, speed: 1, realTime: 0,
    historyStart: 0, historyEnd: 0, historyCount: 0, historyIndex: 0, hash: '', bodies: null, flexes: null, skins: null,
    places: null, tendons: null, contacts: null, heat: [], scalars: null, watch: null, ctrl: null, qpos: null,
    active: null, drag: null, decorations: null, geoms: null, looks: null,
  };
}

function unquantize(box: Float32Array, q: Uint16Array, out: Float32Array, at: number) {
  for (let k = 0; k < 3; ++k) {
    const low = box[k], scale = (box[3 + k] - low) / 65535;
    for (let i = k; i < q.length; i += 3) out[at + i] = low + q[i] * scale;
  }
}

export function decodeFrame(bytes: ArrayBuffer, scene: SceneInfo): FrameData {
  const view = new DataView(bytes);
  const frame = emptyFrame();
  const blocks = view.getUint16(6, true);
  frame.step = Number(view.getBigUint64(16, true));
  frame.time = view.getFloat64(24, true);
  let at = 32;
  for (let b = 0; b < blocks; ++b) {
    const tag = view.getUint16(at, true), flags = view.getUint16(at + 2, true), n = view.getUint32(at + 4, true);
    const p = at + 8;
    at = Math.ceil((p + n) / 8) * 8;
    switch (tag) {
      case 1: {
        frame.speed = view.getFloat64(p, true);
        frame.realTime = view.getFloat64(p + 8, true);
        frame.historyStart = view.getFloat64(p + 16, true);
        frame.historyEnd = view.getFloat64(p + 24, true);
        const hash = view.getBigUint64(p + 32, true);
        frame.hash = hash ? hash.toString(16).padStart(16, '0') : '';
        const f = view.getUint32(p + 40, true);
        frame.paused = (f & 1) !== 0;
        frame.diverged = (f & 2) !== 0;
        frame.bad = (f & 4) !== 0;
        frame.scrubbing = (f & 8) !== 0;
        frame.historyCount = view.getUint32(p + 44, true);
        frame.historyIndex = view.getUint32(p + 48, true);
        break;
      }
      case 2: frame.bodies = new Float32Array(bytes, p, n / 4); break;
      case 3: {
        const nf = scene.flexes.length, total = scene.sizes.nflexvert;
        const boxes = new Float32Array(bytes, p, 6 * nf), q = new Uint16Array(bytes, p + 24 * nf, 3 * total);
        frame.flexes = new Float32Array(3 * total);
        scene.flexes.forEach((f, i) => unquantize(boxes.subarray(6 * i, 6 * i + 6),
          q.subarray(3 * f.vertadr, 3 * (f.vertadr + f.vertnum)), frame.flexes!, 3 * f.vertadr));
        break;
      }
      case 4:
        frame.contacts = { total: view.getUint32(p, true), count: view.getUint32(p + 4, true),
          values: new Float32Array(bytes, p + 8, (n - 8) / 4) };
        break;
      case 5: {
        const nt = scene.tendons.length + 1;
        frame.tendons = { adr: new Uint32Array(bytes, p, nt), segments: new Float32Array(bytes, p + 4 * nt, n / 4 - nt) };
        break;
      }
      case 6: frame.scalars = new Float64Array(bytes, p, n / 8); break;
      case 7:
        frame.watch = { version: view.getUint32(p, true), values: new Float64Array(bytes, p + 8, (n - 8) / 8) };
        break;
      case 8: {
        const q = new Uint16Array(bytes, p + 8, (n - 8) / 2), values = new Float32Array(q.length);
        for (let i = 0; i < q.length; ++i) values[i] = q[i] / 65535;
        frame.heat.push({ kind: flags, low: view.getFloat32(p, true), high: view.getFloat32(p + 4, true), values });
        break;
      }
      case 9: {
        const nu = view.getUint32(p, true), nq = view.getUint32(p + 4, true);
        frame.ctrl = new Float32Array(bytes, p + 8, nu);
        frame.qpos = new Float32Array(bytes, p + 8 + 4 * nu, nq);
        frame.active = new Uint8Array(bytes, p + 8 + 4 * (nu + nq), n - 8 - 4 * (nu + nq));
        break;
      }
      case 10: frame.places = new Float32Array(bytes, p, n / 4); break;
      case 11: {
        const q = new Uint16Array(bytes, p + 24, (n - 24) / 2);
        frame.skins = new Float32Array(q.length);
        unquantize(new Float32Array(bytes, p, 6), q, frame.skins, 0);
        break;
      }
      case 12: frame.drag = new Float32Array(bytes, p, n / 4); break;
      case 13: frame.decorations = new Float32Array(bytes, p, n / 4); break;
      case 14: {
        const count = view.getUint32(p, true), values = new Float32Array(bytes, p + 8, kDecorationFloats * count), labels: string[] = [];
        for (let i = 0, q = p + 8 + 4 * values.length; i < count; ++i) {
          const length = view.getUint16(q, true);
          labels.push(length > 0 ? new TextDecoder().decode(new Uint8Array(bytes, q + 2, length)) : '');
          q += 2 + length;
        }
        frame.geoms = { values, labels };
        break;
      }
      case 15: frame.looks = new Float32Array(bytes, p, n / 4); break;
    }
  }
  return frame;
}
