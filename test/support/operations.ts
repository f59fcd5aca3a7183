import { Interface } from 'ethers';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { SENDER, encodeExecute } from './account-call-data.ts';

/** Gas limits that suffice for the operations of the tests. */
export const GAS = { callGasLimit: '200000', verificationGasLimit: '500000', preVerificationGas: '60000' };
/** One gwei, in wei. */
export const FEE = 1_000_000_000n;
/** What version 1.1.0 reserves for an operation with {@link GAS} at {@link FEE}: behaviour 6.2. */
export const RESERVED_WEI = (200_000n + 3n * 500_000n + 60_000n + 12_000n) * FEE;

export const gameItems = new Interface(['function mint(uint256 amount)', 'function burn(uint256 amount)']);

export const gameCall = (method: 'mint' | 'burn', amount = 1n): Hex =>
  gameItems.encodeFunctionData(method, [amount]) as Hex;

/** A partial user operation that makes one call, with gas and fees. */
export const operation = (
  call: { to: Address; data: Hex; value?: bigint },
  overrides: Record<string, unknown> = {},
): Record<string, unknown> => ({
  sender: SENDER,
  nonce: '0x0',
  initCode: '0x',
  callData: encodeExecute(call.to, call.value ?? 0n, call.data),
  ...GAS,
  maxFeePerGas: `0x${FEE.toString(16)}`,
  maxPriorityFeePerGas: '0x1',
  signature: '0x',
  ...overrides,
});

export const sponsorRequest = (params: unknown, id: unknown = 1): Record<string, unknown> => ({
  jsonrpc: '2.0',
  id,
  method: 'pm_sponsorUserOperation',
  params,
});
