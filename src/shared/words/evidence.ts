import { unitsToDecimal } from '../schema/decimal.ts';
import { dollars, grouped } from './amount.ts';
import { spanWords } from './span.ts';

export interface EvidenceItem {
  readonly label: string;
  readonly text: string;
  readonly kind: 'text' | 'wei' | 'time' | 'hex';
}

/** Labels of values. A value without a label here is shown with its key. */
const LABELS: Readonly<Record<string, string>> = {
  callGasLimit: 'Call gas',
  verificationGasLimit: 'Verification gas',
  preVerificationGas: 'Pre-verification gas',
  maxFeePerGasWei: 'Offered fee per gas',
  baseFeeWei: 'Base fee',
  suggestedTipWei: 'Suggested tip',
  believedBaseFeeWei: 'Believed base fee',
  believedTipWei: 'Believed tip',
  balanceWei: 'Tank balance',
  depositsWei: 'All gas tanks',
  origin: 'Default amount',
  reservedWei: 'Reserved',
  pendingWithdrawalsWei: 'Pending withdrawals',
  outstandingWei: 'Outstanding',
  shareWei: 'Share',
  holder: 'Held by',
  nextNonce: 'Next nonce',
  otherAuthorizations: 'Operations that pay for the authorisation',
  dapp: 'DApp',
  paymasterId: 'DApp id',
  requiredWei: 'Maximum cost',
  mostCostWei: 'Cap per operation',
  valueWei: 'Value sent',
  name: 'Limit',
  scope: 'Counts for',
  threshold: 'Allowed',
  used: 'Already used',
  amount: 'This operation',
  windowEndsAt: 'Window ends',
  seconds: 'Within',
  target: 'Called contract',
  contract: 'Registered as',
  method: 'Method',
  selector: 'Selector',
  call: 'Call number',
  calls: 'Calls in the operation',
  source: 'Proof',
  subject: 'Person',
  fault: 'What is wrong',
  why: 'Cause',
  host: 'Host',
  detail: 'Detail',
  cause: 'Cause',
  status: 'HTTP status',
  paused: 'Rule is paused',
  met: 'Values read',
  unmet: 'Not met',
};

/** Keys that are already shown elsewhere. */
const HIDDEN = new Set(['unit', 'now', 'symbol', 'chainId']);
const IN_UNITS = new Set(['threshold', 'used', 'amount']);

const words = (key: string): string => {
  const spaced = key.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/ Wei$/, '');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1).toLowerCase();
};

const isDigits = (text: string): boolean => /^\d{1,200}$/.test(text);

const operations = (count: string): string => `${grouped(count)} ${count === '1' ? 'operation' : 'operations'}`;

const GWEI_DECIMALS = 9;
/** Gas prices are shown in gwei. */
const GAS_PRICE = /(?:PerGas|baseFee|Tip)Wei$/;
const GAS = /Gas(?:Limit)?$/;

const SCOPES: Readonly<Record<string, string>> = {
  OPERATION: 'each operation',
  SMART_ACCOUNT: 'each user',
  SUBJECT: 'each person',
  PAYMASTER: 'all users together',
};

const ORIGINS: Readonly<Record<string, string>> = {
  deposits: 'a quarter of all gas tanks',
  operations: 'what usual operations may cost',
};

/** The text for a value that can be recognised only by its key. */
const named = (key: string, value: unknown): string | undefined => {
  if (key === 'scope') return SCOPES[String(value)];
  // The beginning of a keyed hash is enough to distinguish people.
  if (key === 'subject') return String(value).slice(0, 12);
  if (key === 'origin') return ORIGINS[String(value)];
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return key === 'seconds' && typeof value === 'number' ? spanWords(value) : undefined;
};

const inUnits = (text: string, unit: unknown): Omit<EvidenceItem, 'label'> => {
  if (unit === 'wei') return { text, kind: 'wei' };
  return { text: unit === 'usd' ? dollars(BigInt(text)) : operations(text), kind: 'text' };
};

const itemOf = (key: string, value: unknown, unit: unknown): Omit<EvidenceItem, 'label'> => {
  const stated = named(key, value);
  if (stated !== undefined) return { text: stated, kind: 'text' };
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (IN_UNITS.has(key) && isDigits(text)) return inUnits(text, unit);
  if (GAS_PRICE.test(key) && isDigits(text)) {
    return { text: `${unitsToDecimal(BigInt(text), GWEI_DECIMALS)} gwei`, kind: 'text' };
  }
  if (GAS.test(key) && isDigits(text)) return { text: grouped(text), kind: 'text' };
  if (key.endsWith('Wei') && isDigits(text)) return { text, kind: 'wei' };
  // A number with more digits than a `Date` can hold is not a time.
  if (key.endsWith('At') && /^\d{1,15}$/.test(text)) return { text, kind: 'time' };
  if (/^0x[0-9a-fA-F]{40,}$/.test(text)) return { text, kind: 'hex' };
  return { text, kind: 'text' };
};

export const evidenceItems = (evidence: Readonly<Record<string, unknown>>): EvidenceItem[] =>
  Object.entries(evidence)
    .filter(([key, value]) => !HIDDEN.has(key) && value !== null && value !== undefined)
    // The name of the DApp is enough.
    .filter(([key]) => key !== 'paymasterId' || evidence['dapp'] === undefined)
    .map(([key, value]) => ({
      label: (Object.hasOwn(LABELS, key) ? LABELS[key] : undefined) ?? words(key),
      ...itemOf(key, value, evidence['unit']),
    }));

/** A code in a trace as readable text: `NO_DEPLOYMENT` becomes `No deployment`, `DAPP_PAUSED` `DApp paused`. */
export const codeWords = (code: string): string => {
  const text = code.replaceAll('_', ' ').toLowerCase();
  return (text.charAt(0).toUpperCase() + text.slice(1)).replaceAll(/\bdapp\b/gi, 'DApp');
};
