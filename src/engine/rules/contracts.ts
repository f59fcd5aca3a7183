import { type Address, type Hex, sameAddress } from '../../shared/schema/hex.ts';
import type { DecodedCall, Decoding } from '../calls/decode-calls.ts';
import { type Rule, type Verdict, deny, pass, skip } from './rule.ts';

/** A registered contract as this rule needs it. */
export interface WhitelistedContract {
  readonly name: string;
  readonly active: boolean;
  /** Selectors that are sponsored. */
  readonly selectors: ReadonlySet<Hex>;
  /** Signatures by selector, of all methods, for the explanation. */
  readonly signatures: ReadonlyMap<Hex, string>;
}

/** Registered contracts by lower-case address. */
export type ContractWhitelist = ReadonlyMap<Address, WhitelistedContract>;

const SELECTOR_LENGTH = 10; // 0x and four bytes

const checkCall = (whitelist: ContractWhitelist, sender: Address, call: DecodedCall): Verdict => {
  const { target, value, data, operation } = call;
  if (operation === 'delegatecall') return deny('DELEGATECALL_NOT_ALLOWED', { target });
  // The account may run a further batch inside such a call, or change its own owners.
  if (sameAddress(target, sender)) return deny('SELF_CALL_NOT_ALLOWED', { target });
  if (data === '0x') return deny('PLAIN_TRANSFER', { target, valueWei: value.toString() });
  const contract = whitelist.get(target);
  if (contract === undefined) return deny('CONTRACT_NOT_REGISTERED', { target });
  if (!contract.active) return deny('CONTRACT_PAUSED', { target, contract: contract.name });
  const selector = data.slice(0, SELECTOR_LENGTH) as Hex;
  const method = contract.signatures.get(selector);
  if (method === undefined) return deny('METHOD_NOT_IN_ABI', { target, contract: contract.name, selector });
  if (contract.selectors.has(selector)) return pass('METHOD_WHITELISTED', { target, method });
  return deny('METHOD_NOT_WHITELISTED', { target, contract: contract.name, selector, method });
};

/**
 * Every call the account makes must hit an active registered contract and a whitelisted method (SPEC 5.2).
 * A DApp without registered contracts sponsors any call.
 */
export const contractsRule: Rule<ContractWhitelist, { sender: Address; decoding: Decoding }> = {
  type: 'contracts',
  check(whitelist, { sender, decoding }) {
    if (whitelist.size === 0) return skip('NO_CONTRACT_REGISTERED');
    if (decoding.outcome === 'undecodable') return deny(decoding.code, { detail: decoding.detail });
    for (const [index, call] of decoding.calls.entries()) {
      const verdict = checkCall(whitelist, sender, call);
      if (verdict.outcome === 'deny') {
        return deny(verdict.code, { ...verdict.evidence, call: index + 1, calls: decoding.calls.length });
      }
    }
    return pass('CALLS_WHITELISTED', { calls: decoding.calls.length });
  },
};
