// The yardstick: plays stretches of simulation in the published MuJoCo WebAssembly package, as scenes/replay.h plays
// them in Sinew. Reads one JSON command per line from standard input and answers each with one line:
//   {"load": FILE, "warmup": N, "steps": N}   ->  {"nv": N, "version": "..."}
//   {"play": N}                               ->  {"us": [processor time of every N steps], "qpos": [...] at the end}
//   {"count": true}                           ->  {"contacts": ..., "rows": ..., "iterations": ...}, means over the steps
// An answer {"error": TEXT} means that the command failed.

import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const conformance = path.join(here, '../tests/conformance/');

async function loadEngine() {
  const packageFile = createRequire(pathToFileURL(conformance)).resolve('@mujoco/mujoco');
  const { default: load } = await import(pathToFileURL(packageFile));
  const report = (line) => console.error(line);
  return load({ print: report, printErr: report });
}

const mj = await loadEngine();
const signature = mj.mjtState.mjSTATE_INTEGRATION.value;
let scene = null;

function release() {
  scene?.data.delete();
  scene?.model.delete();
  scene = null;
}

function setUp(model, data) {
  data.qvel.forEach((_, i, v) => { v[i] = 0.1 * Math.sin(1 + i); });
  const range = model.actuator_ctrlrange;
  data.ctrl.forEach((_, i, ctrl) => {
    const [low, high] = range[2 * i] < range[2 * i + 1] ? [range[2 * i], range[2 * i + 1]] : [-1, 1];
    ctrl[i] = 0.5 * (low + high) + 0.5 * (0.5 * (high - low)) * Math.sin(0.7 * i);
  });
}

function load({ load: file, warmup, steps }) {
  release();
  mj.FS.writeFile('/scene.xml', fs.readFileSync(file));
  const model = mj.MjModel.from_xml_path('/scene.xml');
  const data = new mj.MjData(model);
  setUp(model, data);
  for (let i = 0; i < warmup; ++i) mj.mj_step(model, data);
  const buffer = new mj.DoubleBuffer(mj.mj_stateSize(model, signature));
  mj.mj_getState(model, data, buffer, signature);
  const start = Array.from(buffer.GetView());
  buffer.delete();
  scene = { model, data, start, steps };
  return { nv: model.nv, version: mj.mj_versionString() };
}

function play({ play: piece }) {
  const { model, data, start, steps } = scene;
  const us = [];
  mj.mj_setState(model, data, start, signature);
  for (let done = 0; done < steps; done += piece) {
    const count = Math.min(piece, steps - done);
    const begin = process.cpuUsage();
    for (let i = 0; i < count; ++i) mj.mj_step(model, data);
    const used = process.cpuUsage(begin);
    us.push(used.user + used.system);
  }
  return { us, qpos: Array.from(data.qpos) };
}

/// The same stretch once more, counting the work; iterations are those of the island that took most.
function count() {
  const { model, data, start, steps } = scene;
  const sum = { contacts: 0, rows: 0, iterations: 0 };
  mj.mj_setState(model, data, start, signature);
  for (let i = 0; i < steps; ++i) {
    mj.mj_step(model, data);
    sum.contacts += data.ncon / steps;
    sum.rows += data.nefc / steps;
    if (data.nefc > 0) sum.iterations += Math.max(...data.solver_niter.slice(0, Math.max(1, data.nisland))) / steps;
  }
  return sum;
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  let answer;
  try {
    const command = JSON.parse(line);
    answer = command.load ? load(command) : command.count ? count() : play(command);
  } catch (error) {
    answer = { error: String(error?.message ?? error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
release();
