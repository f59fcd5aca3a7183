import { toBeHex } from 'ethers';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  BATCH,
  MULTI_SEND,
  SINGLE,
  ZERO_ADDRESS,
  encodeArguments,
  encodeExecute,
  encodeExecute7579,
  encodeFunction,
  encodeMultiSend,
  encodeSafe,
  packTransaction,
} from '../../test/support/account-call-data.ts';
import { bareDecide } from '../../test/support/bare-core.ts';
import { ENGINE, decidedLine } from '../../test/support/decided-record.ts';
import { GWEI, SENDER, factsWith, operationWith, rpcOperationV07With } from '../../test/support/facts.ts';
import { type Situation, decided, inputsOf, together } from '../../test/support/situation.ts';
import {
  COIN,
  COST,
  FACTORY,
  factoryCalled,
  safeCreated,
  ITEMS,
  MAX_UNITS,
  NOW,
  breaker,
  call,
  inWei,
  items,
  limit,
  paying,
  responseWith,
  rule,
  shared,
  unreachable,
  usdc,
  withResponse,
  EACH,
  LIFETIME,
  PRICED,
  inUsd,
} from '../../test/support/situations.ts';
import type { Evidence } from '../shared/denials.ts';
import type { Address, Hex } from '../shared/schema/hex.ts';
import type { UserOperationV07 } from '../shared/schema/user-operation.ts';
import { decide } from './decide.ts';
import type { Facts } from './facts.ts';
import type { AccountKind } from './ledger/account.ts';
import { type PolicyContract, type PolicyPause, type PolicyRule, policySchema } from './policy.ts';
import { replay } from './replay.ts';
import { ruleKinds } from './rules/registry.ts';
import type { CoinPrice } from './facts.ts';
import type { SpendingLimit } from './rules/spending-limit/index.ts';
import { bundleGas } from './user-operation/bundle-gas.ts';
import type { WebhookDenialCode } from './webhooks/webhook-denials.ts';
import type { WebhookResponse } from './webhooks/webhook-response.ts';

const STRANGER: Address = `0x${'57'.repeat(20)}`;
const [MINT, BURN] = [call('mint'), call('burn')];

const pausing = (pause: PolicyPause | null): Situation => ({ policy: { pause } });

/** An operation with this callData, of a DApp that sponsors `mint` on one contract. */
const calling = (callData: Hex): Situation => ({ policy: { contracts: [items()] }, op: { callData } });
const MINTING = encodeExecute(ITEMS, 0n, MINT);
const executing = (target: Address, data: Hex): Situation => calling(encodeExecute(target, 0n, data));

/** The same with executeUserOp before it, for EntryPoint v0.7. */
const prefixed = (prefix: Hex): Situation => {
  const callData: Hex = `${prefix}${MINTING.slice(2)}`;
  return { ...calling(callData), dapp: { version: 'verifying-0.7' }, facts: { op: rpcOperationV07With({ callData }) } };
};

const HONEST_BATCH = encodeExecute7579(BATCH, encodeArguments(['(address,uint256,bytes)[]'], [[[ITEMS, 0n, MINT]]]));
/** The same, but its bytes claim to end after one word. */
const HIDING_BATCH: Hex = `0x${HONEST_BATCH.slice(2, 138)}${toBeHex(32, 32).slice(2)}${HONEST_BATCH.slice(202)}`;
const single7579 = (target: Address): Hex => encodeExecute7579(SINGLE, `${target}${'00'.repeat(32)}${MINT.slice(2)}`);
const nestedMultiSends = (depth: number): Hex => {
  let data = encodeMultiSend(packTransaction(0, ITEMS, MINT));
  for (let level = 1; level < depth; level += 1) data = encodeMultiSend(packTransaction(1, MULTI_SEND, data));
  return encodeSafe(MULTI_SEND, data, 1);
};
const multiSendOf = (count: number): Hex =>
  encodeSafe(MULTI_SEND, encodeMultiSend(...Array.from({ length: count }, () => packTransaction(0, ITEMS, MINT))), 1);

