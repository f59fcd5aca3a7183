import { getBytes, hashMessage, recoverAddress } from 'ethers';
import { type Address, type Hex, sameAddress } from '../../shared/schema/hex.ts';
import type { Inspection, InspectionCheck, InspectionReading, NamedValue } from '../../shared/schema/inspection.ts';
import { type EntryPointVersion, type UserOperation, isV06 } from '../../shared/schema/user-operation.ts';
import { entryPoints } from '../entry-points/registry.ts';
import type { ReadData } from '../paymaster-layouts/data-fields.ts';
import {
  type AttachableLayout,
  type ModeLayout,
  STUB_SIGNATURE,
  type SponsorshipTerms,
  type TokenTerms,
} from '../paymaster-layouts/layout.ts';
import { layouts } from '../paymaster-layouts/registry.ts';
import { byteLength } from '../user-operation/hex-digits.ts';
import { type DecidedOperation, type Knowledge, chainName, possibleChains } from './knowledge.ts';
import { cutBytes, named } from './sections.ts';

/** The terms of all layouts together. */
export type AnyTerms = SponsorshipTerms & TokenTerms;

/** A contract in one of its modes. */
export interface Mode {
  /** The version under which the contract is attached. */
  readonly version: string;
  readonly title: string;
  readonly entryPointVersion: EntryPointVersion;
  readonly isToken: boolean;
  readonly layout: ModeLayout<AnyTerms>;
  /** Only in token mode. */
  readonly maxTokenCost?: (op: UserOperation, terms: AnyTerms) => bigint;
}

const modeOf = (layout: AttachableLayout): Mode => {
  const { version, title, entryPointVersion } = layout;
  const common = { version, title, entryPointVersion, layout: layout as ModeLayout<AnyTerms> };
  return 'maxTokenCost' in layout
    ? {
        ...common,
        isToken: true,
        maxTokenCost: (op, terms) => layout.maxTokenCost(op, { ...layout.chargedGas(op), ...terms }),
      }
    : { ...common, isToken: false };
};

const modes: readonly Mode[] = layouts.flatMap((layout) =>
  [layout, ...(layout.token === undefined ? [] : [layout.token])].map(modeOf),
);

/** One way to split `paymasterAndData`, and the modes that split it this way. */
export interface DataReading {
  readonly modes: readonly [Mode, ...Mode[]];
  readonly read: ReadData<AnyTerms>;
}

const nameOf = ({ version, isToken }: Mode): string => (isToken ? `${version}, token mode` : version);

/** The key of a reading. Modes that split the bytes into the same fields share a key. */
const keyOf = ({ fields }: ReadData<AnyTerms>, { isToken }: Mode): string =>
  [String(isToken), ...fields.map(({ name, offset }) => `${offset} ${name}`)].join();

/** Reads `paymasterAndData` with every layout for these EntryPoints. */
export const readPaymasterData = (
  paymasterAndData: Hex,
  versions: readonly EntryPointVersion[],
): { readings: DataReading[]; misfits: Inspection['misfits'] } => {
  const readings = new Map<string, DataReading>();
  const misfits: Inspection['misfits'] = [];
  for (const mode of modes) {
    if (!versions.includes(mode.entryPointVersion)) continue;
    const read = mode.layout.read(paymasterAndData);
    if ('misfit' in read) {
      misfits.push({ what: `paymasterAndData of ${nameOf(mode)}`, why: read.misfit });
      continue;
    }
    const key = keyOf(read, mode);
    readings.set(key, { read, modes: [...(readings.get(key)?.modes ?? []), mode] as [Mode, ...Mode[]] });
  }
  return { readings: [...readings.values()], misfits };
};

/** What is known about the operation that contains the paymaster data. */
export interface DataContext {
  /** Undefined if the operation is unknown or incomplete. */
  readonly op: UserOperation | undefined;
  readonly chainId: number | undefined;
  readonly decided: DecidedOperation | undefined;
}

/** What follows from a reading. */
export interface Conclusions {
  readonly checks: InspectionCheck[];
  readonly signers: readonly NamedValue[];
  /** The modes that are still possible; only the proven mode, if there is one. */
  readonly modes: readonly [Mode, ...Mode[]];
  readonly chainId: number | undefined;
  readonly sureness: InspectionReading['sureness'];
  readonly why: string;
}

interface SignerCheck {
  readonly check: InspectionCheck;
  /** The signer recovered for each possible mode, and the expected signers. */
  readonly signers: readonly NamedValue[];
  /**
   * The chain and modes for which the signature is valid. Several contracts with the same hash accept the same
   * signature.
   */
  readonly proven?: { readonly modes: readonly Mode[]; readonly chainId: number };
}

const recover = (mode: Mode, op: UserOperation, terms: AnyTerms, signature: Hex): Address | undefined => {
  try {
    return recoverAddress(hashMessage(getBytes(mode.layout.hash(op, terms))), signature) as Address;
  } catch {
    return undefined; // a term is unknown, or the signature is malformed
  }
};

