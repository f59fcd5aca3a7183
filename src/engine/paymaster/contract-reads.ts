import { Interface } from 'ethers';
import type { EntryPoint } from '../../core/entry-points/entry-point.ts';
import { entryPoints } from '../../core/entry-points/registry.ts';
import { sameAddress } from '../../shared/schema/hex.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { byteLength } from '../../core/user-operation/hex-digits.ts';
import { neededTerm } from '../../core/paymaster-layouts/layout.ts';
import type {
  AttachableLayout,
  PaymasterLayout,
  SponsorshipTerms,
  TokenTerms,
} from '../../core/paymaster-layouts/layout.ts';

/** `eth_call` at the latest block. Rejects if the chain is unreachable or the call reverts. */
export type EthCall = (to: Address, data: Hex) => Promise<Hex>;

const abi = new Interface([
  'function entryPoint() view returns (address)',
  'function verifyingSigner() view returns (address)',
  'function signers(address signer) view returns (bool)',
  'function getBalance(address paymasterId) view returns (uint256)',
  'function balanceOf(address account) view returns (uint256)',
  'function senderNonce(address sender) view returns (uint256)',
  'function getNonce(address sender, uint192 key) view returns (uint256)',
]);

const TRUE: Hex = `0x${'0'.repeat(63)}1`;

const callData = (name: string, ...values: unknown[]): Hex => abi.encodeFunctionData(name, values) as Hex;

/** Thrown if the address has no contract, or a different one than expected. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';
}

/** The part of a result that is shown if it is none of those expected: a node may return megabytes. */
const shown = (answer: Hex): Hex => answer.slice(0, 100) as Hex;

async function readUint256(call: EthCall, to: Address, name: string, ...values: unknown[]): Promise<bigint> {
  const answer = await call(to, callData(name, ...values));
  // An address without code returns `0x`, which would count as 0, like an empty tank.
  if (byteLength(answer) !== 32) {
    const gave = answer === '0x' ? 'is not deployed: it gave' : 'gave';
    throw new UnexpectedAnswer(`${to} ${gave} no number for ${name}: ${shown(answer)}`);
  }
  return BigInt(answer);
}

/** The address in a result; the beginning of the raw result, such as `0x`, if it contains none. */
const addressIn = (answer: Hex): Hex =>
  /^0x0{24}[0-9a-fA-F]{40}$/.test(answer) ? `0x${answer.slice(26)}` : shown(answer);

/**
 * Reads the contract's signer: `signer` if the contract accepts its signatures, otherwise the address that it accepts,
 * or the beginning of a raw result that is no address.
 */
export async function readSigner(
  call: EthCall,
  { signerGetter }: Pick<AttachableLayout, 'signerGetter'>,
  paymaster: Address,
  signer: Address,
): Promise<Hex> {
  if (signerGetter === 'signers') {
    const answer = await call(paymaster, callData('signers', signer));
    return answer === TRUE ? signer : shown(answer);
  }
  return addressIn(await call(paymaster, callData('verifyingSigner')));
}

/**
 * The balance that pays, in wei: the funding wallet's tank if the contract has tanks, otherwise the contract's deposit
 * at the EntryPoint.
 *
 * @throws UnexpectedAnswer if the address has no such contract
 */
export const readBalance = (
  call: EthCall,
  layout: PaymasterLayout,
  terms: Pick<SponsorshipTerms, 'paymaster' | 'fundingWallet'>,
  entryPoint: Address,
): Promise<bigint> =>
  layout.hasTanks
    ? readUint256(call, terms.paymaster, 'getBalance', neededTerm(terms, 'fundingWallet'))
    : readDeposit(call, entryPoint, terms.paymaster);

/** Total deposit of a contract at its EntryPoint, in wei. @throws UnexpectedAnswer if the address has no EntryPoint */
export const readDeposit = (call: EthCall, entryPoint: Address, paymaster: Address): Promise<bigint> =>
  readUint256(call, entryPoint, 'balanceOf', paymaster);

/**
 * How many operations of the sender the paymaster has validated. @throws UnexpectedAnswer if the address has no such
 * contract
 */
export const readSenderNonce = (call: EthCall, paymaster: Address, sender: Address): Promise<bigint> =>
  readUint256(call, paymaster, 'senderNonce', sender);

