import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import type { Entropy } from '../base/clock.ts';
import { KEYSTORES, KEYSTORE_NAME, dataFiles } from '../data-folder/data-folder.ts';

const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const LENGTH_BYTES = 4;

/** No other path may be written by a restore. */
const fileName = z
  .string()
  .refine(
    (name) =>
      name === dataFiles.vault ||
      name === dataFiles.config ||
      (name.startsWith(`${KEYSTORES}/`) && KEYSTORE_NAME.test(name.slice(KEYSTORES.length + 1))),
  );

/** A settings file, the vault or a local key, with its path in the data folder. */
const fileSchema = z.strictObject({ name: fileName, text: z.string() });

export type CopiedFile = z.infer<typeof fileSchema>;

const headerSchema = z.strictObject({
  version: z.literal(VERSION),
  /** SHA-256, in hex, of the stored bytes of the segment before it; empty for the first of a chain. */
  previous: z.string(),
  /** When the database was in the state after this segment, epoch ms. */
  at: z.int().min(0),
  /** Undefined if the database did not change. */
  database: z
    .strictObject({
      pageSize: z.int().min(512),
      /** Pages of the database after this segment. */
      pageCount: z.int().min(1),
      /** Numbers of the pages that follow. */
      pages: z.array(z.int().min(1)),
    })
    .optional(),
  /** All files, if any of them changed. */
  files: z.array(fileSchema).optional(),
  /** True in the last part of a snapshot. */
  isLast: z.boolean().optional(),
});

export type SegmentHeader = z.infer<typeof headerSchema>;

export interface Segment {
  readonly header: SegmentHeader;
  /** In the order of `header.database.pages`. */
  readonly pages: readonly Buffer[];
}

/** The key of one copy, so that no two copies share a key. */
export const keyOfCopy = (key: Uint8Array, copy: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', `gasdesk-copy:${VERSION}:${copy}`, 32));

/** A segment stored under another name cannot be decrypted. */
const aad = (name: string): Buffer => Buffer.from(`gasdesk-copy:${VERSION}:${name}`);

interface Sealing {
  readonly key: Uint8Array;
  /** Under which the segment will be stored. */
  readonly name: string;
  readonly entropy: Pick<Entropy, 'bytes'>;
}

/**
 * Encrypts a segment with AES-256-GCM: IV, ciphertext, tag. The plaintext is compressed: the length of the header (4
 * bytes), the header as JSON, the pages.
 */
export const sealSegment = (
  { key, name, entropy }: Sealing,
  header: Omit<SegmentHeader, 'version'>,
  pages: readonly Buffer[],
): Buffer => {
  const head = Buffer.from(JSON.stringify({ version: VERSION, ...header }));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(head.length);
  const plain = deflateRawSync(Buffer.concat([length, head, ...pages]), { level: 1 });
  const iv = entropy.bytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(aad(name));
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
};

/** Undefined for bytes that {@link sealSegment} did not return for this key and name. */
export const openSegment = (key: Uint8Array, name: string, bytes: Buffer): Segment | undefined => {
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(aad(name)).setAuthTag(bytes.subarray(-TAG_BYTES));
  let plain: Buffer;
  try {
    plain = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
  const data = inflateRawSync(plain);
  const start = LENGTH_BYTES + data.readUInt32BE(0);
  const header = headerSchema.parse(JSON.parse(data.subarray(LENGTH_BYTES, start).toString()));
  const { pageSize = 0, pages = [] } = header.database ?? {};
  return {
    header,
    pages: pages.map((_, index) => data.subarray(start + index * pageSize, start + (index + 1) * pageSize)),
  };
};
