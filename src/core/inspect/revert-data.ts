import { ErrorFragment } from 'ethers';
import type { Hex } from '../../shared/schema/hex.ts';
import type { InspectionSection, NamedBytes, NamedValue } from '../../shared/schema/inspection.ts';
import { aaCodeIn, allEntryPoints, findAaCode } from '../entry-points/registry.ts';
import { byteLength } from '../user-operation/hex-digits.ts';
import { type AbiShape, Unreadable, readAbi } from './abi-bytes.ts';
import { cutBytes, named, sectionOf } from './sections.ts';

/** A known error: its declaration and its meaning. */
interface KnownError {
  /** Its Solidity declaration, including the names of its arguments. */
  readonly declared: string;
  readonly meaning: string;
}

const ERRORS: readonly KnownError[] = [
  { declared: 'Error(string reason)', meaning: 'A contract reverted with this reason.' },
  {
    declared: 'Panic(uint256 code)',
    meaning: 'A contract failed because of an overflow, a division by zero or a similar error.',
  },
  {
    declared: 'FailedOp(uint256 opIndex, string reason)',
    meaning: 'The EntryPoint refuses an operation of the bundle.',
  },
  {
    declared: 'FailedOpWithRevert(uint256 opIndex, string reason, bytes inner)',
    meaning:
      'The EntryPoint refuses an operation of the bundle, because a contract that it called reverted with the inner data.',
  },
  {
    declared: 'SignatureValidationFailed(address aggregator)',
    meaning: 'The aggregator does not accept the signatures of its operations.',
  },
  { declared: 'PostOpReverted(bytes returnData)', meaning: "The paymaster's postOp reverted with this data." },
  {
    declared: 'SenderAddressResult(address sender)',
    meaning: 'Not an error: getSenderAddress returns the address of the account in this form.',
  },
  {
    declared: 'DelegateAndRevert(bool success, bytes ret)',
    meaning: "Not an error: delegateAndRevert returns the call's result in this form.",
  },
  {
    declared:
      'ExecutionResult(uint256 preOpGas, uint256 paid, uint48 validAfter, uint48 validUntil, bool targetSuccess, bytes targetResult)',
    meaning: 'Not an error: simulateHandleOp of EntryPoint 0.6 returns the gas use of the operation in this form.',
  },
  { declared: 'ExecuteError(uint256 index, bytes inner)', meaning: "A call of the account's batch reverted." },
  { declared: 'ReentrancyGuardReentrantCall()', meaning: 'The EntryPoint was called while it ran a bundle.' },
  {
    declared: 'Reentrancy()',
    meaning:
      'EntryPoint 0.9 takes a bundle only as the call of a transaction from an account without code: not from a contract, and not from an account with a delegate (EIP-7702).',
  },
  {
    declared: 'InvalidPaymasterSignatureLength(uint256 dataLength, uint256 pmSignatureLength)',
    meaning: 'paymasterAndData ends as if with a paymaster signature, but that is longer than the data before it.',
  },
  {
    declared: 'InvalidPaymasterData(uint256 paymasterAndDataLength)',
    meaning: "paymasterAndData is shorter than 52 bytes: an address and the paymaster's two gas limits.",
  },
  { declared: 'InvalidPaymaster(address paymaster)', meaning: 'paymasterAndData names the zero address as paymaster.' },
  { declared: 'InvalidBeneficiary(address beneficiary)', meaning: 'handleOps pays the fees to the zero address.' },
  {
    declared: 'FailedSendToBeneficiary(address beneficiary, uint256 amount, bytes ret)',
    meaning: 'The address that receives the fees does not accept coins.',
  },
  { declared: 'InternalFunction()', meaning: 'A function was called that only the EntryPoint itself may call.' },
  {
    declared: 'NotFromEntryPoint(address msgSender, address entity, address entryPoint)',
    meaning: 'Only the EntryPoint of this contract may call it so.',
  },
  {
    declared: 'Eip7702SenderWithoutCode(address sender)',
    meaning: 'The operation is of an EIP-7702 account, but its sender has no code: its authorisation is missing.',
  },
  {
    declared: 'Eip7702SenderNotDelegate(address sender)',
    meaning: 'The operation is of an EIP-7702 account, but its sender is a contract without a delegate.',
  },
  {
    declared: 'InsufficientDeposit(uint256 currentDeposit, uint256 withdrawAmount)',
    meaning: 'The deposit at the EntryPoint is less than what is to be withdrawn.',
  },
  {
    declared: 'InsufficientBalance(uint256 amountRequired, uint256 currentBalance)',
    meaning: "The gas tank in Biconomy's contract has less wei than the operation may cost. Deposit into it.",
  },
  {
    declared: 'InvalidPaymasterSignatureLength(uint256 sigLength)',
    meaning: "The signature in Biconomy's paymaster data is not 64 or 65 bytes long.",
  },
  {
    declared: 'CallerIsNotAnEntryPoint(address caller)',
    meaning: 'The paymaster contract belongs to another EntryPoint.',
  },
  { declared: 'PaymasterAndDataLengthInvalid()', meaning: "Pimlico's contract finds paymasterAndData too short." },
  { declared: 'PaymasterConfigLengthInvalid()', meaning: "The token terms in Pimlico's paymaster data are truncated." },
  { declared: 'PaymasterModeInvalid()', meaning: "Pimlico's contract does not have this mode." },
  {
    declared: 'PaymasterSignatureLengthInvalid()',
    meaning: "The signature in Pimlico's paymaster data is not 64 or 65 bytes long.",
  },
  { declared: 'TokenAddressInvalid()', meaning: "Pimlico's paymaster data names the zero address as token." },
  { declared: 'ExchangeRateInvalid()', meaning: "Pimlico's paymaster data has an exchange rate of zero." },
  {
    declared: 'PostOpTransferFromFailed(string msg)',
    meaning: "Pimlico's contract could not take the tokens: check the sender's balance and allowance.",
  },
  { declared: 'ECDSAInvalidSignature()', meaning: 'A signature is malformed.' },
  { declared: 'ECDSAInvalidSignatureLength(uint256 length)', meaning: 'A signature is not 65 bytes long.' },
  { declared: 'ECDSAInvalidSignatureS(bytes32 s)', meaning: 'The upper half of s is not allowed in a signature.' },
];

