import { type Address, type Hex, sameAddress } from '../../shared/schema/hex.ts';
import type { InspectionReading, InspectionSection, NamedValue } from '../../shared/schema/inspection.ts';
import { chainSymbol } from '../../shared/chains.ts';
import type { EntryPointVersion, UserOperation } from '../../shared/schema/user-operation.ts';
import { isV06 } from '../../shared/schema/user-operation.ts';
import { allEntryPoints, entryPointAt, entryPoints } from '../entry-points/registry.ts';
import { fieldOutOfBounds, maxCost } from '../user-operation/max-cost.ts';
import { contractForm } from '../user-operation/pack-user-operation.ts';
import { isEip7702 } from '../user-operation/user-op-hash.ts';
import { type Clues, type DecidedOperation, type Knowledge, chainName, possibleChains } from './knowledge.ts';
import {
  type AnyTerms,
  type Conclusions,
  type DataReading,
  type Mode,
  conclude,
  cutForeignData,
  delegateOf,
  modeWords,
  readPaymasterData,
} from './paymaster-data.ts';
import { callDataSection, creationSection, gasValues, nonceSection, signatureSection } from './operation-fields.ts';
import { named, sectionOf, shownField } from './sections.ts';

export interface FoundOperation {
  readonly op: UserOperation;
  /** Fields that the text does not contain. Without them, neither hash nor cost can be computed. */
  readonly missing: readonly string[];
  /** The EntryPoint that the text names. */
  readonly entryPoint?: Address | undefined;
  readonly chainId?: number | undefined;
  /** The operation's path in the inspected text: empty, or ending in a dot. */
  readonly path: string;
  readonly notes?: readonly string[];
}

/** What is shown of an operation. */
export type DescribedOperation = Pick<InspectionReading, 'title' | 'sureness' | 'why' | 'sections' | 'symbol'>;

const hasMarker = (op: UserOperation): boolean => !isV06(op) && op.factory !== undefined && isEip7702(op.factory);

/**
 * The EntryPoint versions that accept such an operation. If the text names one of these EntryPoints, only its version.
 */
const versionsOf = ({ op, entryPoint }: FoundOperation): readonly EntryPointVersion[] => {
  const possible = allEntryPoints.filter(
    ({ isPacked, takesEip7702Marker }) => isPacked !== isV06(op) && (takesEip7702Marker || !hasMarker(op)),
  );
  const said = possible.filter((one) => one === entryPointAt(entryPoint));
  return (said.length > 0 ? said : possible).map(({ version }) => version);
};

const dataSection = (reading: DataReading, concluded: Conclusions, path: string): InspectionSection =>
  sectionOf(`Paymaster data: ${modeWords(concluded.modes)}`, path, {
    bytes: reading.read.fields.map(shownField),
    checks: concluded.checks,
    values: [...concluded.signers],
  });

/** Paymaster data in its most certain reading. */
interface DescribedData {
  readonly section: InspectionSection | undefined;
  readonly concluded: Conclusions | undefined;
  readonly reading: DataReading | undefined;
}

const SURENESS = ['certain', 'likely', 'possible'];

/** Sort order: most certain reading first. */
export const bySureness = (one: { sureness: string }, other: { sureness: string }): number =>
  SURENESS.indexOf(one.sureness) - SURENESS.indexOf(other.sureness);

