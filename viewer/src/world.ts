// What the scene and its frames look like: three.js objects made once, moved by every frame. Colours are computed with
// the numbers of MJCF as they are, without conversion, as the renderer of the library does.
import * as THREE from 'three';
import {
  type FrameData, type Heat, type Instance, type SceneInfo, floats, ints, kContactFloats, kDecorationFloats, kLookFloats, raw, uints,
} from './wire';

THREE.ColorManagement.enabled = false;

export interface Picked {
  point: THREE.Vector3;
  normal: THREE.Vector3;
  body?: number;
  geom?: number;
  site?: number;
  name: string;
  flex?: number;
  element?: number;
  vertices?: number[];  // within the flex
  weights?: number[];
}

export interface Shown {
  geomGroups: boolean[];
  siteGroups: boolean[];
  flexGroups: boolean[];
  tendonGroups: boolean[];
  contactPoints: boolean;
  contactForces: boolean;
  transparent: boolean;
  wireframe: boolean;
  shadows: boolean;
  sites: boolean;
  tendons: boolean;
  skins: boolean;
  sky: boolean;
  labels: string;
  heat: number;        // 0: none
  heatMax: number;     // 0: the largest value
  forceScale: number;
}

const kUp = new THREE.Vector3(0, 0, 1);
const kShapes = { plane: 0, sphere: 1, capsule: 2, ellipsoid: 3, cylinder: 4, box: 5, mesh: 6, arrow: 7, cone: 8 };

/// Dark blue, over green, to yellow: even in lightness. The same as heatColor() of scene.h.
const kHeat = [
  [0.267, 0.005, 0.329], [0.283, 0.141, 0.458], [0.254, 0.265, 0.530], [0.207, 0.372, 0.553], [0.164, 0.471, 0.558],
  [0.128, 0.567, 0.551], [0.135, 0.659, 0.518], [0.267, 0.749, 0.441], [0.478, 0.821, 0.318], [0.741, 0.873, 0.150],
  [0.993, 0.906, 0.144],
];
export function heatColor(t: number, out: Float32Array | number[], at = 0) {
  const x = Math.min(1, Math.max(0, t)) * (kHeat.length - 1), i = Math.min(kHeat.length - 2, Math.floor(x)), f = x - i;
  for (let k = 0; k < 3; ++k) out[at + k] = kHeat[i][k] + f * (kHeat[i + 1][k] - kHeat[i][k]);
}
export const heatCss = () =>
  `linear-gradient(to top, ${kHeat.map((c) => `rgb(${c.map((x) => Math.round(255 * x)).join(',')})`).join(',')})`;

const wrapZ = (g: THREE.BufferGeometry) => g.rotateX(Math.PI / 2);  // three's solids stand on y

function arrowGeometry(): THREE.BufferGeometry {
  const points = [[0, 0], [1, 0], [1, 0.75], [2.2, 0.75], [0, 1]].map(([x, y]) => new THREE.Vector2(x, y));
  const g = new THREE.LatheGeometry(points, 16);
  return wrapZ(g);
}

class Instanced {
  mesh: THREE.InstancedMesh;
  private used = 0;
  private readonly m = new THREE.Matrix4();
  constructor(private readonly parent: THREE.Object3D, private readonly geometry: THREE.BufferGeometry,
              private readonly material: THREE.Material, size = 64) {
    this.mesh = this.make(size);
  }
  private make(size: number) {
    const mesh = new THREE.InstancedMesh(this.geometry, this.material, size);
    mesh.frustumCulled = false;
    mesh.castShadow = false;
    mesh.count = 0;
    mesh.setColorAt(0, new THREE.Color(1, 1, 1));
    this.parent.add(mesh);
    return mesh;
  }
  begin() { this.used = 0; }
  add(p: THREE.Vector3, q: THREE.Quaternion, s: THREE.Vector3, c: THREE.Color) {
    if (this.used >= this.mesh.instanceMatrix.count) {
      const old = this.mesh, next = this.make(2 * old.instanceMatrix.count);
      next.castShadow = old.castShadow;
      next.userData = old.userData;
      for (let i = 0; i < this.used; ++i) {
        old.getMatrixAt(i, this.m);
        next.setMatrixAt(i, this.m);
        const color = new THREE.Color();
        old.getColorAt(i, color);
        next.setColorAt(i, color);
      }
      this.parent.remove(old);
      old.dispose();
      this.mesh = next;
    }
    this.m.compose(p, q, s);
    this.mesh.setMatrixAt(this.used, this.m);
    this.mesh.setColorAt(this.used, c);
    ++this.used;
  }
  end() {
    this.mesh.count = this.used;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
    this.mesh.visible = this.used > 0;
    this.mesh.boundingSphere = null;
  }
  count() { return this.used; }
}

interface FlexMesh {
  mesh: THREE.Mesh | null;
  tubes: { rods: Instanced; balls: Instanced } | null;
  source: Int32Array;
  offset: Float32Array;
  indices: Uint32Array;
  lines: Uint32Array;
  element: Int32Array;
  smooth: Float32Array;
  color: THREE.Color;
  plain: THREE.Material | null;
  heated: THREE.Material | null;
}