const inconclusive = (words: string, signers: readonly NamedValue[] = []): SignerCheck => ({
  check: { name: 'signer', ok: null, words },
  signers,
});

/** The contract that an EIP-7702 account delegates to, if it is known. */
export const delegateOf = (op: UserOperation, decided: DecidedOperation | undefined): Address | undefined =>
  decided?.delegate ?? (isV06(op) ? undefined : op.eip7702Auth?.address);

const fullTerms = ({ read }: DataReading, { op, decided }: DataContext, chainId: number): AnyTerms => {
  const delegate = op === undefined ? undefined : delegateOf(op, decided);
  return {
    ...read.terms,
    chainId,
    ...(decided?.senderNonce !== undefined && { senderNonce: decided.senderNonce }),
    ...(delegate !== undefined && { eip7702Delegate: delegate }),
  } as AnyTerms;
};

/** Recovers the signer on a chain, for each mode whose hash can be computed. */
const recoverAll = (reading: DataReading, op: UserOperation, context: DataContext, chainId: number) =>
  reading.modes.flatMap((mode) => {
    const signer = recover(mode, op, fullTerms(reading, context, chainId), reading.read.signature);
    return signer === undefined ? [] : [{ mode, signer }];
  });

/** The signers that a contract may have on a chain: the signer of the decision, and the signers that Gasdesk has. */
const signersOn = (chainId: number, { decided }: DataContext, { signers }: Knowledge): readonly Address[] => [
  ...(decided?.chainId === chainId && decided.signer !== undefined ? [decided.signer] : []),
  ...signers.filter((signer) => signer.chainId === chainId).map(({ address }) => address),
];

/** Recovers the signer on every possible chain, and compares it with the known signers. */
const checkSigner = (reading: DataReading, context: DataContext, knowledge: Knowledge): SignerCheck => {
  const { op, decided } = context;
  const { signature, terms } = reading.read;
  if (signature === STUB_SIGNATURE) return inconclusive('The signature is a placeholder: no key has signed this.');
  if (op === undefined) {
    return inconclusive(
      'The signature covers the whole operation, and only this part of it is known. Inspect the operation instead.',
    );
  }
  const ours = [...attachedAt(terms.paymaster, knowledge), ...(decided === undefined ? [] : [decided])];
  const signers: NamedValue[] = [];
  let isRefuted = false;
  for (const chainId of possibleChains(knowledge, context.chainId)) {
    const where = chainName(knowledge, chainId);
    const expected = signersOn(chainId, context, knowledge);
    const recovered = recoverAll(reading, op, context, chainId);
    const right = recovered.filter(({ signer }) => expected.some((known) => sameAddress(known, signer)));
    if (right[0] !== undefined) {
      const words = `The signer of ${where} signed this.`;
      const signers = [named('signer', 'address', right[0].signer, `The signer of ${where}.`)];
      const proven = { modes: right.map(({ mode }) => mode), chainId };
      return { check: { name: 'signer', ok: true, words }, signers, proven };
    }
    for (const [signer, by] of Map.groupBy(recovered, (one) => one.signer)) {
      const as = by.map(({ mode }) => nameOf(mode)).join(' or ');
      signers.push(named('signer', 'address', signer, `If it is for ${as} on ${where}.`));
    }
    if (expected[0] === undefined || !ours.some((one) => one.chainId === chainId)) continue;
    signers.push(named('expected signer', 'address', expected[0], `The signer of ${where}.`));
    isRefuted ||= recovered.length === reading.modes.length;
  }
  if (signers.length === 0) {
    return inconclusive('Gasdesk cannot recover the signer: the chain, or a signed nonce or delegate, is unknown.');
  }
  if (!isRefuted) return inconclusive('Gasdesk does not know which signer the contract accepts.', signers);
  const words = 'Another key signed this, or the operation was changed after it was signed.';
  return { check: { name: 'signer', ok: false, words }, signers };
};

const attachedAt = (paymaster: Address | undefined, { contracts }: Pick<Knowledge, 'contracts'>) =>
  contracts.filter(({ address }) => paymaster !== undefined && sameAddress(address, paymaster));

/** Both ends of a validity window in block numbers are above this (`takesBlockRanges`). */
const BLOCK_RANGE_FLAG = 2 ** 47;