const describeData = (
  found: FoundOperation,
  context: { readonly chainId: number | undefined; readonly decided: DecidedOperation | undefined },
  knowledge: Knowledge,
): DescribedData => {
  const { op, missing, path } = found;
  const { paymasterAndData } = contractForm(op);
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
    const { hash, address: entryPoint } = entryPoints[version];
    return hash(op, { chainId, entryPoint, ...(delegate !== undefined && { delegate }) });
  } catch {
    return undefined; // the delegate of an EIP-7702 account is unknown, or a gas value does not fit
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

const costValues = (
  op: UserOperation,
  { reading, concluded }: DescribedData,
  chainId: number | undefined,
): NamedValue[] => {
  const values = [
    named('maximum cost', 'wei', maxCost(op), 'Maximum that the EntryPoint can charge for the operation.'),
  ];
  if (reading === undefined || concluded === undefined) return values;
  const [mode]: readonly [Mode, ...Mode[]] = concluded.modes;
  const terms = { ...reading.read.terms, chainId: chainId ?? 0 } as AnyTerms;
  const reserved = mode.layout.reservedCost(op, terms);
  values.push(
    named('reserved', 'wei', reserved, 'Amount that Gasdesk reserves: the maximum, plus what the contract adds.'),
  );
  if (mode.maxTokenCost !== undefined) {
    const units = mode.maxTokenCost(op, terms);
    values.push(
      named(
        'maximum in tokens',
        'number',
        units,
        'Maximum that the contract can take from the sender, in smallest units.',
      ),
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

/** Where an operation can be executed. */
interface Place {
  readonly versions: readonly [EntryPointVersion, ...EntryPointVersion[]];
  /** Undefined if it may be any chain that Gasdesk knows. */
  readonly chainId: number | undefined;
}

/**
 * Determines as precisely as possible where an operation can be executed: a valid signature proves the layout, and a
 * decision proves the EntryPoint.
 */
const placeOf = (
  found: FoundOperation,
  decided: DecidedOperation | undefined,
  { concluded }: DescribedData,
  knowledge: Knowledge,
): Place => {
  const proven = concluded?.sureness === 'certain' ? concluded : undefined;
  const possible = versionsOf(found);
  const decidedVersion = entryPointAt(decided?.entryPoint)?.version;
  const byDecision = possible.filter((version) => version === decidedVersion);
  const byLayout = possible.filter((version) =>
    proven?.modes.some(({ entryPointVersion }) => entryPointVersion === version),
  );
  const narrowed = [byDecision, byLayout].find(({ length }) => length > 0) ?? possible;
  const chainId = found.chainId ?? decided?.chainId ?? proven?.chainId ?? knowledge.chainId;
  return { versions: narrowed as Place['versions'], chainId };
};

const notesOf = ({ op, missing, notes = [] }: FoundOperation, isHashed: boolean): string[] => {
  const tooMuch = fieldOutOfBounds(op);
  const lines = [...notes];
  if (missing.length > 0) lines.push(`Missing: ${missing.join(', ')}. Hash, cost and signer depend on them.`);
  else if (!isHashed) lines.push(`Gasdesk cannot compute the hash: ${hashNeeds(op)}.`);
  if (tooMuch !== undefined) lines.push(`${tooMuch} is above 2^120 - 1: the EntryPoint refuses the operation (AA94).`);
  return lines;
};

const hashNeeds = (op: UserOperation): string =>
  hasMarker(op)
    ? 'it depends on the chain, and on the contract to which the account delegates (EIP-7702)'
    : 'it depends on the chain, which is unknown';

/** Describes an operation, and adds clues for finding the decision on it. */
export const describeOperation = (found: FoundOperation, knowledge: Knowledge, clues: Clues): DescribedOperation => {
  const { op, path } = found;
  const isWhole = found.missing.length === 0;
  const decided = findDecided(found, knowledge);
  const data = describeData(found, { chainId: found.chainId ?? decided?.chainId, decided }, knowledge);
  const { versions, chainId } = placeOf(found, decided, data, knowledge);
  const delegate = delegateOf(op, decided);
  const hashes = isWhole ? hashValues(op, versions, possibleChains(knowledge, chainId), knowledge, delegate) : [];
  clues.operations.push({ sender: op.sender, nonce: op.nonce, hashes: hashes.map(({ value }) => value as Hex) });
  const title = `User operation of EntryPoint ${versions.join(' or ')}`;
  const head = sectionOf(title, path.replace(/[.]$/, ''), {
    values: [named('sender', 'address', op.sender, 'The account.'), ...gasValues(op, found.missing), ...hashes],
    notes: notesOf(found, hashes.length > 0),
  });
  const isSure = versions.length === 1;
  return {
    title,
    sureness: isSure ? 'certain' : 'likely',
    why: isSure
      ? 'Only one EntryPoint has these fields.'
      : `EntryPoint ${versions.join(' and ')} have the same fields.`,
    symbol: chainId === undefined ? null : symbolOf(knowledge, chainId),
    sections: [
      head,
      nonceSection(op, path),
      ...creationSection(op, path),
      callDataSection(op.callData, op.sender, versions[0], path),
      ...(data.section === undefined ? [] : [data.section]),
      ...signatureSection(op, path),
      ...(isWhole ? [sectionOf('Cost', '', { values: costValues(op, data, chainId) })] : []),
    ],
  };
};

export const symbolOf = ({ chains }: Knowledge, chainId: number): string =>
  chains.find((chain) => chain.chainId === chainId)?.symbol ?? chainSymbol(chainId, undefined);
