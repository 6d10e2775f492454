// node shot.mjs SINEW OUT.png MODEL [--wait s] [--js code] ...: a picture of the page, for looking at it.
import { openPage, startView, stopView } from './support.mjs';
const [sinew, out, model, ...rest] = process.argv.slice(2);
const get = (name, standard) => { const i = rest.indexOf(name); return i < 0 ? standard : rest[i + 1]; };
const size = get('--size', '1280x760').split('x').map(Number);
const view = await startView(sinew, [model, '--port', '0']);
const { browser, page } = await openPage(view.url, { width: size[0], height: size[1] });
page.on('console', (m) => console.log('console:', m.text()));
setTimeout(() => console.log('problems', page.problems.slice(0, 2)), 8000);
await page.waitForFunction(() => window.sinew?.frame, null, { timeout: 100000 });
await page.waitForTimeout(1000 * Number(get('--wait', '3')));
const js = get('--js', '');
if (js) { console.log(await page.evaluate(js)); await page.waitForTimeout(1500); }
console.log(await page.evaluate(() => ({ received: sinew.received, drawn: sinew.stage.frames, time: sinew.frame.time })));
await page.screenshot({ path: out });
await browser.close();
await stopView(view);
