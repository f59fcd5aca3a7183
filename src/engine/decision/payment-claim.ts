import { addressKey } from '../../shared/schema/hex.ts';
import type { Decoding } from '../calls/decode-calls.ts';
import type { Clock } from '../clock.ts';
import { deny } from '../rules/rule.ts';
import { checkUserCanPay } from '../token-mode/user-can-pay.ts';
import type { ClaimedStep } from './ledger-steps.ts';
import type { Payer } from './payer.ts';
import { ruleStep } from './steps.ts';
import type { TokenTaking } from './token-taking.ts';

/**
 * Looks whether the user can pay what he may be charged (SPEC 6). His tokens are claimed as a tank is: else he could
 * have many operations signed on the same ones, and without tokens the paymaster pays.
 *
 * @throws EngineError `CHAIN_UNREACHABLE` or `PAYMASTER_NOT_READY`
 */
export const paymentClaim = async (
  clock: Clock,
  rpc: Payer['rpc'],
  { sale, op, taken }: TokenTaking,
  decoding: Decoding,
  stage: 'draft' | 'final',
): Promise<ClaimedStep> => {
  const { ready, token, treasury, maxUnits, preFund } = sale;
  const { chainId, contract } = ready;
  const { sender } = op;
  const units = preFund(op);
  const needed = maxUnits(op);
  const key = ['user', chainId, addressKey(token.address), addressKey(sender)].join(':');
  // As with a tank, what is promised counts until the chain tells what is left.
  const claim: ClaimedStep['claim'] = { key, kind: 'tank', amount: needed };
  const neededWei = ready.layout.reservedCost(op);
  // Gas may be open in a draft; what is signed and costs something has to be paid for.
  if (stage === 'final' && needed === 0n && neededWei > 0n) {
    const facts = { symbol: token.symbol, token: token.address, neededWei: String(neededWei) };
    return { claim, step: () => ruleStep(clock, 'tokenPayment', () => deny('TOKEN_TOO_COARSE', facts)) };
  }
  const verdict = await checkUserCanPay(rpc, {
    chainId,
    sender,
    spender: contract,
    token,
    treasury,
    maxUnits: needed,
    ...(units !== undefined && { upFront: { units } }),
    decoding,
    taken,
  });
  return {
    claim,
    step: (promisedUnits) => ruleStep(clock, 'tokenPayment', () => verdict(promisedUnits)),
  };
};
