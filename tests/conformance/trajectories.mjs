#!/usr/bin/env node
// How far Sinew is from the reference after many steps, compared with how far the reference is from itself.
//
// Contacts amplify rounding, so after a while two trajectories say more about the model than about the engines. The
// yardstick is the reference's own noise: the distance of two of its runs whose starting velocities differ in the last
// digits, and, if a table of such distances between builds of the reference is given, that. docs/conformance.md tells more.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const kHere = path.dirname(fileURLToPath(import.meta.url));
const kUsage = `usage: node trajectories.mjs --sinew PATH --corpus DIR [options]
  --sinew PATH   the sinew command
  --corpus DIR   models listed in DIR/INDEX.md
  --noise FILE   Markdown table: model, then distances after 1, 10 and 100 steps (one number: all three)
  --steps N      default 100
  --filter TEXT  only models whose path contains TEXT
  --out DIR      where traces are kept (default build/trajectories)`;

const kNudge = 1e-14;  // of a velocity of order 1: some roundings
const kFloor = 1e-9;   // distances below this count as this: nobody measures less
const kFactor = 10;

function parseArguments(args) {
  const options = { sinew: null, corpus: null, noise: null, steps: '100', filter: '', out: path.join(kHere, '../../build/trajectories') };
  for (let i = 0; i + 1 < args.length; i += 2) {
    const name = args[i].slice(2);
    if (!args[i].startsWith('--') || !(name in options)) throw new Error(`cannot use ${args[i]}`);
    options[name] = args[i + 1];
  }
  if (!options.sinew || !options.corpus) throw new Error('--sinew and --corpus are needed');
  options.steps = Number(options.steps);
  return options;
}

/// Models of the corpus without those that need a flex, which INDEX.md tells by their number of flex vertices.
function corpusModels(folder) {
  const rows = fs.readFileSync(path.join(folder, 'INDEX.md'), 'utf8').matchAll(/^\|\s*([^|\s]+\.xml)\s*\|([^\n]*)$/gm);
  return [...rows].map((row) => ({ file: row[1], isFlex: Number(row[2].split('|')[3]) > 0 }));
}

/// Distances after the last listed number of steps, by model, from the first column that has numbers.
function readNoise(file) {
  const noise = new Map();
  if (!file) return noise;
  for (const [, model, column] of fs.readFileSync(file, 'utf8').matchAll(/^\|\s*([^|\s]+\.xml)\s*\|([^|]*)\|/gm)) {
    noise.set(model, Number(column.trim().split(/\s+/).at(-1)));
  }
  return noise;
}

/// Final qpos of the reference, or null with a reason.
function reference(model, out, options, nudge) {
  const job = JSON.stringify({ model, out, ctrl: 'sine', at: [options.steps], fields: 'qpos', nudge });
  const list = `${out}.job`;
  fs.writeFileSync(list, job);
  if (!fs.existsSync(out)) {
    execFileSync(process.execPath, ['--max-old-space-size=4096', path.join(kHere, 'oracle.mjs'), '--quiet', '--jobs', list], { stdio: 'ignore' });
  }
  fs.unlinkSync(list);
  const trace = JSON.parse(fs.readFileSync(out, 'utf8'));
  return trace.samples ? trace.samples.at(-1).qpos : null;
}

/// Final qpos of Sinew. Throws if the model does not load.
function ours(model, out, options) {
  const args = ['run', model, '--ctrl', 'sine', '--gap', 'outside', '--steps', `${options.steps}`, '--every', `${options.steps}`, '--out', out];
  try {
    execFileSync(options.sinew, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (error) {
    if (error.status !== 1) throw new Error(`${error.stderr}`.trim().split('\n').at(-1));
  }
  const lines = fs.readFileSync(out, 'utf8').trim().split('\n');
  const names = lines[0].split(',');
  const values = lines.at(-1).split(',');
  fs.unlinkSync(out);
  return values.filter((_, i) => names[i].startsWith('qpos_')).map(Number);
}

const distance = (a, b) => a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);
const short = (x) => (x === 0 ? '0' : x.toExponential(0));

function main() {
  const options = parseArguments(process.argv.slice(2));
  const table = readNoise(options.noise);
  fs.mkdirSync(options.out, { recursive: true });
  const count = { models: 0, unsupported: 0, builds: 0, within: 0 };
  for (const { file, isFlex } of corpusModels(options.corpus)) {
    if (isFlex || !file.includes(options.filter)) continue;
    const model = path.join(options.corpus, file);
    const stem = path.join(options.out, file.replace(/\.xml$/, '').replace(/[/\\]/g, '__'));
    let state;
    try {
      state = ours(model, `${stem}.csv`, options);
    } catch (error) {
      ++count.unsupported;
      console.log(`UNSUPPORTED ${file}  ${error.message}`);
      continue;
    }
    const exact = reference(model, `${stem}-${options.steps}.json`, options, 0);
    const nudged = reference(model, `${stem}-${options.steps}-nudged.json`, options, kNudge);
    if (!exact || !nudged) {
      console.log(`NO TRACE    ${file}`);
      continue;
    }
    ++count.models;
    const error = distance(state, exact);
    const builds = Math.max(table.get(file) || 0, kFloor);
    const noise = Math.max(builds, distance(nudged, exact));
    const isNearBuilds = error <= kFactor * builds;
    const isWithin = error <= kFactor * noise;
    count.builds += isNearBuilds;
    count.within += isWithin;
    const verdict = isNearBuilds ? 'PASS' : isWithin ? 'PASS (nudge)' : 'FAIL';
    console.log(`${verdict.padEnd(12)} ${file.padEnd(70)} error ${short(error)}, between builds ${short(table.get(file) || 0)}, nudged ${short(distance(nudged, exact))}`);
  }
  const share = (n) => `${n} (${((100 * n) / count.models).toFixed(0)} %)`;
  console.log(`${count.models} models after ${options.steps} steps: ${share(count.builds)} within ${kFactor} x noise between builds, `
    + `${share(count.within)} within ${kFactor} x the larger of that and a nudge of ${kNudge}; ${count.unsupported} not supported`);
}

try {
  main();
} catch (error) {
  console.error(`${error.message}\n${kUsage}`);
  process.exitCode = 2;
}
