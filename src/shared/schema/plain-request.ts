import type { PartialUserOperation } from './partial-user-operation.ts';
import type { SponsorshipOptions } from './sponsorship.ts';

/*
 * Fast parser for the plain format of a request, which nearly every client sends. Parsing with the schema takes longer
 * than deciding. Anything in another format, or invalid, is left to the schema.
 */

const QUANTITY = /^(?:0x[0-9a-fA-F]{1,64}|0|[1-9][0-9]{0,76})$/;
const BYTES = /^0x(?:[0-9a-fA-F]{2})*$/;
const SOME_BYTES = /^0x(?:[0-9a-fA-F]{2})+$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** The plain format of each field of an operation. */
const FIELDS = new Map<string, RegExp>([
  ['sender', ADDRESS],
  ['nonce', QUANTITY],
  ['initCode', BYTES],
  ['factory', SOME_BYTES],
  ['factoryData', SOME_BYTES],
  ['callData', BYTES],
  ['callGasLimit', QUANTITY],
  ['verificationGasLimit', QUANTITY],
  ['preVerificationGas', QUANTITY],
  ['maxFeePerGas', QUANTITY],
  ['maxPriorityFeePerGas', QUANTITY],
  ['signature', BYTES],
  ['paymasterAndData', BYTES],
  ['paymaster', ADDRESS],
  ['paymasterVerificationGasLimit', QUANTITY],
  ['paymasterPostOpGasLimit', QUANTITY],
  ['paymasterData', BYTES],
  ['paymasterSignature', BYTES],
]);
const REQUIRED = ['sender', 'nonce', 'callData'];

type Fields = Readonly<Record<string, unknown>>;

/** Also excludes a member named __proto__, because schemas drop it. */
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' &&
  value !== null &&
  Object.getPrototypeOf(value) === Object.prototype &&
  !Object.hasOwn(value, '__proto__');

/**
 * Parses an operation in the plain format: only known fields, each with a value, and quantities as strings in hex or
 * decimal.
 *
 * @returns what `partialUserOperation` would return; undefined for any other format
 */
export const plainUserOperation = (value: unknown): PartialUserOperation | undefined => {
  if (!isFields(value)) return undefined;
  const read: Record<string, unknown> = { signature: '0x' };
  for (const field of Object.keys(value)) {
    const pattern = FIELDS.get(field);
    const text = value[field];
    if (pattern === undefined || typeof text !== 'string' || !pattern.test(text)) return undefined;
    read[field] = pattern === QUANTITY ? BigInt(text) : text.toLowerCase();
  }
  return REQUIRED.every((field) => field in read) ? (read as unknown as PartialUserOperation) : undefined;
};

const OPTIONS: ReadonlySet<string> = new Set(['mode', 'calculateGasLimits', 'expiryDuration', 'sponsorshipInfo']);
const ACCOUNT_INFO: ReadonlySet<string> = new Set(['name', 'version']);
const MAX_NAME = 100;

const hasOnly = (fields: Fields, known: ReadonlySet<string>): boolean =>
  Object.keys(fields).every((field) => known.has(field));

const isAccountInfo = (value: unknown): boolean =>
  isFields(value) &&
  hasOnly(value, ACCOUNT_INFO) &&
  Object.values(value).every((text) => typeof text === 'string' && text.length <= MAX_NAME);

const isSponsorshipInfo = (value: unknown): value is SponsorshipOptions['sponsorshipInfo'] => {
  if (!isFields(value)) return false;
  const { webhookData = {}, smartAccountInfo = {}, ...others } = value;
  return isFields(webhookData) && isAccountInfo(smartAccountInfo) && Object.keys(others).length === 0;
};

const isExpiry = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 30 && value <= 86_400;

/**
 * Parses options for sponsorship, as Biconomy's clients send them.
 *
 * @returns what `sponsorshipOptions` would return; undefined for any other format
 */
export const plainSponsorshipOptions = (value: unknown): SponsorshipOptions | undefined => {
  if (!isFields(value) || !hasOnly(value, OPTIONS) || value['mode'] !== 'SPONSORED') return undefined;
  const { calculateGasLimits = false, expiryDuration = 300, sponsorshipInfo = {} } = value;
  if (typeof calculateGasLimits !== 'boolean' || !isExpiry(expiryDuration)) return undefined;
  if (!isSponsorshipInfo(sponsorshipInfo)) return undefined;
  return { mode: 'SPONSORED', calculateGasLimits, expiryDuration, sponsorshipInfo, tokenInfo: {} };
};