const checkValidity = ({ read: { fields, terms }, modes }: DataReading, now: number): InspectionCheck => {
  const check = (ok: boolean | null, words: string): InspectionCheck => ({ name: 'validity', ok, words });
  if (!fields.some(({ kind }) => kind === 'time')) {
    return check(null, 'The contract has no validity window: this is valid until the nonce is used.');
  }
  const { validUntil = 0, validAfter = 0 } = terms;
  const [after, until] = [validAfter - BLOCK_RANGE_FLAG, validUntil - BLOCK_RANGE_FLAG];
  const mayBeBlocks = modes.some(({ entryPointVersion }) => entryPoints[entryPointVersion].takesBlockRanges);
  if (mayBeBlocks && after > 0 && until > 0) return check(null, `Valid after block ${after}, until block ${until}.`);
  if (validUntil !== 0 && now > validUntil) return check(false, 'Expired.');
  if (now <= validAfter) return check(false, 'Not valid yet.');
  return check(true, validUntil === 0 ? 'Valid now, without expiry.' : 'Valid now.');
};

const checkContract = ({ read, modes: fitting }: DataReading, { contracts, chains }: Knowledge): InspectionCheck => {
  const attached = attachedAt(read.terms.paymaster, { contracts });
  const check = (ok: boolean | null, words: string): InspectionCheck => ({ name: 'paymaster contract', ok, words });
  if (attached.length === 0) return check(null, 'Not a contract of this installation.');
  const words = attached.map(({ version, chainId }) => `${version} on ${chainName({ chains }, chainId)}`).join(', ');
  const fits = attached.some(({ version }) => fitting.some((mode) => mode.version === version));
  return fits ? check(true, `Attached as ${words}.`) : check(false, `Attached as ${words}, which reads other bytes.`);
};

/** 2015 (when Ethereum started) to 2100 (later than any signature expires). */
const [FIRST_TIME, LAST_TIME] = [1_438_000_000, 4_102_444_800];

const isPlausible = ({ terms, signature }: ReadData<AnyTerms>): boolean => {
  const { validUntil = 0, validAfter = 0 } = terms;
  const isTime = (time: number): boolean => time === 0 || (time > FIRST_TIME && time < LAST_TIME);
  const isWindow = isTime(validUntil) && isTime(validAfter) && (validUntil === 0 || validUntil > validAfter);
  return isWindow && /1[bc]$/.test(signature);
};

/** Compares a reading with everything that is known. */
export const conclude = (reading: DataReading, context: DataContext, knowledge: Knowledge): Conclusions => {
  const { check, proven, signers } = checkSigner(reading, context, knowledge);
  const contract = checkContract(reading, knowledge);
  const checks = [check, checkValidity(reading, knowledge.now), contract];
  const attached = attachedAt(reading.read.terms.paymaster, knowledge);
  const asAttached = reading.modes.filter(({ version }) => attached.some((one) => one.version === version));
  const left = proven?.modes ?? (asAttached.length > 0 ? asAttached : reading.modes);
  const [only] = attached;
  const chainId =
    proven?.chainId ?? context.chainId ?? knowledge.chainId ?? (attached.length === 1 ? only?.chainId : undefined);
  const common = { checks, signers, modes: left as [Mode, ...Mode[]], chainId };
  if (proven !== undefined) return { ...common, sureness: 'certain', why: 'The signature is valid for these bytes.' };
  if (contract.ok === true) {
    return { ...common, sureness: 'certain', why: 'Gasdesk knows this contract, and all bytes match its layout.' };
  }
  return isPlausible(reading.read) && contract.ok !== false
    ? { ...common, sureness: 'likely', why: 'Its length, fixed bytes, times and signature match.' }
    : { ...common, sureness: 'possible', why: 'Its length matches, but its values are not plausible.' };
};

/** The titles of a reading's modes, joined. */
export const modeWords = ([first, ...others]: readonly [Mode, ...Mode[]]): string => {
  const titles = [first.title, ...others.map(({ title }) => title)].join(' or ');
  return first.isToken ? `${titles}, token mode` : titles;
};

const HEAD = [
  { name: 'paymaster', length: 20, kind: 'address', meaning: 'The paymaster contract.' },
  { name: 'paymasterVerificationGasLimit', length: 16, kind: 'gas', meaning: "Gas for the paymaster's validation." },
  { name: 'paymasterPostOpGasLimit', length: 16, kind: 'gas', meaning: "Gas for the paymaster's postOp." },
] as const;
const DATA = { name: 'paymasterData', kind: 'bytes', meaning: 'In a layout that Gasdesk does not know.' } as const;

/** Paymaster data that matches no layout, split as its EntryPoint splits it. */
export const cutForeignData = (paymasterAndData: Hex, isV06: boolean) =>
  cutBytes(paymasterAndData, [...(isV06 ? HEAD.slice(0, 1) : HEAD), DATA]);

/** More gas than any block has. A larger value is no gas limit. */
const MAX_GAS = 1n << 40n;

/** Whether bytes that match no layout may be paymaster data of another contract for v0.7 or later. */
export const isPackedData = (value: Hex): boolean =>
  byteLength(value) >= 52 &&
  BigInt(`0x${value.slice(42, 74)}`) < MAX_GAS &&
  BigInt(`0x${value.slice(74, 106)}`) < MAX_GAS;
