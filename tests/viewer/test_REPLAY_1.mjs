// One HTML file that plays by itself: file://, no network. Its size for 10 s of an 80 x 80 cloth at 30 Hz.
import { execFileSync } from 'node:child_process';
import { statSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kCloth } from './models.mjs';
import { check, folder, main, modelFile, near, openPage } from './support.mjs';

main(true, async (sinew) => {
  const dir = folder();
  // small and looked at
  const model = modelFile(kCloth(12, 0.005)), out = join(dir, 'out.html');
  const summary = JSON.parse(execFileSync(sinew, ['run', model, '--duration', '1', '--html', out, '--json'], { encoding: 'utf8' }));
  check(summary.html === out, 'the summary names the file');
  check(!/https?:\/\/(?!www\.w3\.org)[a-z]/i.test(readFileSync(out, 'utf8').replace(/<script id="sinew-data"[^<]*<\/script>/, '').match(/(?:src|href)="[^"]*"/g)?.join() ?? ''), 'it refers to nothing elsewhere');
  const { browser, page } = await openPage('file://' + out, { width: 640, height: 420, offline: true });
  await page.waitForFunction(() => window.sinew?.frame && sinew.stage.frames > 0, null, { timeout: 60000 });
  check((await page.evaluate(() => sinew.recording.frames)) === 31, '1 s at 30 Hz');
  // plays
  const t0 = await page.evaluate(() => sinew.frame.time);
  await page.waitForFunction((t) => sinew.frame.time !== t, t0, { timeout: 30000 });
  // scrubs
  await page.evaluate(() => { sinew.pause(true); sinew.scrubTo(30); });
  near(await page.evaluate(() => sinew.frame.time), 1, 1e-9, 'the end');
  const end = await page.evaluate(() => [...sinew.frame.flexes.slice(3 * 78, 3 * 78 + 3)]);
  const scrub = page.locator('input.scrub');
  await scrub.evaluate((e) => { e.value = '15'; e.dispatchEvent(new Event('input')); e.dispatchEvent(new Event('change')); });
  near(await page.evaluate(() => sinew.frame.time), 0.5, 1e-9, 'the middle');
  // what was recorded is what was computed, to the precision of the file
  const csv = join(dir, 'run.csv');
  execFileSync(sinew, ['run', model, '--duration', '1', '--out', csv, '--every', '200']);
  const rows = readFileSync(csv, 'utf8').trim().split('\n').map((l) => l.split(','));
  const column = rows[0].findIndex((name) => /cloth\.78\.x/.test(name));
  check(column > 0, `a column of the vertex: ${rows[0].slice(0, 12)}`);
  const last = rows[rows.length - 1];
  [0, 1, 2].forEach((k) => near(end[k], Number(last[column + k]), 2e-4, `vertex 78, ${'xyz'[k]}`));
  // plots
  await page.evaluate(() => { sinew.plotEntry('sensordata', 2); sinew.plotEntry('energy.total', 0); });
  const curves = await page.evaluate(() => sinew.plots.curves.map((c) => [c.times.length, c.values[0], c.values.at(-1)]));
  check(curves.length === 2 && curves.every(([n]) => n === 31), `curves over the whole run: ${JSON.stringify(curves)}`);
  check(curves[0][1] > curves[0][2], 'the box falls');
  near(curves[1][1], summary.energy_start, 1e-3 * Math.abs(summary.energy_start), 'its energy at the start');
  // stress, contacts
  await page.evaluate(() => { sinew.scrubTo(30); sinew.setHeat(1); sinew.shown.contactPoints = sinew.shown.contactForces = true; sinew.refreshShown(); });
  const seen = await page.evaluate(() => ({ high: sinew.world.heat.high, max: Math.max(...sinew.world.heat.values), contacts: sinew.frame.contacts.count, total: sinew.frame.contacts.total, drawn: sinew.world.contactsDrawn(), bar: !document.querySelector('.heat').classList.contains('hidden') }));
  check(seen.high > 0 && seen.max > 0.01 && seen.max <= 1.0001 && seen.bar, `stress with its bar: ${JSON.stringify(seen)}`);
  check(seen.contacts > 0 && seen.drawn[0] === seen.contacts && seen.drawn[1] > 0 && seen.total >= seen.contacts, `contacts: ${JSON.stringify(seen)}`);
  // provenance
  const p = await page.evaluate(() => sinew.scene.provenance);
  check(p.sinew && /^[0-9a-f]{16}$/.test(p.model) && p.file === 'model.xml' && p.command.includes('--html') && p.timestep === 0.005 && p.last_state_hash === summary.state_hash, `provenance: ${JSON.stringify(p)}`);
  check(page.problems.length === 0, `problems in the page: ${page.problems}`);
  await browser.close();

  // what cannot be written is said before the run
  let refused = '';
  try { execFileSync(sinew, ['run', model, '--steps', '1', '--html', join(dir, 'no/such/out.html')], { encoding: 'utf8', stdio: 'pipe' }); } catch (e) { refused = e.stderr; }
  check(/no\/such\/out\.html/.test(refused), `no such folder: ${refused}`);
  try { refused = ''; execFileSync(sinew, ['run', model, '--steps', '1', '--html', model], { encoding: 'utf8', stdio: 'pipe' }); } catch (e) { refused = e.stderr; }
  check(/--html/.test(refused), `the model is not overwritten: ${refused}`);

  // size
  const big = join(dir, 'big.html');
  execFileSync(sinew, ['run', modelFile(kCloth(80, 1 / 60)), '--duration', '10', '--html', big, '--threads', '2', '--json'], { encoding: 'utf8', timeout: 280000 });
  const size = statSync(big).size;
  console.log(`10 s of an 80 x 80 cloth at 30 Hz: ${size} bytes`);
  check(size < 10e6, `below 10 MB: ${size}`);
});