export class World {
  readonly root = new THREE.Scene();
  readonly bodies: THREE.Group[] = [];
  readonly items: THREE.Mesh[] = [];
  readonly flexes: FlexMesh[] = [];
  readonly skins: THREE.Mesh[] = [];
  readonly shown: Shown;
  scene: SceneInfo;
  places: Float32Array;
  positions: Float32Array = new Float32Array(0);  // of flex vertices
  heat: Heat | null = null;
  private lights: { info: any; light: THREE.Light }[] = [];
  private readonly shadowLights: THREE.Light[] = [];
  private readonly head = new THREE.DirectionalLight(0xffffff, 1);
  private readonly textures: (THREE.Texture | null)[] = [];
  private readonly decor = new THREE.Group();
  private readonly pools = new Map<number, Instanced>();
  private readonly geomPools = new Map<string, Instanced>();  // of the program's geoms, by shape and opacity
  private geomValues: Float32Array = new Float32Array(0);
  geomLabels: string[] = [];
  private readonly changed = new Map<number, Instance>();  // instances that look other than in the scene: as they were
  private contactDiscs!: Instanced;
  private contactArrows!: Instanced;
  private tendonRods!: Instanced;
  private readonly dragLine: THREE.Line;
  private readonly dragBall: THREE.Mesh;
  private readonly selected: THREE.Mesh;
  private readonly marker: THREE.Mesh;
  private sky: THREE.Texture | THREE.Color;
  private readonly tmpV = new THREE.Vector3();
  private readonly tmpQ = new THREE.Quaternion();
  private readonly tmpS = new THREE.Vector3();
  private readonly tmpC = new THREE.Color();

  constructor(scene: SceneInfo, shown: Shown) {
    this.scene = scene;
    this.shown = shown;
    this.places = floats(scene, scene.places).slice();
    this.sky = this.gradient();
    this.root.background = this.sky;
    this.makeTextures();
    this.makeLights();
    const poses = floats(scene, scene.poses);
    scene.bodies.forEach((_, b) => {
      const group = new THREE.Group();
      group.position.fromArray(poses, 7 * b);
      group.quaternion.set(poses[7 * b + 4], poses[7 * b + 5], poses[7 * b + 6], poses[7 * b + 3]);
      this.bodies.push(group);
      this.root.add(group);
    });
    scene.instances.forEach((x) => this.addInstance(x));
    scene.flexes.forEach((_, i) => this.addFlex(i));
    scene.skins.forEach((_, i) => this.addSkin(i));
    this.root.add(this.decor);
    const flat = new THREE.MeshPhongMaterial({ shininess: 30, specular: 0x222222 });
    this.tendonRods = new Instanced(this.root, wrapZ(new THREE.CylinderGeometry(1, 1, 1, 10)), flat);
    this.contactDiscs = new Instanced(this.root, wrapZ(new THREE.CylinderGeometry(1, 1, 1, 20)), flat, 256);
    this.contactArrows = new Instanced(this.root, arrowGeometry(), flat, 256);
    const line = new THREE.BufferGeometry();
    line.setAttribute('position', new THREE.BufferAttribute(new Float32Array(6), 3));
    this.dragLine = new THREE.Line(line, new THREE.LineBasicMaterial({ color: 0xffb020, depthTest: false }));
    this.dragLine.frustumCulled = false;
    this.dragBall = new THREE.Mesh(new THREE.SphereGeometry(1, 16, 12), new THREE.MeshBasicMaterial({ color: 0xffb020, depthTest: false }));
    this.selected = new THREE.Mesh(new THREE.SphereGeometry(1, 16, 12), new THREE.MeshBasicMaterial({ color: 0xf5e642, depthTest: false }));
    this.marker = new THREE.Mesh(new THREE.TorusGeometry(1, 0.07, 10, 48), new THREE.MeshBasicMaterial({ color: 0xff4d4d, depthTest: false, transparent: true, opacity: 0.9 }));
    for (const o of [this.dragLine, this.dragBall, this.selected, this.marker]) {
      o.visible = false;
      o.renderOrder = 10;
      this.root.add(o);
    }
    this.applyShown();
  }

  dispose() {
    this.root.traverse((o) => {
      const mesh = o as THREE.Mesh;
      mesh.geometry?.dispose?.();
      const material = mesh.material as THREE.Material | undefined;
      material?.dispose?.();
    });
    this.textures.forEach((t) => t?.dispose());
  }

  // ---------------------------------------------------------------- made once

  private gradient(): THREE.Texture {
    const canvas = document.createElement('canvas');
    canvas.width = 4;
    canvas.height = 256;
    const g = canvas.getContext('2d')!;
    const fill = g.createLinearGradient(0, 0, 0, 256);
    fill.addColorStop(0, '#c7d6e6');
    fill.addColorStop(0.55, '#eaf0f5');
    fill.addColorStop(1, '#f7f8fa');
    g.fillStyle = fill;
    g.fillRect(0, 0, 4, 256);
    return new THREE.CanvasTexture(canvas);
  }

  private makeTextures() {
    this.scene.textures.forEach((t, i) => {
      this.textures.push(null);
      if (t.png.length === 0) return;
      const bitmaps = t.png.map((r) => createImageBitmap(new Blob([raw(this.scene, r).slice()], { type: 'image/png' })));
      const texture = t.type === 0 ? new THREE.Texture() : new THREE.CubeTexture();
      texture.flipY = false;
      texture.generateMipmaps = true;
      texture.minFilter = THREE.LinearMipmapLinearFilter;
      texture.anisotropy = 8;
      texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
      this.textures[i] = texture;
      Promise.all(bitmaps).then((b) => {
        texture.image = t.type === 0 ? b[0] : b;
        texture.needsUpdate = true;
        if (i === this.scene.skybox) {
          // three looks at backgrounds with y up
          this.sky = texture;
          this.root.backgroundRotation.set(Math.PI / 2, 0, 0);
          this.root.background = this.shown.sky ? this.sky : this.gradient();
        }
      }).catch(() => { this.textures[i] = null; });
    });
  }

