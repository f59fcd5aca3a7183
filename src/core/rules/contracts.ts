import type { DenialRows, Evidence } from '../../shared/denials.ts';
import { weiToDecimal } from '../../shared/schema/decimal.ts';
import { type Address, type Hex, sameAddress } from '../../shared/schema/hex.ts';
import { MAX_CALLS } from '../calls/abi-reader.ts';
import type { DecodedCall, Decoding } from '../calls/decoding.ts';
import { type CheckResult, type RuleInput, type RuleKind, deny, pass, skip } from './rule.ts';
import { type ContractWhitelist, whitelistOf } from '../contract-abi/whitelist.ts';

const undecodable =
  (hint: string): DenialRows[string] =>
  ({ detail }) => ({
    message: `The calls of this operation cannot be decoded from its callData. ${String(detail)}`,
    hint,
  });

/** Where the call comes from: the callData, or the deployment of the account. */
const caller = ({ deployment }: Evidence): string =>
  deployment === true ? 'The deployment of the account' : 'The operation';

const SIMPLER = 'Send the calls through a plain execute or executeBatch of the account.';

const denials = {
  UNKNOWN_SELECTOR: undecodable('Use an account type Gasdesk knows, and call its execute or executeBatch.'),
  MALFORMED_CALL_DATA: undecodable('Encode the callData with the ABI of the account; do not edit it by hand.'),
  NESTED_EXECUTE_USER_OP: undecodable('Put the call behind one executeUserOp prefix only.'),
  HIDDEN_CALLS: undecodable('Encode the batch with the ABI of the account, with every call inside its declared bytes.'),
  UNKNOWN_EXECUTION_MODE: undecodable(SIMPLER),
  AMBIGUOUS_TARGET: undecodable('Name the target of every call instead of address zero.'),
  NESTED_TOO_DEEP: undecodable('Send the calls as one flat batch.'),
  TOO_MANY_CALLS: undecodable(`Split the batch into user operations of at most ${MAX_CALLS} calls each.`),
  DELEGATECALL_NOT_ALLOWED: ({ target, ...evidence }) => ({
    message: `${caller(evidence)} makes a delegatecall to ${String(target)}, which could do anything on behalf of the account.`,
    hint:
      evidence['deployment'] === true
        ? `Set up the account with contracts that Gasdesk knows, or add ${String(target)} to the factories of the WALLET_DEPLOYMENT rule, which Gasdesk trusts without decoding their calls.`
        : `Call ${String(target)} with a plain call; only known MultiSend contracts may be delegatecalled.`,
  }),
  SELF_CALL_NOT_ALLOWED: ({ target }) => ({
    message: `The account ${String(target)} calls itself, which may hide further calls or change its owner.`,
    hint: `Leave the call to ${String(target)} out, or put what it calls into the batch directly.`,
  }),
  CONTRACT_NOT_REGISTERED: ({ target, ...evidence }) => ({
    message: `${caller(evidence)} calls ${String(target)}, which is not a registered contract of this DApp.`,
    hint: `Register ${String(target)} with the methods to sponsor, or leave this call out.`,
  }),
  CONTRACT_PAUSED: ({ target, contract, ...evidence }) => ({
    message: `${caller(evidence)} calls ${String(contract)} (${String(target)}), for which sponsorship is paused.`,
    hint: `Resume the rule "${String(contract)}".`,
  }),
  METHOD_NOT_WHITELISTED: ({ target, contract, method, ...evidence }) => ({
    message: `${caller(evidence)} calls ${String(method)} on ${String(contract)} (${String(target)}), which is not whitelisted.`,
    hint: `Add ${String(method)} on ${String(target)} to the contract's whitelisted methods.`,
  }),
  METHOD_NOT_IN_ABI: ({ target, contract, selector, ...evidence }) => ({
    message: `${caller(evidence)} calls ${String(selector)} on ${String(contract)} (${String(target)}), which is not a method of its registered ABI.`,
    hint: `Call a method of the ABI, or register ${String(target)} again with an ABI that contains the method ${String(selector)}, and whitelist it.`,
  }),
  PLAIN_TRANSFER: ({ target, valueWei, ...evidence }) => ({
    message: `${caller(evidence)} sends ${weiToDecimal(BigInt(String(valueWei)))} of the native coin to ${String(target)} without calling a method.`,
    hint: `Leave the plain transfer to ${String(target)} out: only whitelisted methods of registered contracts are sponsored.`,
  }),
} satisfies DenialRows;

type Result = CheckResult<keyof typeof denials>;

const SELECTOR_LENGTH = 10; // 0x and four bytes

const checkCall = (whitelist: ContractWhitelist, sender: Address, call: DecodedCall): Result => {
  const { target, value, data, operation } = call;
  if (operation === 'delegatecall') return deny('DELEGATECALL_NOT_ALLOWED', { target });
  // By calling itself, an account can run another batch or change its owners.
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
 * Every call of the account must go to a whitelisted method of an active registered contract (behaviour 5.3). A DApp
 * without registered contracts sponsors any call.
 */
export const checkContracts = (
  whitelist: ContractWhitelist,
  { sender, decoding, ...from }: { sender: Address; decoding: Decoding; deployment?: true },
): Result => {
  if (whitelist.size === 0) return skip('NO_CONTRACT_REGISTERED');
  if (decoding.outcome === 'undecodable') return deny(decoding.code, { detail: decoding.detail });
  for (const [index, call] of decoding.calls.entries()) {
    const verdict = checkCall(whitelist, sender, call);
    if (verdict.outcome === 'deny') {
      return deny(verdict.code, { ...verdict.evidence, call: index + 1, calls: decoding.calls.length, ...from });
    }
  }
  return pass('CALLS_WHITELISTED', { calls: decoding.calls.length, ...from });
};

const checkAll = ({ policy, op: { sender }, decoding, deployment }: RuleInput): Result[] => {
  const whitelist = whitelistOf(policy);
  const calls = checkContracts(whitelist, { sender, decoding });
  // If the deployment cannot be decoded, the rule on deployments denies the operation.
  if (deployment?.decoding.outcome !== 'decoded' || deployment.decoding.calls.length === 0) return [calls];
  return [checkContracts(whitelist, { sender, decoding: deployment.decoding, deployment: true }), calls];
};

/** Which calls a DApp sponsors, including those of a deployment. */
export const contracts: RuleKind<keyof typeof denials> = {
  type: 'contracts',
  title: 'Contracts',
  isOfCalls: true,
  denials,
  check: (input) => (input.payment === undefined ? checkAll(input) : []),
};
