#!/usr/bin/env node
// Conformance run: every scene, and every model of a corpus, through the reference oracle and through `sinew compare`.
// One line per model and a closing count; exit status 1 if anything failed. docs/conformance.md tells the whole story.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { filesOfModel } from './model_files.mjs';
import { kOracleNames, oracleNamed } from './oracles.mjs';
import { differenceCells, differenceOf } from './trace_difference.mjs';

const kHere = path.dirname(fileURLToPath(import.meta.url));
const kUsage = `usage: node run.mjs --sinew PATH [options]
  --sinew PATH     the sinew command to test
  --oracle NAME    ${kOracleNames.join(', ')} (default npm); all but npm are also held against another reference
  --corpus DIR     also run the models listed in DIR/INDEX.md, or every model below DIR (default: $SINEW_CORPUS)
  --cache DIR      where traces are kept (default build/conformance)
  --filter TEXT    only models whose path contains TEXT
  --tol X          passed on to sinew compare
  --parallel N     processes at a time (default 2)
  --traces-only    make the traces, compare nothing
  --full           run the corpus with constraints and contacts, not without them
  --json FILE      what was found, for each model, as JSON
  --verbose        everything that sinew compare prints, for models that do not pass`;

const kCompareSeconds = 600;

const oneLine = (text) => text.trim().replace(/\s*\n\s*/g, ' | ');

// ------------------------------------------------------------------------------------------------ arguments

function parseArguments(args) {
  const options = {
    sinew: null, oracle: 'npm', corpus: process.env.SINEW_CORPUS || null, cache: path.join(kHere, '../../build/conformance'), filter: '',
    tol: null, json: null, parallel: 2, tracesOnly: false, verbose: false, full: false,
  };
  for (let i = 0; i < args.length; ++i) {
    const name = args[i].slice(2);
    if (args[i] === '--traces-only') options.tracesOnly = true;
    else if (args[i] === '--verbose') options.verbose = true;
    else if (args[i] === '--full') options.full = true;
    else if (['--sinew', '--oracle', '--corpus', '--cache', '--filter', '--tol', '--json', '--parallel'].includes(args[i]) && i + 1 < args.length) {
      options[name] = args[++i];
    } else throw new Error(`cannot use ${args[i]}`);
  }
  options.parallel = Math.max(1, Number(options.parallel) || 1);
  options.oracle = oracleNamed(options.oracle);
  if (!options.sinew && !options.tracesOnly) throw new Error('--sinew is missing');
  if (options.sinew && !options.tracesOnly) {
    options.sinew = path.resolve(options.sinew);
    if (!fs.existsSync(options.sinew)) throw new Error(`there is no ${options.sinew}`);
  }
  return options;
}

// ------------------------------------------------------------------------------------------------ what to run

/// Folders of the project's own scenes: those that run without constraints and contacts, and those that are about them.
const kSceneFolders = ['scenes', 'scenes/constrained'];

/// The scenes of one folder, with the options that its scenes.json gives them.
function scenesIn(name) {
  const folder = path.join(kHere, name);
  const settings = JSON.parse(fs.readFileSync(path.join(folder, 'scenes.json'), 'utf8'));
  const files = fs.readdirSync(folder).filter((file) => /\.(xml|urdf)$/.test(file)).sort();
  for (const file of Object.keys(settings.scenes)) {
    if (!files.includes(file)) throw new Error(`${name}/scenes.json names ${file}, which does not exist`);
  }
  return files.map((file) => {
    const { shows = [], ...run } = { ...settings.default, ...settings.scenes[file] };
    return { name: `${name}/${file}`, model: path.join(folder, file), run, shows, isScene: true };
  });
}

/// Paths in the first column of the tables of INDEX.md; without that file, every XML file that has a worldbody.
function corpusModels(folder) {
  const index = path.join(folder, 'INDEX.md');
  if (fs.existsSync(index)) {
    const rows = fs.readFileSync(index, 'utf8').matchAll(/^\|\s*([^|\s]+\.xml)\s*\|/gm);
    return [...rows].map((row) => row[1]);
  }
  const isModel = (file) => file.endsWith('.xml') && fs.readFileSync(path.join(folder, file), 'utf8').includes('<worldbody');
  return fs.readdirSync(folder, { recursive: true }).filter(isModel).sort();
}

/// With constraints the trajectories of many models are chaotic: the first two states tell, the later ones do not.
function corpusEntries(folder, full) {
  const run = full ? { smooth: false, ctrl: 'sine', qvel: 'keep', at: [0, 1] } : { smooth: true, ctrl: 'sine', qvel: 'sine' };
  return corpusModels(folder).map((file) => ({ name: file, model: path.join(folder, file), run, shows: [], isScene: false }));
}

// ------------------------------------------------------------------------------------------------ traces

const digestOf = (...parts) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
};

