// The canvas: camera, mouse and picking. Gestures are those of MuJoCo's simulate.
import * as THREE from 'three';
import type { CameraInfo, SceneInfo } from './wire';
import type { Picked, World } from './world';

export interface StageEvents {
  send(command: object): void;
  selected(p: Picked | null): void;
  canPull(): boolean;
  covered(): { right: number; top: number };  // pixels that the panel at the right and a card at the top hide
}

/// Whether WebGL runs on the processor: then shadows and smooth edges cost too much.
function isSoftware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  if (!gl) return true;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

export class Stage {
  readonly software = isSoftware();
  readonly renderer: THREE.WebGLRenderer;
  readonly camera = new THREE.PerspectiveCamera(45, 1, 0.01, 100);
  readonly ortho = new THREE.OrthographicCamera(-1, 1, 1, -1, 0.01, 100);
  world: World | null = null;
  lookat = new THREE.Vector3();
  distance = 3;
  azimuth = 90;
  elevation = -25;
  fixed = -1;        // camera of the model, -1: free
  track = -1;        // body that the free camera follows
  selection: Picked | null = null;
  private local = new THREE.Vector3();
  private trackOffset = new THREE.Vector3();
  private drag: 'none' | 'rotate' | 'pan' | 'slide' | 'zoom' | 'pull' | 'pullflat' | 'turn' | 'pinch' = 'none';
  private plane = new THREE.Plane();
  private target = new THREE.Vector3();
  private turn = new THREE.Quaternion();
  private last = { x: 0, y: 0 };
  private fly: { from: any; to: any; start: number } | null = null;
  frames = 0;
  needsDraw = true;
  private covered = { right: 0, top: 0 };  // what was hidden when the camera was placed: the middle of the picture is that of the rest

