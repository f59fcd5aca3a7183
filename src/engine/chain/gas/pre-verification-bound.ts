import { knownChains } from '../../../shared/chains.ts';
import { type UserOperation, isV06 } from '../../../shared/schema/user-operation.ts';
import { byteLength } from '../../user-operation/hex-digits.ts';

/** For a bundle of one operation without its own bytes, twice over. */
const FIXED_GAS = 250_000n;
/** What a byte can cost (EIP-7623: 40 gas at its floor), with half as much again. */
const GAS_PER_BYTE = 60n;
/** What a layer 2 may ask for its data on layer 1, in its own cheap gas. */
const LAYER_TWO_FACTOR = 100n;

/**
 * The most preVerificationGas an operation can honestly have. It goes to the bundler whatever it costs him, so it is
 * what a sender who bundles for himself would raise. Wide, since bundlers differ; an estimate is far below.
 */
export const mostPreVerificationGas = (op: UserOperation, chainId: number): bigint => {
  const deployment = isV06(op) ? op.initCode : (op.factoryData ?? '0x');
  const bytes = byteLength(op.callData) + byteLength(op.signature) + byteLength(deployment);
  const most = FIXED_GAS + GAS_PER_BYTE * BigInt(bytes);
  return knownChains.get(chainId)?.dataIsGas === true ? most : most * LAYER_TWO_FACTOR;
};
