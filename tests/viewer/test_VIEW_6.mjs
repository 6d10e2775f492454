// Options, friction and stiffness change while the model runs, and what was changed is saved as MJCF.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { kSheet, kParts } from './models.mjs';
import { check, frameStatus, frameWhere, main, modelFile, near, socket, startView, stopView, watchOf } from './support.mjs';

const modelOf = async (ws) => {
  const known = ws.texts.length;
  ws.send({ c: 'info' });
  for (let i = 0; ; ++i) {
    const m = ws.texts.slice(known).find((t) => t.info);
    if (m) return m.info.model;
    check(i < 500, 'an answer to info');
    await new Promise((done) => setTimeout(done, 10));
  }
};

async function saved(ws, key = '') {
  const known = ws.texts.length;
  ws.send({ c: 'save', key });
  for (let i = 0; ; ++i) {
    const m = ws.texts.slice(known).find((t) => t.saved !== undefined);
    if (m) return m.saved;
    check(i < 500, 'an answer to save');
    await new Promise((done) => setTimeout(done, 10));
  }
}

async function rigid(sinew) {
  const file = modelFile(kParts);
  const view = await startView(sinew, [file, '--port', '0', '--paused', '--key', 'up']);
  const ws = await socket(view);
  await ws.waitFor((m) => m.options);
  const at = async (n) => frameStatus(await frameWhere(ws, (f) => f.step === n, `step ${n}`));
  const before = await modelOf(ws);
  // timestep
  ws.send({ c: 'opt', name: 'timestep', value: 0.001 });
  await ws.waitFor((m) => m.options?.timestep === 0.001);
  ws.send({ c: 'step', n: 10 });
  near((await at(10)).time, 0.01, 1e-12, 'ten steps of the new timestep');
  // gravity: the free ball falls up
  ws.send({ c: 'want', watch: [['qvel', 4], ['qfrc_bias', 4]] });
  ws.send({ c: 'opt', name: 'gravity', value: [0, 0, 3] });
  await ws.waitFor((m) => m.options?.gravity?.[2] === 3);
  const velocity = async (n) => {
    const b = await frameWhere(ws, (f, x) => f.step === n && watchOf(ws, x)?.['qvel[4]'] !== undefined, `velocity at ${n}`);
    return watchOf(ws, b)['qvel[4]'];
  };
  const v10 = await velocity(10);
  ws.send({ c: 'step', n: 100 });
  near((await velocity(110)) - v10, 0.3, 1e-9, 'what 3 m/s^2 do in 0.1 s');
  // solver
  ws.send({ c: 'opt', name: 'solver', value: 1 });
  await ws.waitFor((m) => m.options?.solver === 1);
  // friction and stiffness
  ws.send({ c: 'edit', kind: 'geom', id: 0, field: 'friction', value: [0.25] });
  await ws.waitFor((m) => m.edits?.some(([what, value]) => what === 'geom floor friction' && value === '0.25'));
  ws.send({ c: 'edit', kind: 'joint', id: 0, field: 'stiffness', value: [7.5] });
  await ws.waitFor((m) => m.edits?.some(([what]) => what === 'joint hinge stiffness'));
  // what makes no sense changes nothing and is told
  ws.send({ c: 'opt', name: 'timestep', value: -1 });
  await ws.waitFor((m) => m.notice?.includes('timestep'));
  ws.send({ c: 'edit', kind: 'joint', id: 0, field: 'colour', value: [1] });
  await ws.waitFor((m) => m.notice?.includes("a joint has 'stiffness'"));
  const model = await modelOf(ws);
  check(model !== before, 'the model changed');
  // saved and loaded again it is the same model
  const text = await saved(ws);
  check(text.includes('timestep="0.001"') && text.includes('0.25') && text.includes('7.5'), 'the changes are in the text');
  const copy = join(dirname(file), 'copy.xml');
  writeFileSync(copy, text);
  const again = await startView(sinew, [copy, '--port', '0', '--paused']);
  const ws2 = await socket(again);
  await ws2.waitFor((m) => m.options);
  check((await modelOf(ws2)) === model, 'the saved file compiles to the model that ran');
  // with the state as a keyframe
  writeFileSync(copy, await saved(ws, 'here'));
  await ws2.waitFor((m) => m.notice?.includes('loaded again'), 10000);
  const third = await startView(sinew, [copy, '--port', '0', '--paused', '--key', 'here']);
  const ws3 = await socket(third);
  const f = frameStatus(await frameWhere(ws3, (s) => s.paused, 'the keyframe'));
  near(f.time, 0.11, 1e-12, 'the time of the saved state');
  for (const v of [third, again, view]) await stopView(v);
}

async function soft(sinew) {
  const view = await startView(sinew, [modelFile(kSheet), '--port', '0', '--paused']);
  const ws = await socket(view);
  await ws.waitFor((m) => m.options);
  ws.send({ c: 'want', watch: [['flex_energy', 0], ['flexvert_xpos', 3 * 40 + 2]], energy: true });
  ws.send({ c: 'step', n: 1000 });
  const low = async (n) => watchOf(ws, await frameWhere(ws, (f, b) => f.step === n && watchOf(ws, b), `step ${n}`, 60000))['flexvert_xpos[122]'];
  const before = await low(1000);
  ws.send({ c: 'edit', kind: 'flex', id: 0, field: 'young', value: [200] });
  await ws.waitFor((m) => m.edits?.some(([what, value]) => what === 'flex sheet young' && value === '200'), 20000);
  ws.send({ c: 'step', n: 1000 });
  const after = await low(2000);
  check(after < before - 0.01, `a softer sheet sags more: ${before} then ${after}`);
  await stopView(view);
}

main(false, async (sinew) => {
  await rigid(sinew);
  await soft(sinew);
});