  private makeLights() {
    const s = this.scene, v = s.visual;
    const ambient = new THREE.Color(0, 0, 0);
    const add = (c: number[], k = 1) => { ambient.r += k * c[0]; ambient.g += k * c[1]; ambient.b += k * c[2]; };
    const active = s.lights.filter((l) => l.active);
    if (v.headActive) add(v.headAmbient);
    active.forEach((l) => add(l.ambient));
    let shadows = 0;
    for (const info of s.lights) {
      const color = new THREE.Color(info.diffuse[0], info.diffuse[1], info.diffuse[2]);
      let light: THREE.Light;
      if (info.type === 1) {
        light = new THREE.DirectionalLight(color, Math.PI);
      } else if (info.type === 0) {
        const spot = new THREE.SpotLight(color, Math.PI, 0, Math.min(Math.PI / 2, (info.cutoff * Math.PI) / 180), 0.5, 0);
        light = spot;
      } else {
        light = new THREE.PointLight(color, Math.PI, 0, 0);
      }
      light.visible = info.active;
      const withTarget = light as THREE.DirectionalLight | THREE.SpotLight;
      if (withTarget.target) this.root.add(withTarget.target);
      if (info.castshadow && info.active && info.type < 2 && shadows < 1) {
        ++shadows;
        this.setShadow(withTarget);
      }
      this.lights.push({ info, light });
      this.root.add(light);
    }
    if (active.length === 0) {
      // a model without lights: one from the side, so that shapes can be told
      const key = new THREE.DirectionalLight(0xffffff, 0.55 * Math.PI);
      key.position.set(s.center[0] + 0.6 * s.extent, s.center[1] - 0.9 * s.extent, s.center[2] + 2.2 * s.extent);
      key.target.position.fromArray(s.center);
      this.root.add(key, key.target);
      this.setShadow(key);
      const sky = new THREE.HemisphereLight(0xdfeaf5, 0xb8b0a5, 0.35 * Math.PI);
      sky.position.copy(kUp);
      this.root.add(sky);
      this.head.intensity = 0.35 * Math.PI;
    } else {
      this.head.intensity = Math.PI;
    }
    if (v.headActive) {
      this.head.color.setRGB(v.headDiffuse[0], v.headDiffuse[1], v.headDiffuse[2]);
      this.root.add(this.head, this.head.target);
    }
    this.root.add(new THREE.AmbientLight(ambient, Math.PI));
  }

  private setShadow(light: THREE.DirectionalLight | THREE.SpotLight) {
    this.shadowLights.push(light);
    light.castShadow = this.shown.shadows;
    light.shadow.mapSize.set(2048, 2048);
    light.shadow.bias = -0.0005;
    light.shadow.normalBias = 0.004 * this.scene.extent;
    light.shadow.radius = 3;
    const camera = light.shadow.camera as any;
    const r = 1.3 * this.scene.extent;
    if (camera.isOrthographicCamera) {
      camera.left = camera.bottom = -r;
      camera.right = camera.top = r;
    }
    camera.near = 0.01 * this.scene.extent;
    camera.far = 30 * this.scene.extent;
    camera.updateProjectionMatrix();
  }

  private material(rgba: number[], index: number, map: number, site = false): THREE.MeshPhongMaterial {
    const m = index >= 0 ? this.scene.materials[index] : null;
    const specular = m ? m.specular : 0.5, shininess = m ? m.shininess : 0.5;
    const material = new THREE.MeshPhongMaterial({
      color: new THREE.Color(rgba[0], rgba[1], rgba[2]),
      specular: new THREE.Color(1, 1, 1).multiplyScalar(0.18 * specular),
      shininess: Math.max(1, 128 * shininess),
      transparent: rgba[3] < 1 || site,
      opacity: rgba[3],
      side: THREE.FrontSide,
    });
    if (m && m.emission > 0) material.emissive.setRGB(rgba[0] * m.emission, rgba[1] * m.emission, rgba[2] * m.emission);
    const texture = m && m.texture >= 0 ? this.textures[m.texture] : null;
    if (texture && (map === 1 || map === 2)) material.map = texture;
    return material;
  }

  /// A texture that looks at a point of the shape from its centre.
  private wearCube(material: THREE.MeshPhongMaterial, texture: THREE.Texture, scale: number[]) {
    material.onBeforeCompile = (shader) => {
      shader.uniforms.wornCube = { value: texture };
      shader.uniforms.wornScale = { value: new THREE.Vector3(scale[0], scale[1], scale[2]) };
      shader.vertexShader = shader.vertexShader
        .replace('#include <common>', '#include <common>\nvarying vec3 vWorn;\nuniform vec3 wornScale;')
        .replace('#include <begin_vertex>', '#include <begin_vertex>\nvWorn = position * wornScale;');
      shader.fragmentShader = shader.fragmentShader
        .replace('#include <common>', '#include <common>\nvarying vec3 vWorn;\nuniform samplerCube wornCube;')
        .replace('#include <map_fragment>', 'diffuseColor *= textureCube(wornCube, vWorn);');
    };
    material.customProgramCacheKey = () => 'cube';
  }

  private geometryOf(x: Instance): THREE.BufferGeometry {
    const s = x.size;
    let g: THREE.BufferGeometry;
    switch (x.shape) {
      case kShapes.plane: {
        const far = Math.max(10, 12 * this.scene.extent);
        const w = s[0] > 0 ? s[0] : far, h = s[1] > 0 ? s[1] : far;
        g = new THREE.PlaneGeometry(2 * w, 2 * h, 24, 24);
        break;
      }
      case kShapes.sphere: g = new THREE.SphereGeometry(s[0], 40, 28); break;
      case kShapes.capsule: g = wrapZ(new THREE.CapsuleGeometry(s[0], 2 * s[1], 12, 32)); break;
      case kShapes.ellipsoid: g = new THREE.SphereGeometry(1, 40, 28).scale(s[0], s[1], s[2]); break;
      case kShapes.cylinder: g = wrapZ(new THREE.CylinderGeometry(s[0], s[0], 2 * s[1], 40)); break;
      case kShapes.box: g = new THREE.BoxGeometry(2 * s[0], 2 * s[1], 2 * s[2]); break;
      default: {
        g = new THREE.BufferGeometry();
        const mesh = this.scene.meshes[x.mesh];
        if (mesh) {
          g.setAttribute('position', new THREE.BufferAttribute(floats(this.scene, mesh.positions), 3));
          g.setAttribute('normal', new THREE.BufferAttribute(floats(this.scene, mesh.normals), 3));
          g.setIndex(new THREE.BufferAttribute(uints(this.scene, mesh.indices), 1));
          if (mesh.uv[1] > 0) g.setAttribute('uv', new THREE.BufferAttribute(floats(this.scene, mesh.uv).slice(), 2));
        }
      }
    }
    const p = g.getAttribute('position');
    if (x.map === 2) {
      const uv = new Float32Array(2 * p.count);
      for (let i = 0; i < p.count; ++i) {
        uv[2 * i] = x.texscale[0] * p.getX(i) + 0.5;
        uv[2 * i + 1] = 0.5 - x.texscale[1] * p.getY(i);
      }
      g.setAttribute('uv', new THREE.BufferAttribute(uv, 2));
    } else if (x.map === 1 && g.getAttribute('uv')) {
      const uv = g.getAttribute('uv').clone() as THREE.BufferAttribute;
      for (let i = 0; i < uv.count; ++i) uv.setXY(i, uv.getX(i) * x.texscale[0], uv.getY(i) * x.texscale[1]);
      g.setAttribute('uv', uv);
    }
    return g;
  }

