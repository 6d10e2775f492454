// How two traces of the same model differ: two references against each other.

/// A number counts as different if it is further away than rounding explains: relative to the largest of its array.
const kRelative = 1e-9;
const kAbsolute = 1e-12;

/// Lists that only a search goes through, and whose order is that of a hash table: listed apart.
const isSearchList = (name) => name.startsWith('mesh_poly') || name === 'mesh_extrema';

/// Single precision in the file formats: one unit in the last place is no difference.
const isSingle = (name) => name.startsWith('mesh_') || name === 'hfield_data';
const kSingle = 2.4e-7;

/// What a reference leaves unwritten in some states (states of rows that no iteration visited, rows of a product that was
/// not formed), so that chance memory is read; and lengths of texts.
const kNotCompared = new Set(['efc_state', 'efc_AR_rownnz', 'efc_AR_rowadr', 'efc_Y_rownnz', 'efc_Y_rowadr',
  'tendon_efcadr', 'npaths', 'nnames']);

/// One entry per island; the bindings end the list at different lengths.
const kCutToShorter = new Set(['solver_niter']);

const largestOf = (numbers) => numbers.reduce((most, x) => Math.max(most, Math.abs(x ?? 0)), 0);

/// {most: largest absolute difference, scale: largest number} of two arrays of equal length; null against null is equal.
function distanceOf(a, b) {
  let most = 0;
  for (let i = 0; i < a.length; ++i) {
    if (a[i] === b[i]) continue;
    if (a[i] === null || b[i] === null) return { most: Infinity, scale: 1 };
    most = Math.max(most, Math.abs(a[i] - b[i]));
  }
  return { most, scale: most ? Math.max(largestOf(a), largestOf(b)) : 1 };
}

const asArray = (value) => (Array.isArray(value) ? value : [value]);

/// Contacts as arrays contact_dist, contact_pos, ..., one after the other.
function withContacts(sample) {
  const { contact = [], step, ...fields } = sample;
  for (const one of contact) {
    for (const [name, value] of Object.entries(one)) (fields[`contact_${name}`] ??= []).push(...asArray(value));
  }
  return fields;
}

/// Forces balance: what is left of them in one array is measured against the largest of all.
const isForce = (name) => name.startsWith('qfrc_') || name.startsWith('cfrc_');

function scaleOfForces(fields) {
  const forces = Object.entries(fields).filter(([name, value]) => isForce(name) && Array.isArray(value));
  return forces.reduce((most, [, value]) => Math.max(most, largestOf(value)), 0);
}

/// Fields of two objects that both have and that differ: {field, size (relative), text}, the largest first.
function differingFields(a, b, result) {
  const found = [];
  const forces = scaleOfForces(a);
  for (const [field, value] of Object.entries(a)) {
    if (!(field in b) || kNotCompared.has(field)) continue;
    let [x, y] = [asArray(value), asArray(b[field])];
    if (kCutToShorter.has(field)) [x, y] = [x.slice(0, y.length), y.slice(0, x.length)];
    if (typeof (x[0] ?? y[0]) === 'object' && (x[0] ?? y[0]) !== null) continue;
    if (x.length !== y.length) {
      found.push({ field, size: Infinity, text: `${x.length} against ${y.length} numbers` });
      continue;
    }
    if (typeof x[0] === 'string') continue;
    const { most, scale: own } = distanceOf(x, y);
    if (!most) continue;
    const scale = isForce(field) ? Math.max(own, forces) : own;
    result.isIdentical = false;
    if (isSearchList(field)) {
      result.hasOtherSearchLists = true;
    } else if (most > (isSingle(field) ? kSingle : kRelative) * scale + kAbsolute) {
      found.push({ field, size: most / scale, text: `${most.toPrecision(2)} of ${scale.toPrecision(2)}` });
    }
  }
  if (found.length) result.isIdentical = false;
  return found.sort((p, q) => q.size - p.size);
}

/// What differs between two traces: where first, in which fields, and how far the positions are apart at the end.
///   error       one of them has no samples
///   compiled    fields of the compiled model that differ: [{field, size, text}]
///   first       {where: 'compiled' or a step, fields} of the first stage with a difference, or null
///   moving      the same without the compiled model: the first state with a difference
///   qpos        largest difference of qpos per step that both sampled: [{step, distance}]
export function differenceOf(a, b) {
  const result = { error: null, isIdentical: true, hasOtherSearchLists: false, compiled: [], first: null, moving: null, qpos: [] };
  if (a.error || b.error) {
    if (!a.error !== !b.error) result.error = (a.error ?? b.error).replace(/\s*\n\s*/g, ' | ');
    result.isIdentical = !result.error;
    return result;
  }
  result.compiled = [...differingFields(a.sizes, b.sizes, result), ...differingFields(a.opt, b.opt, result),
    ...differingFields(a.stat, b.stat, result), ...differingFields(a.constants, b.constants, result)];
  a.samples.forEach((sample, i) => {
    const other = b.samples[i];
    const fields = differingFields(withContacts(sample), withContacts(other), result);
    if (fields.length) result.moving ??= { where: sample.step, fields };
    const comparable = sample.qpos.length === other.qpos.length;
    result.qpos.push({ step: sample.step, distance: comparable ? distanceOf(sample.qpos, other.qpos).most : Infinity });
  });
  result.first = result.compiled.length ? { where: 'compiled', fields: result.compiled } : result.moving;
  return result;
}

const short = (x) => (x === 0 ? '0' : Number.isFinite(x) ? x.toExponential(0) : 'other size');

/// Cells of a table: field that differs most, first step, size, how many fields, qpos at the last sample.
export function differenceCells(difference) {
  if (difference.error) return ['does not run', '', difference.error, '', ''];
  const { where, fields } = difference.first;
  const [worst] = fields;
  const size = Number.isFinite(worst.size) ? `${worst.size.toExponential(0)} (${worst.text})` : worst.text;
  const last = difference.qpos.at(-1);
  return [worst.field, `${where}`, size, `${fields.length}`, `${short(last.distance)} at ${last.step}`];
}
