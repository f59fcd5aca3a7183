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

/** `eth_call` on the latest block. Rejects when the chain cannot be reached or the call reverts. */
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

/** The ABI encoding of `true`. */
const TRUE: Hex = `0x${'0'.repeat(63)}1`;

const callData = (name: string, ...values: unknown[]): Hex => abi.encodeFunctionData(name, values) as Hex;

/** What answered a read is not the contract that was to be read, or there is none at that address. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';
}

async function readUint256(call: EthCall, to: Address, name: string, ...values: unknown[]): Promise<bigint> {
  const answer = await call(to, callData(name, ...values));
  // An address without code answers `0x`; taken for a number it would pass as an empty tank.
  if (byteLength(answer) !== 32) {
    throw new UnexpectedAnswer(`${to} gave no number for ${name}: ${answer.slice(0, 100)}`);
  }
  return BigInt(answer);
}

/** The address in an answer; the raw answer where it is none, e.g. `0x`. */
const addressIn = (answer: Hex): Hex => (/^0x0{24}[0-9a-fA-F]{40}$/.test(answer) ? `0x${answer.slice(26)}` : answer);

/** `signer` if the contract accepts its signatures, else the address it accepts or, where that is none, its raw answer. */
export async function readSigner(
  call: EthCall,
  { signerGetter }: Pick<AttachableLayout, 'signerGetter'>,
  paymaster: Address,
  signer: Address,
): Promise<Hex> {
  if (signerGetter === 'signers') {
    const answer = await call(paymaster, callData('signers', signer));
    return answer === TRUE ? signer : answer;
  }
  return addressIn(await call(paymaster, callData('verifyingSigner')));
}

/**
 * Wei there is to pay with: the funding wallet's tank where the contract keeps tanks, else the contract's deposit at
 * the EntryPoint.
 *
 * @throws UnexpectedAnswer if there is no such contract
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

/** What a contract holds in all, at its EntryPoint, wei. @throws UnexpectedAnswer if there is no such EntryPoint */
export const readDeposit = (call: EthCall, entryPoint: Address, paymaster: Address): Promise<bigint> =>
  readUint256(call, entryPoint, 'balanceOf', paymaster);

/** The paymaster's count of operations it has validated for the sender. @throws UnexpectedAnswer if there is no such contract */
export const readSenderNonce = (call: EthCall, paymaster: Address, sender: Address): Promise<bigint> =>
  readUint256(call, paymaster, 'senderNonce', sender);

/** The nonce that an EntryPoint expects next of an account for a key. @throws UnexpectedAnswer if there is no EntryPoint */
export const readAccountNonce = (call: EthCall, entryPoint: Address, account: Address, key: bigint): Promise<bigint> =>
  readUint256(call, entryPoint, 'getNonce', account, key);

/** A contract held against what Gasdesk would sign for it, with both values of each comparison. */
export interface PaymasterContractCheck {
  /** False: nothing may be signed for this contract. */
  matches: boolean;
  /** The EntryPoint it is wired to, where it says that and it is another. Version 1.1.0 does not say. */
  otherEntryPoint?: Hex;
  hash: { local: Hex; contract: Hex };
  signer: { vault: Address; contract: Hex };
}

/** Every field differs from the others, and no length is whole words, so that a confusion shows in the hash. */
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
  // Nobody has deployed or can deploy the sample's sender, so the contract has never counted an operation of it.
  senderNonce: 0n,
  token: `0x${'55'.repeat(20)}`,
  exchangeRate: 13n,
  postOpGas: 14n,
  paymasterValidationGasLimit: 15n,
  treasury: `0x${'66'.repeat(20)}`,
};

/** The modes that a contract has by itself. */
const modesOf = (layout: AttachableLayout): readonly AttachableLayout[] =>
  'token' in layout && layout.token.version === layout.version ? [layout, layout.token] : [layout];

/**
 * Checks that a contract is what its layout says, before it is used and by `doctor` (behaviour 3.2): in each of its modes its
 * `getHash` of a sample operation equals ours, it accepts the vault's signatures, and it is wired to the EntryPoint. Rejects only when `call` does.
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
        contract: await call(paymaster, mode.getHashCall(sample, terms)),
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
