// What the server refuses, and what it survives.
import { kParts } from './models.mjs';
import { check, frameStatus, main, modelFile, request, sleep, socket, startView, stopView } from './support.mjs';
import net from 'node:net';
import { readFileSync } from 'node:fs';

const open = (view, bytes) => new Promise((done) => {
  const s = net.connect(view.port, view.host);
  let text = '';
  s.on('data', (d) => { text += d; });
  s.on('error', () => {});
  s.on('close', () => done(text));
  s.write(bytes);
  setTimeout(() => s.destroy(), 3000);
});

main(false, async (sinew) => {
  const file = modelFile(kParts);
  const view = await startView(sinew, [file, '--port', '0']);
  check(view.host === '127.0.0.1' && view.token.length === 32, `a URL of this machine with a token: ${view.url}`);

  // only loopback
  const addresses = readFileSync('/proc/net/tcp', 'utf8').split('\n').filter((l) => l.includes(`:${view.port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 0A`));
  check(addresses.length === 1 && addresses[0].includes('0100007F:'), `it listens on 127.0.0.1 alone: ${addresses}`);

  // the page: token, Host, Origin
  const good = await request(view, `/?token=${view.token}`, { 'Accept-Encoding': 'gzip' });
  check(good.status === 200 && good.headers['content-encoding'] === 'gzip' && good.body.length < 300_000, `the page: ${good.status}, ${good.body.length} bytes`);
  check(/script-src 'sha256-/.test(good.headers['content-security-policy']), 'a content security policy');
  const plain = await request(view, `/?token=${view.token}`);
  check(plain.status === 200 && plain.body.includes('<!doctype html>'), 'the page without compression');
  for (const [what, path, headers] of [
    ['no token', '/', {}],
    ['a wrong token', `/?token=${'0'.repeat(32)}`, {}],
    ['a part of the token', `/?token=${view.token.slice(0, 31)}`, {}],
    ['a foreign Host', `/?token=${view.token}`, { Host: `evil.example:${view.port}` }],
    ['a Host that starts well', `/?token=${view.token}`, { Host: `127.0.0.1.evil.example:${view.port}` }],
    ['no Host', `/?token=${view.token}`, { Host: '' }],
    ['a foreign Origin', `/?token=${view.token}`, { Origin: 'http://evil.example' }],
    ['Origin null', `/?token=${view.token}`, { Origin: 'null' }],
  ]) {
    const r = await request(view, path, headers);
    check(r.status === 403, `${what}: ${r.status} instead of 403`);
    check(!r.body.includes(view.token), `${what}: the answer does not tell the token`);
  }
  check((await request(view, `/other?token=${view.token}`)).status === 404, 'other paths');
  check((await request(view, `/?token=${view.token}`, {}, 'POST')).status === 405, 'other methods');
  check((await request(view, `/?token=${view.token}`, { Host: 'localhost:9999' })).status === 200, 'a tunnel');

  // the socket: the same
  for (const [what, options] of [
    ['no token', { token: '' }], ['a wrong token', { token: 'f'.repeat(32) }],
    ['a foreign Origin', { headers: { Origin: 'http://evil.example' } }],
    ['the Origin of another port', { headers: { Origin: `http://127.0.0.1:${view.port + 1}` } }],
    ['a foreign Host', { headers: { Host: 'evil.example' } }],
  ]) {
    const r = await socket(view, options);
    check(r.status === 403, `socket with ${what}: ${r.status} instead of 403`);
  }
  const same = await socket(view, { headers: { Origin: `http://127.0.0.1:${view.port}` } });
  check(same.status === 101, 'the page itself may open a socket');
  same.close();

  // bytes that are no HTTP, headers without end
  for (const bytes of ['\x00\x01\x02\r\n\r\n', 'GET / HTTP/1.1\r\n' + 'X: y\r\n'.repeat(5000), 'GET ' + 'a'.repeat(100_000)]) await open(view, bytes);

  // ten thousand messages that make no sense, some connections end on the way
  let sent = 0, random = 12345, ws = null, endings = 0;
  const next = (n) => { random = (Math.imul(random, 1103515245) + 12345) >>> 0; return Math.floor((random / 2 ** 32) * n); };
  const commands = ['want', 'drag', 'opt', 'edit', 'ctrl', 'qpos', 'eq', 'key', 'scrub', 'speed', 'step', 'pause', 'info', 'steer', 'nothing'];
  const values = [-1, 1e308, null, 'x', [], {}, [1, 2, 3], true, 0.5, 1e9, [null], 'a'.repeat(50), { a: { b: [] } }];
  const any = () => values[next(values.length)];
  const kinds = [
    () => '{' + 'x'.repeat(next(40)),
    () => JSON.stringify(any()),
    () => JSON.stringify({ c: any() }),
    () => JSON.stringify({ c: commands[next(commands.length)], i: any(), v: any(), n: any(), on: any(), name: any(), value: any(), kind: any(), body: any(), flex: any(), local: any(), target: any(), vertex: any(), weight: any(), heat: any(), show: any(), watch: any(), t: any(), field: any(), id: any() }),
    () => '['.repeat(next(20000)),
    () => JSON.stringify({ c: 'drag', kind: ['force', 'torque', 'none'][next(3)], body: next(9) - 2, local: [0, 0, next(3)], target: [1e300, 0, next(2)], turn: [0, 0, 0, 0] }),
    () => JSON.stringify({ c: 'opt', name: ['timestep', 'gravity', 'solver', 'x'][next(4)], value: any() }),
    () => JSON.stringify({ c: 'want', watch: [[any(), any()], ['qpos', next(99) - 9]] }),
    () => '\ud800"',
  ];
  while (sent < 10_000) {
    if (!ws || ws.closed) {
      ws = await socket(view);
      check(ws.status === 101, `it still answers after ${sent} messages`);
      ++endings;
    }
    for (let i = 0; i < 50 && !ws.closed && sent < 10_000; ++i, ++sent) {
      if (next(12) === 0) ws.sendBytes(Buffer.from([next(256), next(256), 0xff]), next(2) + 1);
      else ws.send(kinds[next(kinds.length)]());
    }
    await sleep(2);
  }
  ws.close();
  check(view.code === null, 'it still runs');

  // too large, too many
  const large = await socket(view);
  large.send('{"c":"' + 'x'.repeat(70_000) + '"}');
  for (let i = 0; i < 200 && !large.closed; ++i) await sleep(20);
  check(large.closed, 'a message above the limit ends the connection');
  const fast = await socket(view);
  for (let i = 0; i < 6000 && !fast.closed; ++i) fast.send('{"c":"info"}');
  for (let i = 0; i < 200 && !fast.closed; ++i) await sleep(20);
  check(fast.closed, 'more messages than the limit end the connection');

  // a window that reads nothing: the others go on, memory stays
  const slow = await socket(view);
  slow.raw.pause();
  const watching = await socket(view);
  watching.send({ c: 'steer' });
  watching.send({ c: 'reset' });
  watching.send({ c: 'speed', v: 1 });
  watching.send({ c: 'pause', on: false });
  const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${view.child.pid}/status`, 'utf8'))[1]);
  await sleep(1500);
  const before = memory(), frames = watching.frames.length;
  await sleep(2500);
  check(watching.frames.length > frames + 5, 'the window that reads gets frames');
  watching.send({ c: 'info' });
  const info = (await watching.waitFor((m) => m.info)).info;
  check(info.queued < 4_000_000, `what waits for the slow one is bounded: ${info.queued} bytes`);
  check(memory() < before + 40_000, `memory: ${before} kB, then ${memory()} kB`);
  slow.close();

  // windows that go away in the middle of a frame
  for (let i = 0; i < 20; ++i) (await socket(view)).raw.destroy();
  await sleep(200);
  const last = await socket(view);
  check(last.status === 101, 'and it still answers');
  for (let i = 0; i < 300 && last.frames.length < 2; ++i) await sleep(20);
  check(last.frames.length >= 2 && frameStatus(last.frames.filter((b) => b.readUInt32LE(0) === 0x46574e53)[0]).time >= 0, 'with frames');

  // a port in use: the next one, and it says so
  const second = await startView(sinew, [file, '--port', String(view.port)]);
  check(second.port !== view.port && second.stderr.includes(`port ${view.port} is in use`), `the next port: ${second.stderr}`);
  check(second.token !== view.token, 'every server has its own token');
  await stopView(second);
  check((await stopView(view)) === 0, 'Ctrl-C ends it');
});
