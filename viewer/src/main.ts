import GUI from 'lil-gui';
import * as THREE from 'three';
import { Plots } from './plots';
import { Recording } from './replay';
import { Stage } from './stage';
import { type FrameData, type SceneInfo, decodeFrame, decodeScene, isFrame, isScene } from './wire';
import { type Picked, type Shown, World, heatCss } from './world';

const icons: Record<string, string> = {
  play: '<svg viewBox="0 0 16 16"><path d="M4 2.5v11l9-5.5z"/></svg>',
  pause: '<svg viewBox="0 0 16 16"><path d="M4 2.5h3v11H4zM9 2.5h3v11H9z"/></svg>',
  back: '<svg viewBox="0 0 16 16"><path d="M11 2.5v11L4.5 8zM3 2.5h1.5v11H3z"/></svg>',
  step: '<svg viewBox="0 0 16 16"><path d="M5 2.5v11L11.5 8zM11.5 2.5H13v11h-1.5z"/></svg>',
  reset: '<svg viewBox="0 0 16 16"><path d="M8 3V.8L4.2 4 8 7.2V5a4 4 0 1 1-4 4H2a6 6 0 1 0 6-6z"/></svg>',
};
const kHeatNames = ['none', 'stress (von Mises)', 'strain (von Mises)', 'contact force', 'energy density'];
const kHeatUnits = ['', 'Pa', '', 'N', 'J/m³'];
const kSolvers = { PGS: 0, CG: 1, Newton: 2, Impulse: 3 };
const kIntegrators = { Euler: 0, RK4: 1, implicit: 2, implicitfast: 3 };
const kCones = { pyramidal: 0, elliptic: 1 };
const kFrames: Record<string, string[]> = { none: [], world: ['worldframe'], body: ['bodyframes'], geom: ['geomframes'], site: ['siteframes'] };
const kSpeeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

function el<K extends keyof HTMLElementTagNameMap>(tag: K, className = '', parent?: HTMLElement, text = ''): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  if (className) e.className = className;
  if (text) e.textContent = text;
  parent?.append(e);
  return e;
}
const number = (x: number) => (Number.isFinite(x) ? (x !== 0 && (Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3) ? x.toExponential(2) : String(+x.toPrecision(4))) : String(x));

/// Numbers of keys as GLFW has them, by the place on the keyboard.
const kBarHeight = 80;  // of the time bar with its margin, pixels
const kGlfwKeys: Record<string, number> = {
  Space: 32, Quote: 39, Comma: 44, Minus: 45, Period: 46, Slash: 47, Semicolon: 59, Equal: 61, BracketLeft: 91, Backslash: 92,
  BracketRight: 93, Backquote: 96, Escape: 256, Enter: 257, Tab: 258, Backspace: 259, Insert: 260, Delete: 261, ArrowRight: 262,
  ArrowLeft: 263, ArrowDown: 264, ArrowUp: 265, PageUp: 266, PageDown: 267, Home: 268, End: 269, CapsLock: 280, ScrollLock: 281,
  NumLock: 282, PrintScreen: 283, Pause: 284, NumpadDecimal: 330, NumpadDivide: 331, NumpadMultiply: 332, NumpadSubtract: 333,
  NumpadAdd: 334, NumpadEnter: 335, NumpadEqual: 336, ShiftLeft: 340, ControlLeft: 341, AltLeft: 342, MetaLeft: 343, ShiftRight: 344,
  ControlRight: 345, AltRight: 346, MetaRight: 347, ContextMenu: 348,
};
function glfwKey(code: string): number {
  const letter = /^(?:Key|Digit)(.)$/.exec(code), f = /^F(\d+)$/.exec(code), pad = /^Numpad(\d)$/.exec(code);
  if (letter) return letter[1].charCodeAt(0);
  if (f) return 289 + Number(f[1]);
  if (pad) return 320 + Number(pad[1]);
  return kGlfwKeys[code] ?? -1;
}

const isNarrow = () => window.matchMedia('(max-width: 760px)').matches;  // as in style.css

class App {
  readonly root = document.getElementById('app')!;
  readonly canvas = el('canvas', 'stage', this.root);
  readonly labels = el('div', 'labels', this.root);
  readonly top = el('div', 'top card', this.root);
  readonly hud = el('div', 'hud card', this.root);
  readonly heatBox = el('div', 'heat card hidden', this.root);
  readonly panel = el('div', 'panel card', this.root);
  readonly plotBox = el('div', 'plots card empty', this.root);
  readonly bar = el('div', 'bar card', this.root);
  readonly trouble = el('div', 'trouble card hidden', this.root);
  readonly banner = el('div', 'banner hidden', this.root);
  readonly texts = el('div', 'texts', this.root);
  readonly toasts = el('div', 'toasts', this.root);
  readonly overlay = el('div', 'overlay', this.root);
  readonly stage: Stage;
  readonly plots: Plots;
  readonly shown: Shown = {
    geomGroups: [true, true, true, false, false, false], siteGroups: [true, true, true, false, false, false],
    flexGroups: [true, true, true, false, false, false], tendonGroups: [true, true, true, false, false, false],
    contactPoints: false, contactForces: false, transparent: false, wireframe: false, shadows: true, sites: true,
    tendons: true, skins: true, sky: true, labels: 'none', heat: 0, heatMax: 0, forceScale: 1,
  };
  readonly decorations = { joints: false, actuators: false, com: false, inertia: false, constraints: false, cameras: false, lights: false };
  readonly frames = { of: 'none' };  // what has its frame drawn
  scene: SceneInfo | null = null;
  world: World | null = null;
  frame: FrameData | null = null;
  recording: Recording | null = null;
  role = 'steer';
  windows = 1;
  watchEntries: [string, number][] = [];
  watchVersion = -1;
  edits: [string, string][] = [];
  received = 0;
  saved = '';
  info: any = null;
  troubleInfo: any = null;
  loadError: string | null = null;
  errors: string[] = [];
  private socket: WebSocket | null = null;
  private gui: GUI | null = null;
  private sliders: { kind: string; index: number; controller: any; state: any; touched: number }[] = [];
  private optionControls: { name: string; index: number; controller: any; state: any }[] = [];
  private play = { playing: false, speed: 1, time: 0, wall: 0, index: -1 };
  private scrubbing = false;
  private ended = false;
  private cameraVersion = 0;
  private shownVersion = 0;
  private sentView = '';
  private sentShown = '';
  private rates = { frames: 0, at: performance.now(), value: 0 };
  private editsBox: HTMLElement | null = null;
  private ui: Record<string, any> = {};

