// What the tests of the viewer share: the command on a free port, Debian's Chromium, a WebSocket made by hand.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(join(here, '../../viewer/package.json'));
export const kSkipped = 77;  // what CTest counts as skipped

const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
export const chromium = browsers.find((b) => existsSync(b));

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

export function fail(text) { throw new Error(text); }
export function check(condition, text) { if (!condition) fail(text); }
export function near(found, expected, tolerance, what) {
  check(Math.abs(found - expected) <= tolerance, `${what}: found ${found}, expected ${expected} within ${tolerance}`);
}

/// A folder that is removed at the end.
const folders = [];
export function folder() {
  const dir = mkdtempSync(join(tmpdir(), 'sinew-view-'));
  folders.push(dir);
  return dir;
}
export function modelFile(text, name = 'model.xml') {
  const file = join(folder(), name);
  writeFileSync(file, text);
  return file;
}

const started = new Set();
/// Starts `sinew view ARGS --no-browser`; resolves when its URL is printed.
export function startView(sinew, args, command = 'view') {
  return new Promise((done, failed) => {
    const child = spawn(sinew, [command, ...args, '--no-browser'], { stdio: ['ignore', 'pipe', 'pipe'] });
    started.add(child);
    const view = { child, url: '', stderr: '', code: null };
    let out = '';
    child.stderr.on('data', (d) => { view.stderr += d; });
    child.on('exit', (code, signal) => { view.code = code ?? signal; started.delete(child); failed(new Error(`sinew ended: ${view.stderr}`)); });
    child.stdout.on('data', (d) => {
      out += d;
      const url = /(http:\/\/\S+)/.exec(out);
      if (url && !view.url) {
        view.url = url[1];
        const u = new URL(view.url);
        view.host = u.hostname;
        view.port = Number(u.port);
        view.token = u.searchParams.get('token');
        done(view);
      }
    });
  });
}
/// Ends it by its process id and waits for that.
export function stopView(view, signal = 'SIGINT') {
  return new Promise((done) => {
    if (view.code !== null) return done(view.code);
    view.child.on('exit', (code, how) => done(code ?? how));
    process.kill(view.child.pid, signal);
  });
}

export async function openPage(url, { width = 480, height = 320, offline = false, touch = false } = {}) {
  const { chromium: driver } = require('playwright-core');
  const browser = await driver.launch({
    executablePath: chromium,
    args: ['--no-sandbox', '--enable-unsafe-swiftshader'],
  });
  const context = await browser.newContext({ viewport: { width, height }, acceptDownloads: true, offline, hasTouch: touch, isMobile: touch });
  const page = await context.newPage();
  page.problems = [];
  page.on('pageerror', (e) => page.problems.push(e.stack ?? e.message));
  await page.goto(url);
  return { browser, context, page };
}

/// A page that shows its first frame; shadows are off, software needs half a second for them.
export async function openViewer(view, options = {}) {
  const opened = await openPage(view.url, options);
  await opened.page.waitForFunction(() => window.sinew?.frame, null, { timeout: 30000 });
  await opened.page.evaluate(() => { sinew.shown.shadows = false; sinew.refreshShown(); });
  return opened;
}

/// Runs tests one after the other; anything thrown is a failure.
export async function main(needsBrowser, test) {
  if (!existsSync(join(here, '../../viewer/node_modules/playwright-core')) || (needsBrowser && !chromium)) {
    console.log('skipped: needs Chromium and the npm packages of viewer/');
    process.exit(kSkipped);
  }
  let code = 0;
  try {
    await test(process.argv[2]);
    console.log('passed');
  } catch (error) {
    console.error(error.stack ?? error);
    code = 1;
  }
  for (const child of started) process.kill(child.pid, 'SIGKILL');
  for (const dir of folders) rmSync(dir, { recursive: true, force: true });
  process.exit(code);
}

/// A request with headers of our own choice: { status, headers, body }.
export function request(view, path, headers = {}, method = 'GET') {
  return new Promise((done, failed) => {
    const r = http.request({ host: view.host, port: view.port, path, method, headers, setHost: headers.Host === undefined }, (answer) => {
      const parts = [];
      answer.on('data', (d) => parts.push(d));
      answer.on('end', () => done({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(parts) }));
    });
    r.on('error', failed);
    r.end();
  });
}