/// Path of the trace in the cache: it changes with any byte of the model's files, with the oracle and with the options.
function tracePath(cache, oracle, entry) {
  const contents = filesOfModel(entry.model)
    .map((file) => [path.relative(path.dirname(entry.model), file), digestOf(fs.readFileSync(file))].join(' ')).sort();
  const tool = digestOf(...oracle.files.map((file) => fs.readFileSync(file)));
  const key = digestOf(tool, JSON.stringify(entry.run), ...contents).slice(0, 16);
  const folder = entry.run.smooth ? oracle.name : `${oracle.name}-full`;
  return path.join(cache, folder, `${entry.name.replace(/\.(xml|urdf)$/, '').replace(/[/\\]/g, '__')}-${key}.json`);
}

/// Removes traces of the same model under older keys.
function dropOlderTraces(trace) {
  const stem = path.basename(trace).slice(0, -'0123456789abcdef.json'.length);
  for (const file of fs.readdirSync(path.dirname(trace))) {
    if (file !== path.basename(trace) && file.startsWith(stem) && /^[0-9a-f]{16}\.json$/.test(file.slice(stem.length))) {
      fs.unlinkSync(path.join(path.dirname(trace), file));
    }
  }
}

function execute(command, args, seconds = 0) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: seconds * 1000, killSignal: 'SIGKILL' });
    let out = '';
    let err = '';
    child.stdout.on('data', (text) => { out += text; });
    child.stderr.on('data', (text) => { err += text; });
    child.on('error', (error) => resolve({ status: null, signal: null, out, err: `${error.message}` }));
    child.on('close', (status, signal) => resolve({ status, signal, out, err }));
  });
}

/// Runs the oracle on a share of the jobs {entry, trace}. If its process dies, the entry at fault gets a trace with an
/// error and the rest goes to a new process.
async function makeTraces(oracle, jobs, listFile) {
  for (let rest = jobs; rest.length;) {
    fs.writeFileSync(listFile, rest.map(({ entry, trace }) => JSON.stringify({ model: entry.model, out: trace, ...entry.run })).join('\n'));
    const result = await execute(oracle.command, [...oracle.args, '--jobs', listFile]);
    rest = rest.filter(({ trace }) => !fs.existsSync(trace));
    if (!rest.length) break;
    const error = `the oracle stopped: ${result.signal ?? result.err.trim().split('\n').at(-1)}`;
    fs.writeFileSync(rest[0].trace, JSON.stringify({ error_stage: 'abort', error }));
    rest = rest.slice(1);
  }
  fs.rmSync(listFile, { force: true });
}

/// Makes the traces of all entries that the cache lacks and returns their paths, in the order of the entries.
async function tracesOf(oracle, entries, options) {
  const jobs = entries.map((entry) => ({ entry, trace: tracePath(options.cache, oracle, entry) }));
  const missing = jobs.filter(({ trace }) => !fs.existsSync(trace));
  if (missing.length) console.log(`oracle ${oracle.name}: ${missing.length} of ${entries.length} traces to make`);
  for (const { trace } of missing) fs.mkdirSync(path.dirname(trace), { recursive: true });
  const shares = Array.from({ length: options.parallel }, (_, k) => missing.filter((_, i) => i % options.parallel === k));
  await Promise.all(shares.map((share, k) => makeTraces(oracle, share, path.join(options.cache, `jobs-${process.pid}-${k}.txt`))));
  missing.forEach(({ trace }) => dropOlderTraces(trace));
  return jobs.map(({ trace }) => trace);
}

/// What kept the oracle from making a trace, or ''. Such a trace is short and says so at once.
function oracleFailure(trace) {
  if (fs.statSync(trace).size > 1e5) return '';
  const { error, error_stage: stage } = JSON.parse(fs.readFileSync(trace, 'utf8'));
  return error ? `oracle (${stage}): ${oneLine(error)}` : '';
}

/// Why a scene's trace is no good as a test of its mechanism, or '' if it is.
function flawOfScene(entry) {
  const trace = JSON.parse(fs.readFileSync(entry.trace, 'utf8'));
  if (Object.keys(trace.warnings).length) return `the reference warned: ${JSON.stringify(trace.warnings)}`;
  const numbers = (value) => (Array.isArray(value) ? value.flatMap(numbers) : [value]);
  for (const sample of trace.samples) {
    for (const [field, value] of Object.entries(sample)) {
      if (field !== 'contact' && numbers(value).includes(null)) return `${field} is not finite at step ${sample.step}`;
    }
  }
  const [start, end] = [trace.samples[0].qpos, trace.samples.at(-1).qpos];
  if (!start.some((q, i) => Math.abs(end[i] - q) > 1e-4)) return 'nothing moves';
  for (const field of entry.shows) {
    const values = trace.constants[field] ?? trace.samples.map((sample) => sample[field]);
    if (!numbers(values).some((x) => x)) return `the scene should show ${field}, which is zero throughout`;
  }
  return '';
}

// ------------------------------------------------------------------------------------------------ comparison