/** The same by that `initCode`, where deployments are allowed, and some factories trusted. */
const makingBy = (initCode: Hex, factories: Address[] = []): Situation => ({
  ...deploying([rule('New wallets', 'WALLET_DEPLOYMENT', { operator: 'walletDeployment', factories }, true)]),
  op: { initCode },
});
/** The same, of a Safe whose setup calls something. */
const settingUp = (target: Address, data = MINT): Situation =>
  makingBy(safeCreated(MULTI_SEND, encodeMultiSend(packTransaction(0, target, data))));

const limited = (changes?: Partial<SpendingLimit>): Situation => ({ policy: { rules: [limit(changes)] } });

const account = (hasCode: boolean, nextNonce = '0'): Situation => ({ facts: { account: { hasCode, nextNonce } } });
/** An operation that makes its account. */
const making = (creationFailure?: 'AA13' | 'AA14' | 'AA15'): Situation => ({
  facts: { account: { hasCode: false, nextNonce: '0', ...(creationFailure && { creationFailure }) } },
  op: { initCode: FACTORY },
});
/** The same, of a DApp that says what it sponsors. */
const deploying = (rules: PolicyRule[], contracts = [items()]): Situation => ({
  ...making(),
  policy: { rules, contracts },
});

const holding = (changes: { allowance?: bigint; balance?: bigint }): Situation => {
  const { allowance = 2n * MAX_UNITS, balance = 2n * MAX_UNITS } = changes;
  return paying({ holdings: { allowance: String(allowance), balance: String(balance) } });
};
/** By Pimlico's contract, which can take tokens before the operation runs. */
const prefunding = (balance: string): Situation => ({
  ...paying({ preFund: true, holdings: { ...usdc.holdings, balance } }, 'singleton-0.6'),
  dapp: { version: 'singleton-0.6' },
});
/** The same, or all of it afterwards. The user approves the tokens in the operation itself. */
const approvingInside = (preFund: boolean): Situation => {
  const spender = factsWith().contract.address;
  const approve = encodeFunction('approve(address,uint256)', ['address', 'uint256'], [spender, 2n * MAX_UNITS]);
  const callData = encodeExecute(usdc.address, 0n, approve);
  const holdings = { ...usdc.holdings, allowance: '0' };
  return { ...paying({ preFund, holdings }, 'singleton-0.6'), dapp: { version: 'singleton-0.6' }, op: { callData } };
};

/** The tokens were taken when it was tried, and so much was left; of the allowance, as much as was there before. */
const tried = ({
  allowance = MAX_UNITS,
  balance = 9n * MAX_UNITS,
}: {
  allowance?: bigint;
  balance?: bigint;
}): Situation => paying({ left: { allowance: String(allowance), balance: String(balance) } });
/** The user had approved nothing, and nothing is read of an approval in the operation. */
const approvedUnseen = (left: bigint | undefined): Situation =>
  paying({
    holdings: { ...usdc.holdings, allowance: '0' },
    ...(left !== undefined && { left: { allowance: '0', balance: String(left) } }),
  });

/** Tokens are taken up front, and the operation approves more of them, when it was tried. */
const approvingAgain: Situation = {
  ...paying(
    {
      preFund: true,
      holdings: { ...usdc.holdings, balance: String(9n * MAX_UNITS) },
      left: { allowance: String(9n * MAX_UNITS), balance: String(8n * MAX_UNITS) },
    },
    'singleton-0.6',
  ),
  dapp: { version: 'singleton-0.6' },
};

const unfinished = (code: WebhookDenialCode, evidence: Evidence): WebhookResponse => {
  const { status: _none, ...exchange } = responseWith({}, { response: '' }).call;
  return responseWith({ call: exchange, fault: { code, evidence } });
};

