import type { PaymasterVersion } from './types.ts';

/** Versions of the paymaster contract, as options of a list. */
export const versionOptions = (versions: readonly PaymasterVersion[]) =>
  versions.map(({ version, title, entryPointVersion }) => ({
    value: version,
    label: `${version} · EntryPoint ${entryPointVersion} · ${title}`,
  }));
