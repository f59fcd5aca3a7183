import { getBytes, hashMessage } from 'ethers';
import { decide, plan } from '../../src/core/decide.ts';
import type { Facts } from '../../src/core/facts.ts';
import { type Policy, policyHash } from '../../src/core/policy.ts';
import { decidedRecord, storedFacts } from '../../src/core/record.ts';
import { ruleInput } from '../../src/core/rule-input.ts';
import { termsOf } from '../../src/core/terms.ts';
import { type DecisionRecord, decisionRecord } from '../../src/shared/schema/decision.ts';
import type { Hex } from '../../src/shared/schema/hex.ts';
import { SIGNER_KEY } from './facts.ts';

/** By which version such a record says that it was decided. */
export const ENGINE = 'the version under test';

const sign = (facts: Facts, policy: Policy): Hex => {
  const { layout, op } = ruleInput(facts, policy);
  const terms = termsOf(facts, policy);
  const digest = hashMessage(getBytes(layout.hash(op, terms)));
  return layout.encode(op, terms, SIGNER_KEY.sign(digest).serialized as Hex);
};

/** The record of an operation, decided and signed, as it is read from a line of an export. */
export const decidedLine = (facts: Facts, policy: Policy, held: readonly bigint[]): DecisionRecord => {
  const verdict = decide(facts, policy, held);
  if (verdict.next === 'callWebhooks') throw new Error('the webhooks are to be asked first');
  const { steps, reason } = verdict;
  const { chainId, paymasterId, name: dapp } = policy.dapp;
  const { sender, nonce } = ruleInput(facts, policy).op;
  const record = {
    ...{ id: 'decision-1', seq: 1, method: 'pm_sponsorUserOperation', mode: 'SPONSORED', ruleRevision: 0 },
    ...{ chainId, paymasterId, dapp, sender, nonce: String(nonce), request: {} },
    ...decidedRecord({
      ...{ facts, policy, policyHash: policyHash(policy), reservations: plan(facts, policy), held, steps, reason },
      paymasterAndData: reason === undefined ? sign(facts, policy) : '0x',
      engine: ENGINE,
    }),
    // As for a request that is not kept: with the whole operation.
    facts: storedFacts(facts, { received: null }),
  };
  return decisionRecord.parse(JSON.parse(JSON.stringify(record)));
};