const unusedV07 = (changes: Partial<UserOperationV07>, call: string): Situation => ({
  dapp: { version: 'verifying-0.7' },
  facts: { op: rpcOperationV07With(changes), gasUsed: { validation: '50000', call } },
});
const tipping = (tip: bigint): Situation => ({ op: { maxFeePerGas: 9n * GWEI, maxPriorityFeePerGas: tip } });
const suggesting = (tip: bigint): Situation => ({ chain: { suggestedTipWei: String(tip) } });
/** What a bundle of the operation costs, what it comes to at least with all that its call uses, and 15 % of that: gas. */
const BUNDLE_GAS = bundleGas('0.6', operationWith(), 0n);
const usualGas = (call: bigint): bigint => BUNDLE_GAS + 57_000n + call;
const surplus = (call: bigint): bigint => (usualGas(call) * 15n) / 100n;
/** With 15 % more than gas costs, all of which is paid for what preVerificationGas gives as well, the sum is what it may be. */
const highestTip = (call: bigint): bigint => {
  const given = operationWith().preVerificationGas - BUNDLE_GAS;
  return (115n * GWEI * usualGas(call)) / (100n * (usualGas(call) + given)) - GWEI;
};
const using = (call: bigint): Situation => ({ facts: { gasUsed: { validation: '50000', call: String(call) } } });

/** Two situations that differ in one value: with one of them the operation is denied, with the other it is signed. */
interface Row {
  readonly rule: string;
  readonly denied: Situation;
  readonly signed: Situation;
}
const row = <Value>(rule: string, given: (value: Value) => Situation, denied: Value, signed: Value): Row => ({
  ...{ rule, denied: given(denied), signed: given(signed) },
});
const contractsRow = (denied: Hex, signed: Hex): Row => row('contracts', calling, denied, signed);
const webhookRow = (denied: WebhookResponse): Row => row('webhook', withResponse, denied, responseWith());
/** What one kind of account may hold at most for the operation to be signed. */
const heldRow = (rule: string, kind: AccountKind, most: bigint, situation: Situation): Row =>
  row(rule, (held: bigint) => together(situation, { held: { [kind]: held } }), most + 1n, most);

/** How the account of the operation fails, whatever the signature. */
const validating = (failure: Hex | undefined): Situation => ({
  facts: { account: { hasCode: true, nextNonce: '0', ...(failure && { validationFailure: failure }) } },
});

/** The user pays a singleton in a token of which a coin is worth so many units. */
const coarse =
  (preFund: boolean) =>
  (exchangeRate: string): Situation => ({
    ...paying({ preFund, exchangeRate }, 'singleton-0.6'),
    dapp: { version: 'singleton-0.6' },
  });

/** What does not bind a draft: its gas may be open, and nothing is signed for it. */
const NOT_OF_DRAFTS =
  /^(CONDITION_|FEE_|GAS_ABOVE_BLOCK|PRE_VERIFICATION_GAS_|CALL_GAS_|OPERATION_COST_|WEBHOOK_|BURN_RATE_|TANK_SHARE_|TOKEN_TOO_COARSE)/;

/** Every denial there is: the compiler sees that none is missing. */
/** A list of accounts, kept as it is sent. */
const listing =
  (mode: 'ALLOW' | 'DENY') =>
  (address: string): Situation => ({
    policy: { rules: [rule('List', 'SENDERS', { mode, addresses: [address.toLowerCase()] })] },
  });

/** The operation is held to a condition. */
const held = (expression: string): Situation => ({
  policy: { rules: [rule('Cheap', 'CONDITION', { expression, message: 'This costs too much.' })] },
});

/** The same to one in dollars, at that price of the coin. */
const pricedAt = (price: CoinPrice): Situation => together(held('op.maxCostUsd > 0.0'), { facts: { price } });

const MEMBERSHIP = `0x${'7e'.repeat(20)}` as const;

/** The sender must hold ten units of a token, and what was read of it is this; undefined: nothing was read. */
const holds = (answer: NonNullable<Facts['holdings']>[string] | undefined): Situation => ({
  policy: {
    rules: [rule('Members', 'TOKEN_HOLDING', { standard: 'ERC20', address: MEMBERSHIP, minimum: '10' })],
  },
  facts: answer === undefined ? {} : { holdings: { [`ERC20:${MEMBERSHIP}`]: answer } },
});

/** The same of one NFT. */
const owns = (held: string): Situation => ({
  policy: {
    rules: [rule('One', 'TOKEN_HOLDING', { standard: 'ERC721', address: MEMBERSHIP, tokenId: '5', minimum: '1' })],
  },
  facts: { holdings: { [`ERC721:${MEMBERSHIP}:5`]: { held } } },
});

