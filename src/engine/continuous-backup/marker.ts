import { z } from 'zod';
import { MARKER } from './catalogue.ts';
import type { CopyTarget } from './target.ts';

const VERSION = 1;

const schema = z.strictObject({
  format: z.literal('gasdesk-copy'),
  version: z.literal(VERSION),
  /** The same for all copies of a desk. Reveals nothing about it. */
  desk: z.string(),
  /** The vault, which its passphrase opens. Its contents are the key of everything else. */
  vault: z.string(),
});

type Marker = z.infer<typeof schema>;

export const markerText = (marker: Pick<Marker, 'desk' | 'vault'>): string =>
  `${JSON.stringify({ format: 'gasdesk-copy', version: VERSION, ...marker }, null, 2)}\n`;

/** Undefined if the text is no marker that this Gasdesk reads. */
export const readMarker = (text: string): Marker | undefined => {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
};

/** Refuses a target with the copy of another desk. @throws Error */
export const requireOwnCopy = async (target: Pick<CopyTarget, 'name' | 'read'>, desk: string): Promise<void> => {
  const marker = await target.read(MARKER);
  if (marker === undefined || readMarker(marker.toString())?.desk === desk) return;
  throw new Error(`${target.name} contains the copy of another desk. Choose another folder or prefix`);
};
