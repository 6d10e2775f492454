// Which files a model needs: the XML itself, everything it includes or attaches, and every asset.
//
// The answer is generous on purpose. Which directory an attribute refers to depends on compiler settings that may sit
// in any included file, so every plausible place is tried and whatever exists is taken. A file too many costs a copy;
// a file too few costs the model.

import fs from 'node:fs';
import path from 'node:path';

const kPathAttributes = new Set(['file', 'filename', 'fileright', 'fileleft', 'fileup', 'filedown', 'filefront', 'fileback']);
const kDirectoryAttributes = new Set(['meshdir', 'texturedir', 'assetdir']);
const kXmlElements = new Set(['include', 'model']);

/// Calls visit(element, attribute, value) for every attribute of an XML text, comments left out.
function forEachAttribute(text, visit) {
  const clean = text.replace(/<!--[\s\S]*?-->/g, '');
  for (const tag of clean.matchAll(/<([A-Za-z_][\w.:-]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>/g)) {
    for (const attr of tag[2].matchAll(/([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
      visit(tag[1], attr[1], (attr[2] ?? attr[3]).trim());
    }
  }
}

function isFile(name) {
  return fs.statSync(name, { throwIfNoEntry: false })?.isFile() ?? false;
}

/// Absolute paths of all files of the model in `main`; the first one is `main` itself.
export function filesOfModel(main) {
  const root = path.resolve(main);
  if (!isFile(root)) throw new Error(`cannot read ${main}`);
  const texts = [];              // XML files in the order of discovery
  const references = [];         // {value, isXml} seen in any of them
  const directories = new Set(['']);
  const bases = new Set();       // folders that hold an XML file
  const found = new Set();

  const readXml = (file) => {
    texts.push(file);
    found.add(file);
    bases.add(path.dirname(file));
    forEachAttribute(fs.readFileSync(file, 'utf8'), (element, attribute, value) => {
      if (!value) return;
      if (kDirectoryAttributes.has(attribute)) directories.add(value);
      if (kPathAttributes.has(attribute)) {
        references.push({ value, isXml: kXmlElements.has(element) || /\.(xml|mjcf|urdf)$/i.test(value) });
      }
    });
  };

  readXml(root);
  // a new XML file may bring new references, directories and bases, which concern the old references too
  for (let known = -1; known !== found.size;) {
    known = found.size;
    for (const { value, isXml } of [...references]) {
      for (const base of [...bases]) {
        for (const directory of [...directories]) {
          for (const name of new Set([value, path.basename(value)])) {
            const file = path.resolve(base, directory, name);
            if (found.has(file) || !isFile(file)) continue;
            if (isXml) readXml(file);
            else found.add(file);
          }
        }
      }
    }
  }
  return [...found];
}

/// The deepest folder that contains all of `files` (absolute paths).
export function commonFolder(files) {
  let parts = path.dirname(files[0]).split(path.sep);
  for (const file of files) {
    const other = path.dirname(file).split(path.sep);
    let n = 0;
    while (n < parts.length && n < other.length && parts[n] === other[n]) ++n;
    parts = parts.slice(0, n);
  }
  return parts.join(path.sep) || path.sep;
}
