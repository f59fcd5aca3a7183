import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Contrib, Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import parseExpression from 'spdx-expression-parse';
import { recordedPackages } from './bundled-packages.ts';

/**
 * Lists the packages that a release contains, after its bundles have been built: `resources/sbom.cdx.json` (CycloneDX)
 * and `resources/third-party-licenses.txt`. Without time and serial number, so that the same sources give the same bytes.
 */

const root = join(import.meta.dirname, '..');
const require = createRequire(import.meta.url);

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

const folderOf = (name: string, from: string): string =>
  dirname(require.resolve(`${name}/package.json`, { paths: [from] }));

/** The packages that npm installs with the bundles, with their own dependencies. */
const installedWith = (folder: string): string[] =>
  Object.keys(manifestIn(folder).dependencies ?? {}).flatMap((name) => {
    const found = folderOf(name, folder);
    return [found, ...installedWith(found)];
  });

/** The packages whose fonts the console's style names. */
const fontPackages = (): string[] => {
  const style = readFileSync(join(root, 'src/renderer/src/ui/fonts.css'), 'utf8');
  return [...style.matchAll(/@fontsource-variable\/[\w-]+/g)].map(([name]) => join(root, 'node_modules', name));
};

/** The packages whose contracts the release contains as bytecode. Aliases of npm have other folders than names. */
const contractPackages = (): string[] => {
  const contracts = join(root, 'resources', 'contracts');
  const files = readdirSync(contracts).filter((file) => file.endsWith('.json'));
  const sources = files.map(
    (file) => (JSON.parse(readFileSync(join(contracts, file), 'utf8')) as { source: string }).source,
  );
  const { devDependencies = {} } = manifestIn(root);
  return Object.keys(devDependencies)
    .map((name) => join(root, 'node_modules', name))
    .filter((folder) => {
      const { name, version } = manifestIn(folder);
      return sources.includes(`${name}@${version}`);
    });
};

interface Package extends Manifest {
  readonly licenseText: string;
}

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)/i;

const readPackage = (folder: string): Package => {
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENSE_FILE.test(entry.name))
    .map(({ name }) => name)
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return { ...manifestIn(folder), licenseText: texts.join('\n\n') };
};

const byName = (one: Package, other: Package): number =>
  one.name.localeCompare(other.name, 'en') || one.version.localeCompare(other.version, 'en');

/** Each version once: npm may have several copies of it. */
const packages = [
  ...new Map(
    [...recordedPackages(), ...installedWith(root), ...fontPackages(), ...contractPackages()].map((folder) => {
      const found = readPackage(folder);
      return [`${found.name}@${found.version}`, found];
    }),
  ).values(),
].sort(byName);

const licenses = new Contrib.License.Factories.LicenseFactory(parseExpression);
const componentOf = ({ name, version, license }: Manifest, type: Enums.ComponentType): Models.Component => {
  const component = new Models.Component(type, name, {
    version,
    bomRef: `${name}@${version}`,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  });
  if (license !== undefined) component.licenses.add(licenses.makeFromString(license));
  return component;
};

const own = manifestIn(root);
const bom = new Models.Bom();
bom.metadata.component = componentOf(own, Enums.ComponentType.Application);
for (const one of packages) bom.components.add(componentOf(one, Enums.ComponentType.Library));
const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
const text = serializer.serialize(bom, { sortLists: true, space: 1 });
writeFileSync(join(root, 'resources', 'sbom.cdx.json'), `${text}\n`);

const RULE = '='.repeat(80);
const notices = packages.map(
  ({ name, version, license = 'not stated', licenseText }) =>
    `${RULE}\n${name} ${version}: ${license}\n${RULE}\n\n${licenseText === '' ? 'The package has no file with its license.' : licenseText}\n`,
);
writeFileSync(
  join(root, 'resources', 'third-party-licenses.txt'),
  `Gasdesk ${own.version} contains parts of these packages.\n\n${notices.join('\n')}`,
);
