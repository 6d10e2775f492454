// Pulling with the mouse applies the spring force that docs/viewer.md states, for bodies and for points of flexes.
import { kSheet, kSpring } from './models.mjs';
import { check, frameWhere, blocksOf, main, modelFile, near, openViewer, sleep, socket, startView, stopView, watchOf } from './support.mjs';

const kStiffness = 100;  // <visual><map stiffness>, its default

const dragOf = (b) => {
  const block = blocksOf(b).find(([tag]) => tag === 12);
  if (!block) return null;
  const x = Array.from({ length: 9 }, (_, i) => b.readFloatLE(block[2] + 4 * i));
  return { anchor: x.slice(0, 3), target: x.slice(3, 6), force: x.slice(6, 9) };
};

/// m_e = 2 kg: F = 200 N/m (x* - x), held by springs of 500 N/m: 500 q = 200 (x* - p - q).
async function byProtocol(sinew) {
  const view = await startView(sinew, [modelFile(kSpring), '--port', '0']);
  const ws = await socket(view);
  await ws.waitFor((m) => m.role === 'steer');
  ws.send({ c: 'want', watch: [['sensordata', 0], ['sensordata', 1], ['sensordata', 2]] });
  const local = [0.1, -0.05, 0.2], target = [0.4, 0.1, 0.9];
  ws.send({ c: 'drag', kind: 'force', body: 1, local, target });
  await sleep(3000);
  const b = await frameWhere(ws, (f, x) => f.time > 2 && watchOf(ws, x), 'equilibrium', 60000);
  const s = watchOf(ws, b), q = [0, 1, 2].map((i) => s[`sensordata[${i}]`]);
  const rest = [0.1, -0.05, 0.7];
  q.forEach((x, i) => near(x, (200 * (target[i] - rest[i])) / 700, 2e-4, `displacement along ${'xyz'[i]}`));
  const d = dragOf(b);
  d.force.forEach((f, i) => near(f, 500 * q[i], 0.15, `the force that is shown, ${'xyz'[i]}`));
  ws.send({ c: 'drag', kind: 'none' });
  await sleep(1500);
  const after = watchOf(ws, await frameWhere(ws, (f, x) => watchOf(ws, x) && !dragOf(x) && f.time > 3, 'let go', 60000));
  [0, 1, 2].forEach((i) => near(after[`sensordata[${i}]`], 0, 2e-3, 'it goes back'));
  await stopView(view);
}

/// A point of a sheet: F = M s (x* - x); the force that holds the sheet changes by as much.
async function onFlex(sinew) {
  const view = await startView(sinew, [modelFile(kSheet), '--port', '0']);
  const ws = await socket(view);
  await ws.waitFor((m) => m.role === 'steer');
  ws.send({ c: 'want', watch: [['sensordata', 0], ['sensordata', 1], ['sensordata', 2]] });
  const held = (b) => [0, 1, 2].map((i) => watchOf(ws, b)[`sensordata[${i}]`]);
  await sleep(4000);
  const start = held(await frameWhere(ws, (f, b) => f.time > 3 && watchOf(ws, b), 'rest', 60000));
  // 79 of the 81 points of 0.2 kg move and hang on the two pins
  const mass = 0.2 * 79 / 81;
  near(Math.abs(start[2]), mass * 9.81, 0.02 * mass * 9.81, 'the sensor feels the weight');
  ws.send({ c: 'drag', kind: 'force', flex: 0, vertex: [36, 37, 45], weight: [0.5, 0.25, 0.25], target: [0.1, -0.2, 0.1] });
  await sleep(6000);
  const b = await frameWhere(ws, (f, x) => dragOf(x) && watchOf(ws, x), 'equilibrium', 60000);
  const d = dragOf(b), now = held(b);
  const size = Math.hypot(...d.force);
  check(size > 0.3, `a force that matters: ${size}`);
  d.force.forEach((f, i) => near(f, mass * kStiffness * (d.target[i] - d.anchor[i]), 0.05 * size, `F = M s (x* - x), ${'xyz'[i]}`));
  const sign = Math.sign(start[2]);  // of the sensor: what holds, or what is held
  d.force.forEach((f, i) => near(sign * (start[i] - now[i]), f, 0.06 * size, `the sensor feels the pull, ${'xyz'[i]}`));
  await stopView(view);
}

