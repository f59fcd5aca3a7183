import { keccak256 as ethersKeccak256 } from 'ethers';
import { createKeccak } from 'hash-wasm';
import type { Hex } from '../../shared/schema/hex.ts';

export type Keccak256 = (bytes: Uint8Array) => Hex;

/** In JavaScript: runs everywhere. */
export const portableKeccak256: Keccak256 = (bytes) => ethersKeccak256(bytes) as Hex;

const hasher = await createKeccak(256).catch(() => undefined);

/** In WebAssembly, some ten times as fast; undefined if that does not load. */
export const wasmKeccak256: Keccak256 | undefined =
  hasher && ((bytes) => `0x${hasher.init().update(bytes).digest('hex')}`);

/** keccak256 by the fastest implementation available: one decision hashes about twenty blocks. */
export const keccak256: Keccak256 = wasmKeccak256 ?? portableKeccak256;
