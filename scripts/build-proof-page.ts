import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { recordPackages } from './bundled-packages.ts';

/**
 * Bundles the page that verifies a shared decision into `resources/proof-page.html`: one file, which the engine fills
 * with a proof.
 */

const root = join(import.meta.dirname, '..');
const folder = join(root, '.cache', 'proof-page');

await build({
  root: join(root, 'src', 'proof'),
  configFile: false,
  logLevel: 'error',
  publicDir: false,
  plugins: [recordPackages('proof-page')],
  build: {
    outDir: folder,
    emptyOutDir: true,
    modulePreload: false,
    rolldownOptions: { output: { codeSplitting: false, entryFileNames: 'page.js' } },
  },
});
const script = await readFile(join(folder, 'page.js'), 'utf8');
const page = await readFile(join(folder, 'index.html'), 'utf8');
// In a script, only this would end it. Everywhere in JavaScript that has it, it is in a string or an expression.
const inline = `<script type="module">${script.replaceAll('</script', String.raw`<\/script`)}</script>`;
const [before = '', after] = page.split(/<script type="module"[^>]*><\/script>/);
if (after === undefined) throw new Error('The page does not load its script');
await writeFile(
  join(root, 'resources', 'proof-page.html'),
  before + after.replace('</body>', () => `${inline}</body>`),
);
await rm(folder, { recursive: true });