  constructor(readonly canvas: HTMLCanvasElement, private readonly events: StageEvents) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.software, preserveDrawingBuffer: true });
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace;  // numbers as they are
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.camera.up.set(0, 0, 1);
    this.ortho.up.set(0, 0, 1);
    canvas.addEventListener('pointerdown', (e) => this.down(e));
    canvas.addEventListener('pointermove', (e) => this.move(e));
    canvas.addEventListener('pointerup', (e) => this.up(e));
    canvas.addEventListener('pointercancel', (e) => this.up(e));
    canvas.addEventListener('dblclick', (e) => this.double(e));
    canvas.addEventListener('contextmenu', (e) => e.preventDefault());
    canvas.addEventListener('wheel', (e) => {
      e.preventDefault();
      this.free();
      this.distance *= Math.exp(0.0012 * Math.max(-200, Math.min(200, e.deltaY)));
      this.limit();
    }, { passive: false });
  }

  setWorld(world: World, keepView: boolean) {
    this.world = world;
    this.select(null);
    if (!keepView) this.home();
    this.needsDraw = true;
  }

  home() {
    const s = this.world?.scene;
    if (!s) return;
    const v = s.visual;
    this.lookat.fromArray(s.center);
    // the angle of view is that of the height: on a screen held upright the width shows less
    const { w, h } = this.size();
    this.distance = 1.5 * s.extent * Math.min(2, Math.max(1, h / Math.max(1, w)));
    this.azimuth = v.azimuth;
    this.elevation = v.elevation;
    this.camera.fov = v.fovy;
    this.fixed = v.cameraid >= 0 && v.cameraid < s.cameras.length ? v.cameraid : -1;
    this.track = -1;
    this.needsDraw = true;
  }

  free() {
    if (this.fixed >= 0) {
      // goes on from where the fixed camera is
      const d = new THREE.Vector3();
      this.camera.getWorldDirection(d);
      this.azimuth = (Math.atan2(d.y, d.x) * 180) / Math.PI;
      this.elevation = (Math.asin(Math.max(-1, Math.min(1, d.z))) * 180) / Math.PI;
      this.lookat.copy(this.camera.position).addScaledVector(d, this.distance);
      this.fixed = -1;
    }
    this.fly = null;
    this.needsDraw = true;
  }

  private limit() {
    const e = this.world?.scene.extent ?? 1;
    this.distance = Math.min(200 * e, Math.max(0.005 * e, this.distance));
    this.elevation = Math.min(89.9, Math.max(-89.9, this.elevation));
    this.needsDraw = true;
  }

  private size() {
    const w = Math.max(1, this.canvas.clientWidth), h = Math.max(1, this.canvas.clientHeight);
    return { w, h };
  }

  /// A smooth flight to look at a place from a distance.
  flyTo(point: THREE.Vector3, distance: number) {
    this.free();
    this.track = -1;
    this.fly = { from: { p: this.lookat.clone(), d: this.distance }, to: { p: point.clone(), d: distance }, start: performance.now() };
  }

  place() {
    const world = this.world;
    if (!world) return;
    const s = world.scene, { w, h } = this.size();
    if (this.fly) {
      const t = Math.min(1, (performance.now() - this.fly.start) / 700), k = t * t * (3 - 2 * t);
      this.lookat.lerpVectors(this.fly.from.p, this.fly.to.p, k);
      this.distance = this.fly.from.d * (this.fly.to.d / this.fly.from.d) ** k;
      if (t >= 1) this.fly = null;
      this.needsDraw = true;
    }
    if (this.fixed >= 0 && this.fixed < s.cameras.length) {
      this.placeFixed(s, s.cameras[this.fixed], w / h);
    } else {
      if (this.track >= 0) this.lookat.copy(world.bodies[this.track].position).add(this.trackOffset);
      const a = (this.azimuth * Math.PI) / 180, e = (this.elevation * Math.PI) / 180;
      this.camera.position.set(
        this.lookat.x - this.distance * Math.cos(e) * Math.cos(a),
        this.lookat.y - this.distance * Math.cos(e) * Math.sin(a),
        this.lookat.z - this.distance * Math.sin(e));
      this.camera.lookAt(this.lookat);
      this.camera.fov = s.visual.orthographic ? 45 : s.visual.fovy;
    }
    this.camera.aspect = w / h;
    this.camera.near = Math.max(1e-4, Math.min(s.visual.znear * s.extent, 0.05 * this.distance));
    this.camera.far = Math.max(s.visual.zfar, 60) * s.extent + this.distance;
    const { right, top } = this.covered;
    if ((right > 0 || top > 0) && this.fixed < 0) this.camera.setViewOffset(w, h, right / 2, -top / 2, w, h);
    else this.camera.clearViewOffset();
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    world.follow(this.camera);
    world.faceMarker(this.camera);
    if (this.selection) world.select(world.placeOf(this.selection, this.local));
  }

  private placeFixed(s: SceneInfo, c: CameraInfo, aspect: number) {
    const at = 6 * s.lights.length + 12 * this.fixed, p = this.world!.places;
    this.camera.position.fromArray(p, at);
    const m = new THREE.Matrix4().set(
      p[at + 3], p[at + 4], p[at + 5], 0, p[at + 6], p[at + 7], p[at + 8], 0, p[at + 9], p[at + 10], p[at + 11], 0, 0, 0, 0, 1);
    this.camera.quaternion.setFromRotationMatrix(m);
    let fovy = c.orthographic ? 45 : c.fovy;
    if (c.sensorsize[1] > 0 && c.intrinsic[1] > 0) {
      fovy = (2 * Math.atan(c.sensorsize[1] / (2 * c.intrinsic[1])) * 180) / Math.PI;
    }
    this.camera.fov = fovy;
    void aspect;
  }

  draw() {
    if (!this.world) return false;
    const covered = this.events.covered();
    if (covered.right !== this.covered.right || covered.top !== this.covered.top) this.needsDraw = true;
    if (!this.needsDraw) return false;
    this.covered = covered;
    this.needsDraw = false;
    const { w, h } = this.size(), ratio = this.software ? 1 : Math.min(2, window.devicePixelRatio || 1);
    const width = Math.round(w * ratio), height = Math.round(h * ratio);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.renderer.setPixelRatio(ratio);
      this.renderer.setSize(w, h, false);
    }
    this.place();
    this.renderer.render(this.world.root, this.camera);
    ++this.frames;
    return true;
  }

  ray(x: number, y: number): THREE.Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const ray = new THREE.Raycaster();
    const at = new THREE.Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height);
    ray.setFromCamera(at, this.camera);
    return ray;
  }

  pickAt(x: number, y: number): Picked | null {
    if (!this.world) return null;
    this.world.root.updateMatrixWorld();
    return this.world.pick(this.ray(x, y));
  }

  select(p: Picked | null) {
    this.selection = p;
    if (p && this.world) {
      this.local.copy(p.point);
      if (p.body !== undefined) this.world.bodies[p.body].worldToLocal(this.local);
    }
    this.world?.select(p ? p.point : null);
    this.events.selected(p);
    this.needsDraw = true;
  }

  private double(e: MouseEvent) {
    const p = this.pickAt(e.clientX, e.clientY);
    if (e.button === 0) this.select(p);
  }

  private lastRight = 0;
  private fingers = new Map<number, { x: number; y: number }>();
  private down(e: PointerEvent) {
    this.canvas.setPointerCapture(e.pointerId);
    (document.activeElement as HTMLElement | null)?.blur?.();
    this.last = { x: e.clientX, y: e.clientY };
    const isFinger = e.pointerType === 'touch';
    if (isFinger) {
      this.fingers.set(e.pointerId, this.last);
      if (this.fingers.size > 1) {
        this.stopPulling();
        this.drag = 'pinch';
        return;
      }
    }
    const pulls = e.ctrlKey || e.altKey || e.metaKey || (isFinger && this.isOnSelected(e));
    if (e.button === 2 && !pulls) {
      // a double click with the right button looks at that place; with Ctrl it follows the body
      const now = performance.now();
      if (now - this.lastRight < 350) {
        const p = this.pickAt(e.clientX, e.clientY);
        if (p) this.flyTo(p.point, this.distance);
      }
      this.lastRight = now;
    }
    if (pulls && this.events.canPull()) {
      // what is selected, or else what is under the mouse
      if (!this.selection) this.select(this.pickAt(e.clientX, e.clientY));
      const p = this.selection;
      if (p && (p.flex !== undefined || (p.body ?? 0) > 0)) {
        const turns = e.button === 0 && e.ctrlKey && !e.altKey && p.flex === undefined;
        this.drag = turns ? 'turn' : e.shiftKey ? 'pullflat' : 'pull';
        this.target = this.world!.placeOf(p, this.local);
        this.turn.copy(p.body !== undefined ? this.world!.bodies[p.body].quaternion : new THREE.Quaternion());
        const normal = new THREE.Vector3();
        if (this.drag === 'pullflat') normal.set(0, 0, 1);
        else this.camera.getWorldDirection(normal).negate();
        this.plane.setFromNormalAndCoplanarPoint(normal, this.target);
        this.sendDrag();
        return;
      }
    }
    this.drag = e.button === 0 ? 'rotate' : e.button === 1 ? 'zoom' : e.shiftKey ? 'slide' : 'pan';
    if (e.button === 0 && e.shiftKey) this.drag = 'pan';
  }

  private sendDrag() {
    const p = this.selection!;
    const command: any = { c: 'drag', kind: this.drag === 'turn' ? 'torque' : 'force' };
    if (p.body !== undefined) {
      command.body = p.body;
      command.local = this.local.toArray();
    } else {
      command.flex = p.flex;
      command.vertex = p.vertices;
      command.weight = p.weights;
    }
    if (this.drag === 'turn') command.turn = [this.turn.w, this.turn.x, this.turn.y, this.turn.z];
    else command.target = this.target.toArray();
    this.events.send(command);
  }

  /// Whether something is selected and the finger is on it: then it pulls, for there is no key to hold.
  private isOnSelected(e: PointerEvent) {
    const p = this.selection && this.pickAt(e.clientX, e.clientY);
    return !!p && p.body === this.selection!.body && p.flex === this.selection!.flex;
  }

  /// Two fingers: their distance brings the scene nearer, their middle moves it.
  private pinch(e: PointerEvent) {
    const before = [...this.fingers.values()];
    this.fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    const after = [...this.fingers.values()];
    if (after.length !== 2) return;
    const apart = (f: { x: number; y: number }[]) => Math.max(1, Math.hypot(f[1].x - f[0].x, f[1].y - f[0].y));
    this.free();
    this.distance *= apart(before) / apart(after);
    this.pan((after[0].x + after[1].x - before[0].x - before[1].x) / 2, (after[0].y + after[1].y - before[0].y - before[1].y) / 2, false);
    this.limit();
  }

  /// Moves the view by pixels, in the plane of the picture or along the floor.
  private pan(dx: number, dy: number, alongFloor: boolean) {
    const scale = (2 * this.distance * Math.tan((this.camera.fov * Math.PI) / 360)) / this.size().h;
    const right = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
    let up = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
    if (alongFloor) up = new THREE.Vector3(0, 0, 1).cross(right).normalize();
    const shift = right.multiplyScalar(-dx * scale).addScaledVector(up, dy * scale);
    if (this.track >= 0) this.trackOffset.add(shift);
    else this.lookat.add(shift);
    this.needsDraw = true;
  }

  private move(e: PointerEvent) {
    if (this.drag === 'none') return;
    if (this.drag === 'pinch') return this.pinch(e);
    if (this.fingers.has(e.pointerId)) this.fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    const dx = e.clientX - this.last.x, dy = e.clientY - this.last.y, { h } = this.size();
    this.last = { x: e.clientX, y: e.clientY };
    if (this.drag === 'pull' || this.drag === 'pullflat') {
      const hit = new THREE.Vector3();
      const ray = this.ray(e.clientX, e.clientY).ray;
      if (ray.intersectPlane(this.plane, hit) && hit.distanceTo(this.target) < 50 * (this.world?.scene.extent ?? 1)) this.target.copy(hit);
      this.sendDrag();
    } else if (this.drag === 'turn') {
      const right = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
      const up = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
      this.turn.premultiply(new THREE.Quaternion().setFromAxisAngle(up, (2 * dx) / h));
      this.turn.premultiply(new THREE.Quaternion().setFromAxisAngle(right, (2 * dy) / h));
      this.sendDrag();
    } else if (this.drag === 'rotate') {
      this.free();
      this.azimuth -= (180 * dx) / h;
      this.elevation -= (180 * dy) / h;
      this.limit();
    } else if (this.drag === 'zoom') {
      this.free();
      this.distance *= Math.exp((3 * dy) / h);
      this.limit();
    } else {
      this.free();
      this.pan(dx, dy, this.drag === 'slide');
    }
  }

  private stopPulling() {
    if (this.drag === 'pull' || this.drag === 'pullflat' || this.drag === 'turn') this.events.send({ c: 'drag', kind: 'none' });
  }

  private up(e: PointerEvent) {
    this.fingers.delete(e.pointerId);
    this.stopPulling();
    this.drag = 'none';
  }

  /// The camera as messages have it.
  view() {
    const lookat = this.track >= 0 ? this.trackOffset : this.lookat;
    return { fixed: this.fixed, lookat: lookat.toArray(), distance: this.distance, azimuth: this.azimuth, elevation: this.elevation, body: this.track };
  }
  setView(v: { fixed: number; lookat: number[]; distance: number; azimuth: number; elevation: number; body: number }) {
    this.fly = null;
    this.fixed = v.fixed;
    this.track = v.body;
    (this.track >= 0 ? this.trackOffset : this.lookat).fromArray(v.lookat);
    this.distance = v.distance;
    this.azimuth = v.azimuth;
    this.elevation = v.elevation;
    this.needsDraw = true;
  }
  /// Where a point that was selected is, in the frame of its body.
  selectedPoint() { return this.local.toArray(); }

  follow(body: number) {
    this.track = body;
    this.fixed = -1;
    if (body >= 0 && this.world) this.trackOffset.set(0, 0, 0);
    this.needsDraw = true;
  }

  cycleCamera(by: number) {
    const n = this.world?.scene.cameras.length ?? 0;
    if (n === 0) return;
    this.fixed = ((this.fixed + 1 + by + n + 1) % (n + 1)) - 1;
    this.needsDraw = true;
  }

  /// Where a point is on the canvas, in CSS pixels; null: behind the camera.
  project(p: THREE.Vector3): { x: number; y: number } | null {
    const q = p.clone().project(this.camera), { w, h } = this.size();
    return q.z > 1 || q.z < -1 ? null : { x: ((q.x + 1) / 2) * w, y: ((1 - q.y) / 2) * h };
  }
}
