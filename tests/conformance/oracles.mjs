// The references a conformance run can ask, and how each is called.
//
//   npm     the published WebAssembly package, pinned in package-lock.json
//   native  the wheel of the same version from PyPI, pinned in requirements.txt, in build/venv
//   latest  the newest wheel that was published, pinned in requirements-latest.txt, in build/venv-latest

import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const kHere = path.dirname(fileURLToPath(import.meta.url));
const kBuild = path.join(kHere, '../../build');

function pythonOracle(environment, requirements) {
  return {
    environment,
    command: path.join(kBuild, environment, 'bin/python'),
    args: [path.join(kHere, 'native_oracle.py')],
    files: ['native_oracle.py', 'trace_fields.json', 'model_files.mjs', requirements],
  };
}

const kOracles = {
  npm: {
    command: process.execPath,
    args: ['--max-old-space-size=4096', path.join(kHere, 'oracle.mjs')],
    files: ['oracle.mjs', 'trace_fields.mjs', 'trace_fields.json', 'model_files.mjs', 'package-lock.json'],
  },
  native: pythonOracle('venv', 'requirements.txt'),
  latest: pythonOracle('venv-latest', 'requirements-latest.txt'),
};

/// Which reference the traces of an oracle are held against: another build of the same version, or the version before.
const kOther = { npm: null, native: 'npm', latest: 'native' };

function hasMujoco(environment) {
  const folder = path.join(kBuild, environment);
  if (!fs.existsSync(path.join(folder, 'installed.txt'))) return false;
  const isThere = (version) => fs.existsSync(path.join(folder, 'lib', version, 'site-packages/mujoco'));
  return fs.readdirSync(path.join(folder, 'lib')).some(isThere);
}

export const kOracleNames = Object.keys(kOracles);

/// {name, command, args, files, other}; throws for a name that is unknown or an environment that is not installed.
export function oracleNamed(name) {
  const oracle = kOracles[name];
  if (!oracle) throw new Error(`there is no oracle ${name}: one of ${kOracleNames.join(', ')}`);
  if (oracle.environment && !hasMujoco(oracle.environment)) {
    throw new Error(`oracle ${name}: there is no mujoco in ${path.join('build', oracle.environment)}; make setup installs it, which `
      + 'needs Python 3.11 or newer and PyPI');
  }
  return { name, other: kOther[name], ...oracle, files: oracle.files.map((file) => path.join(kHere, file)) };
}
