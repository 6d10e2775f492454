#!/usr/bin/env node
// Reference traces: runs MJCF models in the published MuJoCo WebAssembly package and writes what `sinew compare` needs
// to compare stage by stage. docs/conformance.md describes options and format.

import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';

import { commonFolder, filesOfModel } from './model_files.mjs';
import {
  kDefaults, kEssentialData, kLargeModelDofs, kModes, readConstants, readData, readFields, readNames, readSizes, readWarnings,
} from './trace_fields.mjs';

const kUsage = `usage: node oracle.mjs MODEL.xml... [options]
  --at A,B,...      sample after these numbers of steps (default 0,1,10,100)
  --ctrl MODE       zero | sine | keep (default zero)
  --qvel MODE       keep | sine (default keep)
  --nudge X         add X sin(1 + i) to every starting velocity: how far do trajectories go apart? (default 0)
  --applied MODE    none | sine: constant qfrc_applied and xfrc_applied (default none)
  --key I           start from keyframe I
  --set A=B,...     override options, vectors with ':' (gravity=0:0:-9.81)
  --smooth          disable constraints and contacts
  --fields all|essential|auto|A,B,...   data fields (default auto: essential for more than ${kLargeModelDofs} dofs)
  --out FILE        trace of a single model (default: standard output)
  --outdir DIR      DIR/<name>.json for every model
  --list FILE       further models, one per line
  --jobs FILE       one JSON object per line: {"model", "out", and any of the options above by name}
  --quiet           no line per model on standard error`;

// ------------------------------------------------------------------------------------------------ arguments

function checkOptions(options) {
  for (const [name, modes] of Object.entries(kModes)) {
    if (!modes.includes(options[name])) throw new Error(`${name} must be one of ${modes.join(', ')}`);
  }
  const isCount = (n) => Number.isInteger(n) && n >= 0;
  if (!options.at.length || !options.at.every(isCount)) throw new Error('at needs step counts');
  if (!Number.isInteger(options.key)) throw new Error('key needs a number');
  if (!Number.isFinite(options.nudge)) throw new Error('nudge needs a number');
  return { ...options, at: [...options.at].sort((a, b) => a - b) };
}

function parseArguments(args) {
  const options = { ...kDefaults };
  const output = { out: null, outdir: null, quiet: false };
  const models = [];
  const jobs = [];
  const lines = (file) => fs.readFileSync(file, 'utf8').split('\n').map((s) => s.trim()).filter((s) => s && s[0] !== '#');
  const items = (text) => text.split(',').filter(Boolean);
  for (let i = 0; i < args.length; ++i) {
    const name = args[i];
    const value = () => {
      if (++i === args.length) throw new Error(`${name} needs a value`);
      return args[i];
    };
    if (name === '--help') return null;
    else if (name === '--at') options.at = items(value()).map(Number);
    else if (['--ctrl', '--qvel', '--applied', '--fields'].includes(name)) options[name.slice(2)] = value();
    else if (['--key', '--nudge'].includes(name)) options[name.slice(2)] = Number(value());
    else if (name === '--set') options.set = [...options.set, ...items(value())];
    else if (name === '--smooth') options.smooth = true;
    else if (['--out', '--outdir'].includes(name)) output[name.slice(2)] = value();
    else if (name === '--list') models.push(...lines(value()));
    else if (name === '--jobs') jobs.push(...lines(value()).map((line) => JSON.parse(line)));
    else if (name === '--quiet') output.quiet = true;
    else if (name.startsWith('--')) throw new Error(`unknown option ${name}`);
    else models.push(name);
  }
  if (output.out && models.length > 1) throw new Error('--out is for one model; use --outdir');
  for (const model of models) {
    const flat = model.replace(/^[./\\]+/, '').replace(/\.xml$/i, '').replace(/[/\\]/g, '__');
    jobs.push({ model, out: output.outdir ? path.join(output.outdir, `${flat}.json`) : output.out });
  }
  if (!jobs.length) throw new Error('no model given');
  return { jobs: jobs.map((job) => checkOptions({ ...options, ...job })), quiet: output.quiet };
}

// ------------------------------------------------------------------------------------------------ one model

let mounts = 0;

