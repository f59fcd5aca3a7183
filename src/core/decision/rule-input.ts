import { chainSymbol } from '../../shared/chains.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { decodeCalls } from '../calls/decode-calls.ts';
import { decodeDeployment, deploymentOf } from '../calls/decode-deployment.ts';
import { conditionAnswers } from '../conditions/answers.ts';
import type { ConditionValues } from '../conditions/vocabulary.ts';
import { conditionValues } from '../conditions/condition-values.ts';
import { entryPoints } from '../entry-points/registry.ts';
import type { Facts } from '../facts/facts.ts';
import type { PaymasterLayout } from '../paymaster-layouts/layout.ts';
import { requireLayout } from '../paymaster-layouts/registry.ts';
import type { Policy } from '../policy/policy.ts';
import { divideRules, withLastingRules, withoutSponsorshipRules } from './divide-rules.ts';
import { isSubjectUnread, subjectOf } from '../rules/identity/index.ts';
import type { RuleInput } from '../rules/rule.ts';
import { trustedFactories } from '../rules/wallet-deployment.ts';
import { type PaymentTerms, paymentTerms } from '../token-mode/payment-terms.ts';
import { fromRpcUserOperation } from '../user-operation/rpc-user-operation.ts';

const paymentOf = ({ token }: Facts, { token: layout }: PaymasterLayout): PaymentTerms | undefined => {
  if (token === undefined || layout === undefined) return undefined;
  const { transferGas, exchangeRate, treasury } = token;
  return paymentTerms({ layout, treasury: treasury }, token, BigInt(exchangeRate), {
    prefund: BigInt(transferGas.prefund),
    afterwards: BigInt(transferGas.afterwards),
  });
};

/**
 * The input of the rules for an operation under a policy.
 *
 * @param op the operation of the facts, for callers that have read it already
 */
export const ruleInput = (
  facts: Facts,
  policy: Policy,
  op: UserOperation = fromRpcUserOperation(facts.op),
): RuleInput => {
  const { chainId, version } = policy.dapp;
  const sponsoring = requireLayout(version);
  const payment = paymentOf(facts, sponsoring);
  const layout = payment?.charging.layout ?? sponsoring;
  const { sender, callData } = op;
  const decoding = decodeCalls(callData, { sender, entryPointVersion: layout.entryPointVersion });
  const requiredWei = layout.reservedCost(op);
  const { ignoresCreationOfExisting } = entryPoints[layout.entryPointVersion];
  const made = deploymentOf(op, ignoresCreationOfExisting && facts.account?.hasCode === true);
  const deploymentBy = (rules: Policy) =>
    made && { ...made, decoding: decodeDeployment(made, sender, trustedFactories(rules)) };
  let known: ConditionValues | undefined;
  const values = (): ConditionValues =>
    (known ??= conditionValues({
      facts,
      policy,
      op,
      decoding,
      deployment: deploymentBy(withLastingRules(policy)),
      layout,
      requiredWei,
      subject: subjectOf(policy.rules, facts),
    }));
  const evaluate = conditionAnswers(values);
  const { policy: bound, idle } = divideRules(payment === undefined ? policy : withoutSponsorshipRules(policy), facts, {
    values,
    evaluate,
  });
  return {
    facts,
    policy: bound,
    idle,
    op,
    decoding,
    deployment: deploymentBy(bound),
    layout,
    requiredWei,
    payment,
    values,
    evaluate,
    subject: subjectOf(bound.rules, facts),
    isSubjectUnread: isSubjectUnread(bound, facts),
    symbol: chainSymbol(chainId, policy.chain),
  };
};
