// What a trace records: how mjModel and mjData are read through the WebAssembly bindings.
//
// Fields are found by walking the properties of the bound objects, so a field is recorded unless trace_fields.json names
// it as visual, internal or stale. Names in a trace are the names in mjModel and mjData.

import fs from 'node:fs';

/// The description that all oracles share: options, what is recorded, what is left out.
const kFields = JSON.parse(fs.readFileSync(new URL('trace_fields.json', import.meta.url), 'utf8'));

const whole = (...patterns) => new RegExp(`^(${patterns.join('|')})$`);
const kSizes = whole(kFields.sizes);
const kSkippedConstants = whole(...kFields.skipped_constants);
const kFlexlessConstants = whole(kFields.flexless_constants);
const kSkippedData = whole(...kFields.skipped_data);
const kFlexlessData = whole(kFields.flexless_data);
const kIslandData = whole(kFields.island_data);
const kSparseData = whole(kFields.sparse_data);

export const kDefaults = kFields.defaults;
export const kModes = kFields.modes;
export const kEssentialData = new Set(kFields.essential_data);
export const kLargeModelDofs = kFields.large_model_dofs;

// Boolean arrays have no view in the bindings. Every array starts at the next multiple of 64 bytes after the one before
// it, so a boolean array can be read at a known distance from a neighbour: [array that follows, how many blocks before].
const kBooleanConstants = {
  jnt_limited: ['njnt', 'jnt_solref', 3],
  jnt_actfrclimited: ['njnt', 'jnt_solref', 2],
  jnt_actgravcomp: ['njnt', 'jnt_solref', 1],
  eq_active0: ['neq', 'eq_solref', 1],
  tendon_limited: ['ntendon', 'tendon_width', 2],
  tendon_actfrclimited: ['ntendon', 'tendon_width', 1],
  actuator_actlimited: ['nactuator', 'actuator_actrange', 1],
  actuator_actearly: ['nactuator', 'actuator_history', 1],
  actuator_forcelimited: ['nactuator', 'actuator_forcerange', 1],
  actuator_ctrllimited: ['nu', 'actuator_ctrlrange', 1],
};

const kAlignment = 64;
const aligned = (bytes) => Math.ceil(bytes / kAlignment) * kAlignment;

function booleansAt(heap, offset, count) {
  const bytes = new Uint8Array(heap, offset, count);
  if (bytes.some((b) => b > 1)) throw new Error('the memory layout of the bindings is not what trace_fields.mjs expects');
  return Array.from(bytes);
}

function booleanConstant(model, name) {
  const [size, follower, blocks] = kBooleanConstants[name];
  const count = model[size];
  if (!count) return [];
  const view = model[follower];
  return booleansAt(view.buffer, view.byteOffset - blocks * aligned(count), count);
}

function activeEqualities(model, data) {
  if (!model.neq) return [];
  const before = data.xfrc_applied;
  return booleansAt(before.buffer, before.byteOffset + aligned(before.byteLength), model.neq);
}

/// Shortest decimal that still names the same float32.
function shortestFloat(value) {
  for (let digits = 6; digits < 9; ++digits) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
}

/// A plain JSON value for a bound property. Views are copied at once, because WebAssembly memory may move.
function plain(value) {
  switch (typeof value) {
    case 'number': return value;
    case 'boolean': return value ? 1 : 0;
    case 'bigint': return Number(value);
    default:
  }
  if (value instanceof Float32Array) return Array.from(value, shortestFloat);
  if (value instanceof BigInt64Array || value instanceof BigUint64Array) return Array.from(value, Number);
  if (!ArrayBuffer.isView(value)) return undefined;
  const isNull = value.byteOffset === 0 && value.length > 0;  // an array this run did not allocate
  return isNull ? undefined : Array.from(value);
}

/// Names of the properties that the bindings define on an object, functions included.
function propertyNames(object) {
  const names = new Set();
  for (let p = Object.getPrototypeOf(object); p && p !== Object.prototype; p = Object.getPrototypeOf(p)) {
    for (const name of Object.getOwnPropertyNames(p)) names.add(name);
  }
  return [...names].sort();
}

/// All readable numbers and arrays of a bound object whose names pass `wanted`.
export function readFields(object, wanted = () => true) {
  const result = {};
  for (const name of propertyNames(object)) {
    if (!wanted(name)) continue;
    let value;
    try {
      value = plain(object[name]);
    } catch {
      continue;  // a boolean array
    }
    if (value !== undefined) result[name] = value;
  }
  return result;
}

export function readSizes(model) {
  return readFields(model, (name) => kSizes.test(name) && !kFields.skipped_sizes.includes(name));
}

export function readConstants(model) {
  const skipped = (name) => kSizes.test(name) || kSkippedConstants.test(name) || (!model.nflex && kFlexlessConstants.test(name));
  const result = readFields(model, (name) => !skipped(name));
  for (const name of Object.keys(kBooleanConstants)) result[name] = booleanConstant(model, name);
  return result;
}

/// Names by kind of object, in id order ("" for objects without a name).
export function readNames(model) {
  const bytes = Uint8Array.from(model.names);
  const text = new TextDecoder();
  const result = {};
  for (const kind of kFields.name_kinds) {
    result[kind] = Array.from(model[`name_${kind}adr`], (start) => text.decode(bytes.subarray(start, bytes.indexOf(0, start))));
  }
  return result;
}

function readContacts(data) {
  const list = data.contact;
  const contacts = [];
  for (let i = 0; i < list.size(); ++i) {
    const contact = list.get(i);
    contacts.push(readFields(contact, (name) => !kFields.skipped_contact.includes(name)));
    contact.delete();
  }
  list.delete();
  return contacts;
}

/// Cuts arrays that are allocated for the worst case to what this state uses.
function trimToUse(result, data, isSparse) {
  if (result.wrap_xpos) {
    const used = Array.from(data.ten_wrapnum).reduce((sum, n) => sum + n, 0);
    result.wrap_xpos.length = 3 * used;
    result.wrap_obj.length = used;
  }
  if (result.solver_niter) result.solver_niter.length = Math.max(1, data.nisland);
  for (const name of Object.keys(result)) {
    if ((!isSparse && kSparseData.test(name)) || (data.nisland === 0 && kIslandData.test(name))) delete result[name];
  }
}

/// Every recorded field of the state in `data`, or those named in the Set `only`.
export function readData(model, data, isSparse, only) {
  const wanted = (name) => !only || only.has(name);
  const skipped = (name) => kSkippedData.test(name) || (!model.nflex && kFlexlessData.test(name));
  const result = readFields(data, (name) => wanted(name) && !skipped(name));
  if (wanted('eq_active')) result.eq_active = activeEqualities(model, data);
  if (wanted('contact')) result.contact = readContacts(data);
  trimToUse(result, data, isSparse);
  return result;
}

/// Counts of the warnings raised during a run, by name; those that never occurred are left out.
export function readWarnings(data) {
  const list = data.warning;
  const result = {};
  for (let i = 0; i < list.size(); ++i) {
    const { number } = list.get(i);
    if (number > 0) result[kFields.warnings[i] ?? `warning${i}`] = number;
  }
  return result;
}
