import { describe, expect, test } from 'vitest';
import type { Evidence } from '../shared/denials.ts';
import { decidingRules, denialWords, explainDenial } from './rule-words.ts';
import { ruleKinds } from './rules/registry.ts';

const TARGET = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const place = { call: 1, calls: 2 };
const detail = { detail: 'The array at byte 68 ends outside the data.' };

const host = 'hooks.example:8443';
const windowEndsAt = Date.UTC(2026, 10, 21, 14, 30);
const MINUTE = 60_000;
const limit = {
  name: 'Five a day',
  scope: 'PAYMASTER',
  unit: 'operations',
  threshold: '5',
  used: '5',
  amount: '1',
  windowEndsAt,
  now: windowEndsAt - 43 * MINUTE,
};

const SENDER = `0x${'5e'.repeat(20)}`;
const SPENDER = `0x${'9a'.repeat(20)}`;
const holding = { rule: 'Members', sender: SENDER, standard: 'ERC20', token: TARGET, minimum: '10' };
const token = {
  symbol: 'USDC',
  decimals: 6,
  token: TARGET,
  sender: SENDER,
  spender: SPENDER,
  neededUnits: '2500000',
  heldUnits: '2499999',
  missingUnits: '1',
  reservedUnits: '0',
};

/** Every code with what its rule leaves as evidence, and what the words have to name. */
const realistic: Record<string, { evidence: Evidence; names: readonly string[] }> = {
  SPONSORSHIP_PAUSED: {
    evidence: { pausedAt: windowEndsAt, reason: 'Key rotation' },
    names: ['2026-11-21 14:30 UTC', 'gasdesk resume'],
  },
  DAPP_PAUSED: {
    evidence: { pausedAt: windowEndsAt, dapp: 'Game Items', paymasterId: 'p-1', reason: 'Too much' },
    names: ['2026-11-21 14:30 UTC', 'Game Items', 'gasdesk resume --paymaster p-1'],
  },
  TOKEN_MODE_OFF: {
    evidence: { dapp: 'Game Items', paymasterId: 'p-1' },
    names: ['Game Items', 'gasdesk paymaster token-mode p-1 on'],
  },
  UNKNOWN_SELECTOR: { evidence: detail, names: [detail.detail] },
  MALFORMED_CALL_DATA: { evidence: detail, names: [detail.detail] },
  NESTED_EXECUTE_USER_OP: { evidence: detail, names: [detail.detail] },
  HIDDEN_CALLS: { evidence: detail, names: [detail.detail] },
  UNKNOWN_EXECUTION_MODE: { evidence: detail, names: [detail.detail] },
  AMBIGUOUS_TARGET: { evidence: detail, names: [detail.detail] },
  NESTED_TOO_DEEP: { evidence: detail, names: [detail.detail] },
  TOO_MANY_CALLS: { evidence: detail, names: [detail.detail] },
  DELEGATECALL_NOT_ALLOWED: { evidence: { target: TARGET, ...place }, names: [TARGET] },
  SELF_CALL_NOT_ALLOWED: { evidence: { target: TARGET, ...place }, names: [TARGET] },
  CONTRACT_NOT_REGISTERED: { evidence: { target: TARGET, ...place }, names: [TARGET] },
  CONTRACT_PAUSED: { evidence: { target: TARGET, contract: 'Game Items', ...place }, names: [TARGET, 'Game Items'] },
  METHOD_NOT_WHITELISTED: {
    evidence: { target: TARGET, contract: 'Game Items', selector: '0x42966c68', method: 'burn(uint256)', ...place },
    names: [TARGET, 'Game Items', 'burn(uint256)'],
  },
  PLAIN_TRANSFER: { evidence: { target: TARGET, valueWei: '1000000000000000001', ...place }, names: [TARGET] },
  UNREACHABLE_BUDGET_SPENT: {
    evidence: { chainId: 10, unit: 'wei', threshold: '9', used: '8', amount: '2' },
    names: [
      '0.000000000000000009',
      '0.000000000000000008',
      '0.000000000000000002',
      'chain set 10 --unreachable sign --unreachable-budget 0.00000000000000001"',
    ],
  },
  TANK_SHARE_REACHED: {
    evidence: { holder: 'sender', percent: 25, shareWei: '5', outstandingWei: '4', requiredWei: '2' },
    names: ['sender', '25 %', '0.000000000000000005', '0.000000000000000004', 'outstandingSharePercent'],
  },
  BURN_RATE_EXCEEDED_BY_DAPP: {
    evidence: {
      ...{ chainId: 10, unit: 'wei', seconds: 3_600, threshold: '9', used: '8', amount: '2' },
      ...{ dapp: 'Game Items', paymasterId: 'p-1' },
    },
    names: ['0.000000000000000009', '1 hour for each DApp', 'Sponsorship for Game Items is paused', '--paymaster p-1'],
  },
  BURN_RATE_EXCEEDED: {
    evidence: { chainId: 10, unit: 'wei', seconds: 3_600, threshold: '9', used: '8', amount: '2' },
    names: ['0.000000000000000009', '1 hour', 'All sponsorship is paused', '--breaker 0.00000000000000001/3600s'],
  },
  BURN_RATE_TOO_SMALL: {
    evidence: { chainId: 10, unit: 'wei', seconds: 3_600, threshold: '9', used: '0', amount: '11' },
    names: ['0.000000000000000009', '1 hour', '"gasdesk chain set 10 --breaker 0.000000000000000011/3600s"'],
  },
  FEE_TOO_HIGH: {
    evidence: {
      ...{ maxFeePerGasWei: '500', baseFeeWei: '8', suggestedTipWei: '40', pricePerGasWei: '450' },
      ...{
        surplusWei: '9',
        mostSurplusWei: '5',
        priceSurplusWei: '7',
        preVerificationSurplusWei: '2',
        penaltyWei: '0',
      },
      ...{ mostMaxFeePerGasWei: '200', mostTipWei: '192', symbol: 'ETH' },
    },
    names: [
      ...['450', '8', 'a tip of 40', '0.000000000000000009 ETH', '0.000000000000000005 ETH'],
      ...['0.000000000000000007 ETH by the price', '0.000000000000000002 ETH by preVerificationGas'],
      ...['maxFeePerGas of at most 200 wei', 'maxPriorityFeePerGas of at most 192 wei'],
    ],
  },
  CALL_GAS_TOO_HIGH: {
    evidence: {
      ...{ callGasLimit: '9000000', callGasUsed: '50000', mostCallGasLimit: '150000', symbol: 'ETH' },
      ...{
        surplusWei: '9',
        mostSurplusWei: '5',
        priceSurplusWei: '0',
        preVerificationSurplusWei: '0',
        penaltyWei: '9',
      },
    },
    names: ['9000000', 'uses 50000', '0.000000000000000009 ETH by the penalty', '150000', 'calculateGasLimits'],
  },
  GAS_ABOVE_BLOCK: { evidence: { gas: '40000000', blockGasLimit: '30000000' }, names: ['40000000', '30000000'] },
  PRE_VERIFICATION_GAS_TOO_HIGH: {
    evidence: { preVerificationGas: '1000000000', bundleGas: '50000', mostPreVerificationGas: '100000' },
    names: ['1000000000', '50000', '100000', 'calculateGasLimits'],
  },
  OPERATION_COST_TOO_HIGH: {
    evidence: {
      ...{ requiredWei: '30000000000000000', mostCostWei: '20000000000000000', chainId: 8453, symbol: 'ETH' },
      ...{ maxFeePerGasWei: '1500', baseFeeWei: '1000' },
    },
    names: [
      '0.03 ETH',
      '0.02 ETH',
      'maxFeePerGas of at most 1000 wei',
      'gasdesk chain set 8453 --max-operation-cost 0.03',
    ],
  },
  METHOD_NOT_IN_ABI: {
    evidence: { target: TARGET, contract: 'Game Items', selector: '0x42966c68', ...place },
    names: [TARGET, 'Game Items', '0x42966c68', 'ABI'],
  },
  SENDER_NOT_ALLOWED: { evidence: { rule: 'Members', sender: TARGET, listed: 2 }, names: [TARGET, '"Members"', 'Add'] },
  SENDER_DENIED: { evidence: { rule: 'Bots', sender: TARGET, listed: 2 }, names: [TARGET, '"Bots"', 'Remove'] },
  CONDITION_NOT_MET: {
    evidence: { rule: 'Cheap', expression: 'op.nonce < 5', met: 'op.nonce is 7', message: 'Only your first five.' },
    names: ['Only your first five.', '"Cheap"', 'op.nonce < 5', 'op.nonce is 7'],
  },
  CONDITION_FAILED: {
    evidence: { rule: 'Cheap', expression: 'context.plan == "gold"', failure: 'No such key: plan' },
    names: ['"Cheap"', 'No such key: plan', 'context.plan == "gold"'],
  },
  CONDITION_NOT_READ: {
    evidence: { rule: 'Cheap', expression: 'op.maxCostUsd < 1.0' },
    names: ['"Cheap"', 'op.maxCostUsd < 1.0', 'was not read', 'again'],
  },
  TOKEN_HOLDING_TOO_LOW: {
    evidence: { ...holding, standard: 'ERC1155', tokenId: '7', minimum: '1200', held: '200' },
    names: [
      SENDER,
      '200 units of token 7 of',
      TARGET,
      '"Members"',
      'at least 1,200',
      'Transfer 1,000 units of token 7',
    ],
  },
  TOKEN_HOLDING_UNREADABLE: {
    evidence: { ...holding, failure: 'NO_CONTRACT' },
    names: [SENDER, TARGET, '"Members"', 'no contract is at that address', 'Set the address of the rule'],
  },
  TOKEN_HOLDING_NOT_READ: { evidence: holding, names: [SENDER, TARGET, '"Members"', 'did not read', 'again'] },
  WALLET_DEPLOYMENT_NOT_SPONSORED: {
    evidence: { paused: true, rule: 'New wallets', because: 'PAUSED' },
    names: ['"New wallets"', 'paused', 'Activate'],
  },
  DEPLOYMENT_UNREADABLE: {
    evidence: { factory: TARGET, detail: 'Its function 0xdeadbeef is not known.' },
    names: [TARGET, '0xdeadbeef', 'factories of the WALLET_DEPLOYMENT rule'],
  },
  SENDER_WITHOUT_CODE: { evidence: { nonce: '0', nextNonce: '0' }, names: ['factory', 'initCode', 'eip7702Auth'] },
  SENDER_HAS_CODE: { evidence: { nonce: '0', nextNonce: '1' }, names: ['factory', 'initCode'] },
  FACTORY_FAILED: {
    evidence: { factory: TARGET, verificationGasLimit: '500000' },
    names: [TARGET, 'AA13', '500000', 'initCode', 'raise verificationGasLimit'],
  },
  FACTORY_MADE_OTHER_ACCOUNT: { evidence: { factory: TARGET }, names: [TARGET, 'AA14', 'getSenderAddress'] },
  FACTORY_MADE_NO_ACCOUNT: { evidence: { factory: TARGET }, names: [TARGET, 'AA15', 'initCode'] },
  ACCOUNT_FAILS_VALIDATION: {
    evidence: { sender: TARGET, error: '0x12345678', verificationGasLimit: '500000' },
    names: [TARGET, 'AA23', 'error 0x12345678', 'raise verificationGasLimit above 500000'],
  },
  NONCE_USED: { evidence: { nonce: '6', nextNonce: '7' }, names: ['nonce 6 is already used', 'it is 7'] },
  LIMIT_REACHED: { evidence: limit, names: ['Five a day', '5 operations', '2026-11-21 14:30 UTC', 'in 43 min'] },
  LIMIT_TOO_SMALL: {
    evidence: { ...limit, unit: 'wei', threshold: '1', used: '0', amount: '2' },
    names: ['Five a day', '0.000000000000000001', '0.000000000000000002', 'Waiting does not help'],
  },
  PRICE_UNKNOWN: {
    evidence: { name: 'Ten dollars', chainId: 31337, fault: 'the chain has no price' },
    names: ['Ten dollars', 'US dollars', 'the chain has no price', 'gasdesk chain set 31337 --usd', '--native-feed'],
  },
  PRICE_NOT_READ: { evidence: { name: 'Ten dollars' }, names: ['Ten dollars', 'was not read', 'again'] },
  FEE_TOO_LOW: { evidence: { maxFeePerGasWei: '1', baseFeeWei: '1000000007' }, names: ['1 wei', '1000000007'] },
  GAS_TANK_EMPTY: {
    evidence: { balanceWei: '10', reservedWei: '4', requiredWei: '9' },
    names: ['0.000000000000000003'],
  },
  TOKEN_ALLOWANCE_SHORT: {
    evidence: { ...token, prefund: false },
    names: ['2.5 USDC (2500000 units)', '0.000001 USDC (1 unit)', TARGET, SPENDER, SENDER, 'in the batch'],
  },
  TOKEN_BALANCE_SHORT: {
    evidence: { ...token, reservedUnits: '3' },
    names: ['2.5 USDC (2500000 units)', '0.000001 USDC (1 unit)', SENDER, '0.000003 USDC (3 units) reserved'],
  },
  TOKEN_CALL_OUT_OF_GAS: {
    evidence: { ...token, callGasLimit: '74916', callGasUsed: '76123' },
    names: ['USDC', SENDER, '74916', '76123 gas'],
  },
  TOKEN_TRANSFER_REFUSED: { evidence: token, names: ['USDC', TARGET] },
  TOKEN_TOO_COARSE: { evidence: { ...token, gasPriceWei: '12' }, names: ['USDC', TARGET, '12 wei per gas'] },
  TOKEN_UNREADABLE: { evidence: token, names: ['USDC', TARGET] },
  WEBHOOK_DENIED: { evidence: { host, status: 200 }, names: [host, 'arePoliciesVerified: false'] },
  WEBHOOK_TIMEOUT: { evidence: { host, timeoutMs: 3000 }, names: [host, '3000 ms'] },
  WEBHOOK_STATUS: { evidence: { host, status: 500 }, names: [host, '500'] },
  WEBHOOK_REDIRECT: { evidence: { host, status: 302, location: '/there' }, names: [host, '302'] },
  WEBHOOK_NOT_JSON: { evidence: { host, status: 200 }, names: [host, 'JSON'] },
  WEBHOOK_NO_VERDICT: { evidence: { host, detail: 'it is an array' }, names: [host, 'it is an array'] },
  WEBHOOK_DUPLICATE_KEYS: { evidence: { host, key: 'arePoliciesVerified' }, names: [host, '"arePoliciesVerified"'] },
  WEBHOOK_TOO_LARGE: { evidence: { host, limitBytes: 65_536 }, names: [host, '65536'] },
  WEBHOOK_NOT_HTTP: { evidence: { host, detail: 'Parse Error' }, names: [host, 'Parse Error'] },
  WEBHOOK_UNREACHABLE: { evidence: { host, detail: 'the connection was refused' }, names: [host, 'refused'] },
  WEBHOOK_ADDRESS_REFUSED: {
    evidence: { host, address: '169.254.169.254', range: 'link-local', private: false },
    names: [host, '169.254.169.254', 'link-local'],
  },
  WEBHOOK_NOT_REACHED: { evidence: { host, timeoutMs: 3000 }, names: [host, '3000'] },
  WEBHOOK_BUSY: { evidence: { host, atOnce: 32 }, names: [host, '32', 'webhookMaxConcurrent'] },
};