/// The same with a mouse.
async function byMouse(sinew) {
  const view = await startView(sinew, [modelFile(kSpring), '--port', '0']);
  const { browser, page } = await openViewer(view, { width: 480, height: 360 });
  await page.evaluate(() => { sinew.panel.classList.add('hidden'); sinew.hud.classList.add('hidden'); sinew.stage.azimuth = 90; sinew.stage.elevation = 0; sinew.stage.lookat.set(0, 0, 0.5); sinew.stage.distance = 2; sinew.stage.needsDraw = true; sinew.stage.draw(); });
  const place = await page.evaluate(() => { const p = sinew.stage.project(sinew.world.bodies[1].position); return [p.x, p.y]; });
  await page.keyboard.down('Control');
  await page.mouse.move(place[0], place[1]);
  await page.mouse.down({ button: 'right' });
  await page.mouse.move(place[0] + 60, place[1] - 30, { steps: 4 });
  await page.waitForFunction(() => sinew.frame.drag !== null, null, { timeout: 30000 });
  await sleep(2500);
  const r = await page.evaluate(() => ({ q: [...sinew.frame.qpos], drag: [...sinew.frame.drag], selected: sinew.stage.selection.name }));
  check(/box/.test(r.selected), `what is under the mouse is selected: ${r.selected}`);
  check(r.q[0] > 0.01 && r.q[2] > 0.005 && Math.abs(r.q[1]) < 1e-3, `it follows the mouse in the plane of the screen: ${r.q}`);
  r.q.forEach((q, i) => near(500 * q, r.drag[6 + i], 0.3, `the springs feel the force, ${'xyz'[i]}`));
  [0, 1, 2].forEach((i) => near(r.drag[6 + i], 2 * kStiffness * (r.drag[3 + i] - r.drag[i]), 0.3, 'F = m s (x* - x)'));
  await page.mouse.up({ button: 'right' });
  await page.keyboard.up('Control');
  await page.waitForFunction(() => sinew.frame.drag === null && Math.abs(sinew.frame.qpos[0]) < 2e-3, null, { timeout: 30000 });
  check(page.problems.length === 0, `problems in the page: ${page.problems}`);
  await browser.close();
  await stopView(view);
}

/// With fingers, on a screen held upright: the panel waits behind its button, nothing reaches over the edge.
async function byTouch(sinew) {
  const view = await startView(sinew, [modelFile(kSpring), '--port', '0']);
  const { browser, context, page } = await openViewer(view, { width: 390, height: 700, touch: true });
  const inside = await page.evaluate(() => ['.top', '.bar', '.bar .time'].map((c) => document.querySelector(c).getBoundingClientRect())
    .every((r) => r.left >= 0 && r.right <= window.innerWidth));
  check(inside, 'cards lie inside the window');
  check(!(await page.isVisible('.panel')), 'the panel does not hide the picture');
  await page.tap('.forpanel');
  check(await page.isVisible('.panel'), 'the button shows it');
  await page.tap('.forpanel');
  await page.evaluate(() => { sinew.stage.azimuth = 90; sinew.stage.elevation = 0; sinew.stage.lookat.set(0, 0, 0.5); sinew.stage.distance = 3; sinew.stage.needsDraw = true; sinew.stage.draw(); });
  const cdp = await context.newCDPSession(page);
  const touch = (type, ...at) => cdp.send('Input.dispatchTouchEvent', { type, touchPoints: at.map(([x, y], id) => ({ x, y, id })) });
  const camera = () => page.evaluate(() => ({ distance: sinew.stage.distance, azimuth: sinew.stage.azimuth, z: sinew.stage.lookat.z }));

  // two fingers twice as far apart: half the distance; their middle moved down: the view goes up
  const first = await camera();
  await touch('touchStart', [150, 300]);
  await touch('touchStart', [150, 300], [250, 300]);
  await touch('touchMove', [100, 300], [250, 300]);
  await touch('touchMove', [100, 300], [300, 300]);
  await touch('touchEnd');
  const near_ = await camera();
  near(near_.distance / first.distance, 0.5, 0.01, 'two fingers apart');
  await touch('touchStart', [150, 300], [250, 300]);
  await touch('touchMove', [150, 340], [250, 340]);
  await touch('touchEnd');
  const moved = await camera();
  check(moved.z > near_.z + 0.01 && Math.abs(moved.azimuth - first.azimuth) < 1e-9, `two fingers move the view: ${JSON.stringify(moved)}`);
  // one turns it
  await touch('touchStart', [60, 600]);
  await touch('touchMove', [100, 600]);
  await touch('touchEnd');
  check(Math.abs((await camera()).azimuth - first.azimuth) > 1, 'one finger turns the view');
  check(await page.evaluate(() => sinew.frame.drag === null), 'nothing is pulled that is not selected');

  // one that starts on what is selected pulls it
  await page.evaluate(() => { sinew.stage.azimuth = 90; sinew.stage.elevation = 0; sinew.stage.lookat.set(0, 0, 0.5); sinew.stage.distance = 3; sinew.stage.needsDraw = true; sinew.stage.draw(); });
  const [x, y] = await page.evaluate(() => { const p = sinew.stage.project(sinew.world.bodies[1].position); return [p.x, p.y]; });
  await page.evaluate(([a, b]) => sinew.stage.select(sinew.stage.pickAt(a, b)), [x, y]);
  await touch('touchStart', [x, y]);
  await touch('touchMove', [x + 50, y - 30]);
  await page.waitForFunction(() => sinew.frame.drag !== null && sinew.frame.qpos[0] > 0.01, null, { timeout: 30000 });
  await touch('touchEnd');
  await page.waitForFunction(() => sinew.frame.drag === null, null, { timeout: 30000 });
  check(page.problems.length === 0, `problems in the page: ${page.problems}`);
  await browser.close();
  await stopView(view);
}

main(true, async (sinew) => {
  await byProtocol(sinew);
  await onFlex(sinew);
  await byMouse(sinew);
  await byTouch(sinew);
});
