// A recorded run inside the page: src/replay writes it.
import { type FrameData, type SceneInfo, decodeScene, emptyFrame, kContactFloats } from './wire';

async function inflate(bytes: Uint8Array): Promise<ArrayBuffer> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).arrayBuffer();
}

function fromBase64(text: string): Uint8Array {
  const binary = atob(text.trim()), out = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) out[i] = binary.charCodeAt(i);
  return out;
}

/// 16-bit numbers in second differences, decoded at once.
function decodeSeries(bytes: ArrayBuffer): { width: number; values: Uint16Array; low: Float32Array; step: Float32Array } {
  const view = new DataView(bytes);
  const frames = view.getUint32(0, true), width = view.getUint32(4, true);
  const groups = view.getUint32(8, true), channels = view.getUint32(12, true);
  let at = 16;
  const starts: number[] = [];
  for (let g = 0; g <= groups; ++g, at += 4) starts.push(view.getUint32(at, true));
  const low = new Float32Array(width), step = new Float32Array(width);
  for (let g = 0; g < groups; ++g) {
    for (let c = 0; c < channels; ++c, at += 8) {
      const l = view.getFloat32(at, true), s = view.getFloat32(at + 4, true);
      for (let i = starts[g] + c; i < starts[g + 1]; i += channels) {
        low[i] = l;
        step[i] = s;
      }
    }
  }
  const n = frames * width, lowBytes = new Uint8Array(bytes, at, n), highBytes = new Uint8Array(bytes, at + n, n);
  const values = new Uint16Array(n);
  for (let f = 0; f < frames; ++f) {
    for (let i = 0; i < width; ++i) {
      const k = f * width + i, folded = lowBytes[k] | (highBytes[k] << 8);
      const residual = (folded >> 1) ^ -(folded & 1);
      const predicted = f === 0 ? 0 : f === 1 ? values[k - width] : 2 * values[k - width] - values[k - 2 * width];
      values[k] = predicted + residual;
    }
  }
  return { width, values, low, step };
}

function decodeHeat(bytes: ArrayBuffer) {
  const view = new DataView(bytes);
  const frames = view.getUint32(0, true), width = view.getUint32(4, true);
  const max = view.getFloat32(8, true), levels = view.getUint32(12, true);
  const values = new Uint8Array(bytes, 16, frames * width);
  for (let k = width; k < values.length; ++k) values[k] += values[k - width];
  return { width, max, levels, values };
}

function half(h: number): number {
  const sign = h & 0x8000 ? -1 : 1, e = (h >> 10) & 31, f = h & 1023;
  if (e === 0) return sign * f * 2 ** -24;
  return sign * (1 + f / 1024) * 2 ** (e - 15);
}

/// Rows of `size` bytes that were stored column by column.
function rows(bytes: ArrayBuffer, size: number): ArrayBuffer {
  const n = bytes.byteLength / size, from = new Uint8Array(bytes), to = new Uint8Array(bytes.byteLength);
  for (let k = 0; k < size; ++k) for (let i = 0; i < n; ++i) to[i * size + k] = from[k * n + i];
  return to.buffer;
}

const kContactBytes = 36;
const kHeatKinds: [string, number][] = [['stress', 1], ['strain', 2], ['force', 3]];

export class Recording {
  readonly times: Float64Array;
  private constructor(
    readonly scene: SceneInfo, readonly frames: number, private readonly header: any,
    private readonly parts: Record<string, ArrayBuffer>,
    private readonly bodies: ReturnType<typeof decodeSeries>, private readonly flexes: ReturnType<typeof decodeSeries>,
    private readonly skins: ReturnType<typeof decodeSeries>,
    private readonly heats: { kind: number; data: ReturnType<typeof decodeHeat> }[],
    private readonly plots: Float32Array, private readonly places: Float32Array,
    private readonly contacts: ArrayBuffer, private readonly contactStart: number[],
  ) {
    this.times = new Float64Array(parts.times);
  }

  static async open(text: string): Promise<Recording> {
    const bytes = fromBase64(text), view = new DataView(bytes.buffer);
    if (view.getUint32(0, true) !== 0x52574e53) throw new Error('the recording in this file is damaged');
    const length = view.getUint32(4, true);
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
    const parts: Record<string, ArrayBuffer> = {};
    await Promise.all(Object.entries(header.streams as Record<string, number[]>).map(async ([name, [at, size]]) => {
      parts[name] = await inflate(bytes.subarray(8 + length + at, 8 + length + at + size));
    }));
    const scene = decodeScene(parts.scene), frames = header.frames as number;
    const heats = kHeatKinds.filter(([name]) => parts[name]).map(([name, kind]) => ({ kind, data: decodeHeat(parts[name]) }));
    const each = (b: ArrayBuffer) => (b.byteLength ? new Float32Array(rows(b, b.byteLength / frames)) : new Float32Array(0));
    const counts = new Uint32Array(parts.contactCount), start = [0];
    counts.forEach((n) => start.push(start[start.length - 1] + n));
    return new Recording(scene, frames, header, parts, decodeSeries(parts.bodies), decodeSeries(parts.flexes),
      decodeSeries(parts.skins), heats, each(parts.plots), each(parts.cameras),
      parts.contacts.byteLength ? rows(parts.contacts, kContactBytes) : parts.contacts, start);
  }

