// node build.mjs DIR: bundles the page into DIR/page.html (one file, no network) and DIR/page_data.inc, the same
// compressed, as the library compiles it in.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync, constants } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2];
if (!out) {
  console.error('usage: node build.mjs DIR');
  process.exit(2);
}
mkdirSync(out, { recursive: true });

const bundle = async (entry, loader = {}) => {
  const result = await build({
    entryPoints: [join(here, 'src', entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['es2022'],
    legalComments: 'none',
    logLevel: 'warning',
    loader,
  });
  return result.outputFiles[0].text.trim();
};

// a closing tag inside the script would end it
const script = (await bundle('main.ts')).replaceAll('</script', '<\\/script');
const style = (await bundle('style.css')).replaceAll('</style', '<\\/style');
const html = readFileSync(join(here, 'src', 'index.html'), 'utf8')
  .replace('/*STYLE*/', () => style)
  .replace('/*SCRIPT*/', () => script);
const hash = 'sha256-' + createHash('sha256').update(script).digest('base64');
const bytes = gzipSync(html, { level: constants.Z_BEST_COMPRESSION });
writeFileSync(join(out, 'page.html'), html);
const rows = [];
for (let i = 0; i < bytes.length; i += 32) rows.push([...bytes.subarray(i, i + 32)].join(','));
writeFileSync(
  join(out, 'page_data.inc'),
  `namespace {\nconstexpr std::uint8_t kPage[] = {\n${rows.join(',\n')}};\n` +
    `constexpr std::size_t kPageBytes = sizeof kPage, kPageSize = ${Buffer.byteLength(html)};\n` +
    `constexpr std::string_view kScriptHash = "${hash}";\n}  // namespace\n`,
);
console.log(`page: ${Buffer.byteLength(html)} bytes, ${bytes.length} compressed`);
