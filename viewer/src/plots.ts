// Curves of any number of the run over time.
import uPlot from 'uplot';

export interface Curve { array: string; index: number; label: string; times: number[]; values: number[] }

const kColors = ['#2f6fed', '#e4572e', '#17a398', '#9b5de5', '#f2a104', '#c2185b', '#5c8001', '#00838f'];
const kMostPoints = 4000;

export class Plots {
  readonly curves: Curve[] = [];
  private plot: uPlot | null = null;
  private readonly body: HTMLElement;
  private readonly legend: HTMLElement;
  private cursor = NaN;
  constructor(readonly element: HTMLElement, private readonly changed: () => void) {
    this.legend = document.createElement('div');
    this.legend.className = 'legend';
    this.body = document.createElement('div');
    element.append(this.legend, this.body);
  }

  has(array: string, index: number) { return this.curves.some((c) => c.array === array && c.index === index); }

  add(array: string, index: number, label: string): Curve {
    const found = this.curves.find((c) => c.array === array && c.index === index);
    if (found) return found;
    if (this.curves.length >= 8) this.curves.shift();
    const curve = { array, index, label, times: [], values: [] };
    this.curves.push(curve);
    this.rebuild();
    this.changed();
    return curve;
  }
  remove(curve: Curve) {
    const i = this.curves.indexOf(curve);
    if (i < 0) return;
    this.curves.splice(i, 1);
    this.rebuild();
    this.changed();
  }
  clear() {
    this.curves.length = 0;
    this.rebuild();
  }

  /// One more point of each curve. When time goes back, what came after is dropped.
  push(time: number, values: number[]) {
    this.curves.forEach((c, i) => {
      while (c.times.length > 0 && c.times[c.times.length - 1] >= time) {
        c.times.pop();
        c.values.pop();
      }
      c.times.push(time);
      c.values.push(values[i]);
      if (c.times.length > kMostPoints) {
        c.times.splice(0, kMostPoints / 4);
        c.values.splice(0, kMostPoints / 4);
      }
    });
  }

  private rebuild() {
    this.plot?.destroy();
    this.plot = null;
    this.legend.replaceChildren();
    this.element.classList.toggle('empty', this.curves.length === 0);
    this.curves.forEach((c, i) => {
      const chip = document.createElement('button');
      chip.className = 'chip';
      chip.title = 'Remove this curve';
      const dot = document.createElement('i');
      dot.style.background = kColors[i % kColors.length];
      const value = document.createElement('b');
      chip.append(dot, c.label, value, ' ✕');
      chip.onclick = () => this.remove(c);
      this.legend.append(chip);
    });
    if (this.curves.length === 0) return;
    const axis = { stroke: '#6b7785', grid: { stroke: '#e5e9ee', width: 1 }, ticks: { stroke: '#e5e9ee', width: 1 }, font: '11px system-ui, sans-serif' };
    this.plot = new uPlot({
      width: this.width(), height: 150, legend: { show: false }, cursor: { drag: { x: true, y: false } },
      scales: { x: { time: false } },
      axes: [{ ...axis, size: 26 }, { ...axis, size: 58, values: (_u, v) => v.map((x) => (Math.abs(x) >= 1e4 || (x !== 0 && Math.abs(x) < 1e-3) ? x.toExponential(1) : String(+x.toPrecision(4)))) }],
      series: [{}, ...this.curves.map((c, i) => ({ label: c.label, stroke: kColors[i % kColors.length], width: 1.5, spanGaps: true }))],
      hooks: { draw: [(u) => this.drawCursor(u)] },
    }, [[], ...this.curves.map(() => [])] as any, this.body);
    this.draw();
  }

  private width() { return Math.max(160, this.body.clientWidth || 420); }

  private drawCursor(u: uPlot) {
    if (!Number.isFinite(this.cursor)) return;
    const x = u.valToPos(this.cursor, 'x', true);
    u.ctx.save();
    u.ctx.strokeStyle = '#e4572e';
    u.ctx.lineWidth = 1;
    u.ctx.beginPath();
    u.ctx.moveTo(x, u.bbox.top);
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    u.ctx.stroke();
    u.ctx.restore();
  }

  draw(cursor = NaN) {
    if (!this.plot) return;
    this.cursor = cursor;
    // curves that were added later start later
    const all = uPlot.join(this.curves.map((c) => [c.times, c.values] as uPlot.AlignedData));
    if (this.plot.width !== this.width()) this.plot.setSize({ width: this.width(), height: 150 });
    this.plot.setData(all);
    const chips = this.legend.querySelectorAll('b');
    this.curves.forEach((c, i) => {
      const v = c.values[c.values.length - 1];
      if (chips[i]) chips[i].textContent = v === undefined ? '' : ` ${Number.isFinite(v) ? v.toPrecision(4) : String(v)}`;
    });
  }
}