  private series(s: ReturnType<typeof decodeSeries>, f: number): Float32Array | null {
    if (s.width === 0) return null;
    const out = new Float32Array(s.width), at = f * s.width;
    for (let i = 0; i < s.width; ++i) out[i] = s.low[i] + s.step[i] * s.values[at + i];
    return out;
  }

  /// Number i of a series at every frame.
  trace(array: string, index: number): Float64Array | null {
    const scalar = this.scene.scalars.indexOf(array);
    const out = new Float64Array(this.frames);
    if (scalar >= 0) {
      const all = new Float64Array(this.parts.scalars), n = this.scene.scalars.length;
      for (let f = 0; f < this.frames; ++f) out[f] = all[f * n + scalar];
      return out;
    }
    if (array === 'flexvert_xpos') {
      const s = this.flexes;
      for (let f = 0; f < this.frames; ++f) out[f] = s.low[index] + s.step[index] * s.values[f * s.width + index];
      return out;
    }
    const heat = this.heats.find((h) => `heat.${h.kind}` === array);
    if (heat) {
      const d = heat.data;
      for (let f = 0; f < this.frames; ++f) out[f] = d.max * (d.values[f * d.width + index] / d.levels) ** 2;
      return out;
    }
    let at = 0;
    const width = this.frames ? this.plots.length / this.frames : 0;
    for (const [name, count] of this.header.plots as [string, number][]) {
      if (name === array && index < count) {
        for (let f = 0; f < this.frames; ++f) out[f] = this.plots[f * width + at + index];
        return out;
      }
      at += count;
    }
    return null;
  }

  plotted(): [string, number][] { return (this.header.plots as [string, number][]).filter(([, n]) => n > 0); }

  at(f: number): FrameData {
    const frame = emptyFrame();
    frame.time = this.times[f];
    frame.step = f;
    frame.bad = new Uint8Array(this.parts.bad)[f] !== 0;
    frame.historyStart = this.times[0];
    frame.historyEnd = this.times[this.frames - 1];
    frame.historyCount = this.frames;
    frame.historyIndex = f;
    frame.bodies = this.series(this.bodies, f);
    frame.flexes = this.series(this.flexes, f);
    frame.skins = this.series(this.skins, f);
    const np = this.places.length / this.frames;
    if (np > 0) frame.places = this.places.subarray(f * np, (f + 1) * np);
    frame.scalars = new Float64Array(this.parts.scalars).subarray(f * this.scene.scalars.length, (f + 1) * this.scene.scalars.length);
    for (const { kind, data } of this.heats) {
      const values = new Float32Array(data.width);
      for (let i = 0; i < data.width; ++i) values[i] = (data.values[f * data.width + i] / data.levels) ** 2;
      frame.heat.push({ kind, low: 0, high: data.max, values });
    }
    frame.contacts = this.contactsAt(f);
    frame.tendons = this.tendonsAt(f);
    return frame;
  }

  private contactsAt(f: number) {
    if (this.contactStart.length < 2) return null;
    const view = new DataView(this.contacts), from = this.contactStart[f], to = this.contactStart[f + 1];
    const values = new Float32Array(kContactFloats * (to - from));
    for (let i = from; i < to; ++i) {
      const p = i * kContactBytes, o = kContactFloats * (i - from);
      for (let k = 0; k < 3; ++k) {
        values[o + k] = view.getFloat32(p + 4 * k, true);
        values[o + 3 + k] = half(view.getUint16(p + 12 + 2 * k, true));
        values[o + 6 + k] = half(view.getUint16(p + 18 + 2 * k, true));
      }
      values[o + 9] = half(view.getUint16(p + 24, true));
      values[o + 10] = view.getUint16(p + 26, true);
      values[o + 11] = view.getInt32(p + 28, true);
      values[o + 12] = view.getInt32(p + 32, true);
    }
    return { total: new Uint32Array(this.parts.contactTotal)[f], count: to - from, values };
  }

  private tendonOffsets: number[] | null = null;
  private tendonsAt(f: number) {
    const nt = this.scene.tendons.length;
    if (nt === 0) return null;
    const bytes = this.parts.tendons, view = new DataView(bytes);
    if (!this.tendonOffsets) {
      this.tendonOffsets = [0];
      for (let at = 0; at < bytes.byteLength;) {
        at += 4 * (nt + 1) + 24 * view.getUint32(at + 4 * nt, true);
        this.tendonOffsets.push(at);
      }
    }
    const at = this.tendonOffsets[f], adr = new Uint32Array(bytes, at, nt + 1);
    return { adr, segments: new Float32Array(bytes, at + 4 * (nt + 1), 6 * adr[nt]) };
  }
}
