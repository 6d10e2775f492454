// The page: the scene appears, and everything that `simulate` offers is there.
import { kParts } from './models.mjs';
import { check, main, modelFile, near, openPage, socket, startView, stopView } from './support.mjs';

main(true, async (sinew) => {
  const view = await startView(sinew, [modelFile(kParts), '--port', '0', '--key', 'up']);
  // scene and first frame are there at once; the browser's own start is not ours
  const asked = Date.now(), ws = await socket(view);
  while (ws.frames.length < 2) { check(Date.now() - asked < 2000, 'scene and frame within 2 s'); await new Promise((d) => setTimeout(d, 5)); }
  ws.close();
  const { browser, page } = await openPage(view.url, { width: 700, height: 460 });
  const start = Date.now();
  await page.waitForFunction(() => window.sinew?.frame && sinew.stage.frames > 0, null, { timeout: 60000 });
  console.log(`first picture ${Date.now() - start} ms after the page was loaded`);
  const frame = (f) => page.waitForFunction(f, null, { timeout: 30000 });
  const press = (k) => page.keyboard.press(k);

  // something is drawn: the ball is orange on its place
  const pixels = await page.evaluate(() => {
    sinew.stage.home(); sinew.stage.needsDraw = true; sinew.stage.draw();
    const c = document.createElement('canvas'); c.width = sinew.canvas.width; c.height = sinew.canvas.height;
    const g = c.getContext('2d'); g.drawImage(sinew.canvas, 0, 0);
    const d = g.getImageData(0, 0, c.width, c.height).data, colors = new Set();
    let orange = 0;
    for (let i = 0; i < d.length; i += 4) { colors.add((d[i] >> 4) * 256 + (d[i + 1] >> 4) * 16 + (d[i + 2] >> 4)); if (d[i] > 120 && d[i] > 1.6 * d[i + 1] && d[i] > 2 * d[i + 2]) ++orange; }
    return { colors: colors.size, orange };
  });
  check(pixels.colors > 20 && pixels.orange > 30, `a picture: ${JSON.stringify(pixels)}`);

  // pause, step, speed, reset, keyframes
  await frame(() => !sinew.frame.paused && sinew.frame.time > 0.05);
  await press('Space');
  await frame(() => sinew.frame.paused && sinew.frame.hash);
  const step = await page.evaluate(() => sinew.frame.step);
  await press('ArrowRight');
  await page.waitForFunction((n) => sinew.frame.step === n + 1, step, { timeout: 20000 });
  await press('ArrowLeft');
  await page.waitForFunction((n) => sinew.frame.step <= n, step, { timeout: 20000 });
  await page.selectOption('.bar select', '0.1');
  await press('Backspace');
  await frame(() => sinew.frame.step === 0 && sinew.frame.time === 0);
  await press('Space');
  await frame(() => !sinew.frame.paused && sinew.frame.speed === 0.1 && sinew.frame.time > 0);
  await press('Space');
  await frame(() => sinew.frame.paused);
  await page.evaluate(() => sinew.send({ c: 'key', i: 1 }));
  await frame(() => Math.abs(sinew.frame.qpos[0] + 1) < 1e-6);

  // cameras, groups, labels
  await press(']');
  check((await page.evaluate(() => sinew.stage.fixed)) === 0, 'the first camera');
  await page.evaluate(() => sinew.stage.draw());
  near(await page.evaluate(() => sinew.stage.camera.position.y), -3, 1e-5, 'its place');
  await press('Escape');
  check((await page.evaluate(() => sinew.stage.fixed)) === -1, 'the free camera');
  const seen = (name) => page.evaluate((n) => sinew.world.items.find((m) => m.userData.instance.name === n).visible, name);
  check(!(await seen('hidden')) && (await seen('hand')), 'groups 0 to 2 are shown');
  await press('4');
  await press('1');
  check((await seen('hidden')) && !(await seen('hand')), 'keys change groups');
  await press('1');
  await page.evaluate(() => { sinew.shown.labels = 'bodies'; sinew.refreshShown(); });
  await frame(() => [...document.querySelectorAll('.labels span')].some((x) => x.textContent === 'ball'));
  await page.evaluate(() => { sinew.shown.labels = 'none'; sinew.refreshShown(); });

  // contact points and forces
  await page.evaluate(() => sinew.send({ c: 'key', i: 0 }));
  await press('c');
  await press('f');
  await frame(() => sinew.frame.contacts && sinew.frame.contacts.count > 0 && sinew.world.contactsDrawn()[0] > 0);
  await page.evaluate(() => { sinew.setSpeed(1); sinew.pause(false); });
  // at rest the floor carries the ball: 4/3 pi r^3 1000 g
  await page.waitForFunction(() => {
    const c = sinew.frame.contacts;
    if (!c) return false;
    let f = 0;
    for (let i = 0; i < c.count; ++i) f += c.values[13 * i + 8];
    return Math.abs(Math.abs(f) - 4 / 3 * Math.PI * 1e-3 * 1000 * 9.81) < 0.5 && sinew.world.contactsDrawn()[1] > 0;
  }, null, { timeout: 60000 });
  // decorations come from the server
  await press('j');
  await frame(() => sinew.frame.decorations && sinew.frame.decorations.length >= 2 * 15);
  await press('j');

  // sliders
  await page.evaluate(() => sinew.pause(true));
  await frame(() => sinew.frame.paused);
  const slide = (kind, index, v) => page.evaluate(([k, i, x]) => sinew.sliders.find((s) => s.kind === k && s.index === i).controller.setValue(x), [kind, index, v]);
  await slide('ctrl', 0, 0.75);
  await frame(() => Math.abs(sinew.frame.ctrl[0] - 0.75) < 1e-6);
  await slide('qpos', 0, 0.5);
  await frame(() => Math.abs(sinew.frame.qpos[0] - 0.5) < 1e-6);
  check(await page.evaluate(() => [...document.querySelectorAll('.panel .lil-name, .panel .name')].some((x) => x.textContent === 'motor')), 'a slider has the name of its actuator');

  // plots of any entry, energy, solver statistics
  await page.evaluate(() => { sinew.plotEntry('qvel', 0); sinew.plotEntry('sensordata', 0); sinew.plotEntry('energy.total', 0); sinew.ui.energy = true; sinew.ui.stats = true; sinew.want(); sinew.pause(false); });
  await frame(() => sinew.plots.curves.length === 3 && sinew.plots.curves.every((c) => c.values.length > 5 && c.values.every(Number.isFinite)));
  const agree = await page.evaluate(() => { const c = sinew.plots.curves[1]; return [c.values[c.values.length - 1], sinew.frame.watch.values.length]; });
  check(Number.isFinite(agree[0]) && agree[1] === 3, 'three numbers are watched');
  await frame(() => /iterations/.test(document.querySelector('.hud').textContent) && /kinetic/.test(document.querySelector('.hud').textContent));
  check(await page.evaluate(() => document.querySelector('.plots canvas').width > 100), 'the curves are drawn');
  await page.evaluate(() => sinew.plotEntry('qvel', 99));
  await frame(() => /entries 0 to/.test(document.querySelector('.toasts').textContent));

  // a second window watches, and may take over
  const other = await openPage(view.url, { width: 320, height: 200 });
  await other.page.waitForFunction(() => window.sinew?.frame, null, { timeout: 60000 });
  check((await other.page.evaluate(() => sinew.role)) === 'watch', 'the second window watches');
  await other.page.evaluate(() => sinew.send({ c: 'pause', on: true }));
  await other.page.waitForFunction(() => /Another window steers/.test(document.querySelector('.toasts').textContent), null, { timeout: 20000 });
  check(!(await page.evaluate(() => sinew.frame.paused)), 'and changes nothing');
  await other.page.evaluate(() => sinew.send({ c: 'steer' }));
  await page.waitForFunction(() => sinew.role === 'watch', null, { timeout: 20000 });
  await other.browser.close();
  await page.waitForFunction(() => sinew.role === 'steer', null, { timeout: 20000 });

  check(page.problems.length === 0, `problems in the page: ${page.problems}`);
  await browser.close();
  check((await stopView(view)) === 0, 'Ctrl-C ends it');
});
