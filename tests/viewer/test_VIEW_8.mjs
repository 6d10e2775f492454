// The viewer of a program that makes the steps itself: sync, isRunning, lock; pulls, sliders and settings come back.
import { spawn } from 'node:child_process';
import { kParts } from './models.mjs';
import { check, frameStatus, frameWhere, main, modelFile, near, sleep, socket } from './support.mjs';

main(false, async (program) => {
  const child = spawn(program, [modelFile(kParts)], { stdio: ['ignore', 'pipe', 'inherit'] });
  process.on('exit', () => { try { child.kill('SIGKILL'); } catch {} });
  const lines = [];
  let code = null;
  child.on('exit', (c) => { code = c; });
  child.stdout.on('data', (d) => lines.push(...String(d).split('\n').filter((x) => x)));
  for (let i = 0; i < 500 && lines.length === 0; ++i) await sleep(20);
  const url = new URL(lines[0]);
  const view = { host: url.hostname, port: Number(url.port), token: url.searchParams.get('token') };
  const state = async (test, what) => {
    for (let i = 0; i < 500; ++i, await sleep(20)) {
      const line = lines.filter((l) => l.startsWith('state')).pop();
      if (!line) continue;
      const [steps, ctrl, pull, flex, qpos, windows, timestep, inPlace] = line.split(' ').slice(1).map(Number);
      const s = { steps, ctrl, pull, flex, qpos, windows, timestep, inPlace };
      if (test(s)) return s;
    }
    throw new Error(`never saw ${what}; last ${lines[lines.length - 1]}`);
  };
  await state((s) => s.steps > 100 && s.windows === 0, 'steps without a window');
  const ws = await socket(view);
  await ws.waitFor((m) => m.role === 'steer');
  await state((s) => s.windows === 1, 'one window');
  const first = frameStatus(await frameWhere(ws, () => true, 'a frame'));
  await frameWhere(ws, (f) => f.time > first.time + 0.2, 'time goes on');
  // sliders
  ws.send({ c: 'ctrl', i: 0, v: 0.5 });
  await state((s) => s.ctrl === 0.5, 'the control');
  ws.send({ c: 'ctrl', i: 0, v: 0 });
  // pulls: there while the mouse holds, gone after
  ws.send({ c: 'drag', kind: 'force', body: 3, local: [0, 0, 0], target: [0.5, 0, 2] });
  const held = await state((s) => s.pull > 1, 'the pull');
  check(Number.isFinite(held.pull), 'a finite force');
  ws.send({ c: 'drag', kind: 'none' });
  await state((s) => s.pull === 0, 'nothing is left of it');
  // settings
  ws.send({ c: 'opt', name: 'timestep', value: 0.001 });
  await state((s) => s.timestep === 0.001, 'the timestep');
  ws.send({ c: 'edit', kind: 'geom', id: 0, field: 'friction', value: [0.5] });
  await ws.waitFor((m) => m.edits?.some(([what]) => what === 'geom floor friction'));
  check((await state((s) => s.steps > 0, 'a state')).inPlace === 1, 'arrays of the model stay where they are');
  // pause
  ws.send({ c: 'pause', on: true });
  const stopped = frameStatus(await frameWhere(ws, (f) => f.paused, 'the pause'));
  await sleep(300);
  near(frameStatus(await frameWhere(ws, () => true, 'a frame')).time, stopped.time, 0.003, 'no steps while it pauses');
  ws.send({ c: 'pause', on: false });
  await frameWhere(ws, (f) => !f.paused && f.time > stopped.time, 'on again');
  // the last window closes: the loop ends by itself
  ws.close();
  for (let i = 0; i < 600 && code === null; ++i) await sleep(20);
  check(code === 0 && lines.includes('ended closed'), `isRunning() became false: exit ${code}`);
});
