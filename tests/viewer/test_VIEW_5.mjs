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
