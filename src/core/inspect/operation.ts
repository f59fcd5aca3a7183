import { entryPointAddress } from '../../shared/entry-points.ts';
import { type Address, type Hex, sameAddress } from '../../shared/schema/hex.ts';
import type { InspectionReading, InspectionSection, NamedValue } from '../../shared/schema/inspection.ts';
import { chainSymbol } from '../../shared/chains.ts';
import type { EntryPointVersion, UserOperation } from '../../shared/schema/user-operation.ts';
import { isV06 } from '../../shared/schema/user-operation.ts';
import { decodeCalls } from '../calls/decode-calls.ts';
import { decodeDeployment, deploymentOf } from '../calls/decode-deployment.ts';
import { byteLength, uintDigits } from '../user-operation/hex-digits.ts';
import { fieldOutOfBounds, maxCost } from '../user-operation/max-cost.ts';
import { packUserOperation } from '../user-operation/pack-user-operation.ts';
import { hashUserOperation, isEip7702 } from '../user-operation/user-op-hash.ts';
import { type Clues, type DecidedOperation, type Knowledge, chainName, possibleChains } from './knowledge.ts';
import {
  type AnyTerms,
  type Concluded,
  type DataReading,
  type Mode,
  conclude,
  cutForeignData,
  modeWords,
  readPaymasterData,
} from './paymaster-data.ts';
import { callParts, cutBytes, named, sectionOf, shownField } from './sections.ts';

/** An operation as it was found. */
export interface FoundOperation {
  readonly op: UserOperation;
  /** Fields that were not given: neither hash nor cost can be told. */
  readonly missing: readonly string[];
  /** Where it is said to run. */
  readonly entryPoint?: Address | undefined;
  readonly chainId?: number | undefined;
  /** Where it stands in what is inspected; empty, or with a dot behind. */
  readonly path: string;
  readonly notes?: readonly string[];
}

/** What is told of an operation. */
export type ToldOperation = Pick<InspectionReading, 'title' | 'sureness' | 'why' | 'sections' | 'symbol'>;

const VERSIONS = Object.keys(entryPointAddress) as EntryPointVersion[];

/** The EntryPoint that has this address. */
export const versionAt = (entryPoint: Address | undefined): EntryPointVersion | undefined =>
  VERSIONS.find((version) => entryPoint !== undefined && sameAddress(entryPointAddress[version], entryPoint));

const versionsOf = ({ op, entryPoint }: FoundOperation): readonly EntryPointVersion[] => {
  if (isV06(op)) return ['0.6'];
  const said = op.factory !== undefined && isEip7702(op.factory) ? '0.8' : versionAt(entryPoint);
  return said === undefined || said === '0.6' ? ['0.7', '0.8'] : [said];
};

const paymasterBytes = (op: UserOperation): Hex => {
  return isV06(op) ? op.paymasterAndData : packUserOperation(op).paymasterAndData;
};

const nonceSection = ({ nonce }: UserOperation, path: string): InspectionSection =>
  sectionOf('Nonce', `${path}nonce`, {
    bytes: cutBytes(`0x${uintDigits(nonce, 32)}`, [
      { name: 'key', length: 24, kind: 'number', meaning: 'Nonces of different keys do not wait for each other.' },
      { name: 'sequence', length: 8, kind: 'number', meaning: 'Counts the operations of the key.' },
    ]),
  });

const GAS_FIELDS = {
  callGasLimit: "Gas for the operation's call.",
  verificationGasLimit: "Gas for creation and validation of the account; on v0.6 also for the paymaster's.",
  preVerificationGas: 'Gas that is paid for what the EntryPoint does not meter, such as calldata.',
  paymasterVerificationGasLimit: "Gas for the paymaster's validation.",
  paymasterPostOpGasLimit: "Gas for the paymaster's postOp.",
} as const;

const FEE_FIELDS = {
  maxFeePerGas: 'The most wei per gas.',
  maxPriorityFeePerGas: 'The most wei per gas above the base fee.',
} as const;

const gasValues = (op: UserOperation, missing: readonly string[]): NamedValue[] => {
  const fields: Readonly<Record<string, unknown>> = { ...op };
  const value =
    (kind: 'gas' | 'wei') =>
    ([name, meaning]: [string, string]): NamedValue[] => {
      const amount = fields[name];
      return typeof amount === 'bigint' && !missing.includes(name) ? [named(name, kind, amount, meaning)] : [];
    };
  return [...Object.entries(GAS_FIELDS).flatMap(value('gas')), ...Object.entries(FEE_FIELDS).flatMap(value('wei'))];
};