/// Copies the model and its files into the in-memory file system, keeping their relative places. Every model gets a
/// folder of its own name: MuJoCo caches assets by path and time, and would take one model's mesh for another's.
function mount(mj, model) {
  const root = `/model${mounts++}`;
  const files = filesOfModel(model);
  const folder = commonFolder(files);
  const inside = (file) => path.posix.join(root, ...path.relative(folder, file).split(path.sep));
  for (const file of files) {
    mj.FS.mkdirTree(path.posix.dirname(inside(file)));
    mj.FS.writeFile(inside(file), fs.readFileSync(file));
  }
  return { xml: inside(files[0]), remove: () => files.forEach((file) => mj.FS.unlink(inside(file))) };
}

function applySettings(mj, model, options) {
  for (const setting of options.set) {
    const [name, text] = setting.split('=');
    const old = model.opt[name];
    if (old === undefined || text === undefined) throw new Error(`cannot set ${setting}`);
    if (typeof old === 'number') model.opt[name] = Number(text);
    else text.split(':').forEach((number, i) => { model.opt[name][i] = Number(number); });
  }
  if (options.smooth) {
    const bit = mj.mjtDisableBit;
    model.opt.disableflags |= bit.mjDSBL_CONSTRAINT.value | bit.mjDSBL_CONTACT.value;
  }
}

function setInitialState(mj, model, data, options) {
  if (options.key >= 0) {
    if (options.key >= model.nkey) throw new Error(`there is no keyframe ${options.key}`);
    mj.mj_resetDataKeyframe(model, data, options.key);
  }
  if (options.qvel === 'sine') data.qvel.forEach((_, i, v) => { v[i] = 0.1 * Math.sin(1 + i); });
  if (options.nudge) data.qvel.forEach((_, i, v) => { v[i] += options.nudge * Math.sin(1 + i); });
  if (options.applied === 'sine') {
    // in proportion to the inertia they act on, so that light models do not explode; per body: force, then torque
    const mass = model.body_mass;
    data.xfrc_applied.forEach((_, i, f) => { f[i] = (i % 6 < 3 ? 1 : 0.01) * mass[Math.floor(i / 6)] * Math.sin(2 + i); });
    const inertia = model.dof_M0;
    data.qfrc_applied.forEach((_, i, f) => { f[i] = inertia[i] * Math.sin(3 + i); });
  }
}

/// sine: ctrl_i = c_i + 0.5 h_i sin(0.7 i + 3 t), with centre and half width of ctrlrange, or 0 and 1 where it is empty.
function setControls(model, data, mode) {
  if (mode === 'keep') return;
  const range = model.actuator_ctrlrange;
  const { ctrl, time } = data;
  for (let i = 0; i < ctrl.length; ++i) {
    const [low, high] = range[2 * i] < range[2 * i + 1] ? [range[2 * i], range[2 * i + 1]] : [-1, 1];
    ctrl[i] = mode === 'zero' ? 0 : 0.5 * (low + high) + 0.5 * (0.5 * (high - low)) * Math.sin(0.7 * i + 3 * time);
  }
}

/// Everything that follows from the state in `data`, which may be changed by this.
function evaluate(mj, model, data, fields) {
  mj.mj_forward(model, data);
  mj.mj_energyPos(model, data);
  mj.mj_energyVel(model, data);
  mj.mj_subtreeVel(model, data);
  mj.mj_rnePostConstraint(model, data);
  const sample = readData(model, data, mj.mj_isSparse(model), fields);
  mj.mj_inverse(model, data);
  sample.qfrc_inverse = Array.from(data.qfrc_inverse);
  return sample;
}

/// A sample of the current state. It is taken on a copy or, when memory does not allow one, in place with the state put back.
function takeSample(mj, model, data, fields) {
  let copy = null;
  try {
    copy = new mj.MjData(model, data);
  } catch (error) {
    if (!/allocate/.test(String(error?.message))) throw error;
  }
  if (copy) {
    try {
      return evaluate(mj, model, copy, fields);
    } finally {
      copy.delete();
    }
  }
  const signature = mj.mjtState.mjSTATE_INTEGRATION.value;
  const state = new mj.DoubleBuffer(mj.mj_stateSize(model, signature));
  try {
    mj.mj_getState(model, data, state, signature);
    const sample = evaluate(mj, model, data, fields);
    mj.mj_setState(model, data, Array.from(state.GetView()), signature);
    return sample;
  } finally {
    state.delete();
  }
}

function chosenFields(model, choice) {
  if (choice === 'auto') return model.nv > kLargeModelDofs ? kEssentialData : null;
  if (choice === 'all') return null;
  return choice === 'essential' ? kEssentialData : new Set(choice.split(','));
}