/// A WebSocket by hand: resolves with the status of the handshake and, if it is 101, ways to send and receive.
export function socket(view, { token = view.token, headers = {} } = {}) {
  return new Promise((done, failed) => {
    const s = net.connect(view.port, view.host);
    const all = { Host: `${view.host}:${view.port}`, Upgrade: 'websocket', Connection: 'Upgrade', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': randomBytes(16).toString('base64'), ...headers };
    s.write(`GET /ws?token=${token} HTTP/1.1\r\n${Object.entries(all).map(([k, v]) => `${k}: ${v}`).join('\r\n')}\r\n\r\n`);
    let buffer = Buffer.alloc(0), status = 0;
    const ws = { raw: s, closed: false, texts: [], frames: [], bytes: 0, onText: null };
    const build = (data, opcode) => {
      const mask = randomBytes(4), n = data.length;
      const head = n < 126 ? Buffer.from([0x80 | opcode, 0x80 | n]) : n < 65536 ? Buffer.from([0x80 | opcode, 0xfe, n >> 8, n & 255])
        : Buffer.concat([Buffer.from([0x80 | opcode, 0xff]), (() => { const b = Buffer.alloc(8); b.writeBigUInt64BE(BigInt(n)); return b; })()]);
      const body = Buffer.from(data);
      for (let i = 0; i < n; ++i) body[i] ^= mask[i & 3];
      return Buffer.concat([head, mask, body]);
    };
    ws.send = (x) => { if (!ws.closed) s.write(build(Buffer.from(typeof x === 'string' ? x : JSON.stringify(x)), 1)); };
    ws.sendBytes = (bytes, opcode = 2) => { if (!ws.closed) s.write(build(bytes, opcode)); };
    ws.close = () => s.destroy();
    ws.waitFor = async (test, ms = 5000) => {
      for (const end = Date.now() + ms; Date.now() < end; await sleep(10)) {
        const found = ws.texts.find(test);
        if (found) return found;
      }
      fail(`no such message in ${ms} ms; found ${JSON.stringify(ws.texts).slice(0, 500)}`);
    };
    s.on('close', () => { ws.closed = true; if (!status) done({ status: 0 }); });
    s.on('error', (e) => { ws.closed = true; if (!status) failed(e); });
    s.on('data', (d) => {
      ws.bytes += d.length;
      buffer = Buffer.concat([buffer, d]);
      if (!status) {
        const end = buffer.indexOf('\r\n\r\n');
        if (end < 0) return;
        status = Number(/HTTP\/1.1 (\d+)/.exec(buffer.toString('latin1'))[1]);
        buffer = buffer.subarray(end + 4);
        ws.status = status;
        done(ws);
      }
      for (;;) {
        if (buffer.length < 2) return;
        let n = buffer[1] & 127, at = 2;
        if (n === 126) { if (buffer.length < 4) return; n = buffer.readUInt16BE(2); at = 4; }
        else if (n === 127) { if (buffer.length < 10) return; n = Number(buffer.readBigUInt64BE(2)); at = 10; }
        if (buffer.length < at + n) return;
        const opcode = buffer[0] & 15, body = buffer.subarray(at, at + n);
        buffer = buffer.subarray(at + n);
        if (opcode === 8) { ws.closeCode = body.length >= 2 ? body.readUInt16BE(0) : 0; ws.closed = true; s.end(); }
        else if (opcode === 1) { const m = JSON.parse(body.toString()); ws.texts.push(m); ws.onText?.(m); }
        else if (opcode === 2) { ws.frames.push(Buffer.from(body)); if (ws.acks !== false && body.readUInt32LE(0) === 0x46574e53) ws.send('a'); }
        else if (opcode === 9) ws.sendBytes(body, 10);
      }
    });
  });
}

/// Header and status of a frame.
export function frameStatus(b) {
  const out = { step: Number(b.readBigUInt64LE(16)), time: b.readDoubleLE(24) };
  for (const [tag, , at] of blocksOf(b)) {
    if (tag !== 1) continue;
    const flags = b.readUInt32LE(at + 40);
    Object.assign(out, {
      speed: b.readDoubleLE(at), realTime: b.readDoubleLE(at + 8), hash: b.readBigUInt64LE(at + 32), paused: (flags & 1) !== 0,
      diverged: (flags & 2) !== 0, bad: (flags & 4) !== 0, scrubbing: (flags & 8) !== 0, historyCount: b.readUInt32LE(at + 44),
      historyIndex: b.readUInt32LE(at + 48),
    });
  }
  return out;
}
/// [tag, flags, offset, length] of each block of a frame.
export function blocksOf(b) {
  const blocks = [];
  for (let i = 0, at = 32; i < b.readUInt16LE(6); ++i) {
    const n = b.readUInt32LE(at + 4);
    blocks.push([b.readUInt16LE(at), b.readUInt16LE(at + 2), at + 8, n]);
    at = Math.ceil((at + 8 + n) / 8) * 8;
  }
  return blocks;
}
/// Values of the entries that were asked for with `watch`, by "array[index]".
export function watchOf(ws, b) {
  const table = ws.texts.filter((m) => m.watch).pop()?.watch;
  const block = blocksOf(b).find(([tag]) => tag === 7);
  if (!table || !block || b.readUInt32LE(block[2]) !== table.version) return null;
  return Object.fromEntries(table.entries.map(([name, i], k) => [`${name}[${i}]`, b.readDoubleLE(block[2] + 8 + 8 * k)]));
}
/// The latest frame that satisfies a test, waiting for one.
export async function frameWhere(ws, test, what, ms = 20000) {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(15)) {
    const b = ws.frames.filter((x) => x.readUInt32LE(0) === 0x46574e53).pop();
    if (b && test(frameStatus(b), b)) return b;
  }
  fail(`never saw: ${what}`);
}
