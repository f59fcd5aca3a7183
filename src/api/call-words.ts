import type { ProcedureOutput } from './index.ts';
import { shownAmount } from '../shared/words/amount.ts';
import { shorten } from '../shared/words/shorten.ts';

/** A call of an operation, decoded with the registered contracts. */
export type DecodedCall = ProcedureOutput<'decisions.calls'>['calls'][number];

const LONGEST_ARG = 24;

/** Describes a call, such as `mint(3) on Game Items`, as precisely as the registered ABIs allow. */
export const callWords = ({ contract, target, method, args, data, valueWei }: DecodedCall): string => {
  const where = contract ?? shorten(target);
  if (data === '0x') return `a transfer of ${shownAmount(BigInt(valueWei))} to ${where}`;
  const name = method?.split('(')[0] ?? data.slice(0, 10);
  const values = args?.map((arg) => (arg.length > LONGEST_ARG ? shorten(arg, 10, 6) : arg)).join(', ');
  return `${name}(${values ?? '…'}) on ${where}`;
};

const SHOWN_CALLS = 3;

/** Describes the first calls of an operation. */
export const callsWords = (calls: readonly DecodedCall[]): string => {
  if (calls.length === 0) return 'an operation';
  const shown = calls.slice(0, SHOWN_CALLS).map(callWords).join(', ');
  return calls.length > SHOWN_CALLS ? `${shown} and ${calls.length - SHOWN_CALLS} more calls` : shown;
};