const rows = {
  SPONSORSHIP_PAUSED: [row('pause', pausing, { since: NOW, reason: 'Key rotation' }, null)],
  DAPP_PAUSED: [row('pause', pausing, { since: NOW, reason: null, dapp: 'Game', paymasterId: 'p-1' }, null)],

  TOKEN_MODE_OFF: [row('tokenMode', (tokenMode: boolean) => ({ ...paying(), dapp: { tokenMode } }), false, true)],

  UNKNOWN_SELECTOR: [contractsRow('0xdeadbeef', MINTING)],
  MALFORMED_CALL_DATA: [contractsRow(MINTING.slice(0, -64) as Hex, MINTING)],
  NESTED_EXECUTE_USER_OP: [row('contracts', prefixed, '0x8dd7712f8dd7712f', '0x8dd7712f')],
  HIDDEN_CALLS: [contractsRow(HIDING_BATCH, HONEST_BATCH)],
  UNKNOWN_EXECUTION_MODE: [contractsRow(HONEST_BATCH.replace('0xe9ae5c5301', '0xe9ae5c5302') as Hex, HONEST_BATCH)],
  AMBIGUOUS_TARGET: [contractsRow(single7579(ZERO_ADDRESS), single7579(ITEMS))],
  NESTED_TOO_DEEP: [contractsRow(nestedMultiSends(5), nestedMultiSends(4))],
  TOO_MANY_CALLS: [contractsRow(multiSendOf(1001), multiSendOf(1000))],
  DELEGATECALL_NOT_ALLOWED: [
    contractsRow(encodeSafe(ITEMS, MINT, 1), encodeSafe(ITEMS, MINT, 0)),
    row('contracts', (trusted: Address[]) => makingBy(safeCreated(STRANGER, MINT), trusted), [], [STRANGER]),
  ],
  SELF_CALL_NOT_ALLOWED: [row('contracts', (target: Address) => executing(target, MINT), SENDER, ITEMS)],
  CONTRACT_NOT_REGISTERED: [
    row('contracts', (target: Address) => executing(target, MINT), STRANGER, ITEMS),
    // What is approved while the account is made is approved all the same.
    row('contracts', (target: Address) => settingUp(target), STRANGER, ITEMS),
  ],
  CONTRACT_PAUSED: [
    row(
      'contracts',
      (active: boolean) => ({ ...calling(MINTING), policy: { contracts: [items({ active })] } }),
      false,
      true,
    ),
  ],
  METHOD_NOT_WHITELISTED: [
    row('contracts', (data: Hex) => executing(ITEMS, data), BURN, MINT),
    row('contracts', (data: Hex) => settingUp(ITEMS, data), BURN, MINT),
  ],
  METHOD_NOT_IN_ABI: [row('contracts', (data: Hex) => executing(ITEMS, data), call('steal'), MINT)],
  PLAIN_TRANSFER: [row('contracts', (data: Hex) => executing(ITEMS, data), '0x', MINT)],

  SENDER_NOT_ALLOWED: [row('senders', listing('ALLOW'), ITEMS, SENDER.toUpperCase().replace('0X', '0x'))],
  SENDER_DENIED: [row('senders', listing('DENY'), SENDER, ITEMS)],
  CONDITION_NOT_MET: [row('condition', held, 'op.maxCostWei < 1', 'op.maxCostWei > 0')],
  CONDITION_FAILED: [
    row('condition', held, 'context.plan == "gold"', '!has(context.plan)'),
    row('condition', held, 'time.getDayOfYear() >= 0', 'time.getDayOfWeek() >= 0'),
    row<CoinPrice>('condition', pricedAt, { usd: null, fault: 'it is silent' }, { usd: '3', source: 'static' }),
  ],
  CONDITION_NOT_READ: [row<Situation>('condition', (facts) => together(held('has(op.maxCostUsd)'), facts), {}, PRICED)],
  TOKEN_HOLDING_TOO_LOW: [
    row('tokenHolding', (held: string) => holds({ held }), '9', '10'),
    row('tokenHolding', (held: string) => holds({ held }), '0', String(2n ** 256n - 1n)),
    row('tokenHolding', owns, '0', '1'),
  ],
  TOKEN_HOLDING_UNREADABLE: (['NO_NODE', 'NO_ANSWER', 'NO_CONTRACT', 'REVERTED', 'NO_NUMBER'] as const).map((failure) =>
    row<Parameters<typeof holds>[0]>('tokenHolding', holds, { failure }, { held: '10' }),
  ) as [Row, ...Row[]],
  TOKEN_HOLDING_NOT_READ: [row<Parameters<typeof holds>[0]>('tokenHolding', holds, undefined, { held: '10' })],
  WALLET_DEPLOYMENT_NOT_SPONSORED: [
    row(
      'walletDeployment',
      (active: boolean) =>
        deploying([rule('New wallets', 'WALLET_DEPLOYMENT', { operator: 'walletDeployment' }, active)]),
      false,
      true,
    ),
    row('walletDeployment', (contracts: PolicyContract[]) => deploying([], contracts), [items()], []),
  ],
  DEPLOYMENT_UNREADABLE: [
    row('walletDeployment', makingBy, factoryCalled('0xdeadbeef'), FACTORY),
    row('walletDeployment', makingBy, FACTORY.slice(0, 42) as Hex, FACTORY),
    row(
      'walletDeployment',
      (trusted: Address[]) => makingBy(factoryCalled('0xdeadbeef'), trusted),
      [STRANGER],
      [FACTORY.slice(0, 42).toUpperCase().replace('X', 'x') as Address],
    ),
  ],

  SENDER_WITHOUT_CODE: [row('validity', account, false, true)],
  SENDER_HAS_CODE: [row('validity', (initCode: Hex) => ({ op: { initCode } }), FACTORY, '0x')],
  FACTORY_FAILED: [row('validity', making, 'AA13', undefined)],
  FACTORY_MADE_OTHER_ACCOUNT: [row('validity', making, 'AA14', undefined)],
  FACTORY_MADE_NO_ACCOUNT: [row('validity', making, 'AA15', undefined)],
  ACCOUNT_FAILS_VALIDATION: [
    row('validity', validating, '0x', undefined),
    // Behind another operation, which may set it up.
    row('validity', (nonce: bigint) => ({ ...validating('0x12345678'), op: { nonce } }), 0n, 1n),
  ],
  NONCE_USED: [row('validity', (nonce: bigint) => ({ ...account(true, '7'), op: { nonce } }), 6n, 7n)],

  FEE_TOO_LOW: [row('fees', (maxFeePerGas: bigint) => ({ op: { maxFeePerGas } }), GWEI - 1n, GWEI)],
  FEE_TOO_HIGH: [
    row('fees', (maxFeePerGas: bigint) => ({ op: { maxFeePerGas } }), 10n * GWEI + 1n, 10n * GWEI),
    row('fees', tipping, highestTip(0n) + 1n, highestTip(0n)),
    row('fees', (tip: bigint) => together(tipping(tip), using(90_000n)), highestTip(90_000n) + 1n, highestTip(90_000n)),
    // A tip above the base fee may be doubled; and a node that suggests more than any chain's usual tip is not believed.
    row('fees', (tip: bigint) => ({ ...tipping(tip), ...suggesting(4n * GWEI) }), 8n * GWEI, 7n * GWEI),
    row(
      'fees',
      (fee: bigint) => ({
        op: { maxFeePerGas: fee },
        ...suggesting(200n * GWEI),
        settings: { maxOperationCostWei: String(COIN) },
      }),
      1010n * GWEI + 1n,
      1010n * GWEI,
    ),
    // What is believed counts, whatever the node says now.
    row(
      'fees',
      (believedTipWei: string) => together(tipping(GWEI), suggesting(GWEI), { chain: { believedTipWei } }),
      '500000000',
      '900000000',
    ),
    row('fees', (believedBaseFeeWei: string) => ({ chain: { believedBaseFeeWei } }), '800000000', '900000000'),
  ],
  CALL_GAS_TOO_HIGH: [
    row('fees', (callGasLimit: bigint) => unusedV07({ callGasLimit }, '90000'), 400_000n, 200_000n),
    row('fees', (used: string) => unusedV07({ callGasLimit: 400_000n }, used), '90000', '200000'),
  ],
  GAS_ABOVE_BLOCK: [row('fees', (blockGasLimit: string) => ({ chain: { blockGasLimit } }), '199999', '200000')],
  PRE_VERIFICATION_GAS_TOO_HIGH: [
    row(
      'fees',
      (preVerificationGas: bigint) => ({ op: { preVerificationGas } }),
      BUNDLE_GAS + surplus(0n) + 1n,
      BUNDLE_GAS + surplus(0n),
    ),
    row(
      'fees',
      (preVerificationGas: bigint) => ({ op: { preVerificationGas }, ...using(90_000n) }),
      BUNDLE_GAS + surplus(90_000n) + 1n,
      BUNDLE_GAS + surplus(90_000n),
    ),
    row(
      'fees',
      (preVerificationGas: bigint) => ({ op: { preVerificationGas }, facts: { chain: null, hasNode: false } }),
      2n * BUNDLE_GAS + 1n,
      2n * BUNDLE_GAS,
    ),
  ],
  OPERATION_COST_TOO_HIGH: [
    row('fees', (most: bigint) => ({ settings: { maxOperationCostWei: String(most) } }), COST - 1n, COST),
    // 20,000,000 gas, where the operator has set nothing.
    row('fees', (callGasLimit: bigint) => ({ op: { callGasLimit } }), 19_788_001n, 19_788_000n),
  ],

  LIMIT_REACHED: [
    heldRow('spendingLimit', 'limit', 4n, limited()),
    heldRow('spendingLimit', 'limit', 4n, limited({ type: 'SMART_ACCOUNT' })),
    heldRow('spendingLimit', 'limit', COST, limited(inWei(2n * COST))),
    heldRow('spendingLimit', 'limit', 0n, limited(inWei(COST))),
    heldRow('spendingLimit', 'limit', 4n, limited(LIFETIME)),
    heldRow('spendingLimit', 'limit', 2n * COST, together(limited(inUsd(5n * COST)), PRICED)),
  ],
  LIMIT_TOO_SMALL: [
    row('spendingLimit', (wei: bigint) => limited(inWei(wei)), COST - 1n, COST),
    row('spendingLimit', (wei: bigint) => limited({ ...inWei(wei), ...EACH }), COST - 1n, COST),
    row('spendingLimit', (units: bigint) => together(limited(inUsd(units)), PRICED), 3n * COST - 1n, 3n * COST),
  ],
  PRICE_UNKNOWN: [
    row<CoinPrice>(
      'spendingLimit',
      (price) => together(limited(inUsd(3n * COST)), { facts: { price } }),
      { usd: null, fault: 'the chain has no price' },
      { usd: '3', source: 'static' },
    ),
  ],
  PRICE_NOT_READ: [row<Situation>('spendingLimit', (facts) => together(limited(inUsd(3n * COST)), facts), {}, PRICED)],

  TOKEN_ALLOWANCE_SHORT: [
    row('tokenPayment', (allowance: bigint) => holding({ allowance }), MAX_UNITS - 1n, MAX_UNITS),
    heldRow('tokenPayment', 'user', MAX_UNITS, paying()),
    row('tokenPayment', approvingInside, true, false),
    // It was tried, and nobody could read what the calls approve: what is reserved for others is not for this one.
    heldRow('tokenPayment', 'user', MAX_UNITS, tried({ allowance: MAX_UNITS })),
    row<bigint | undefined>('tokenPayment', approvedUnseen, undefined, 0n),
    // The tokens of 245,000 gas are taken before the operation approves anything itself.
    heldRow('tokenPayment', 'user', 2n * MAX_UNITS - 735_000n, approvingAgain),
  ],
  TOKEN_BALANCE_SHORT: [
    row('tokenPayment', (balance: bigint) => holding({ balance }), MAX_UNITS - 1n, MAX_UNITS),
    // 200,000 gas of the operation's own, 25,000 around its call and 20,000 after it: before it runs, all of it.
    row('tokenPayment', prefunding, '734999', '735000'),
    heldRow('tokenPayment', 'user', MAX_UNITS, tried({ allowance: 9n * MAX_UNITS, balance: MAX_UNITS })),
  ],
  TOKEN_CALL_OUT_OF_GAS: [
    row(
      'tokenPayment',
      (isTaken: boolean) => paying({ isTaken, ...(!isTaken && { callGasUsed: '81000' }) }),
      false,
      true,
    ),
  ],
  TOKEN_TRANSFER_REFUSED: [row('tokenPayment', (isTaken: boolean) => paying({ isTaken }), false, true)],
  // 345,000 gas at 1 gwei and this rate are a little less than a unit, and a little more.
  // It can be mined at an eighth of the base fee: 50,000 gas of preVerificationGas are charged whatever it uses.
  TOKEN_TOO_COARSE: [
    row('tokenPayment', (exchangeRate: string) => paying({ exchangeRate }), '159999', '160000'),
    // A singleton charges 45,000 more for postOp, or 20,000 where it has taken a prefund.
    row('tokenPayment', coarse(false), '84210', '84211'),
    row('tokenPayment', coarse(true), '114285', '114286'),
    row(
      'tokenPayment',
      (tip: bigint) =>
        together(paying({ exchangeRate: '80000' }), {
          op: { maxFeePerGas: 9n * GWEI, maxPriorityFeePerGas: tip },
          chain: { suggestedTipWei: String(GWEI) },
        }),
      GWEI / 8n - 1n,
      GWEI / 8n,
    ),
    row(
      'tokenPayment',
      (wei: bigint) => together(paying({ exchangeRate: '160000' }), { chain: { baseFeeWei: String(wei) } }),
      GWEI - 8n,
      GWEI,
    ),
  ],
  TOKEN_UNREADABLE: [
    row<typeof usdc.holdings | null>('tokenPayment', (holdings) => paying({ holdings }), null, usdc.holdings),
  ],

  GAS_TANK_EMPTY: [
    row('gasTank', (balance: bigint) => ({ chain: { balanceWei: String(balance) } }), COST - 1n, COST),
    heldRow('gasTank', 'tank', COIN - COST, {}),
    row('gasTank', (wei: bigint) => ({ chain: { pendingWithdrawalsWei: String(wei) } }), COIN - COST + 1n, COIN - COST),
  ],
  TANK_SHARE_REACHED: [
    heldRow('gasTank', 'sender', COIN / 4n - COST, shared({ bySenders: true })),
    heldRow('gasTank', 'dapp', COIN / 4n - COST, shared({ byDapps: true })),
  ],
  UNREACHABLE_BUDGET_SPENT: [heldRow('unreachable', 'unreachable', COST, unreachable)],

  WEBHOOK_DENIED: [webhookRow(responseWith({}, { response: '{"arePoliciesVerified": false}' }))],
  WEBHOOK_TIMEOUT: [
    webhookRow(unfinished('WEBHOOK_TIMEOUT', { timeoutMs: 3000 })),
    row(
      'webhook',
      (failOpen: boolean) => withResponse({ ...unfinished('WEBHOOK_TIMEOUT', { timeoutMs: 3000 }), failOpen }),
      false,
      true,
    ),
  ],
  WEBHOOK_NOT_REACHED: [webhookRow({ ...unfinished('WEBHOOK_NOT_REACHED', { timeoutMs: 3000 }), failOpen: true })],
  WEBHOOK_STATUS: [webhookRow(responseWith({}, { status: 500 }))],
  WEBHOOK_REDIRECT: [webhookRow(responseWith({ headers: { location: '/there' } }, { status: 302 }))],
  WEBHOOK_NOT_JSON: [webhookRow(responseWith({}, { response: 'true enough' }))],
  WEBHOOK_NO_VERDICT: [webhookRow(responseWith({}, { response: '{"arePoliciesVerified": "true"}' }))],
  WEBHOOK_DUPLICATE_KEYS: [
    webhookRow(responseWith({}, { response: '{"arePoliciesVerified": true, "arePoliciesVerified": true}' })),
  ],
  WEBHOOK_TOO_LARGE: [
    webhookRow(responseWith({ fault: { code: 'WEBHOOK_TOO_LARGE', evidence: { limitBytes: 65_536 } } })),
  ],
  WEBHOOK_NOT_HTTP: [webhookRow(unfinished('WEBHOOK_NOT_HTTP', { detail: 'Parse Error' }))],
  WEBHOOK_UNREACHABLE: [webhookRow(unfinished('WEBHOOK_UNREACHABLE', { detail: 'the connection was refused' }))],
  WEBHOOK_ADDRESS_REFUSED: [
    webhookRow(
      unfinished('WEBHOOK_ADDRESS_REFUSED', { address: '169.254.169.254', range: 'linkLocal', private: false }),
    ),
  ],
  WEBHOOK_BUSY: [webhookRow(unfinished('WEBHOOK_BUSY', { atOnce: 8 }))],

  BURN_RATE_EXCEEDED_BY_DAPP: [
    heldRow('burnRate', 'dappBreaker', COST, together(breaker(4n * COST), shared({ chain: true }))),
  ],
  BURN_RATE_EXCEEDED: [heldRow('burnRate', 'breaker', COST, breaker(2n * COST))],
  BURN_RATE_TOO_SMALL: [
    row('burnRate', breaker, COST - 1n, COST),
    row('burnRate', (wei: bigint) => together(breaker(wei), shared({ chain: true })), 2n * COST - 1n, 2n * COST),
  ],
} satisfies Record<string, readonly [Row, ...Row[]]>;

