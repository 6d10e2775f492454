// Heat maps of flexes with a colour bar; a vertex that is picked can be plotted.
import { kSheet } from './models.mjs';
import { blocksOf, check, frameWhere, main, modelFile, near, openViewer, sleep, socket, startView, stopView, watchOf } from './support.mjs';

/// The largest value of the map is the von Mises equivalent of an element, or the mean of some: never above the largest.
async function values(sinew) {
  const view = await startView(sinew, [modelFile(kSheet), '--port', '0']);
  const ws = await socket(view);
  await ws.waitFor((m) => m.role === 'steer');
  const watch = [];
  for (let i = 0; i < 10; ++i) for (let k = 0; k < 6; ++k) watch.push(['flexelem_stress', 6 * (119 + (i > 4 ? -4 - i : 0)) + k].slice(0, 2));
  ws.send({ c: 'want', heat: [1, 2, 3], watch: watch.slice(0, 60) });
  await sleep(3000);
  const b = await frameWhere(ws, (f, x) => f.time > 1 && watchOf(ws, x) && blocksOf(x).filter(([t]) => t === 8).length === 3, 'three maps', 60000);
  const maps = blocksOf(b).filter(([t]) => t === 8).map(([, kind, at, n]) => ({ kind, high: b.readFloatLE(at + 4), values: Array.from({ length: (n - 8) / 2 }, (_, i) => b.readUInt16LE(at + 8 + 2 * i)) }));
  check(maps.map((m) => m.kind).join() === '1,2,3', 'stress, strain, contact force');
  const [stress, strain, force] = maps;
  check(stress.values.length === 81 && stress.high > 0 && strain.high > 0, 'every vertex has a value');
  near(force.high, 0, 1e-12, 'nothing touches the sheet');
  // Young's modulus relates the two, roughly: it is a state of plane stress
  const ratio = stress.high / strain.high;
  check(ratio > 0.4 * 2e4 && ratio < 2.5 * 2e4, `stress over strain is near Young's modulus: ${ratio}`);
  // the sheet hangs from two corners: the largest stress is there
  const order = stress.values.map((v, i) => [v, i]).sort((x, y) => y[0] - x[0]).slice(0, 6).map(([, i]) => i);
  check(order.some((i) => [8, 80, 7, 71, 79, 17].includes(i)), `the largest stress is at a pin: ${order}`);
  await stopView(view);
}

async function inPage(sinew) {
  const view = await startView(sinew, [modelFile(kSheet), '--port', '0']);
  const { browser, page } = await openViewer(view, { width: 640, height: 420 });
  check(await page.evaluate(() => document.querySelector('.heat').classList.contains('hidden')), 'no colour bar at first');
  await page.evaluate(() => sinew.setHeat(1));
  await page.waitForFunction(() => sinew.world.heat && sinew.world.heat.high > 0 && !document.querySelector('.heat').classList.contains('hidden'), null, { timeout: 30000 });
  check(/Pa/.test(await page.textContent('.heat')), 'the colour bar has a unit');
  const colors = await page.evaluate(() => { const a = sinew.world.flexes[0].mesh.geometry.getAttribute('color').array, s = new Set(); for (let i = 0; i < a.length; i += 3) s.add([a[i], a[i + 1], a[i + 2]].map((x) => x.toFixed(2)).join()); return s.size; });
  check(colors > 5, `vertices have colours: ${colors}`);
  // pick by double click, plot by key
  await page.evaluate(() => { sinew.panel.classList.add('hidden'); sinew.stage.azimuth = 90; sinew.stage.elevation = 0; sinew.stage.needsDraw = true; sinew.stage.draw(); });
  const place = await page.evaluate(() => { const p = sinew.world.positions, c = sinew.stage.project(sinew.stage.lookat.clone().set(p[120], p[121], p[122])); return [c.x, c.y]; });
  await page.mouse.dblclick(place[0], place[1]);
  const picked = await page.evaluate(() => sinew.stage.selection && { flex: sinew.stage.selection.flex, vertices: sinew.stage.selection.vertices, sum: sinew.stage.selection.weights.reduce((a, b) => a + b, 0) });
  check(picked && picked.flex === 0 && picked.vertices.includes(40), `the vertex in the middle: ${JSON.stringify(picked)}`);
  near(picked.sum, 1, 1e-6, 'weights');
  await page.keyboard.press('p');
  await page.waitForFunction(() => sinew.plots.curves.length === 2 && sinew.plots.curves.every((c) => c.values.length > 3 && Number.isFinite(c.values.at(-1))), null, { timeout: 30000 });
  check(await page.evaluate(() => sinew.plots.curves.some((c) => c.array === 'heat.1' && c.values.at(-1) > 0)), 'its stress over time');
  await page.evaluate(() => sinew.setHeat(0));
  await page.waitForFunction(() => document.querySelector('.heat').classList.contains('hidden'), null, { timeout: 30000 });
  check(page.problems.length === 0, `problems in the page: ${page.problems}`);
  await browser.close();
  await stopView(view);
}

main(true, async (sinew) => {
  await values(sinew);
  await inPage(sinew);
});