/// The trace of one job. A model that cannot be loaded or run gives a trace with `error` and `error_stage`.
function traceOf(mj, job) {
  const trace = { format: 'sinew-trace-1', source: path.basename(job.model), version: mj.mj_versionString() };
  trace.settings = Object.fromEntries(Object.keys(kDefaults).map((name) => [name, job[name]]));
  let stage = 'load';
  let files = null;
  let model = null;
  let data = null;
  try {
    files = mount(mj, job.model);
    model = mj.MjModel.from_xml_path(files.xml);
    if (!model) throw new Error('no model was returned');
    trace.opt_compiled = readFields(model.opt);
    applySettings(mj, model, job);
    trace.opt = readFields(model.opt);
    trace.stat = readFields(model.stat);
    trace.sizes = readSizes(model);
    trace.is_sparse = mj.mj_isSparse(model) ? 1 : 0;
    trace.names = readNames(model);
    trace.constants = readConstants(model);

    stage = 'simulate';
    data = new mj.MjData(model);
    setInitialState(mj, model, data, job);
    const fields = chosenFields(model, job.fields);
    const steps = job.at[job.at.length - 1];
    trace.samples = [];
    for (let step = 0; step <= steps; ++step) {
      setControls(model, data, job.ctrl);
      if (job.at.includes(step)) trace.samples.push({ step, ...takeSample(mj, model, data, fields) });
      if (step < steps) mj.mj_step(model, data);
    }
    trace.warnings = readWarnings(data);
  } catch (error) {
    const { format, source, version, settings } = trace;
    const message = String(error?.message ?? error).replace(/\/model\d+\//g, '').trim();
    return { format, source, error_stage: stage, error: message, version, settings };
  } finally {
    data?.delete();
    model?.delete();
    files?.remove();
  }
  return trace;
}

// ------------------------------------------------------------------------------------------------ many models

/// Messages of the reference engine go to standard error, never into a trace.
async function loadEngine() {
  const { default: load } = await import('@mujoco/mujoco');
  const report = (line) => console.error(line);
  return load({ print: report, printErr: report });
}

/// An engine that has used this much memory is replaced: it is near its limit of 2 GB, beyond which it breaks.
const kMemoryPerEngine = 2 ** 28;

function memoryOf(engine) {
  const buffer = new engine.DoubleBuffer(1);
  const bytes = buffer.GetView().buffer.byteLength;
  buffer.delete();
  return bytes;
}

function summary(trace) {
  if (trace.error) return `ERROR (${trace.error_stage}) ${trace.error.replace(/\s*\n\s*/g, ' | ')}`;
  const { nq, nv, nu } = trace.sizes;
  const warnings = Object.keys(trace.warnings).length ? ` warnings ${JSON.stringify(trace.warnings)}` : '';
  return `ok nq ${nq} nv ${nv} nu ${nu} nefc ${trace.samples.at(-1).nefc ?? '-'}${warnings}`;
}

async function main() {
  let request;
  try {
    request = parseArguments(process.argv.slice(2));
  } catch (error) {
    console.error(`${error.message}\n${kUsage}`);
    return 2;
  }
  if (!request) {
    console.log(kUsage);
    return 0;
  }
  let engine = null;
  let failed = 0;
  for (const job of request.jobs) {
    let trace;
    for (let isFresh = !engine; ; isFresh = true) {
      engine ??= await loadEngine();
      try {
        trace = traceOf(engine, job);
      } catch (error) {
        trace = { format: 'sinew-trace-1', source: path.basename(job.model), error_stage: 'abort', error: String(error?.message ?? error) };
      }
      if (trace.error || memoryOf(engine) > kMemoryPerEngine) engine = null;
      if (!trace.error || isFresh) break;  // an error counts only if a new engine makes it too
    }
    if (trace.error) ++failed;
    const text = `${JSON.stringify(trace)}\n`;
    if (job.out) {
      fs.mkdirSync(path.dirname(job.out), { recursive: true });
      fs.writeFileSync(`${job.out}.part`, text);
      fs.renameSync(`${job.out}.part`, job.out);  // a trace that exists is complete
    } else {
      process.stdout.write(text);
    }
    if (!request.quiet) console.error(`${job.model}: ${summary(trace)}`);
  }
  return failed ? 1 : 0;
}

process.exitCode = await main();