/// {verdict, detail, log} for one entry whose trace exists.
async function judge(entry, options) {
  const failure = oracleFailure(entry.trace);
  if (failure) return { verdict: 'FAIL', detail: failure };
  if (entry.isScene) {
    const flaw = flawOfScene(entry);
    if (flaw) return { verdict: 'FAIL', detail: flaw };
  }
  if (options.tracesOnly) return { verdict: 'PASS', detail: 'trace made' };

  const args = ['compare', entry.model, entry.trace];
  if (entry.run.smooth) args.push('--smooth');
  if (options.tol) args.push('--tol', options.tol);
  const { status, signal, out, err } = await execute(options.sinew, args, kCompareSeconds);
  const lines = out.trim().split('\n');
  const worst = lines.findLast((line) => line.startsWith('worst')) ?? '';
  const first = lines.find((line) => line.startsWith('first')) ?? '';
  const log = out + err;
  if (status === 0) return { verdict: 'PASS', detail: worst, log };
  if (status === 1) return { verdict: 'FAIL', detail: [first, worst].filter(Boolean).join('; ') || oneLine(err), log };
  if (status === 2 && err.includes('not supported')) return { verdict: 'UNSUPPORTED', detail: oneLine(err), log };
  if (status === 2) return { verdict: 'FAIL', detail: `does not load: ${oneLine(err)}`, log };
  return { verdict: 'FAIL', detail: `sinew compare ended with ${signal ?? `status ${status}`} ${oneLine(err)}`, log };
}

/// Runs `work` on all items, `parallel` at a time, and hands the results to `done` in the order of the items.
async function inOrder(items, parallel, work, done) {
  const results = new Map();
  let next = 0;
  let printed = 0;
  const worker = async () => {
    while (next < items.length) {
      const i = next++;
      results.set(i, await work(items[i]));
      for (; results.has(printed); ++printed) done(items[printed], results.get(printed));
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

// ------------------------------------------------------------------------------------------------ two references

/// Says model by model where the reference differs from the other one, and returns the differences.
async function compareReferences(entries, options) {
  const other = oracleNamed(options.oracle.other);
  const others = await tracesOf(other, entries, options);
  const read = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));
  const versions = new Map();
  const rows = [];
  const count = { identical: 0, rounding: 0, different: 0 };
  const differences = entries.map((entry, i) => {
    const [a, b] = [read(others[i]), read(entry.trace)];
    versions.set(other.name, a.version ?? versions.get(other.name)).set(options.oracle.name, b.version ?? versions.get(options.oracle.name));
    const difference = differenceOf(a, b);
    if (difference.error || difference.first) rows.push([entry.name, ...differenceCells(difference)]);
    ++count[difference.error || difference.first ? 'different' : difference.isIdentical ? 'identical' : 'rounding'];
    return difference;
  });
  const title = ([name, version]) => `${name} ${version}`;
  console.log(`\nreferences: ${[...versions].map(title).join(' against ')}, ${entries.length} models: ${count.identical} identical bit by bit, `
    + `${count.rounding} equal up to rounding (1e-9 of the largest number of an array), ${count.different} different`);
  if (rows.length) {
    const head = ['model', 'field that differs most', 'first at step', 'size, relative', 'fields', 'qpos'];
    for (const row of [head, head.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`);
  }
  return differences;
}

async function main() {
  let options;
  try {
    options = parseArguments(process.argv.slice(2));
  } catch (error) {
    console.error(`${error.message}\n${kUsage}`);
    return 2;
  }
  const hasCorpus = options.corpus && fs.existsSync(options.corpus);
  const entries = [...kSceneFolders.flatMap(scenesIn), ...(hasCorpus ? corpusEntries(options.corpus, options.full) : [])]
    .filter((entry) => entry.name.includes(options.filter));
  fs.mkdirSync(options.cache, { recursive: true });
  const traces = await tracesOf(options.oracle, entries, options);
  entries.forEach((entry, i) => { entry.trace = traces[i]; });

  const results = [];
  const count = { PASS: 0, FAIL: 0, UNSUPPORTED: 0 };
  await inOrder(entries, options.parallel, (entry) => judge(entry, options), (entry, { verdict, detail, log }) => {
    // what the scenes show is promised to work, so a scene that is not supported has failed
    const counted = verdict === 'UNSUPPORTED' && entry.isScene ? 'FAIL' : verdict;
    ++count[counted];
    results.push({ name: entry.name, verdict: counted, detail });
    console.log(`${verdict.padEnd(11)} ${entry.name.padEnd(48)} ${detail}`);
    if (options.verbose && verdict !== 'PASS' && log) console.log(log.replace(/^/gm, '    '));
  });
  if (!hasCorpus) console.log(`corpus: not run (${options.corpus ? `${options.corpus} not found` : 'no path given'})`);
  console.log(`${count.PASS} passed, ${count.FAIL} failed${count.UNSUPPORTED ? `, ${count.UNSUPPORTED} unsupported` : ''}`);
  if (options.oracle.other) {
    const differences = await compareReferences(entries, options);
    results.forEach((result, i) => { result.references = differences[i]; });
  }
  if (options.json) fs.writeFileSync(options.json, `${JSON.stringify(results, null, 1)}\n`);
  return count.FAIL ? 1 : 0;
}

process.exitCode = await main();