const creationSection = (op: UserOperation, path: string): InspectionSection[] => {
  const initCode: Hex = isV06(op)
    ? op.initCode
    : `0x${(op.factory ?? '0x').slice(2)}${(op.factoryData ?? '0x').slice(2)}`;
  if (initCode === '0x') return [];
  const bytes = cutBytes(initCode, [
    { name: 'factory', length: 20, kind: 'address', meaning: 'The contract that creates the account.' },
    { name: 'selector', length: 4, kind: 'bytes', meaning: 'The function of the factory.' },
    { name: 'arguments', kind: 'bytes', meaning: 'What the factory is told.' },
  ]);
  const deployment = deploymentOf(op);
  const parts = deployment === undefined ? {} : callParts(decodeDeployment(deployment, op.sender, new Set()));
  return [sectionOf('Creation of the account', `${path}initCode`, { ...parts, bytes })];
};

/** The bytes and the calls of an account's calldata. */
export const callDataSection = (
  callData: Hex,
  sender: Address,
  entryPointVersion: EntryPointVersion,
  path: string,
): InspectionSection =>
  sectionOf('Calls of the account', `${path}callData`, {
    ...callParts(decodeCalls(callData, { sender, entryPointVersion })),
    bytes: cutBytes(callData, [
      { name: 'selector', length: 4, kind: 'bytes', meaning: 'The function of the account.' },
      { name: 'arguments', kind: 'bytes', meaning: 'The calls, as the account reads them.' },
    ]),
  });

const ECDSA = 65;

const signatureSection = ({ signature }: UserOperation, path: string): InspectionSection[] => {
  if (signature === '0x') return [];
  const parts =
    byteLength(signature) === ECDSA
      ? ([
          { name: 'r', length: 32, kind: 'bytes', meaning: 'First half of an ECDSA signature.' },
          { name: 's', length: 32, kind: 'bytes', meaning: 'Second half of it.' },
          { name: 'v', length: 1, kind: 'number', meaning: 'Which of two keys signed: 27 or 28.' },
        ] as const)
      : ([{ name: 'signature', kind: 'bytes', meaning: 'In a form that only the account knows.' }] as const);
  return [sectionOf("Signature of the account's owner", `${path}signature`, { bytes: cutBytes(signature, parts) })];
};

const dataSection = (reading: DataReading, concluded: Concluded, path: string): InspectionSection =>
  sectionOf(`Paymaster data: ${modeWords(concluded.modes)}`, path, {
    bytes: reading.read.fields.map(shownField),
    checks: concluded.checks,
  });

/** Paymaster data by its surest reading. */
interface ToldData {
  readonly section: InspectionSection | undefined;
  readonly concluded: Concluded | undefined;
  readonly reading: DataReading | undefined;
}

const SURENESS = ['certain', 'likely', 'possible'];

/** What is surest comes first. */
export const bySureness = (one: { sureness: string }, other: { sureness: string }): number =>
  SURENESS.indexOf(one.sureness) - SURENESS.indexOf(other.sureness);

const tellData = (
  found: FoundOperation,
  context: { readonly chainId: number | undefined; readonly decided: DecidedOperation | undefined },
  knowledge: Knowledge,
): ToldData => {
  const { op, missing, path } = found;
  const paymasterAndData = paymasterBytes(op);
  if (paymasterAndData === '0x') return { section: undefined, concluded: undefined, reading: undefined };
  const whole = { ...context, op: missing.length === 0 ? op : undefined };
  const { readings, misfits } = readPaymasterData(paymasterAndData, versionsOf(found));
  const [best] = readings
    .map((reading) => ({ reading, concluded: conclude(reading, whole, knowledge) }))
    .toSorted((one, other) => bySureness(one.concluded, other.concluded));
  const where = `${path}paymasterAndData`;
  if (best !== undefined) return { ...best, section: dataSection(best.reading, best.concluded, where) };
  const section = sectionOf('Paymaster data of another contract', where, {
    bytes: cutForeignData(paymasterAndData, isV06(op)),
    notes: misfits.map(({ what, why }) => `Not ${what}: ${why}.`),
  });
  return { section, concluded: undefined, reading: undefined };
};

const tryHash = (version: EntryPointVersion, op: UserOperation, chainId: number, delegate: Address | undefined) => {
  try {
    const domain = { chainId, entryPoint: entryPointAddress[version] };
    return hashUserOperation(version, op, { ...domain, ...(delegate !== undefined && { delegate }) });
  } catch {
    return undefined; // the delegate of an EIP-7702 account is not known, or a gas value does not fit
  }
};