interface ReadableError extends KnownError {
  readonly name: string;
  readonly fields: readonly AbiShape[];
}

const KINDS: Readonly<Record<string, NamedBytes['kind']>> = { address: 'address', bytes32: 'bytes', uint48: 'time' };

const shapeOf = ({ type, name }: { type: string; name: string }): AbiShape => {
  if (type === 'string') return { type: 'bytes', name, kind: 'text', meaning: 'In words.' };
  if (type === 'bytes') return { type: 'bytes', name, kind: 'bytes', meaning: 'The data that was passed on.' };
  return { type: 'word', name, kind: KINDS[type] ?? 'number', meaning: `${type} ${name}` };
};

const errors: ReadonlyMap<string, ReadableError> = new Map(
  ERRORS.map((error) => {
    const fragment = ErrorFragment.from(`error ${error.declared}`);
    const fields = fragment.inputs.map(({ type, name }) => shapeOf({ type, name }));
    return [fragment.selector, { ...error, name: fragment.name, fields }];
  }),
);

const PARTIES = {
  account: "The account or its owner's client",
  factory: 'The factory that creates the account, or the client that chose it',
  paymaster: 'The paymaster, or what was changed after it signed',
  bundler: 'The bundler',
  EntryPoint: 'The EntryPoint, or a contract that is not canonical',
} as const;

/** Explains an AA code: its cause, and what to do. */
export const aaSection = (code: string, path: string): InspectionSection => {
  const known = findAaCode(code);
  if (known === undefined) return sectionOf(code, path);
  const { words, party, meaning, fix } = known;
  const having = allEntryPoints.filter(({ aaCodes }) => Object.hasOwn(aaCodes, code));
  const values: NamedValue[] = [
    named('meaning', 'text', meaning, ''),
    named('caused by', 'text', PARTIES[party], ''),
    named('what to do', 'text', fix, ''),
    named('EntryPoints', 'text', having.map(({ version }) => version).join(', '), 'The versions that have this code.'),
  ];
  return sectionOf(`${code} ${words}`, path, { values });
};

/** True for revert data that starts with the selector of a known error. */
export const isKnownError = (data: Hex): boolean => errors.has(data.slice(0, 10));

/** The deepest nesting of errors within errors that is decoded. */
const MAX_LEVELS = 8;

/** Decodes revert data, and revert data nested in it. */
export const revertSections = (data: Hex, path = '', levels = MAX_LEVELS): InspectionSection[] => {
  const known = errors.get(data.slice(0, 10));
  if (known === undefined) {
    const bytes = cutBytes(data, [
      { name: 'selector', length: 4, kind: 'bytes', meaning: 'Data of an error that Gasdesk does not know.' },
      { name: 'arguments', kind: 'bytes', meaning: 'What it says.' },
    ]);
    return [sectionOf(`Custom error ${data.slice(0, 10)}`, path, { bytes })];
  }
  try {
    const { values, bytes } = readAbi(data, `error ${known.declared}`, known.fields);
    const reason =
      bytes.find(({ name, kind }) => kind === 'text' && (name === 'reason' || name === 'msg'))?.value ?? '';
    const code = aaCodeIn(reason);
    const section = sectionOf(known.name, path, { bytes, notes: [known.meaning] });
    const inner = Object.entries(values).flatMap(([name, value]) =>
      ['inner', 'returnData', 'ret'].includes(name) && levels > 0 && byteLength(value as Hex) >= 4
        ? revertSections(value as Hex, path === '' ? name : `${path}.${name}`, levels - 1)
        : [],
    );
    return [section, ...(code === undefined ? [] : [aaSection(code, path)]), ...inner];
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const notes = [known.meaning, `Its arguments cannot be read: ${error.message}.`];
    const bytes = cutBytes(data, [
      { name: 'selector', length: 4, kind: 'bytes', meaning: `error ${known.declared}` },
      { name: 'unread', kind: 'bytes', meaning: 'Arguments that are truncated or malformed.' },
    ]);
    return [sectionOf(known.name, path, { bytes, notes })];
  }
};