  constructor() {
    this.stage = new Stage(this.canvas, {
      send: (c) => this.send(c),
      selected: (p) => this.onSelected(p),
      canPull: () => this.scene?.mode !== 'replay' && this.role === 'steer',
      covered: () => ({
        // on a narrow screen the panel lies over the picture
        right: this.panel.classList.contains('hidden') || isNarrow() ? 0 : this.panel.offsetWidth + 12,
        // the time bar at the bottom hides a part as well; in a low window nothing would be left beside the card
        top: this.trouble.classList.contains('hidden') ? 0
          : Math.max(0, Math.min(this.trouble.offsetTop + this.trouble.offsetHeight - kBarHeight, 0.4 * window.innerHeight)),
      }),
    });
    this.shown.shadows = !this.stage.software;
    this.plots = new Plots(this.plotBox, () => this.want());
    this.makeBar();
    this.waiting('Connecting…');
    window.addEventListener('keydown', (e) => this.key(e));
    window.addEventListener('resize', () => { this.stage.needsDraw = true; this.plots.draw(); });
    const loop = () => {
      this.tick();
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
  }

  // ---------------------------------------------------------------- where frames come from

  async start() {
    const data = document.getElementById('sinew-data');
    if (data) {
      try {
        this.recording = await Recording.open(data.textContent ?? '');
        data.remove();
        this.setScene(this.recording.scene);
        this.play.playing = true;
        this.play.wall = performance.now();
        this.showRecorded(0);
      } catch (error) {
        this.fail('This recording cannot be shown', String(error));
      }
      return;
    }
    this.connect();
  }

  private connect() {
    const token = new URLSearchParams(location.search).get('token') ?? '';
    const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws?token=${encodeURIComponent(token)}`);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => { this.ended = false; this.want(); };
    socket.onmessage = (e) => this.take(e.data);
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = null;
      this.waiting(this.ended ? 'The program has ended. Waiting for it to start again…' : 'Connection lost. Trying again…');
      setTimeout(() => this.connect(), 1000);
    };
  }

  private take(data: ArrayBuffer | string) {
    if (typeof data === 'string') return this.takeText(JSON.parse(data));
    if (isScene(data)) {
      this.setScene(decodeScene(data));
    } else if (isFrame(data) && this.scene) {
      this.socket?.send('a');
      if (new DataView(data).getBigUint64(8, true).toString(16).padStart(16, '0') !== this.scene.id) return;
      this.setFrame(decodeFrame(data, this.scene));
    }
  }

  private takeText(m: any) {
    if (m.role) {
      if (this.role !== m.role || this.windows !== m.windows) {
        this.role = m.role;
        this.windows = m.windows;
        this.makeTop();
      }
    }
    if (m.watch) {
      this.watchVersion = m.watch.version;
      this.watchEntries = m.watch.entries;
    }
    if (m.notice) this.toast(m.notice);
    if (m.error) { this.errors.push(m.error); this.toast(m.error); }
    if (m.saved !== undefined) this.onSaved(m.saved);
    if (m.info) this.info = m.info;
    if (m.ended) this.ended = true;
    if (m.edits) { this.edits = m.edits; this.showEdits(); }
    if (m.options && this.scene) {
      this.scene.options = m.options;
      this.showOptions();
    }
    if (m.loadError !== undefined) {
      this.loadError = m.loadError;
      if (m.loadError) this.fail('The model cannot be loaded', m.loadError);
      else if (this.scene) this.overlay.classList.add('hidden');
    }
    if (m.trouble !== undefined) this.setTrouble(m.trouble);
    if (m.camera) {
      this.cameraVersion = m.camera.version;
      this.stage.setView(m.camera);
      this.sentView = JSON.stringify(this.stage.view());
    }
    if (m.show) this.takeShown(m.show);
    if (m.texts) this.showTexts(m.texts);
  }

  // ---------------------------------------------------------------- what a program that steps by itself shares

  private isShared() { return this.scene?.mode === 'passive' && this.role === 'steer'; }

  private sendView() {
    if (!this.isShared()) return;
    const view = this.stage.view(), text = JSON.stringify(view);
    if (text === this.sentView) return;
    // the first picture only says where the camera starts
    if (this.sentView !== '') this.send({ c: 'camera', version: this.cameraVersion, ...view });
    this.sentView = text;
  }

  private shownMessage() {
    const s = this.shown;
    return {
      geomGroups: s.geomGroups, siteGroups: s.siteGroups, flexGroups: s.flexGroups, tendonGroups: s.tendonGroups,
      contactPoints: s.contactPoints, contactForces: s.contactForces, transparent: s.transparent, tendons: s.tendons,
      skins: s.skins, labels: s.labels, frames: this.frames.of, ...this.decorations,
    };
  }

  private takeShown(m: any) {
    this.shownVersion = m.version;
    for (const name of ['geomGroups', 'siteGroups', 'flexGroups', 'tendonGroups'] as const) {
      if (m[name]) m[name].forEach((on: boolean, i: number) => { this.shown[name][i] = on; });
    }
    for (const name of ['contactPoints', 'contactForces', 'transparent', 'tendons', 'skins', 'labels'] as const) {
      if (m[name] !== undefined) (this.shown as any)[name] = m[name];
    }
    for (const name of Object.keys(this.decorations)) {
      if (m[name] !== undefined) (this.decorations as any)[name] = m[name];
    }
    if (m.frames !== undefined) this.frames.of = m.frames;
    this.sentShown = JSON.stringify(this.shownMessage());
    this.refreshShown();
  }

  private sendShown() {
    if (!this.isShared()) return;
    const message = this.shownMessage(), text = JSON.stringify(message);
    if (text === this.sentShown) return;
    this.sentShown = text;
    this.send({ c: 'shown', version: this.shownVersion, ...message });
  }

  private showTexts(list: { corner: number; left: string; right: string }[]) {
    this.texts.replaceChildren(...list.map((t) => {
      const box = el('div', `corner${t.corner}`);
      el('pre', '', box, t.left);
      if (t.right) el('pre', '', box, t.right);
      return box;
    }));
  }

  send(command: any) {
    if (this.recording) return;
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }

  /// Tells the server what this window shows beside poses.
  want() {
    if (this.recording) return this.fillCurves();
    this.send({
      c: 'want',
      contacts: this.shown.contactPoints || this.shown.contactForces,
      controls: true,
      energy: this.ui.energy ?? false,
      heat: this.shown.heat > 0 ? [this.shown.heat] : [],
      show: [...Object.entries(this.decorations).filter(([, on]) => on).map(([name]) => name), ...(kFrames[this.frames.of] ?? [])],
      watch: this.plots.curves.filter((c) => !c.array.startsWith('heat.')).map((c) => [c.array, c.index]),
    });
  }

  setScene(scene: SceneInfo) {
    const again = this.scene !== null && this.scene.name === scene.name;
    this.world?.dispose();
    this.scene = scene;
    this.world = new World(scene, this.shown);
    this.stage.setWorld(this.world, again);
    this.frame = null;
    if (!again) {
      this.plots.clear();
      this.panel.classList.toggle('hidden', scene.panels?.right === false || isNarrow());
      for (const e of [this.top, this.hud]) e.classList.toggle('hidden', scene.panels?.left === false);
    }
    document.title = `${scene.name || 'model'} · Sinew`;
    this.overlay.classList.add('hidden');
    this.setTrouble(null);
    this.makeTop();
    this.makePanel();
    this.want();
    this.ui.barMode?.(scene.mode);
  }

  setFrame(frame: FrameData) {
    this.frame = frame;
    ++this.received;
    this.world!.update(frame);
    this.stage.needsDraw = true;
    if (!this.recording && frame.watch && frame.watch.version === this.watchVersion) {
      const values = this.plots.curves.map((c) => {
        const i = this.watchEntries.findIndex(([a, k]) => a === c.array && k === c.index);
        if (i >= 0) return frame.watch!.values[i];
        const heat = c.array.startsWith('heat.') ? frame.heat.find((h) => `heat.${h.kind}` === c.array) : null;
        return heat ? heat.values[c.index] * heat.high : undefined;  // not sent yet
      });
      if (this.plots.curves.length > 0) this.plots.push(frame.time, values);
    }
    this.banner.classList.toggle('hidden', !frame.bad);
    if (frame.bad) this.banner.textContent = 'The state is not finite: this is the last good picture';
    this.showFrame();
  }

  private lastShown = 0;
  private showFrame() {
    const f = this.frame!;
    const now = performance.now();
    ++this.rates.frames;
    if (now - this.rates.at > 500) {
      this.rates.value = (1000 * this.rates.frames) / (now - this.rates.at);
      this.rates.frames = 0;
      this.rates.at = now;
    }
    if (now - this.lastShown < 66 && !f.paused) return;
    this.lastShown = now;
    const playing = this.recording ? this.play.playing : !f.paused;
    this.ui.play.innerHTML = playing ? icons.pause : icons.play;
    this.ui.play.title = playing ? 'Pause (space)' : 'Run (space)';
    this.ui.time.textContent = `${f.time.toFixed(3)} s`;
    const scrub = this.ui.scrub as HTMLInputElement;
    if (!this.scrubbing) {
      scrub.max = String(Math.max(1, f.historyCount - 1));
      scrub.value = String(f.historyIndex);
    }
    scrub.title = f.historyCount > 1 ? `${f.historyStart.toFixed(2)} s to ${f.historyEnd.toFixed(2)} s, ${f.historyCount} states` : '';
    this.ui.go.classList.toggle('hidden', !f.scrubbing || this.scene!.mode !== 'live');
    const rows: [string, string][] = [];
    if (this.scene!.mode === 'live') rows.push(['real time', f.paused ? 'paused' : `${number(f.realTime)} ×`]);
    if (this.scene!.mode !== 'replay') rows.push(['steps', String(f.step)]);
    rows.push(['pictures', `${this.rates.value.toFixed(0)} /s`]);
    if (f.scalars) {
      const s = (name: string) => f.scalars![this.scene!.scalars.indexOf(name)];
      rows.push(['contacts', String(s('contacts'))], ['rows', String(s('rows'))]);
      if (this.ui.stats) {
        rows.push(['islands', String(s('islands'))], ['iterations', String(s('iterations'))], ['residual', number(s('residual'))],
          ['unconverged', String(s('unconverged'))]);
      }
      if (this.ui.energy || this.recording) {
        rows.push(['potential', `${number(s('energy.potential'))} J`], ['kinetic', `${number(s('energy.kinetic'))} J`],
          ['total', `${number(s('energy.total'))} J`]);
      }
    }
    if (this.stage.selection) rows.push(['selected', this.stage.selection.name]);
    if (f.drag) rows.push(['pull', `${number(Math.hypot(f.drag[6], f.drag[7], f.drag[8]))} N`]);
    if (f.hash) rows.push(['state', f.hash.slice(0, 8)]);
    this.hud.replaceChildren(...rows.flatMap(([k, v]) => {
      const a = document.createElement('span');
      a.textContent = k;
      const b = document.createElement('b');
      b.textContent = v;
      return [a, b];
    }));
    this.showHeat();
    this.showSliders();
    this.plots.draw(this.recording || f.scrubbing ? f.time : NaN);
  }

  private showHeat() {
    const heat = this.world?.heat;
    this.heatBox.classList.toggle('hidden', !heat || this.shown.heat === 0);
    if (!heat) return;
    const top = this.shown.heatMax > 0 ? this.shown.heatMax : heat.high, unit = kHeatUnits[this.shown.heat];
    if (!this.heatBox.firstChild) {
      const scale = el('div', 'scale', this.heatBox);
      scale.style.background = heatCss();
      el('div', 'ticks', this.heatBox);
    }
    const ticks = this.heatBox.lastChild as HTMLElement;
    ticks.replaceChildren();
    [1, 0.75, 0.5, 0.25, 0].forEach((t, i) => el(i === 0 ? 'b' : 'span', '', ticks, `${number(t * top)} ${unit}`));
    this.heatBox.title = kHeatNames[this.shown.heat];
  }

  // ---------------------------------------------------------------- recorded runs

  private showRecorded(index: number) {
    const r = this.recording!;
    if (index === this.play.index) return;
    this.play.index = index;
    const frame = r.at(index);
    frame.paused = !this.play.playing;
    this.setFrame(frame);
  }

  private fillCurves() {
    const r = this.recording!;
    for (const c of this.plots.curves) {
      if (c.times.length === r.frames) continue;
      const values = r.trace(c.array, c.index);
      if (!values) continue;
      c.times = [...r.times];
      c.values = [...values];
    }
    this.plots.draw(this.frame?.time ?? NaN);
  }

  private tick() {
    if (this.recording && this.play.playing) {
      const now = performance.now(), t = this.recording.times;
      this.play.time += ((now - this.play.wall) / 1000) * this.play.speed;
      this.play.wall = now;
      const length = t[t.length - 1] - t[0];
      if (this.play.time > length) this.play.time = length > 0 ? this.play.time % length : 0;
      let i = this.play.index < 0 || t[this.play.index] - t[0] > this.play.time ? 0 : this.play.index;
      while (i + 1 < t.length && t[i + 1] - t[0] <= this.play.time) ++i;
      this.showRecorded(i);
    }
    if (this.stage.draw()) {
      this.placeLabels();
      this.sendView();
    }
  }

  // ---------------------------------------------------------------- commands of the user

  pause(on: boolean) {
    if (this.recording) {
      this.play.playing = !on;
      this.play.wall = performance.now();
      if (this.frame) { this.frame.paused = on; this.lastShown = 0; this.showFrame(); }
    } else {
      this.send({ c: 'pause', on });
    }
  }
  toggle() { this.pause(this.recording ? this.play.playing : !(this.frame?.paused ?? true)); }
  stepBy(n: number) {
    if (this.recording) {
      this.pause(true);
      this.scrubTo(this.play.index + n);
    } else if (n > 0) {
      this.send({ c: 'step', n });
    } else if (this.frame) {
      this.send({ c: 'scrub', i: Math.max(0, this.frame.historyIndex + n) });
    }
  }
  scrubTo(i: number) {
    if (this.recording) {
      const k = Math.max(0, Math.min(this.recording.frames - 1, Math.round(i)));
      this.play.time = this.recording.times[k] - this.recording.times[0];
      this.showRecorded(k);
      this.lastShown = 0;
      this.showFrame();
    } else {
      this.send({ c: 'scrub', i });
    }
  }
  reset() { if (this.recording) this.scrubTo(0); else this.send({ c: 'reset' }); }
  setSpeed(v: number) {
    this.play.speed = v;
    this.ui.speed.value = String(v);
    this.send({ c: 'speed', v });
  }
  setHeat(kind: number) {
    this.shown.heat = kind;
    this.want();
    if (this.frame) this.world?.update(this.frame);
    this.world?.applyShown();
    this.showHeat();
    this.stage.needsDraw = true;
  }

  private onSelected(p: Picked | null) {
    if (this.isShared()) {
      this.send(p?.body !== undefined ? { c: 'select', body: p.body, local: this.stage.selectedPoint() }
        : p?.flex !== undefined ? { c: 'select', flex: p.flex } : { c: 'select' });
    }
    this.ui.onSelected?.(p);
    this.lastShown = 0;
    if (this.frame) this.showFrame();
  }

  /// Curves of what is selected.
  plotSelected() {
    const p = this.stage.selection, s = this.scene;
    if (!p || !s) return;
    if (p.flex !== undefined) {
      const f = s.flexes[p.flex], best = p.weights!.indexOf(Math.max(...p.weights!)), v = f.vertadr + p.vertices![best];
      this.plots.add('flexvert_xpos', 3 * v + 2, `${f.name || 'flex'} v${p.vertices![best]} z`);
      if (this.shown.heat > 0) this.plots.add(`heat.${this.shown.heat}`, v, `${kHeatNames[this.shown.heat].split(' ')[0]} v${p.vertices![best]}`);
    } else if (p.body !== undefined && p.body > 0) {
      ['x', 'y', 'z'].forEach((axis, k) => this.plots.add('xpos', 3 * p.body! + k, `${s.bodies[p.body!].name || `body ${p.body}`} ${axis}`));
    }
    if (this.recording) this.fillCurves();
  }

  private onSaved(text: string) {
    this.saved = text;
    const a = document.createElement('a');
    a.href = URL.createObjectURL(new Blob([text], { type: 'application/xml' }));
    const file = (this.scene?.file || this.scene?.name || 'model').split('/').pop()!.replace(/\.(xml|urdf)$/, '');
    a.download = `${file}_edited.xml`;
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 10000);
    this.toast('Saved as MJCF. Put it beside the original, whose meshes and textures it names.');
  }

  private key(e: KeyboardEvent) {
    if (e.target instanceof HTMLInputElement && e.target.type !== 'range' && e.target.type !== 'checkbox') return;
    if (e.target instanceof HTMLSelectElement) return;
    const code = glfwKey(e.code);
    if (code > 0 && !e.repeat && this.isShared() && this.socket?.readyState === WebSocket.OPEN) this.socket.send(`k${code}`);
    if (e.ctrlKey && e.key.toLowerCase() === 'l') {
      e.preventDefault();
      return this.send({ c: 'reload' });
    }
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const k = e.key, digit = /^Digit([0-5])$/.exec(e.code);
    const flip = (o: any, name: string) => { o[name] = !o[name]; this.refreshShown(); };
    if (k === ' ') this.toggle();
    else if (k === 'ArrowRight') this.stepBy(e.shiftKey ? 10 : 1);
    else if (k === 'ArrowLeft') this.stepBy(e.shiftKey ? -10 : -1);
    else if (k === 'Backspace') this.reset();
    else if (k === 'Escape') { this.stage.select(null); this.stage.free(); this.stage.track = -1; }
    else if (k === '[') this.stage.cycleCamera(-1);
    else if (k === ']') this.stage.cycleCamera(1);
    else if (k === '+' || k === '=') this.changeSpeed(1);
    else if (k === '-') this.changeSpeed(-1);
    else if (k === 'F1' || k === '?') this.help();
    else if (k === 'Tab') this.panel.classList.toggle('hidden');
    else if (digit) {
      const group = e.shiftKey ? this.shown.siteGroups : this.shown.geomGroups;
      group[Number(digit[1])] = !group[Number(digit[1])];
      this.refreshShown();
    } else {
      switch (k.toLowerCase()) {
        case 'c': flip(this.shown, 'contactPoints'); break;
        case 'f': flip(this.shown, 'contactForces'); break;
        case 'j': flip(this.decorations, 'joints'); break;
        case 'u': flip(this.decorations, 'actuators'); break;
        case 'm': flip(this.decorations, 'com'); break;
        case 'i': flip(this.decorations, 'inertia'); break;
        case 'e': flip(this.decorations, 'constraints'); break;
        case 'q': flip(this.decorations, 'cameras'); break;
        case 'z': flip(this.decorations, 'lights'); break;
        case 't': flip(this.shown, 'transparent'); break;
        case 'v': flip(this.shown, 'tendons'); break;
        case 'w': flip(this.shown, 'wireframe'); break;
        case 's': flip(this.shown, 'shadows'); break;
        case 'k': flip(this.shown, 'sky'); break;
        case 'h': this.setHeat((this.shown.heat + 1) % 4); this.gui?.controllersRecursive().forEach((c) => c.updateDisplay()); break;
        case 'p': this.plotSelected(); break;
        case 'a': this.stage.home(); break;
        default: return;
      }
    }
    e.preventDefault();
    this.stage.needsDraw = true;
  }

  private changeSpeed(by: number) {
    const now = Number(this.ui.speed.value);
    const i = kSpeeds.findIndex((s) => s >= now);
    this.setSpeed(kSpeeds[Math.max(0, Math.min(kSpeeds.length - 1, i + by))]);
  }

  refreshShown() {
    this.world?.applyShown();
    this.gui?.controllersRecursive().forEach((c) => c.updateDisplay());
    this.want();
    this.sendShown();
    if (this.frame) this.world?.update(this.frame);
    this.stage.needsDraw = true;
  }

  // ---------------------------------------------------------------- around the picture

  private makeTop() {
    const s = this.scene;
    if (!s) return;
    this.top.replaceChildren();
    el('span', 'brand', this.top, 'Sinew');
    el('span', 'model', this.top, s.name || s.file);
    if (s.mode === 'replay') {
      const p = s.provenance ?? {};
      const tag = el('span', 'tag', this.top, 'replay');
      tag.title = Object.entries(p).filter(([, v]) => v !== '').map(([k, v]) => `${k}: ${v}`).join('\n');
      tag.style.cursor = 'help';
      const about = el('button', '', this.top, 'About');
      about.onclick = () => this.about();
    } else {
      const tag = el('span', 'tag', this.top, s.mode === 'passive' ? 'driven by a program' : s.file.split('/').pop() || 'demo');
      tag.title = s.file;
      if (this.windows > 1) el('span', 'tag', this.top, `${this.windows} windows`);
      if (this.role !== 'steer') {
        el('span', 'tag', this.top, 'watching');
        const take = el('button', '', this.top, 'Take over');
        take.onclick = () => this.send({ c: 'steer' });
      }
    }
    if (s.warnings.length > 0) {
      const tag = el('span', 'tag warn', this.top, `${s.warnings.length} warning${s.warnings.length > 1 ? 's' : ''}`);
      tag.title = s.warnings.join('\n');
    }
    const help = el('button', '', this.top, '?');
    help.title = 'Keys and mouse (F1)';
    help.onclick = () => this.help();
    const panel = el('button', 'forpanel', this.top, '☰');
    panel.title = 'Panel (Tab)';
    panel.onclick = () => this.panel.classList.toggle('hidden');
  }

  private makeBar() {
    const button = (name: string, title: string, click: () => void, className = '') => {
      const b = el('button', className, this.bar);
      b.innerHTML = icons[name] ?? '';
      b.title = title;
      b.setAttribute('aria-label', title);
      b.onclick = () => { click(); b.blur(); };
      return b;
    };
    this.ui.reset = button('reset', 'Reset (Backspace)', () => this.reset());
    this.ui.back = button('back', 'One state back (←)', () => this.stepBy(-1));
    this.ui.play = button('play', 'Run (space)', () => this.toggle(), 'main');
    this.ui.step = button('step', 'One step (→)', () => this.stepBy(1));
    const speed = el('select', '', this.bar);
    speed.title = 'Speed against real time (+ and −)';
    kSpeeds.forEach((v) => { const o = el('option', '', speed, `${v} ×`); o.value = String(v); });
    speed.value = '1';
    speed.onchange = () => { this.setSpeed(Number(speed.value)); speed.blur(); };
    this.ui.speed = speed;
    const scrub = el('input', 'scrub', this.bar);
    scrub.type = 'range';
    scrub.min = '0';
    scrub.setAttribute('aria-label', 'Time');
    scrub.oninput = () => { this.scrubbing = true; if (this.recording) this.pause(true); this.scrubTo(Number(scrub.value)); };
    scrub.onchange = () => { this.scrubbing = false; scrub.blur(); };
    this.ui.scrub = scrub;
    this.ui.time = el('span', 'time', this.bar, '0.000 s');
    const go = el('button', 'go hidden', this.bar, 'Continue from here');
    go.onclick = () => this.send({ c: 'continue' });
    this.ui.go = go;
    this.ui.barMode = (mode: string) => {
      const live = mode === 'live', replay = mode === 'replay';
      [this.ui.reset, this.ui.back, this.ui.step, speed, scrub].forEach((e) => e.classList.toggle('hidden', !(live || replay)));
    };
  }

  private makePanel() {
    const s = this.scene!;
    this.gui?.destroy();
    this.sliders = [];
    this.optionControls = [];
    const gui = new GUI({ container: this.panel, title: '' });
    this.gui = gui;
    const redraw = () => this.refreshShown();
    const open = (g: GUI, on: boolean) => (on ? g.open() : g.close());

    const view = gui.addFolder('View');
    const cameras: Record<string, number> = { free: -1 };
    s.cameras.forEach((c, i) => { cameras[c.name || `camera ${i}`] = i; });
    view.add({ get camera() { return app.stage.fixed; }, set camera(v: number) { app.stage.fixed = v; app.stage.needsDraw = true; } }, 'camera', cameras).listen();
    const bodies: Record<string, number> = { nothing: -1 };
    s.bodies.forEach((b, i) => { if (i > 0 && i < 400) bodies[b.name || `body ${i}`] = i; });
    view.add({ get follow() { return app.stage.track; }, set follow(v: number) { app.stage.follow(v); } }, 'follow', bodies);
    view.add(this.shown, 'labels', ['none', 'bodies', 'joints', 'geoms', 'sites', 'flexes', 'selection']).onChange(redraw);
    view.add(this.shown, 'shadows').onChange(redraw);
    view.add(this.shown, 'wireframe').onChange(redraw);
    view.add(this.shown, 'transparent').onChange(redraw);
    view.add({ 'whole scene': () => this.stage.home() }, 'whole scene');
    view.add({ picture: () => this.screenshot() }, 'picture').name('save picture');

    const show = gui.addFolder('Show');
    show.add(this.shown, 'contactPoints').name('contact points').onChange(redraw);
    show.add(this.shown, 'contactForces').name('contact forces').onChange(redraw);
    show.add(this.shown, 'forceScale', 0.1, 20).name('force scale').onChange(redraw);
    if (s.mode !== 'replay') {
      show.add(this.decorations, 'joints').onChange(redraw);
      show.add(this.decorations, 'actuators').onChange(redraw);
      show.add(this.decorations, 'com').name('centres of mass').onChange(redraw);
      show.add(this.decorations, 'inertia').onChange(redraw);
      show.add(this.decorations, 'constraints').onChange(redraw);
      show.add(this.frames, 'of', Object.keys(kFrames)).name('frames').onChange(redraw);
    }
    if (s.tendons.length > 0) show.add(this.shown, 'tendons').onChange(redraw);
    show.add(this.shown, 'sites').onChange(redraw);
    const groups = show.addFolder('Groups');
    for (const [name, list] of [['geoms', this.shown.geomGroups], ['sites', this.shown.siteGroups], ['flexes', this.shown.flexGroups], ['tendons', this.shown.tendonGroups]] as [string, boolean[]][]) {
      const f = groups.addFolder(name);
      for (let i = 0; i < 6; ++i) f.add(list, String(i) as any).name(`group ${i}`).onChange(redraw);
      f.close();
    }
    groups.close();

    if (s.flexes.length > 0) {
      const soft = gui.addFolder('Soft things');
      const kinds: Record<string, number> = {};
      kHeatNames.forEach((n, i) => { if (s.mode !== 'replay' || i < 4) kinds[n] = i; });
      soft.add({ get heat() { return app.shown.heat; }, set heat(v: number) { app.setHeat(v); } }, 'heat', kinds).name('colour by');
      soft.add(this.shown, 'heatMax', 0).name('top of the scale').onFinishChange(redraw);
      soft.add({ plot: () => this.plotSelected() }, 'plot').name('plot selected vertex');
    }

    if (s.mode !== 'replay') {
      if (s.actuators.length > 0) {
        const f = gui.addFolder(`Controls (${s.actuators.length})`);
        s.actuators.slice(0, 200).forEach((a) => this.addSlider(f, 'ctrl', a.ctrl, a.name, a.limited ? a.range : [-1, 1]));
        open(f, s.actuators.length <= 12);
      }
      const scalar = s.joints.map((j, i) => ({ j, i })).filter(({ j }) => j.type >= 2);
      if (scalar.length > 0) {
        const f = gui.addFolder(`Joints (${scalar.length})`);
        scalar.slice(0, 200).forEach(({ j, i }) => {
          const free = j.type === 3 ? [-Math.PI, Math.PI] : [-s.extent, s.extent];
          this.addSlider(f, 'qpos', j.qpos, j.name || `joint ${i}`, j.limited ? j.range : free);
        });
        f.close();
      }
      if (s.equalities.length > 0) {
        const f = gui.addFolder(`Equalities (${s.equalities.length})`);
        s.equalities.slice(0, 100).forEach((name, i) => {
          const state = { on: true };
          const controller = f.add(state, 'on').name(name || `equality ${i}`).onChange((v: boolean) => this.send({ c: 'eq', i, v }));
          this.sliders.push({ kind: 'eq', index: i, controller, state, touched: 0 });
        });
        f.close();
      }
      this.makePhysics(gui);
    }
    this.makeRun(gui);
    const first = s.keys.length;
    void first;
  }

  private addSlider(f: GUI, kind: string, index: number, name: string, range: number[]) {
    const state = { v: 0 };
    const entry: any = { kind, index, state, touched: 0 };
    entry.controller = f.add(state, 'v', range[0], range[1]).name(name).onChange((v: number) => {
      entry.touched = performance.now();
      this.send({ c: kind, i: index, v });
    });
    this.sliders.push(entry);
  }

  private showSliders() {
    const f = this.frame!;
    if (!f.ctrl) return;
    const now = performance.now();
    for (const s of this.sliders) {
      if (now - s.touched < 400) continue;
      if (s.kind === 'eq') {
        const on = f.active ? f.active[s.index] !== 0 : true;
        if (s.state.on !== on) { s.state.on = on; s.controller.updateDisplay(); }
      } else {
        const v = s.kind === 'ctrl' ? f.ctrl[s.index] : f.qpos![s.index];
        if (Math.abs(s.state.v - v) > 1e-6) { s.state.v = v; if (!s.controller.parent._closed) s.controller.updateDisplay(); }
      }
    }
  }

  private makePhysics(gui: GUI) {
    const s = this.scene!, f = gui.addFolder('Physics'), o = s.options;
    const option = (name: string, index: number, label: string, choices?: any) => {
      const value = () => (Array.isArray(this.scene!.options[name]) ? this.scene!.options[name][index] : this.scene!.options[name]);
      const state = { v: value() };
      const controller = (choices ? f.add(state, 'v', choices) : f.add(state, 'v')).name(label).onFinishChange((v: number) => {
        const now = this.scene!.options[name];
        const next = Array.isArray(now) ? now.map((x: number, k: number) => (k === index ? v : x)) : v;
        this.send({ c: 'opt', name, value: next });
      });
      controller.domElement.title = s.optionDocs[name] ?? '';
      this.optionControls.push({ name, index, controller, state });
    };
    option('timestep', 0, 'timestep, s');
    option('solver', 0, 'solver', kSolvers);
    option('integrator', 0, 'integrator', kIntegrators);
    option('cone', 0, 'friction cone', kCones);
    option('iterations', 0, 'iterations');
    option('gravity', 0, 'gravity x');
    option('gravity', 1, 'gravity y');
    option('gravity', 2, 'gravity z');
    option('density', 0, 'air density');
    option('viscosity', 0, 'viscosity');
    option('wind', 0, 'wind x');
    option('wind', 1, 'wind y');

    const edit = (g: GUI, kind: string, id: number, field: string, label: string, value: number) => {
      const state = { v: value };
      g.add(state, 'v').name(label).onFinishChange((v: number) => this.send({ c: 'edit', kind, id, field, value: [v] }));
    };
    const friction = f.addFolder('Friction');
    const solid = s.geoms.map((g, i) => ({ g, i })).filter(({ g }) => g.collides);
    if (solid.length > 0) edit(friction, 'geom', -1, 'friction', 'all geoms', solid[0].g.friction[0]);
    s.flexes.forEach((x, i) => edit(friction, 'flex', i, 'friction', x.name || `flex ${i}`, x.friction[0]));
    if (solid.length <= 60) solid.forEach(({ g, i }) => edit(friction, 'geom', i, 'friction', g.name || `geom ${i}`, g.friction[0]));
    friction.close();
    const stiff = f.addFolder('Stiffness');
    s.flexes.forEach((x, i) => {
      const g = stiff.addFolder(x.name || `flex ${i}`);
      edit(g, 'flex', i, 'young', 'young, Pa', x.young);
      edit(g, 'flex', i, 'poisson', 'poisson', x.poisson);
      edit(g, 'flex', i, 'damping', 'damping, s', x.damping);
      edit(g, 'flex', i, 'edgestiffness', 'edges, N/m', x.edgestiffness);
      edit(g, 'flex', i, 'edgedamping', 'edges, N s/m', x.edgedamping);
    });
    s.joints.slice(0, 60).forEach((j, i) => {
      if (j.type < 2) return;
      const g = stiff.addFolder(j.name || `joint ${i}`);
      edit(g, 'joint', i, 'stiffness', 'stiffness', j.stiffness);
      edit(g, 'joint', i, 'damping', 'damping', j.damping);
      edit(g, 'joint', i, 'frictionloss', 'friction loss', j.frictionloss);
      g.close();
    });
    stiff.close();
    f.add({ save: () => this.send({ c: 'save', key: this.ui.saveKey ? 'viewer' : '' }) }, 'save').name('save as MJCF');
    this.ui.saveKey = false;
    f.add({ get key() { return app.ui.saveKey; }, set key(v: boolean) { app.ui.saveKey = v; } }, 'key').name('with this state');
    this.editsBox = el('div', '', (f as any).$children);
    this.editsBox.style.cssText = 'padding:4px 8px;color:#5d6b7a;font-size:11px';
    this.showEdits();
    f.close();
    void o;
  }

  private showOptions() {
    for (const c of this.optionControls) {
      const now = this.scene!.options[c.name];
      c.state.v = Array.isArray(now) ? now[c.index] : now;
      c.controller.updateDisplay();
    }
  }

  private showEdits() {
    if (!this.editsBox) return;
    this.editsBox.replaceChildren(...this.edits.map(([what, value]) => {
      const row = document.createElement('div');
      row.textContent = `${what} = ${value}`;
      return row;
    }));
  }

  private makeRun(gui: GUI) {
    const s = this.scene!, f = gui.addFolder(s.mode === 'replay' ? 'Plots' : 'Run and plots');
    if (s.mode === 'live') {
      if (s.keys.length > 0) {
        const names: Record<string, number> = {};
        s.keys.forEach((k, i) => { names[k || `key ${i}`] = i; });
        const state = { key: 0 };
        f.add(state, 'key', names).name('keyframe');
        f.add({ load: () => this.send({ c: 'key', i: state.key }) }, 'load').name('go to keyframe');
      }
      f.add({ reload: () => this.send({ c: 'reload' }) }, 'reload').name('load model again');
    }
    if (s.mode !== 'replay') {
      this.ui.energy ??= false;
      this.ui.stats ??= false;
      f.add({ get energy() { return app.ui.energy; }, set energy(v: boolean) { app.ui.energy = v; app.want(); } }, 'energy');
      f.add({ get stats() { return app.ui.stats; }, set stats(v: boolean) { app.ui.stats = v; } }, 'stats').name('solver statistics');
    }
    // any entry of any array
    const plotted = this.recording?.plotted();
    const arrays = plotted
      ? [...plotted.map(([name, n]) => ({ name, rows: n, cols: 1 })), ...(s.sizes.nflexvert ? [{ name: 'flexvert_xpos', rows: s.sizes.nflexvert, cols: 3 }] : [])]
      : s.arrays;
    const names = [...s.scalars, ...arrays.map((a) => a.name)];
    const pick = { array: names.includes('qpos') ? 'qpos' : names[0], entry: 0 };
    f.add(pick, 'array', names).name('array');
    f.add(pick, 'entry').name('entry');
    f.add({ plot: () => this.plotEntry(pick.array, pick.entry) }, 'plot').name('plot');
    const sensors = f.addFolder('Sensors');
    s.sensors.slice(0, 100).forEach((x, i) => sensors.add({ plot: () => {
      for (let k = 0; k < Math.min(3, x.dim); ++k) this.plotEntry('sensordata', x.adr + k, `${x.name || `sensor ${i}`}${x.dim > 1 ? `.${k}` : ''}`);
    } }, 'plot').name(x.name || `sensor ${i}`));
    sensors.close();
    if (s.sensors.length === 0) sensors.hide();
  }

  plotEntry(array: string, entry: number, label = '') {
    const s = this.scene!, info = s.arrays.find((a) => a.name === array);
    if (info && !(entry >= 0 && entry < info.rows * info.cols && Number.isInteger(entry))) {
      return this.toast(`${array} has entries 0 to ${info.rows * info.cols - 1}`);
    }
    this.plots.add(array, entry, label || (s.scalars.includes(array) ? array : `${array}[${entry}]`));
  }

  private placeLabels() {
    const w = this.world;
    if (!w || (this.shown.labels === 'none' && w.geomLabels.length === 0)) { if (this.labels.firstChild) this.labels.replaceChildren(); return; }
    const s = this.scene!, items: [string, THREE.Vector3][] = [];
    const at = (o: THREE.Object3D) => o.getWorldPosition(new THREE.Vector3());
    const kind = this.shown.labels;
    if (kind === 'bodies') s.bodies.forEach((b, i) => { if (i > 0) items.push([b.name || `body ${i}`, at(w.bodies[i])]); });
    if (kind === 'joints') s.joints.forEach((j, i) => items.push([j.name || `joint ${i}`, at(w.bodies[j.body])]));
    if (kind === 'geoms' || kind === 'sites') {
      w.items.forEach((m) => {
        const x = m.userData.instance;
        if (m.visible && x.site === (kind === 'sites')) items.push([x.name || `${x.id}`, at(m)]);
      });
    }
    if (kind === 'flexes') {
      s.flexes.forEach((f, i) => {
        const c = new THREE.Vector3();
        for (let v = 0; v < f.vertnum; ++v) c.add(new THREE.Vector3().fromArray(w.positions, 3 * (f.vertadr + v)));
        items.push([f.name || `flex ${i}`, c.divideScalar(Math.max(1, f.vertnum))]);
      });
    }
    if (kind === 'selection' && this.stage.selection) items.push([this.stage.selection.name, this.stage.selection.point]);
    items.push(...w.labelled());
    const spans = items.slice(0, 300).map(([text, p]) => {
      const q = this.stage.project(p);
      if (!q) return null;
      const span = document.createElement('span');
      span.textContent = text;
      span.style.left = `${q.x}px`;
      span.style.top = `${q.y}px`;
      return span;
    }).filter((x): x is HTMLSpanElement => x !== null);
    this.labels.replaceChildren(...spans);
  }

  private setTrouble(t: any) {
    this.troubleInfo = t;
    this.trouble.classList.toggle('hidden', !t);
    this.world?.mark(null);
    this.stage.needsDraw = true;
    if (!t) return;
    this.trouble.replaceChildren();
    el('h3', '', this.trouble, t.title);
    el('p', '', this.trouble, t.cause);
    if (t.cure) el('p', 'cure', this.trouble, t.cure);
    const row = el('div', 'row', this.trouble);
    const button = (text: string, click: () => void) => { el('button', '', row, text).onclick = click; };
    button('Reset', () => this.reset());
    button('Look back', () => this.stepBy(-10));
    button('Dismiss', () => this.send({ c: 'dismiss' }));
    if (Array.isArray(t.pos) && this.scene) {
      const p = new THREE.Vector3().fromArray(t.pos), r = Math.max(0.06 * this.scene.extent, 0.3 * this.scene.meansize);
      this.world?.mark(p, r);
      this.stage.flyTo(p, 14 * r);  // the element in its surroundings: the ring takes a sixth of the height
    }
  }

  private waiting(text: string) {
    this.overlay.classList.remove('hidden');
    const box = el('div', 'card');
    el('div', 'spin', box);
    el('p', '', box, text).style.margin = '12px 0 0';
    this.overlay.replaceChildren(box);
    this.overlay.onclick = null;
  }

  private fail(title: string, text: string) {
    this.overlay.classList.remove('hidden');
    const box = el('div', 'card');
    el('h2', '', box, title);
    el('pre', 'error', box, text);
    if (!this.recording) el('p', '', box, 'It is loaded again as soon as the file changes.').style.color = 'var(--soft)';
    this.overlay.replaceChildren(box);
    this.overlay.onclick = null;
  }

  about() {
    const p = this.scene?.provenance ?? {};
    const rows = Object.entries(p).filter(([, v]) => v !== '').map(([k, v]) => [k.replaceAll('_', ' '), String(v)]);
    this.table('About this recording', rows);
  }

  help() {
    this.table('Mouse and keys', [
      ['left drag', 'turn the view'], ['right drag', 'move it; with Shift: along the floor'], ['wheel, middle drag', 'nearer and farther'],
      ['double click', 'select a body or a point of a soft thing'], ['right double click', 'look at that point'],
      ['Ctrl + right drag, Alt + drag', 'pull what is selected, or what is under the mouse; with Shift: horizontally'],
      ['Ctrl + left drag', 'turn a body'],
      ['one finger, two', 'turn the view, or pull what is selected (double tap) if it starts there; move it and bring it nearer'], ['space', 'run, pause'], ['→ ←', 'one step, one state back (Shift: ten)'],
      ['Backspace', 'reset'], ['+ −', 'speed'], ['[ ]', 'cameras'], ['Esc', 'free camera, nothing selected'],
      ['0 … 5', 'groups of geoms; with Shift: of sites'], ['C F', 'contact points, contact forces'],
      ['J U M I E', 'joints, actuators, centres of mass, inertia, constraints'], ['T W S K V', 'transparent, wireframe, shadows, sky, tendons'],
      ['H', 'colours of soft things'], ['P', 'plot what is selected'], ['A', 'whole scene'], ['Ctrl L', 'load the model again'], ['Tab', 'panel'],
    ]);
  }

  private table(title: string, rows: string[][]) {
    const box = el('div', 'card');
    el('h2', '', box, title);
    const table = el('table', '', box);
    for (const [k, v] of rows) {
      const tr = el('tr', '', table);
      el('kbd', '', el('td', '', tr), k);
      el('td', '', tr, v);
    }
    this.overlay.classList.remove('hidden');
    this.overlay.replaceChildren(box);
    this.overlay.onclick = () => { this.overlay.classList.add('hidden'); this.overlay.onclick = null; };
  }

  private screenshot() {
    const a = document.createElement('a');
    this.stage.needsDraw = true;
    this.stage.draw();
    a.href = this.canvas.toDataURL('image/png');
    a.download = `${this.scene?.name || 'sinew'}.png`;
    a.click();
  }

  toast(text: string) {
    const t = el('div', '', this.toasts, text);
    setTimeout(() => t.remove(), 5000);
    while (this.toasts.children.length > 4) this.toasts.firstChild!.remove();
  }
}

const app = new App();
(window as any).sinew = app;
void app.start();
