import { type Address, addressKey } from '../../shared/schema/hex.ts';
import type { EntryPointVersion } from '../../shared/schema/user-operation.ts';
import { entryPoint06 } from './0.6.ts';
import { entryPoint07 } from './0.7.ts';
import { entryPoint08 } from './0.8.ts';
import { entryPoint09 } from './0.9.ts';
import type { AaCode } from './aa-codes.ts';
import type { EntryPoint } from './entry-point.ts';

/** Every EntryPoint that Gasdesk supports, oldest first. To add one, write its file and add a line here. */
export const entryPoints: Readonly<Record<EntryPointVersion, EntryPoint>> = {
  '0.6': entryPoint06,
  '0.7': entryPoint07,
  '0.8': entryPoint08,
  '0.9': entryPoint09,
};

/** The EntryPoint that most SDKs use by default. */
export const usualEntryPoint = entryPoint07;

export const allEntryPoints: readonly EntryPoint[] = Object.values(entryPoints);

const byAddress = new Map(allEntryPoints.map((entryPoint) => [addressKey(entryPoint.address), entryPoint]));

/** The EntryPoint at an address, in any letter case. */
export const entryPointAt = (address: string | undefined): EntryPoint | undefined =>
  byAddress.get(addressKey((address ?? '') as Address));

/** The meaning of a code, from the oldest EntryPoint that has it. */
export const findAaCode = (code: string): AaCode | undefined =>
  allEntryPoints.find(({ aaCodes }) => Object.hasOwn(aaCodes, code))?.aaCodes[code];

/** The first AA code in a text; undefined if no EntryPoint knows it. */
export const aaCodeIn = (text: string): string | undefined => {
  const code = /\bAA\d\d\b/.exec(text)?.[0];
  return code !== undefined && findAaCode(code) !== undefined ? code : undefined;
};
