import { keccak256 as ethersKeccak256 } from 'ethers';
import { createKeccak } from 'hash-wasm';
import type { Hex } from '../../shared/schema/hex.ts';

/** Hashes bytes to 32. */
export type Keccak256 = (bytes: Uint8Array) => Hex;

/** In JavaScript: runs everywhere. */
export const portableKeccak256: Keccak256 = (bytes) => ethersKeccak256(bytes) as Hex;

const hasher = await createKeccak(256).catch(() => undefined);

/** In WebAssembly, some ten times as fast; undefined where that does not load. */
export const wasmKeccak256: Keccak256 | undefined =
  hasher && ((bytes) => `0x${hasher.init().update(bytes).digest('hex')}`);

/** keccak256 by the fastest way there is: one decision takes about twenty blocks of it. */
export const keccak256: Keccak256 = wasmKeccak256 ?? portableKeccak256;
