import { expect, test } from 'vitest';
import { encodeExecute } from '../../../test/support/account-call-data.ts';
import { decidedLine } from '../../../test/support/decided-record.ts';
import { type Situation, inputsOf, together } from '../../../test/support/situation.ts';
import { FACTORY, ITEMS, breaker, call, hook, items, limit, rule } from '../../../test/support/situations.ts';
import { decideAgain } from './decide-again.ts';
import type { Policy } from '../policy/policy.ts';

const burning: Situation = {
  policy: { contracts: [items()] },
  op: { callData: encodeExecute(ITEMS, 0n, call('burn')) },
};
const atLimit: Situation = { policy: { rules: [limit()] }, held: { limit: 5n } };
const pause = { since: 1, reason: null };

/** The verdict on a decision in one situation, under its policy with these changes. */
const again = (situation: Situation, changes: Partial<Policy>) => {
  const [facts, policy, held] = inputsOf(situation);
  const { verdict, reason } = decideAgain(decidedLine(facts, policy, held), { ...policy, ...changes });
  return reason === undefined ? verdict : reason.code;
};
const bothMethods = items({ whitelistedMethods: ['mint(uint256)', 'burn(uint256)'] });
const members = rule('Members', 'TOKEN_HOLDING', { standard: 'ERC20', address: ITEMS, minimum: '1' });
const newWallets = rule('New wallets', 'WALLET_DEPLOYMENT', { operator: 'walletDeployment' });
const moreOften = { ...limit({ threshold: '6' }), cycle: 1 };

test.each<[string, Situation, Partial<Policy>, string]>([
  ['nothing was changed', burning, {}, 'METHOD_NOT_WHITELISTED'],
  ['the method is sponsored now', burning, { contracts: [bothMethods] }, 'sponsored'],
  ['the contract is gone', burning, { contracts: [] }, 'sponsored'],
  ['the next rule denies it', burning, { contracts: [bothMethods], pause }, 'SPONSORSHIP_PAUSED'],
  ['the limit holds what it held', atLimit, {}, 'LIMIT_REACHED'],
  ['a limit that was changed begins a new window', atLimit, { rules: [moreOften] }, 'sponsored'],
  ['a limit is paused', atLimit, { rules: [{ ...limit(), active: false }] }, 'sponsored'],
  [
    'a limit that was added has counted nothing yet',
    burning,
    { contracts: [], rules: [limit({ threshold: '1' })] },
    'sponsored',
  ],
  ['a webhook has the last word', burning, { contracts: [bothMethods], webhooks: [hook] }, 'webhooks'],
  [
    'deployments are sponsored now',
    together(burning, { op: { initCode: FACTORY } }),
    { contracts: [bothMethods] },
    'WALLET_DEPLOYMENT_NOT_SPONSORED',
  ],
  [
    'what was reserved counts where nothing but its rule has changed',
    together(burning, breaker(1n)),
    { contracts: [bothMethods] },
    'BURN_RATE_TOO_SMALL',
  ],
  [
    'gas that was not estimated in a pause is not known after it',
    { policy: { pause }, facts: { gasSource: 'GAS_NOT_ESTIMATED' } },
    { pause: null },
    'gasUnknown',
  ],
  [
    'a condition asks for a price that was not read',
    burning,
    { contracts: [bothMethods], rules: [{ ...limit(), when: 'op.maxCostUsd < 1.0' }] },
    'notRead',
  ],
  [
    'what allows deployments asks for a price that was not read',
    together(burning, { op: { initCode: FACTORY }, facts: { account: { hasCode: false, nextNonce: '0' } } }),
    { contracts: [bothMethods], rules: [{ ...newWallets, when: 'op.maxCostUsd < 1.0' }] },
    'notRead',
  ],
  [
    'a rule was stored with a condition that is refused today',
    burning,
    { contracts: [bothMethods], rules: [{ ...limit(), when: 'time.getHours("Europe/Berlin") > 8' }] },
    'CONDITION_FAILED',
  ],
  ['a rule asks what was not read of a token', burning, { contracts: [bothMethods], rules: [members] }, 'notRead'],
  ['another rule denies it whatever is held', burning, { rules: [members] }, 'METHOD_NOT_WHITELISTED'],
])('a denial is decided again under another policy: %s', (_what, situation, changes, expected) => {
  expect(again(situation, changes)).toBe(expected);
});

test('a record without facts, or with others than this version knows, is not decided again', () => {
  const [facts, policy, held] = inputsOf(burning);
  const { facts: stored, ...record } = decidedLine(facts, policy, held);
  expect(decideAgain(record, policy).verdict).toBe('notReplayable');
  const newer = { ...record, facts: { ...(stored as object), v: 2 } };
  expect(decideAgain(newer, policy).verdict).toBe('notReplayable');
});
