// Scrubbing and "continue from here" give the bits of the straight run.
import { kParts } from './models.mjs';
import { frameStatus, check, main, modelFile, sleep, socket, startView, stopView } from './support.mjs';

main(false, async (sinew) => {
  const view = await startView(sinew, [modelFile(kParts), '--port', '0', '--paused', '--key', 'up']);
  const ws = await socket(view);
  await ws.waitFor((m) => m.role === 'steer');
  const hashes = new Map();  // by step
  const status = async (test, what) => {
    for (let i = 0; i < 500; ++i, await sleep(20)) {
      const b = ws.frames.filter((x) => x.readUInt32LE(0) === 0x46574e53).pop();
      const f = b && frameStatus(b);
      if (f && test(f)) return f;
    }
    throw new Error(`never saw ${what}`);
  };
  ws.send({ c: 'ctrl', i: 0, v: 0.3 });
  await status((f) => f.paused && f.step === 0 && f.hash !== 0n, 'the start');
  for (let n = 20; n <= 200; n += 20) {
    ws.send({ c: 'step', n: 20 });
    hashes.set(n, (await status((f) => f.step === n, `step ${n}`)).hash);
  }
  check(new Set(hashes.values()).size === 10, 'the states differ');
  // back by eight states and on by steps
  ws.send({ c: 'scrub', i: 2 });
  const back = await status((f) => f.step === 40, 'step 40 again');
  check(back.scrubbing && back.hash === hashes.get(40), 'the state shown is the one of then');
  for (let n = 60; n <= 200; n += 20) {
    ws.send({ c: 'step', n: 20 });
    const f = await status((s) => s.step === n, `step ${n} again`);
    check(f.hash === hashes.get(n), `step ${n}: the hash is that of the straight run`);
    check(!f.scrubbing && f.historyCount === n / 20 + 1, 'what came after was forgotten');
  }
  // back and on in real time, then compared with a straight run to wherever it got
  ws.send({ c: 'scrub', t: 0.201 });
  await status((f) => f.step === 100, 'step 100');
  ws.send({ c: 'continue' });
  await status((f) => !f.paused && f.step > 130, 'it runs');
  ws.send({ c: 'pause', on: true });
  const end = await status((f) => f.paused && f.hash !== 0n, 'it stops');
  ws.send({ c: 'key', i: 1 });
  await status((f) => f.step === 0, 'the keyframe');
  ws.send({ c: 'ctrl', i: 0, v: 0.3 });
  for (let n = end.step; n > 0; n -= 1000) ws.send({ c: 'step', n: Math.min(n, 1000) });
  const straight = await status((f) => f.step === end.step, 'as many steps');
  check(straight.hash === end.hash, 'continuing in real time gives the bits of the straight run');
  check((await stopView(view)) === 0, 'Ctrl-C ends it with status 0');
});
