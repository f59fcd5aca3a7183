import { Interface } from 'ethers';
import { EngineError } from '../../shared/errors.ts';
import { sameAddress } from '../../shared/schema/hex.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { UserOperationV06 } from '../../shared/schema/user-operation.ts';
import { byteLength } from '../user-operation/hex-digits.ts';
import { neededTerm } from './layout.ts';
import type { PaymasterLayout, SponsorshipTerms } from './layout.ts';

/** `eth_call` on the latest block. Rejects when the chain cannot be reached or the call reverts. */
export type EthCall = (to: Address, data: Hex) => Promise<Hex>;

const abi = new Interface([
  'function verifyingSigner() view returns (address)',
  'function getBalance(address paymasterId) view returns (uint256)',
  'function balanceOf(address account) view returns (uint256)',
  'function senderNonce(address sender) view returns (uint256)',
]);

const callData = (name: string, ...values: unknown[]): Hex => abi.encodeFunctionData(name, values) as Hex;

async function readUint256(call: EthCall, to: Address, name: string, account: Address): Promise<bigint> {
  const answer = await call(to, callData(name, account));
  // An address without code answers `0x`; taken for a number it would pass as an empty tank.
  if (byteLength(answer) !== 32) {
    throw new EngineError('CONTRACT_MISMATCH', `${to} gave no number for ${name}: ${answer.slice(0, 100)}`);
  }
  return BigInt(answer);
}

/** What the contract itself computes as `layout.hash`: 32 bytes, or whatever else stands at that address answers. */
export const contractHash = (
  call: EthCall,
  layout: PaymasterLayout,
  op: UserOperationV06,
  terms: SponsorshipTerms,
): Promise<Hex> => call(terms.paymaster, layout.getHashCall(op, terms));

/** The address whose signatures the contract accepts; the raw answer where that is no address, e.g. `0x`. */
export async function readVerifyingSigner(call: EthCall, paymaster: Address): Promise<Hex> {
  const answer = await call(paymaster, callData('verifyingSigner'));
  return /^0x0{24}[0-9a-fA-F]{40}$/.test(answer) ? `0x${answer.slice(26)}` : answer;
}

/**
 * Wei there is to pay with: the funding wallet's tank where the contract keeps tanks, else the contract's deposit at
 * the EntryPoint. Throws if there is no such contract.
 */
export const readBalance = (
  call: EthCall,
  layout: PaymasterLayout,
  terms: Pick<SponsorshipTerms, 'paymaster' | 'fundingWallet'>,
  entryPoint: Address,
): Promise<bigint> =>
  layout.hasTanks
    ? readUint256(call, terms.paymaster, 'getBalance', neededTerm(terms, 'fundingWallet'))
    : readUint256(call, entryPoint, 'balanceOf', terms.paymaster);

/** The paymaster's count of operations it has validated for the sender. Throws if there is no such contract. */
export const readSenderNonce = (call: EthCall, paymaster: Address, sender: Address): Promise<bigint> =>
  readUint256(call, paymaster, 'senderNonce', sender);

/** A contract held against what Gasdesk would sign for it, with both values of each comparison. */
export interface PaymasterContractCheck {
  /** False: nothing may be signed for this contract. */
  matches: boolean;
  hash: { local: Hex; contract: Hex };
  signer: { vault: Address; contract: Hex };
}

/** Every field differs from the others, and no length is whole words, so that a confusion shows in the hash. */
const SAMPLE_OP: UserOperationV06 = {
  sender: `0x${'11'.repeat(20)}`,
  nonce: (1n << 255n) + 2n,
  initCode: `0x${'33'.repeat(41)}`,
  callData: `0x${'44'.repeat(77)}`,
  callGasLimit: 5n,
  verificationGasLimit: 6n,
  preVerificationGas: 7n,
  maxFeePerGas: 8n,
  maxPriorityFeePerGas: 9n,
  paymasterAndData: '0x',
  signature: '0x',
};

/**
 * Checks that a contract is what its layout says, before it is used and by `doctor` (SPEC 4): its `getHash` of a
 * sample operation equals ours, and the vault's address is its signer. Rejects only when `call` does.
 */
export async function verifyPaymasterContract(
  call: EthCall,
  layout: PaymasterLayout,
  { chainId, paymaster, signer }: { chainId: number; paymaster: Address; signer: Address },
): Promise<PaymasterContractCheck> {
  const terms: SponsorshipTerms = {
    chainId,
    paymaster,
    validUntil: 1_893_456_000,
    validAfter: 1_700_000_000,
    fundingWallet: `0x${'22'.repeat(20)}`,
    // Nobody has deployed or can deploy the sample's sender, so the contract has never counted an operation of it.
    senderNonce: 0n,
  };
  const [contractsHash, contractsSigner] = await Promise.all([
    contractHash(call, layout, SAMPLE_OP, terms),
    readVerifyingSigner(call, paymaster),
  ]);
  const hash = { local: layout.hash(SAMPLE_OP, terms), contract: contractsHash };
  const matches = hash.local === hash.contract.toLowerCase() && sameAddress(signer, contractsSigner);
  return { matches, hash, signer: { vault: signer, contract: contractsSigner } };
}
