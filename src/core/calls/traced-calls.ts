import type { Decoding } from './decoding.ts';
import type { ContractWhitelist } from '../contract-abi/whitelist.ts';

/** A call as the trace shows it, without its data, which is in the operation's callData. */
export interface TracedCall {
  readonly target: string;
  readonly valueWei: string;
  /** The method's four bytes; `0x` for a plain transfer. */
  readonly selector: string;
  readonly operation: string;
  /** The registered contract's name, and the method's signature from its ABI; undefined if unknown. */
  readonly contract: string | undefined;
  readonly method: string | undefined;
}

/** The calls that an operation makes its account execute, or why they cannot be decoded (behaviour 5.13). */
export const tracedCalls = (
  decoding: Decoding,
  whitelist: ContractWhitelist,
): TracedCall[] | { undecodable: string } =>
  decoding.outcome === 'undecodable'
    ? { undecodable: decoding.code }
    : decoding.calls.map(({ target, value, data, operation }) => {
        const known = whitelist.get(target);
        const selector = data.slice(0, 10) as `0x${string}`;
        const names = { contract: known?.name, method: known?.signatures.get(selector) };
        return { target, valueWei: String(value), selector, operation, ...names };
      });
