import { getBytes, hashMessage } from 'ethers';
import { decide, plan } from '../../src/core/decision/decide.ts';
import type { Facts } from '../../src/core/facts/facts.ts';
import { type Policy, policyHash } from '../../src/core/policy/policy.ts';
import { callsOf, decidedRecord, leanFacts, storedFacts } from '../../src/core/decision/record.ts';
import { traceHash } from '../../src/core/decision/explain-record.ts';
import { recordText } from '../../src/core/decision/stored-record.ts';
import { ruleInput } from '../../src/core/decision/rule-input.ts';
import { termsOf } from '../../src/core/decision/terms.ts';
import { type DecisionRecord, decisionRecord } from '../../src/shared/schema/decision.ts';
import type { Hex } from '../../src/shared/schema/hex.ts';
import { SIGNER_KEY } from './facts.ts';

/** Version in the records made here. */
export const ENGINE = 'the version under test';

const sign = (facts: Facts, policy: Policy): Hex => {
  const input = ruleInput(facts, policy);
  const { layout, op } = input;
  const terms = termsOf(input);
  const digest = hashMessage(getBytes(layout.hash(op, terms)));
  return layout.encode(op, terms, SIGNER_KEY.sign(digest).serialized as Hex);
};

const requestOf = ({ op, stage, gasSource, expiryDuration, token, context = {} }: Facts) => {
  const { webhookData, ...rest } = context;
  const options = {
    mode: token === undefined ? 'SPONSORED' : 'ERC20',
    calculateGasLimits: gasSource === 'GAS_ESTIMATED',
    expiryDuration,
    sponsorshipInfo: webhookData === undefined ? {} : { webhookData },
    tokenInfo: {},
    ...rest,
  };
  return stage === 'final'
    ? { method: 'pm_sponsorUserOperation', received: [op, options], options }
    : { method: 'pm_getPaymasterStubData', received: [op, '0x', '0x1', options], options };
};

/** The record of a decided and signed operation, as read from a line of an export. */
export const decidedLine = (facts: Facts, policy: Policy, held: readonly bigint[]): DecisionRecord => {
  const verdict = decide(facts, policy, held);
  if (verdict.next === 'callWebhooks') throw new Error('the webhooks are to be asked first');
  const { steps, reason } = verdict;
  const { chainId, paymasterId, name: dapp } = policy.dapp;
  const { sender, nonce } = ruleInput(facts, policy).op;
  const asked = requestOf(facts);
  const record = {
    id: 'decision-1',
    seq: 1,
    method: asked.method,
    mode: asked.options.mode,
    chainId,
    paymasterId,
    dapp,
    sender,
    nonce: String(nonce),
    request: {
      received: asked.received,
      userOperation: facts.op,
      options: asked.options,
      calls: callsOf(ruleInput(facts, policy)),
    },
    ...decidedRecord({
      input: ruleInput(facts, policy),
      policyHash: policyHash(policy),
      reservations: plan(facts, policy),
      held,
      steps,
      reason,
      paymasterAndData: reason === undefined ? sign(facts, policy) : '0x',
      engine: ENGINE,
    }),
    facts: storedFacts(facts, facts.op),
  };
  return decisionRecord.parse(JSON.parse(JSON.stringify(record)));
};

/** The same decision as the database and the log store it. */
export const decidedText = (facts: Facts, policy: Policy, held: readonly bigint[]): string => {
  const { seq: _, settlement: __, actualCostWei: ___, ...record } = decidedLine(facts, policy, held);
  const { calls: ____, ...request } = record.request as { readonly calls: unknown };
  const before = held.map(String);
  const stored = { request, facts: leanFacts(facts, facts.op), held: before, traceHash: traceHash(record.trace) };
  return recordText({ ...record, ...stored });
};