test('every code with which a kind of rule denies has its rows', () => {
  const codes = ruleKinds.flatMap(({ denials: words }) => Object.keys(words));
  expect(Object.keys(rows).toSorted()).toEqual(codes.toSorted());
});

const cases = Object.entries(rows as Record<string, readonly Row[]>).flatMap(([code, all]) =>
  all.map((one, index) => ({ code, name: all.length === 1 ? code : `${code} (${index + 1})`, ...one })),
);

const denials = (situation: Situation): string[] =>
  decided(situation)
    .steps.filter(({ outcome }) => outcome === 'deny')
    .map(({ rule: type, code }) => `${type}: ${code}`);

const digits = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

/** The verdict, with its steps and what it brings about, as text. */
const textOf = (verdict: ReturnType<typeof decide>): string => JSON.stringify(verdict, digits);

describe.each(cases)('$name', ({ rule: type, code, denied, signed }) => {
  test('is the reason, and the only denial', () => {
    expect(decided(denied).reason).toMatchObject({ code, rule: type });
    expect(denials(denied)).toEqual([`${type}: ${code}`]);
  });

  test('says what happened and what to do, from the values that were compared', () => {
    const { message = '', hint = '' } = decided(denied).reason ?? {};
    expect([message, hint]).toEqual([expect.stringMatching(/^[A-Z].*[.]$/), expect.stringMatching(/^[A-Z].*[.]$/)]);
    expect(message + hint).not.toMatch(/undefined|null|NaN|\[object/);
  });

  test('is gone with the other value: the operation is signed', () => {
    expect(decided(signed).reason).toBeUndefined();
    expect(denials(signed)).toEqual([]);
  });

  test('binds drafts, or does not', () => {
    const draft = together(denied, { facts: { stage: 'draft' } });
    expect(decided(draft).reason?.code).toBe(NOT_OF_DRAFTS.test(code) ? undefined : code);
  });

  test.each([
    ['denied', denied],
    ['signed', signed],
  ])('is decided again from its record, where it is %s', (_, situation) => {
    const [facts, policy, held] = inputsOf(situation);
    const revision = policySchema.parse(JSON.parse(JSON.stringify(policy)));
    const record = decidedLine(facts, policy, held);
    expect(record.outcome).toBe(situation === denied ? 'denied' : 'sponsored');
    expect(replay(record, revision, { engine: ENGINE, withSignatures: true })).toMatchObject({ differences: [] });
  });

  test('does not depend on when, where and how often it is decided', () => {
    for (const situation of [denied, signed]) {
      const inputs = inputsOf(situation);
      expect(textOf(decide(...inputs))).toBe(textOf(decide(...structuredClone(inputs))));
    }
  });
});

describe('without Node, browser, clock and entropy', () => {
  let bare: Awaited<ReturnType<typeof bareDecide>>;
  beforeAll(async () => {
    bare = await bareDecide();
  });

  test.each(cases)('$name is decided the same', ({ denied, signed }) => {
    for (const situation of [denied, signed])
      expect(bare(...inputsOf(situation))).toBe(textOf(decide(...inputsOf(situation))));
  });
});