test('every kind of rule has words of its own for what it denies', () => {
  const codes = ruleKinds.flatMap(({ denials }) => Object.keys(denials));
  expect(codes.sort()).toEqual(Object.keys(realistic).sort());
  expect(denialWords.size).toBe(codes.length);
});

test('what only informs is no rule that can decide', () => {
  expect(ruleKinds.map(({ type }) => type).filter((type) => !decidingRules.includes(type))).toEqual([
    'gas',
    'authorization',
  ]);
});

describe.each(Object.entries(realistic))('%s', (code, { evidence, names }) => {
  const { message, hint } = explainDenial(code, evidence);

  test('says what happened and the smallest change that mends it', () => {
    expect(message).toMatch(/^[A-Z].+[.]$/);
    expect(hint).toMatch(/^[A-Z].+[.]$/);
    expect(`${message} ${hint}`).not.toMatch(/undefined|null|NaN|\[object/);
  });

  test('names what it is about', () => {
    for (const name of names) expect(`${message} ${hint}`).toContain(name);
  });
});

test.each([
  ['0', '0'],
  ['1', '0.000000000000000001'],
  ['1000000000000000000', '1'],
  ['1000000000000000001', '1.000000000000000001'],
  ['123456789012345678901234567890', '123456789012.34567890123456789'],
])('%s wei is told exactly, as %s coins', (valueWei, coins) => {
  const { message } = explainDenial('PLAIN_TRANSFER', { target: TARGET, valueWei });
  expect(message).toContain(`sends ${coins} of`);
});

test.each([
  // balance, reserved, needed, short
  ['0', '0', '1', '0.000000000000000001'],
  ['1000000000000000000', '0', '1000000000000000001', '0.000000000000000001'],
  ['5', '7', '0', '0.000000000000000002'],
  ['0', '123456789012345678901', '1', '123.456789012345678902'],
])(
  'a tank of %s wei with %s reserved and %s needed lacks exactly %s coins',
  (balanceWei, reservedWei, requiredWei, lacks) => {
    const { hint } = explainDenial('GAS_TANK_EMPTY', { balanceWei, reservedWei, requiredWei });
    expect(hint).toContain(`at least ${lacks} of`);
  },
);

test('a tank with a withdrawal under way is told with what it holds, owes and loses, in its coin', () => {
  const [balanceWei, pendingWithdrawalsWei, requiredWei] = ['997', '600', '450'].map((one) => `${one}000000000000000`);
  const evidence = {
    balanceWei: balanceWei!,
    reservedWei: '0',
    pendingWithdrawalsWei: pendingWithdrawalsWei!,
    requiredWei: requiredWei!,
    symbol: 'POL',
  };
  const { message, hint } = explainDenial('GAS_TANK_EMPTY', evidence);
  expect(message).toMatch(
    /holds 0[.]997 POL, of which 0 POL is reserved .* 0[.]6 POL is in pending withdrawals.* 0[.]45 POL/,
  );
  expect(hint).toContain('0.053 POL');
});

test.each([
  [0, 43 * MINUTE, '14:30 UTC, in 43 min'],
  [0, 42 * MINUTE + 1, '14:30 UTC, in 43 min'],
  [0, 1, '14:30 UTC, in 1 min'],
  // A window seldom ends on a full minute: whoever comes at the minute before it is denied again.
  [1, 43 * MINUTE, '14:31 UTC, in 43 min'],
  [59_999, 60 * MINUTE, '14:31 UTC, in 1 h 0 min'],
  [0, 25 * 60 * MINUTE, '14:30 UTC, in 25 h 0 min'],
  [0, 49 * 60 * MINUTE, '14:30 UTC, in 2 days 1 h'],
])('a window that ends %i ms after 14:30 and %i ms from now is never told to end earlier', (after, wait, words) => {
  const endsAt = windowEndsAt + after;
  const { hint } = explainDenial('LIMIT_REACHED', { ...limit, windowEndsAt: endsAt, now: endsAt - wait });
  expect(hint).toContain(`Wait until the window resets at 2026-11-21 ${words},`);
});

test.each(['SPONSORSHIP_PAUSED', 'DAPP_PAUSED'] as const)(
  '%s is never told to have begun later than it did',
  (code) => {
    const { message } = explainDenial(code, { dapp: 'Game Items', pausedAt: windowEndsAt + 59_999 });
    expect(message).toContain('since 2026-11-21 14:30 UTC;');
  },
);

test.each([
  ['0', '0 operations are used'],
  ['1', '1 operation is used'],
  ['2', '2 operations are used'],
])('%s operations used are told in whole words', (used, words) => {
  expect(explainDenial('LIMIT_REACHED', { ...limit, used }).message).toContain(words);
});

test('a limit in dollars is told to the millionth, rounded up, and one without an end as one', () => {
  const amounts = {
    unit: 'usd',
    threshold: '5000000000000000000',
    used: '4999999999999999999',
    amount: '1234567800000000001',
  };
  const { message, hint } = explainDenial('LIMIT_REACHED', {
    ...limit,
    ...amounts,
    scope: 'SMART_ACCOUNT',
    windowEndsAt: null,
  });
  expect(message).toContain('allows $5 per user in total; $5 is used, and this operation takes $1.234568.');
  expect(hint).toContain('has no end');
});

test('a limit of each operation names both amounts', () => {
  const amounts = { unit: 'usd', threshold: '500000000000000000', used: '0', amount: '1200000000000000000' };
  const { message } = explainDenial('LIMIT_TOO_SMALL', {
    ...limit,
    ...amounts,
    scope: 'OPERATION',
    windowEndsAt: null,
  });
  expect(message).toContain('allows $0.50 for each operation, less than the $1.20 that this operation may take.');
});

test('who pays up front is not told to approve in the batch, which would come too late', () => {
  const { hint } = explainDenial('TOKEN_ALLOWANCE_SHORT', { ...token, prefund: true });
  expect(hint).toContain('before this operation');
  expect(hint).not.toContain('in the batch');
});

test('a limit per user is told as one, and money to the wei', () => {
  const evidence = { ...limit, scope: 'SMART_ACCOUNT', unit: 'wei', threshold: '3', used: '2', amount: '2' };
  const { message } = explainDenial('LIMIT_REACHED', evidence);
  expect(message).toContain('allows 0.000000000000000003 of the native coin per user and window');
  expect(message).toContain('0.000000000000000002 of the native coin is used');
});