/** The account's next nonce for a nonce key. @throws UnexpectedAnswer if the address has no EntryPoint */
export const readAccountNonce = (call: EthCall, entryPoint: Address, account: Address, key: bigint): Promise<bigint> =>
  readUint256(call, entryPoint, 'getNonce', account, key);

/**
 * The result of comparing a contract with the data that Gasdesk would sign. Contains both values of each comparison.
 */
export interface PaymasterContractCheck {
  /** If false, nothing may be signed for this contract. */
  matches: boolean;
  /** The contract's EntryPoint, if it differs from the expected one. Version 1.1.0 does not report its EntryPoint. */
  otherEntryPoint?: Hex;
  hash: { local: Hex; contract: Hex };
  signer: { vault: Address; contract: Hex };
}

/** All fields differ, and no length is a multiple of a word, so that confusing two fields changes the hash. */
const SAMPLE_FIELDS = {
  sender: `0x${'11'.repeat(20)}`,
  nonce: (1n << 255n) + 2n,
  callData: `0x${'44'.repeat(77)}`,
  callGasLimit: 5n,
  verificationGasLimit: 6n,
  preVerificationGas: 7n,
  maxFeePerGas: 8n,
  maxPriorityFeePerGas: 9n,
  signature: '0x',
} as const;
const SAMPLE_LIMITS = { paymasterVerificationGasLimit: 10n, paymasterPostOpGasLimit: 12n };

const sampleOf = ({ emptyFields, creation, isPacked }: EntryPoint): UserOperation => ({
  ...SAMPLE_FIELDS,
  ...emptyFields,
  ...creation(`0x${'33'.repeat(20)}`, `0x${'33'.repeat(21)}`),
  ...(isPacked && SAMPLE_LIMITS),
});

const SAMPLE_TERMS: Omit<SponsorshipTerms & TokenTerms, 'chainId' | 'paymaster'> = {
  validUntil: 1_893_456_000,
  validAfter: 1_700_000_000,
  fundingWallet: `0x${'22'.repeat(20)}`,
  // The sample's sender cannot be deployed, so the contract has never counted an operation from it.
  senderNonce: 0n,
  token: `0x${'55'.repeat(20)}`,
  exchangeRate: 13n,
  postOpGas: 14n,
  paymasterValidationGasLimit: 15n,
  treasury: `0x${'66'.repeat(20)}`,
};

const modesOf = (layout: AttachableLayout): readonly AttachableLayout[] =>
  'token' in layout && layout.token.version === layout.version ? [layout, layout.token] : [layout];

/**
 * Verifies a contract before its use, and for `doctor` (behaviour 3.2). In each of its modes, its `getHash` of a sample
 * operation must equal the hash that Gasdesk computes. It must also accept the vault's signatures and use the expected
 * EntryPoint. Rejects only if `call` does.
 */
export async function verifyPaymasterContract(
  call: EthCall,
  layout: AttachableLayout,
  { chainId, paymaster, signer }: { chainId: number; paymaster: Address; signer: Address },
): Promise<PaymasterContractCheck> {
  const entryPoint = entryPoints[layout.entryPointVersion];
  const sample = sampleOf(entryPoint);
  const terms = { ...SAMPLE_TERMS, chainId, paymaster };
  const expected = entryPoint.address;
  const [hashes, contractsSigner, wired] = await Promise.all([
    Promise.all(
      modesOf(layout).map(async (mode) => ({
        local: mode.hash(sample, terms),
        contract: shown(await call(paymaster, mode.getHashCall(sample, terms))),
      })),
    ),
    readSigner(call, layout, paymaster, signer),
    call(paymaster, callData('entryPoint')).then(addressIn, () => expected),
  ]);
  const different = hashes.find(({ local, contract }) => local !== contract.toLowerCase());
  const isWired = byteLength(wired) !== 20 || sameAddress(expected, wired);
  const matches = different === undefined && isWired && sameAddress(signer, contractsSigner);
  const hash = different ?? hashes[0];
  if (hash === undefined) throw new Error('a contract has at least one mode');
  const signers = { vault: signer, contract: contractsSigner };
  return { matches, ...(!isWired && { otherEntryPoint: wired }), hash, signer: signers };
}
