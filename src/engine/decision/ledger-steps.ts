import { addressKey } from '../../shared/schema/hex.ts';
import { type UserOperation, isV06 } from '../../shared/schema/user-operation.ts';
import { mostPreVerificationGas } from '../chain/gas/pre-verification-bound.ts';
import type { Clock } from '../clock.ts';
import { windowAt } from '../ledger/windows.ts';
import type { ReadyPaymaster, Tank } from '../paymaster/readiness.ts';
import { feesRule } from '../rules/fees.ts';
import { gasTankRule } from '../rules/gas-tank.ts';
import { limitAmount, spendingLimitRule } from '../rules/spending-limit.ts';
import type { Claim, DappPolicy, Rule } from '../store/store.ts';
import type { ChainMoney } from './chain-reads.ts';
import { type Step, ruleStep } from './steps.ts';

/** What an operation would take from the ledger, and the rules that look at what is held there already. */
export interface LedgerSteps {
  readonly claims: readonly Claim[];
  /** The steps of fees, spending limits and gas tank; `held` is in the order of the claims. */
  steps(held: readonly bigint[]): Step[];
}

/** A claim, and the step that looks whether it can be had besides what is held already. */
export interface ClaimedStep {
  readonly claim: Claim;
  readonly step: (held: bigint) => Step;
}

/** The facts that the ledger's rules compare with what is held. */
export interface LedgerFacts {
  readonly op: UserOperation;
  readonly ready: ReadyPaymaster;
  readonly policy: DappPolicy;
  /** What the user pays with, if he does. */
  readonly payment?: ClaimedStep | undefined;
  /** Undefined where the chain could not be asked. */
  readonly money: ChainMoney | undefined;
  /** Epoch ms. */
  readonly now: number;
}

/** A rule that is a spending limit. */
export type LimitRule = Rule & { policyType: 'PAYMASTER_SA_LIMIT' };

const isActiveLimit = (rule: Rule): rule is LimitRule => rule.active && rule.policyType === 'PAYMASTER_SA_LIMIT';

/** The ledger's account of the tank that pays for a DApp. */
export const tankKey = ({ chainId, contract, fundingWallet }: Omit<Tank, 'layout' | 'entryPoint'>): string =>
  ['tank', chainId, addressKey(contract), addressKey(fundingWallet ?? '0x')].join(':');

/**
 * The ledger's account of one window of a limit; without its user, what the accounts of all users of a limit per user
 * begin with.
 */
export const limitKey = ({ ruleId, cycle }: Pick<Rule, 'ruleId' | 'cycle'>, index: number, user = ''): string =>
  ['limit', ruleId, cycle, index, user].join(':');

const executionGas = (op: UserOperation): bigint => {
  const own = op.callGasLimit + op.verificationGasLimit;
  return isV06(op) ? own : own + (op.paymasterVerificationGasLimit ?? 0n) + (op.paymasterPostOpGasLimit ?? 0n);
};

/** Claims on every active limit's current window and on the gas tank (SPEC 5.4 and 5.5). */
export const ledgerSteps = (clock: Clock, { op, ready, policy, payment, money, now }: LedgerFacts): LedgerSteps => {
  const maxCost = ready.layout.reservedCost(op);
  const limits = policy.rules.filter(isActiveLimit).map(({ policyData: limit, ...rule }): ClaimedStep => {
    const { index, endsAt } = windowAt(limit, now);
    const user = limit.type === 'SMART_ACCOUNT' ? addressKey(op.sender) : '';
    const claim: Claim = {
      key: limitKey(rule, index, user),
      kind: limit.thresholdType === 'COUNT' ? 'count' : 'spend',
      amount: limitAmount(limit, maxCost),
    };
    const step = (used: bigint): Step =>
      ruleStep(clock, spendingLimitRule.type, () =>
        spendingLimitRule.check(null, { name: rule.name, limit, used, amount: claim.amount, endsAt, now }),
      );
    return { claim, step };
  });
  const tank: Claim = { key: tankKey(ready), kind: 'tank', amount: maxCost };
  const tankStep = (promisedWei: bigint): Step =>
    ruleStep(clock, gasTankRule.type, () =>
      gasTankRule.check(null, {
        ...money,
        balanceWei: money?.balanceWei,
        promisedWei,
        neededWei: maxCost,
        lowWei: policy.lowTankWei,
      }),
    );

  const asked: ClaimedStep[] = [...limits, ...(payment ? [payment] : []), { claim: tank, step: tankStep }];
  const fees = (): Step =>
    ruleStep(clock, feesRule.type, () =>
      feesRule.check(null, {
        maxFeePerGasWei: op.maxFeePerGas,
        maxPriorityFeePerGasWei: op.maxPriorityFeePerGas,
        executionGas: executionGas(op),
        preVerificationGas: op.preVerificationGas,
        mostPreVerificationGas: mostPreVerificationGas(op, ready.chainId),
        baseFeeWei: money?.baseFeeWei,
        suggestedTipWei: money?.suggestedTipWei,
        blockGasLimit: money?.blockGasLimit,
      }),
    );
  return {
    claims: asked.map(({ claim }) => claim),
    steps: (held) => [fees(), ...asked.map(({ step }, index) => step(held[index] ?? 0n))],
  };
};