const hashValues = (
  op: UserOperation,
  versions: readonly EntryPointVersion[],
  chains: readonly number[],
  knowledge: Knowledge,
  delegate: Address | undefined,
): NamedValue[] =>
  versions.flatMap((version) =>
    chains.flatMap((chainId) => {
      const hash = tryHash(version, op, chainId, delegate);
      const meaning = `Of EntryPoint ${version} on ${chainName(knowledge, chainId)}.`;
      return hash === undefined ? [] : [named('userOpHash', 'hash', hash, meaning)];
    }),
  );

const costValues = (op: UserOperation, { reading, concluded }: ToldData, chainId: number | undefined): NamedValue[] => {
  const values = [named('maximum cost', 'wei', maxCost(op), 'The most that the EntryPoint can take for it.')];
  if (reading === undefined || concluded === undefined) return values;
  const [mode]: readonly [Mode, ...Mode[]] = concluded.modes;
  const terms = { ...reading.read.terms, chainId: chainId ?? 0 } as AnyTerms;
  const reserved = mode.layout.reservedCost(op, terms);
  values.push(named('reserved', 'wei', reserved, 'What the desk reserves: the maximum and what the contract adds.'));
  if (mode.maxTokenCost !== undefined) {
    const units = mode.maxTokenCost(op, terms);
    values.push(
      named('maximum in tokens', 'number', units, 'Smallest units that the contract can take from the sender.'),
    );
  }
  return values;
};

const findDecided = ({ op, entryPoint }: FoundOperation, { decided }: Knowledge): DecidedOperation | undefined =>
  decided.find(
    (one) =>
      one.nonce === op.nonce &&
      sameAddress(one.sender, op.sender) &&
      (entryPoint === undefined || sameAddress(one.entryPoint, entryPoint)),
  );

/** Takes an operation apart, and leaves clues by which its decision can be found. */
export const tellOperation = (found: FoundOperation, knowledge: Knowledge, clues: Clues): ToldOperation => {
  const { op, missing, path } = found;
  clues.operations.push({ sender: op.sender, nonce: op.nonce });
  const decided = findDecided(found, knowledge);
  const context = { chainId: found.chainId ?? decided?.chainId, decided };
  const data = tellData(found, context, knowledge);
  const proven = data.concluded?.sureness === 'certain' ? data.concluded : undefined;
  const decidedVersion = versionAt(decided?.entryPoint);
  const versions =
    proven?.modes.map(({ entryPointVersion }) => entryPointVersion) ??
    (decidedVersion !== undefined && !isV06(op) ? [decidedVersion] : versionsOf(found));
  const unique = [...new Set(versions)];
  const chainId = context.chainId ?? proven?.chainId ?? knowledge.chainId;
  const chains = possibleChains(knowledge, chainId);
  const delegate = decided?.delegate ?? (isV06(op) ? undefined : op.eip7702Auth?.address);
  const isWhole = missing.length === 0;
  const tooMuch = fieldOutOfBounds(op);
  const hashes = isWhole ? hashValues(op, unique, chains, knowledge, delegate) : [];
  clues.hashes.push(...hashes.map(({ value }) => value as Hex));
  const [version = '0.7'] = unique;
  const notes = [
    ...(found.notes ?? []),
    ...(missing.length > 0 ? [`Not given: ${missing.join(', ')}. Hash, cost and signer cannot be told.`] : []),
    ...(tooMuch === undefined ? [] : [`${tooMuch} is above 2^120 - 1: the EntryPoint refuses the operation (AA94).`]),
    ...(isWhole && hashes.length === 0 ? ['The hash depends on the chain: name it, or use a desk that has it.'] : []),
  ];
  const head = sectionOf(`User operation of EntryPoint ${unique.join(' or ')}`, path.replace(/[.]$/, ''), {
    values: [named('sender', 'address', op.sender, 'The account.'), ...gasValues(op, missing), ...hashes],
    notes,
  });
  const cost = isWhole ? [sectionOf('Cost', '', { values: costValues(op, data, chainId) })] : [];
  return {
    title: `A user operation of EntryPoint ${unique.join(' or ')}`,
    sureness: unique.length === 1 ? 'certain' : 'likely',
    why:
      unique.length === 1 ? 'Its fields are those of one EntryPoint.' : 'EntryPoint 0.7 and 0.8 have the same fields.',
    symbol: chainId === undefined ? null : symbolOf(knowledge, chainId),
    sections: [
      head,
      nonceSection(op, path),
      ...creationSection(op, path),
      callDataSection(op.callData, op.sender, version, path),
      ...(data.section === undefined ? [] : [data.section]),
      ...signatureSection(op, path),
      ...cost,
    ],
  };
};

/** What the coin of a chain is called. */
export const symbolOf = ({ chains }: Knowledge, chainId: number): string =>
  chains.find((chain) => chain.chainId === chainId)?.symbol ?? chainSymbol(chainId, undefined);
