// A model that diverges stops; the page goes to the element and says why and what helps. A model that cannot be loaded
// shows file and line, until its file is right.
import { writeFileSync } from 'node:fs';
import { kStiff, kParts } from './models.mjs';
import { check, frameStatus, frameWhere, main, modelFile, openViewer, openPage, socket, startView, stopView } from './support.mjs';

async function diverging(sinew) {
  const view = await startView(sinew, [modelFile(kStiff), '--port', '0']);
  const { browser, page } = await openViewer(view);
  await page.waitForSelector('.trouble:not(.hidden)', { timeout: 60000 });
  const t = await page.evaluate(() => sinew.troubleInfo);
  check(/jelly/.test(t.cause), `the cause names the flex: ${t.cause}`);
  check(/integrator="implicitfast"|timestep/.test(t.cure), `the cure: ${t.cure}`);
  check(t.flex === 0 && t.element >= 0, `the element: ${JSON.stringify(t)}`);
  check(t.pos.every((x) => Math.abs(x) < 3), `a place in the scene: ${t.pos}`);
  const text = await page.textContent('.trouble');
  check(text.includes(t.cause) && text.includes(t.cure), 'the card shows both');
  await page.waitForFunction((p) => Math.hypot(...sinew.stage.lookat.toArray().map((x, i) => x - p[i])) < 0.01, t.pos, { timeout: 60000 });
  // the ring around it stands beside the card, the panel and the time bar
  await page.setViewportSize({ width: 1000, height: 640 });
  await page.evaluate(() => { sinew.panel.classList.remove('hidden'); sinew.stage.needsDraw = true; });
  await page.waitForFunction(() => sinew.stage.fly === null && sinew.stage.draw() === false, null, { timeout: 60000 });
  const ring = await page.evaluate(() => {
    const stage = sinew.stage, t = sinew.troubleInfo, m = sinew.world.marker;
    const at = stage.project(stage.lookat.clone().fromArray(t.pos));
    const side = stage.project(m.position.clone().add(stage.lookat.clone().set(1, 0, 0).applyQuaternion(m.quaternion).multiplyScalar(1.07 * m.scale.x)));
    const box = (q) => { const b = document.querySelector(q).getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; };
    return { at, r: Math.hypot(side.x - at.x, side.y - at.y), boxes: [box('.trouble'), box('.panel'), box('.bar')], seen: m.visible };
  });
  check(ring.seen && ring.r > 10 && ring.r < 160, `a ring around the element: ${JSON.stringify(ring)}`);
  for (const [left, top, right, bottom] of ring.boxes) {
    const x = Math.max(left, Math.min(ring.at.x, right)), y = Math.max(top, Math.min(ring.at.y, bottom));
    check(Math.hypot(x - ring.at.x, y - ring.at.y) > ring.r, `nothing covers it: ${JSON.stringify(ring)}`);
  }
  const f = await page.evaluate(() => ({ paused: sinew.frame.paused, diverged: sinew.frame.diverged, n: sinew.frame.historyCount, i: sinew.frame.historyIndex }));
  check(f.paused && f.diverged, 'it stopped');
  // one can look back, and start again
  await page.evaluate(() => sinew.scrubTo(0));
  await page.waitForFunction(() => sinew.frame.historyIndex === 0 && sinew.frame.time === 0, null, { timeout: 20000 });
  await page.click('.trouble button:has-text("Reset")');
  await page.waitForSelector('.trouble', { state: 'hidden', timeout: 20000 });
  await page.waitForFunction(() => !sinew.frame.diverged, null, { timeout: 20000 });
  check(page.problems.length === 0, `problems in the page: ${page.problems}`);
  await browser.close();
  await stopView(view);
}

async function unloadable(sinew) {
  const file = modelFile('<mujoco>\n<worldbody>\n<geom type="sphere" size="wrong"/>\n</worldbody>\n</mujoco>');
  const view = await startView(sinew, [file, '--port', '0']);
  const { browser, page } = await openPage(view.url);
  await page.waitForSelector('.overlay pre.error', { timeout: 30000 });
  const text = await page.textContent('.overlay pre.error');
  check(text.includes('model.xml:3') && text.includes('size'), `file, line and attribute: ${text}`);
  writeFileSync(file, kParts);
  await page.waitForFunction(() => window.sinew.frame && document.querySelector('.overlay').classList.contains('hidden'), null, { timeout: 30000 });
  // and a change that breaks it again
  writeFileSync(file, kParts.replace('axis="0 1 0"', 'axis="0 1 x"'));
  await page.waitForSelector('.overlay:not(.hidden) pre.error', { timeout: 30000 });
  check((await page.textContent('.overlay pre.error')).includes('model.xml:9'), 'the line of the change');
  check(/error: .*model\.xml:9/.test(view.stderr), `the terminal says it, too: ${view.stderr}`);
  await browser.close();
  const ws = await socket(view);
  check((await ws.waitFor((m) => m.loadError)).loadError.includes('model.xml:9'), 'who comes later sees it too');
  ws.send({ c: 'pause', on: true });
  const b = await frameWhere(ws, () => true, 'the last good model');
  check(frameStatus(b).time >= 0, 'with its frames');
  await stopView(view);
}

main(true, async (sinew) => {
  await diverging(sinew);
  await unloadable(sinew);
});
