import { keccak256 as ethersKeccak256 } from 'ethers';
import { createKeccak } from 'hash-wasm';
import type { Hex } from '../../shared/schema/hex.ts';

export type Keccak256 = (bytes: Uint8Array) => Hex;

/** Implemented in JavaScript, so that it runs on every platform. */
export const portableKeccak256: Keccak256 = (bytes) => ethersKeccak256(bytes) as Hex;

const hasher = await createKeccak(256).catch(() => undefined);

/** Implemented in WebAssembly and about ten times as fast; undefined if it cannot be loaded. */
export const wasmKeccak256: Keccak256 | undefined =
  hasher && ((bytes) => `0x${hasher.init().update(bytes).digest('hex')}`);

/** keccak256 with the fastest available implementation, because each decision hashes about twenty blocks of data. */
export const keccak256: Keccak256 = wasmKeccak256 ?? portableKeccak256;