  private addInstance(x: Instance) {
    const material = this.material(x.rgba, x.material, x.map, x.site);
    const worn = x.material >= 0 ? this.scene.materials[x.material].texture : -1;
    if (x.map === 3 && worn >= 0 && this.textures[worn]) this.wearCube(material, this.textures[worn]!, x.texscale);
    if (x.shape === kShapes.plane) material.side = THREE.FrontSide;
    const mesh = new THREE.Mesh(this.geometryOf(x), material);
    mesh.position.fromArray(x.pos);
    mesh.quaternion.set(x.quat[1], x.quat[2], x.quat[3], x.quat[0]);
    mesh.castShadow = !x.site && x.shape !== kShapes.plane && x.rgba[3] > 0.5;
    mesh.receiveShadow = !x.site;
    mesh.userData = { instance: x };
    this.items.push(mesh);
    this.bodies[x.body].add(mesh);
  }

  private addFlex(i: number) {
    const f = this.scene.flexes[i];
    const out: FlexMesh = {
      mesh: null, tubes: null, source: ints(this.scene, f.source), offset: floats(this.scene, f.offset),
      indices: uints(this.scene, f.indices), lines: uints(this.scene, f.lines), element: ints(this.scene, f.element),
      smooth: new Float32Array(3 * f.vertnum), color: new THREE.Color(f.rgba[0], f.rgba[1], f.rgba[2]),
      plain: null, heated: null,
    };
    if (f.dim === 1) {
      const material = new THREE.MeshPhongMaterial({ shininess: 20, specular: 0x1a1a1a });
      out.tubes = {
        rods: new Instanced(this.root, wrapZ(new THREE.CylinderGeometry(1, 1, 1, 14, 1, true)), material, Math.max(1, out.lines.length / 2)),
        balls: new Instanced(this.root, new THREE.SphereGeometry(1, 14, 10), material, Math.max(1, out.source.length)),
      };
      for (const t of [out.tubes.rods, out.tubes.balls]) {
        t.mesh.castShadow = t.mesh.receiveShadow = true;
        t.mesh.userData = { flex: i };
      }
    } else {
      const g = new THREE.BufferGeometry(), n = out.source.length;
      g.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * n), 3).setUsage(THREE.DynamicDrawUsage));
      g.setAttribute('normal', new THREE.BufferAttribute(new Float32Array(3 * n), 3).setUsage(THREE.DynamicDrawUsage));
      g.setAttribute('color', new THREE.BufferAttribute(new Float32Array(3 * n).fill(1), 3).setUsage(THREE.DynamicDrawUsage));
      if (f.uv[1] > 0) g.setAttribute('uv', new THREE.BufferAttribute(floats(this.scene, f.uv), 2));
      g.setIndex(new THREE.BufferAttribute(out.indices, 1));
      const material = this.material(f.rgba, f.material, f.uv[1] > 0 ? f.map : 0);
      material.side = f.radius > 0 || f.dim === 3 ? THREE.FrontSide : THREE.DoubleSide;
      material.flatShading = f.flat;
      if (f.material < 0) material.specular.setScalar(0.04);
      const heated = new THREE.MeshPhongMaterial({ vertexColors: true, side: material.side, specular: 0x0a0a0a });
      const mesh = new THREE.Mesh(g, material);
      mesh.frustumCulled = false;
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.userData = { flex: i };
      out.mesh = mesh;
      out.plain = material;
      out.heated = heated;
      this.root.add(mesh);
    }
    this.flexes.push(out);
  }

  private addSkin(i: number) {
    const s = this.scene.skins[i];
    const g = new THREE.BufferGeometry();
    g.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * s.vertexNum), 3));
    if (s.uv[1] > 0) g.setAttribute('uv', new THREE.BufferAttribute(floats(this.scene, s.uv), 2));
    g.setIndex(new THREE.BufferAttribute(uints(this.scene, s.indices), 1));
    const mesh = new THREE.Mesh(g, this.material(s.rgba, s.material, s.uv[1] > 0 ? s.map : 0));
    mesh.frustumCulled = false;
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.userData = { skin: i };
    this.skins.push(mesh);
    this.root.add(mesh);
  }

  // ---------------------------------------------------------------- every frame

  update(frame: FrameData) {
    const b = frame.bodies;
    if (b) {
      this.scene.moving.forEach((body, i) => {
        const group = this.bodies[body];
        group.position.fromArray(b, 7 * i);
        group.quaternion.set(b[7 * i + 4], b[7 * i + 5], b[7 * i + 6], b[7 * i + 3]);
      });
    }
    if (frame.places) this.places = frame.places;
    this.placeLights();
    if (frame.flexes) {
      this.positions = frame.flexes;
      this.heat = this.shown.heat > 0 ? frame.heat.find((h) => h.kind === this.shown.heat) ?? this.heat : null;
      this.flexes.forEach((_, i) => this.placeFlex(i));
    }
    if (frame.skins) this.placeSkins(frame.skins);
    this.placeTendons(frame);
    this.placeContacts(frame);
    this.placeLooks(frame.looks);
    this.placeDecorations(frame.decorations);
    this.placeGeoms(frame.geoms?.values ?? null);
    this.geomLabels = frame.geoms?.labels ?? [];
    this.placeDrag(frame.drag);
  }

  private placeLights() {
    this.lights.forEach(({ light }, i) => {
      const p = this.places.subarray(6 * i, 6 * i + 6);
      light.position.set(p[0], p[1], p[2]);
      const target = (light as THREE.DirectionalLight).target;
      if (target) {
        if ((light as THREE.DirectionalLight).isDirectionalLight) {
          // parallel light comes from outside of the scene
          const r = 4 * this.scene.extent;
          target.position.fromArray(this.scene.center);
          light.position.set(target.position.x - r * p[3], target.position.y - r * p[4], target.position.z - r * p[5]);
        } else {
          target.position.set(p[0] + p[3], p[1] + p[4], p[2] + p[5]);
        }
      }
    });
  }

  follow(camera: THREE.Camera) {
    this.head.position.copy(camera.position);
    camera.getWorldDirection(this.head.target.position).add(camera.position);
  }

  private placeFlex(index: number) {
    const f = this.scene.flexes[index], x = this.flexes[index], p = this.positions, base = 3 * f.vertadr;
    const heat = this.heat ? this.heat.values : null;
    const scale = this.heat && this.shown.heatMax > 0 ? this.heat.high / this.shown.heatMax : 1;
    if (x.tubes) {
      const color = this.tmpC, rgb = [0, 0, 0];
      const set = (v: number) => {
        if (!heat) return color.copy(x.color);
        heatColor(heat[f.vertadr + v] * scale, rgb);
        return color.setRGB(rgb[0], rgb[1], rgb[2]);
      };
      const r = Math.max(f.radius, 0.001 * this.scene.extent);
      x.tubes.rods.begin();
      x.tubes.balls.begin();
      const one = new THREE.Quaternion(), size = new THREE.Vector3(r, r, r), a = new THREE.Vector3(), c = new THREE.Vector3();
      for (let i = 0; i < x.source.length; ++i) {
        x.tubes.balls.add(a.fromArray(p, base + 3 * x.source[i]), one, size, set(x.source[i]));
      }
      for (let i = 0; i + 1 < x.lines.length; i += 2) {
        const u = x.source[x.lines[i]], v = x.source[x.lines[i + 1]];
        a.fromArray(p, base + 3 * u);
        c.fromArray(p, base + 3 * v);
        this.addRod(x.tubes.rods, a, c, r, set(u));
      }
      x.tubes.rods.end();
      x.tubes.balls.end();
      return;
    }
    const g = x.mesh!.geometry, n = x.source.length;
    const pos = g.getAttribute('position').array as Float32Array, nor = g.getAttribute('normal').array as Float32Array;
    const smooth = x.smooth, idx = x.indices, src = x.source;
    for (let i = 0; i < n; ++i) {
      const k = base + 3 * src[i];
      pos[3 * i] = p[k];
      pos[3 * i + 1] = p[k + 1];
      pos[3 * i + 2] = p[k + 2];
    }
    smooth.fill(0);
    nor.fill(0);
    const surface = f.surfaceTriangles, rim = f.rimTriangle;
    for (let t = 0; t < rim; ++t) {
      const i = 3 * idx[3 * t], j = 3 * idx[3 * t + 1], k = 3 * idx[3 * t + 2];
      const ax = pos[j] - pos[i], ay = pos[j + 1] - pos[i + 1], az = pos[j + 2] - pos[i + 2];
      const bx = pos[k] - pos[i], by = pos[k + 1] - pos[i + 1], bz = pos[k + 2] - pos[i + 2];
      const nx = ay * bz - az * by, ny = az * bx - ax * bz, nz = ax * by - ay * bx;
      nor[i] += nx; nor[i + 1] += ny; nor[i + 2] += nz;
      nor[j] += nx; nor[j + 1] += ny; nor[j + 2] += nz;
      nor[k] += nx; nor[k + 1] += ny; nor[k + 2] += nz;
      if (t < surface) {
        for (const v of [i, j, k]) {
          const q = 3 * src[v / 3];
          smooth[q] += nx; smooth[q + 1] += ny; smooth[q + 2] += nz;
        }
      }
    }
    const unit = (a: Float32Array, i: number) => {
      const l = Math.hypot(a[i], a[i + 1], a[i + 2]);
      if (l > 0) { a[i] /= l; a[i + 1] /= l; a[i + 2] /= l; }
    };
    for (let v = 0; v < smooth.length; v += 3) unit(smooth, v);
    for (let i = 0; i < n; ++i) {
      unit(nor, 3 * i);
      const o = x.offset[i], q = 3 * src[i];
      pos[3 * i] += o * smooth[q];
      pos[3 * i + 1] += o * smooth[q + 1];
      pos[3 * i + 2] += o * smooth[q + 2];
      // corners of the rim alone have no normal of their own
      if (nor[3 * i] === 0 && nor[3 * i + 1] === 0 && nor[3 * i + 2] === 0) {
        const side = o < 0 ? -1 : 1;
        for (let k = 0; k < 3; ++k) nor[3 * i + k] = side * smooth[q + k];
      }
    }
    if (heat) {
      const colors = g.getAttribute('color').array as Float32Array;
      for (let i = 0; i < n; ++i) heatColor(heat[f.vertadr + src[i]] * scale, colors, 3 * i);
      g.getAttribute('color').needsUpdate = true;
    }
    x.mesh!.material = heat ? x.heated! : x.plain!;
    g.getAttribute('position').needsUpdate = true;
    g.getAttribute('normal').needsUpdate = true;
    g.boundingSphere = null;
    g.boundingBox = null;
  }

  private placeSkins(p: Float32Array) {
    this.scene.skins.forEach((s, i) => {
      const g = this.skins[i].geometry;
      (g.getAttribute('position').array as Float32Array).set(p.subarray(3 * s.vertexAdr, 3 * (s.vertexAdr + s.vertexNum)));
      g.getAttribute('position').needsUpdate = true;
      g.computeVertexNormals();
      g.boundingSphere = null;
    });
  }

  private addRod(pool: Instanced, a: THREE.Vector3, b: THREE.Vector3, radius: number, color: THREE.Color) {
    const d = new THREE.Vector3().subVectors(b, a), length = d.length();
    if (!(length > 0)) return;
    this.tmpQ.setFromUnitVectors(kUp, d.divideScalar(length));
    pool.add(this.tmpV.addVectors(a, b).multiplyScalar(0.5), this.tmpQ, this.tmpS.set(radius, radius, length), color);
  }

  private placeTendons(frame: FrameData) {
    if (!frame.tendons && this.scene.tendons.length > 0 && !frame.bad) return;
    this.tendonRods.begin();
    if (frame.tendons && this.shown.tendons) {
      const { adr, segments } = frame.tendons, a = new THREE.Vector3(), b = new THREE.Vector3();
      this.scene.tendons.forEach((t, i) => {
        if (!this.shown.tendonGroups[t.group] || t.rgba[3] === 0) return;
        const color = new THREE.Color(t.rgba[0], t.rgba[1], t.rgba[2]);
        for (let s = adr[i]; s < adr[i + 1]; ++s) {
          this.addRod(this.tendonRods, a.fromArray(segments, 6 * s), b.fromArray(segments, 6 * s + 3), t.radius, color);
        }
      });
    }
    this.tendonRods.end();
  }

  private placeContacts(frame: FrameData) {
    this.contactDiscs.begin();
    this.contactArrows.begin();
    const c = frame.contacts, v = this.scene.visual;
    if (c && (this.shown.contactPoints || this.shown.contactForces)) {
      const size = this.scene.meansize, p = new THREE.Vector3(), n = new THREE.Vector3();
      const point = new THREE.Color(v.contactpoint[0], v.contactpoint[1], v.contactpoint[2]);
      const slide = new THREE.Color(0.95, 0.35, 0.25);
      const gap = new THREE.Color(v.contactgap[0], v.contactgap[1], v.contactgap[2]);
      const force = new THREE.Color(v.contactforce[0], v.contactforce[1], v.contactforce[2]);
      for (let i = 0; i < c.count; ++i) {
        const k = kContactFloats * i, flags = c.values[k + 10];
        p.fromArray(c.values, k);
        n.fromArray(c.values, k + 3);
        if (this.shown.contactPoints) {
          this.tmpQ.setFromUnitVectors(kUp, n);
          const r = v.contactwidth * size;
          this.contactDiscs.add(p, this.tmpQ, this.tmpS.set(r, r, v.contactheight * size),
            (flags & 1) === 0 ? gap : (flags & 2) !== 0 ? slide : point);
        }
        if (this.shown.contactForces) {
          n.fromArray(c.values, k + 6);
          const f = n.length();
          // lengths as MuJoCo has them: force / mass / gravity in parts of the model, by <visual><map force>
          const length = (this.shown.forceScale * v.force * f * size) / Math.max(1e-9, this.scene.mass) * 9.81 * 10;
          if (f > 0 && length > 1e-6) {
            this.tmpQ.setFromUnitVectors(kUp, n.divideScalar(f));
            const w = Math.min(v.forcewidth * size, 0.2 * length);
            this.contactArrows.add(p, this.tmpQ, this.tmpS.set(w, w, Math.min(length, 2 * this.scene.extent)),
              (flags & 2) !== 0 ? slide : force);
          }
        }
      }
    }
    this.contactDiscs.end();
    this.contactArrows.end();
  }

  contactsDrawn() { return [this.contactDiscs.count(), this.contactArrows.count()]; }

  private placeDecorations(d: Float32Array | null) {
    for (const pool of this.pools.values()) pool.begin();
    if (d) {
      const p = new THREE.Vector3(), q = new THREE.Quaternion(), s = new THREE.Vector3(), c = new THREE.Color();
      for (let i = 0; i + kDecorationFloats <= d.length; i += kDecorationFloats) {
        const shape = d[i];
        let pool = this.pools.get(shape);
        if (!pool) {
          const unit: Record<number, () => THREE.BufferGeometry> = {
            [kShapes.sphere]: () => new THREE.SphereGeometry(1, 20, 14),
            [kShapes.ellipsoid]: () => new THREE.SphereGeometry(1, 20, 14),
            [kShapes.capsule]: () => wrapZ(new THREE.CylinderGeometry(1, 1, 2, 16)),
            [kShapes.cylinder]: () => wrapZ(new THREE.CylinderGeometry(1, 1, 2, 20)),
            [kShapes.box]: () => new THREE.BoxGeometry(2, 2, 2),
            [kShapes.arrow]: arrowGeometry,
            [kShapes.cone]: () => wrapZ(new THREE.ConeGeometry(1, 1, 20).translate(0, 0.5, 0)),
          };
          const make = unit[shape];
          if (!make) continue;
          pool = new Instanced(this.decor, make(), new THREE.MeshPhongMaterial({ transparent: true, opacity: 0.85 }));
          pool.begin();
          this.pools.set(shape, pool);
        }
        const w = d[i + 1], h = d[i + 2], l = d[i + 3];
        p.fromArray(d, i + 4);
        q.set(d[i + 8], d[i + 9], d[i + 10], d[i + 7]);
        if (shape === kShapes.sphere) s.set(w, w, w);
        else if (shape === kShapes.capsule || shape === kShapes.cylinder) s.set(w, w, h);
        else if (shape === kShapes.arrow || shape === kShapes.cone) s.set(w, w, l);
        else s.set(w, h, l);
        pool.add(p, q, s, c.setRGB(d[i + 11], d[i + 12], d[i + 13]));
      }
    }
    for (const pool of this.pools.values()) pool.end();
  }

  /// Geoms that the program added.
  private placeGeoms(d: Float32Array | null) {
    for (const pool of this.geomPools.values()) pool.begin();
    const p = new THREE.Vector3(), q = new THREE.Quaternion(), s = new THREE.Vector3(), c = new THREE.Color(), end = new THREE.Vector3();
    const unit: Record<number, () => THREE.BufferGeometry> = {
      [kShapes.plane]: () => new THREE.PlaneGeometry(2, 2),
      [kShapes.sphere]: () => new THREE.SphereGeometry(1, 24, 16),
      [kShapes.cylinder]: () => wrapZ(new THREE.CylinderGeometry(1, 1, 2, 24)),
      [kShapes.box]: () => new THREE.BoxGeometry(2, 2, 2),
      [kShapes.arrow]: arrowGeometry,
      [kShapes.cone]: () => wrapZ(new THREE.ConeGeometry(1, 1, 24).translate(0, 0.5, 0)),
    };
    const add = (shape: number, alpha: number, at = p) => {
      const key = `${shape} ${Math.round(20 * alpha)}`;
      let pool = this.geomPools.get(key);
      if (!pool) {
        const opacity = Math.round(20 * alpha) / 20;
        const material = new THREE.MeshPhongMaterial({ transparent: opacity < 1, opacity, depthWrite: opacity > 0.5, specular: 0x222222 });
        if (shape === kShapes.plane) material.side = THREE.DoubleSide;
        pool = new Instanced(this.decor, unit[shape](), material);
        pool.begin();
        this.geomPools.set(key, pool);
      }
      pool.add(at, q, s, c);
    };
    for (let i = 0; d && i + kDecorationFloats <= d.length; i += kDecorationFloats) {
      let shape = d[i];
      const w = d[i + 1], h = d[i + 2], l = d[i + 3], alpha = d[i + 14];
      p.fromArray(d, i + 4);
      q.set(d[i + 8], d[i + 9], d[i + 10], d[i + 7]);
      c.setRGB(d[i + 11], d[i + 12], d[i + 13]);
      if ((w === 0 && shape !== kShapes.plane) || alpha <= 0) continue;
      const far = 12 * this.scene.extent;
      if (shape === kShapes.plane) s.set(w > 0 ? w : far, h > 0 ? h : far, 1);
      else if (shape === kShapes.sphere) s.set(w, w, w);
      else if (shape === kShapes.capsule || shape === kShapes.cylinder) s.set(w, w, h);
      else if (shape === kShapes.arrow || shape === kShapes.cone) s.set(w, w, l);
      else s.set(w, h, l);
      if (shape === kShapes.ellipsoid) shape = kShapes.sphere;
      if (shape === kShapes.capsule) {
        add(kShapes.cylinder, alpha);
        s.set(w, w, w);
        for (const side of [-h, h]) add(kShapes.sphere, alpha, end.set(0, 0, side).applyQuaternion(q).add(p));
      } else if (unit[shape]) {
        add(shape, alpha);
      }
    }
    for (const pool of this.geomPools.values()) pool.end();
    this.geomValues = d ?? new Float32Array(0);
  }

  /// How many geoms of the program are drawn, and where the labels of those that have one are.
  geomsDrawn() { return [...this.geomPools.values()].reduce((n, pool) => n + pool.count(), 0); }
  labelled(): [string, THREE.Vector3][] {
    return this.geomLabels.map((text, i): [string, THREE.Vector3] => [text, new THREE.Vector3().fromArray(this.geomValues, kDecorationFloats * i + 4)])
      .filter(([text]) => text !== '');
  }

  /// Colours, sizes and groups that the program changed since the scene was sent.
  private placeLooks(d: Float32Array | null) {
    const seen = new Set<number>();
    let isChanged = false;
    const set = (i: number, group: number, rgba: number[], size: number[]) => {
      const mesh = this.items[i], x = mesh.userData.instance as Instance;
      const same = (a: number[], b: number[]) => a.every((v, k) => v === b[k]);
      if (x.group === group && same(x.rgba, rgba) && same(x.size, size)) return;
      isChanged = true;
      const next = { ...x, group, rgba, size };
      mesh.userData.instance = next;
      (mesh.material as THREE.MeshPhongMaterial).color.setRGB(rgba[0], rgba[1], rgba[2]);
      if (!same(x.size, size)) {
        mesh.geometry.dispose();
        mesh.geometry = this.geometryOf(next);
      }
    };
    for (let k = 0; d && k + kLookFloats <= d.length; k += kLookFloats) {
      const i = d[k];
      if (!this.items[i]) continue;
      seen.add(i);
      if (!this.changed.has(i)) this.changed.set(i, this.items[i].userData.instance);
      set(i, d[k + 1], [...d.subarray(k + 2, k + 6)], [...d.subarray(k + 6, k + 9)]);
    }
    for (const [i, x] of this.changed) {
      if (seen.has(i)) continue;
      set(i, x.group, x.rgba, x.size);
      this.changed.delete(i);
    }
    if (isChanged) this.applyShown();
  }

  private placeDrag(d: Float32Array | null) {
    this.dragLine.visible = this.dragBall.visible = d !== null;
    if (!d) return;
    const a = this.dragLine.geometry.getAttribute('position') as THREE.BufferAttribute;
    a.setXYZ(0, d[0], d[1], d[2]);
    a.setXYZ(1, d[3], d[4], d[5]);
    a.needsUpdate = true;
    this.dragBall.position.set(d[3], d[4], d[5]);
    this.dragBall.scale.setScalar(0.06 * this.scene.meansize + 0.004 * this.scene.extent);
  }

  /// Where the selected point is, if something is selected.
  select(point: THREE.Vector3 | null) {
    this.selected.visible = point !== null;
    if (!point) return;
    this.selected.position.copy(point);
    this.selected.scale.setScalar(0.05 * this.scene.meansize + 0.003 * this.scene.extent);
  }

  /// A ring around a place in trouble.
  mark(point: THREE.Vector3 | null, radius = 0.1) {
    this.marker.visible = point !== null;
    if (!point) return;
    this.marker.position.copy(point);
    this.marker.scale.setScalar(radius);
  }
  faceMarker(camera: THREE.Camera) {
    if (this.marker.visible) this.marker.quaternion.copy(camera.quaternion);
  }

  applyShown() {
    const s = this.shown;
    for (const light of this.shadowLights) light.castShadow = s.shadows;
    for (const mesh of this.items) {
      const x = mesh.userData.instance as Instance;
      const groups = x.site ? s.siteGroups : s.geomGroups;
      mesh.visible = x.rgba[3] > 0 && groups[Math.min(5, Math.max(0, x.group))] && (!x.site || s.sites);
      const material = mesh.material as THREE.MeshPhongMaterial;
      const moves = this.scene.moving.includes(x.body);
      const alpha = s.transparent && moves && !x.site ? 0.35 * x.rgba[3] : x.rgba[3];
      material.opacity = alpha;
      material.transparent = alpha < 1 || x.site;
      material.depthWrite = alpha > 0.5;
      material.wireframe = s.wireframe;
    }
    this.flexes.forEach((f, i) => {
      const visible = s.flexGroups[Math.min(5, Math.max(0, this.scene.flexes[i].group))];
      if (f.mesh) {
        f.mesh.visible = visible;
        (f.plain as THREE.MeshPhongMaterial).wireframe = s.wireframe;
        (f.heated as THREE.MeshPhongMaterial).wireframe = s.wireframe;
      }
      if (f.tubes) {
        f.tubes.rods.mesh.visible = f.tubes.balls.mesh.visible = visible;
      }
    });
    this.skins.forEach((mesh) => { mesh.visible = s.skins; });
    this.root.background = s.sky ? this.sky : new THREE.Color(0.96, 0.97, 0.98);
    if (this.positions.length > 0) {
      if (s.heat === 0) this.heat = null;
      this.flexes.forEach((_, i) => this.placeFlex(i));
    }
  }

  // ---------------------------------------------------------------- picking

  pick(ray: THREE.Raycaster): Picked | null {
    const targets: THREE.Object3D[] = this.items.filter((m) => m.visible);
    this.flexes.forEach((f) => {
      if (f.mesh?.visible) targets.push(f.mesh);
      if (f.tubes?.rods.mesh.visible) targets.push(f.tubes.rods.mesh, f.tubes.balls.mesh);
    });
    this.skins.forEach((s) => { if (s.visible) targets.push(s); });
    for (const hit of ray.intersectObjects(targets, false)) {
      const data = hit.object.userData;
      const normal = hit.face ? hit.face.normal.clone().transformDirection(hit.object.matrixWorld) : kUp.clone();
      if (data.instance) {
        const x = data.instance as Instance, body = this.scene.bodies[x.body];
        const own = x.name || `${x.site ? 'site' : 'geom'} ${x.id}`;
        return {
          point: hit.point, normal, body: x.body, geom: x.site ? undefined : x.id, site: x.site ? x.id : undefined,
          name: x.body > 0 ? `${body.name || `body ${x.body}`} · ${own}` : own,
        };
      }
      if (data.flex !== undefined) return this.pickFlex(data.flex, hit, normal);
    }
    return null;
  }

  private pickFlex(flex: number, hit: THREE.Intersection, normal: THREE.Vector3): Picked {
    const x = this.flexes[flex], f = this.scene.flexes[flex], base = 3 * f.vertadr;
    const at = (v: number) => new THREE.Vector3().fromArray(this.positions, base + 3 * v);
    const name = f.name || `flex ${flex}`;
    if (x.tubes) {
      const onRod = hit.object === x.tubes.rods.mesh, i = hit.instanceId ?? 0;
      if (!onRod) {
        const v = x.source[i];
        return { point: hit.point, normal, flex, vertices: [v], weights: [1], name: `${name} · vertex ${v}` };
      }
      const u = x.source[x.lines[2 * i]], v = x.source[x.lines[2 * i + 1]], a = at(u), d = at(v).sub(a);
      const t = Math.min(1, Math.max(0, hit.point.clone().sub(a).dot(d) / Math.max(1e-30, d.lengthSq())));
      return { point: hit.point, normal, flex, element: x.element[i], vertices: [u, v], weights: [1 - t, t],
        name: `${name} · element ${x.element[i]}` };
    }
    const face = hit.faceIndex ?? 0;
    const drawn = [x.indices[3 * face], x.indices[3 * face + 1], x.indices[3 * face + 2]];
    const vertices = drawn.map((v) => x.source[v]);
    const w = new THREE.Vector3();
    const p = drawn.map((v) => new THREE.Vector3().fromArray(x.mesh!.geometry.getAttribute('position').array, 3 * v));
    THREE.Triangle.getBarycoord(hit.point, p[0], p[1], p[2], w);
    // triangles of the rim name a vertex twice
    const seen = new Map<number, number>();
    [w.x, w.y, w.z].forEach((weight, i) => seen.set(vertices[i], (seen.get(vertices[i]) ?? 0) + Math.max(0, weight)));
    const sum = [...seen.values()].reduce((a, b) => a + b, 0) || 1;
    return {
      point: hit.point, normal, flex, element: x.element[face], vertices: [...seen.keys()],
      weights: [...seen.values()].map((v) => v / sum), name: `${name} · element ${x.element[face]}`,
    };
  }

  /// Where a picked point is now.
  placeOf(p: Picked, local: THREE.Vector3): THREE.Vector3 {
    if (p.body !== undefined) return this.bodies[p.body].localToWorld(local.clone());
    const base = 3 * this.scene.flexes[p.flex!].vertadr, out = new THREE.Vector3();
    p.vertices!.forEach((v, i) => out.addScaledVector(new THREE.Vector3().fromArray(this.positions, base + 3 * v), p.weights![i]));
    return out;
  }
}
