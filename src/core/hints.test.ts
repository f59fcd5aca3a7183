import { FunctionFragment } from 'ethers';
import { describe, expect, test } from 'vitest';
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
import { GWEI, SENDER, factsWith, rpcOperationV07With } from '../../test/support/facts.ts';
import { type Situation, inputsOf, together } from '../../test/support/situation.ts';
import {
  COIN,
  COST,
  EACH,
  LIFETIME,
  PRICED,
  inUsd,
  FACTORY,
  HOUR_MS,
  ITEMS,
  MAX_UNITS,
  NOW,
  breaker,
  call,
  factoryCalled,
  inWei,
  items,
  limit,
  paying,
  responseWith,
  rule,
  safeCreated,
  shared,
  unreachable,
  usdc,
  withResponse,
} from '../../test/support/situations.ts';
import { decimalToWei } from '../shared/schema/decimal.ts';
import type { Address, Hex } from '../shared/schema/hex.ts';
import type { UserOperationV06, UserOperationV07 } from '../shared/schema/user-operation.ts';
import { type Verdict, decide, plan } from './decide.ts';
import type { ChainSnapshot, Facts } from './facts.ts';
import type { AccountKey } from './ledger/account.ts';
import type { Policy, PolicyContract, PolicyRule } from './policy.ts';
import { ruleKinds } from './rules/registry.ts';
import { fromRpcUserOperation, toRpcUserOperation } from './user-operation/rpc-user-operation.ts';
import type { WebhookDenialCode } from './webhooks/webhook-denials.ts';

/** All that an operation is decided by, so all that a hint can ask to change. */
interface World {
  readonly facts: Facts;
  readonly policy: Policy;
  /** What the ledger holds without the operation. */
  readonly ledger: readonly { readonly account: AccountKey; readonly held: bigint }[];
}

const worldOf = (situation: Situation): World => {
  const [facts, policy, held] = inputsOf(situation);
  const ledger = plan(facts, policy).map(({ account }, index) => ({ account, held: held[index] ?? 0n }));
  return { facts, policy, ledger };
};

const isSameAccount = (one: AccountKey, other: AccountKey): boolean =>
  one.kind === other.kind && one.id === other.id && one.user === other.user;

const decidedIn = ({ facts, policy, ledger }: World): Extract<Verdict, { next: 'done' }> => {
  const held = plan(facts, policy).map(({ account, since }) =>
    ledger
      .filter((one) => isSameAccount(one.account, account))
      .filter(({ account: { window = 0 } }) =>
        since === undefined ? window === (account.window ?? 0) : window >= since,
      )
      .reduce((sum, one) => sum + one.held, 0n),
  );
  const verdict = decide(facts, policy, held);
  if (verdict.next === 'callWebhooks') throw new Error('the webhooks are to be asked first');
  return verdict;
};

/** What a hint names, by the names of the groups that read it. */
type Said = Readonly<Record<string, string>>;

/** A hint, and what is done with what it names. */
interface Advice {
  readonly denied: Situation;
  /** Reads the hint; what is changed comes from its groups alone. */
  readonly says: RegExp;
  readonly change: (said: Said, world: World) => World;
  /** What denies the operation next: it is told next what would help. */
  readonly next?: string;
}

const withFacts = (world: World, facts: Partial<Facts>): World => ({ ...world, facts: { ...world.facts, ...facts } });
const withPolicy = (world: World, policy: Partial<Policy>): World => ({
  ...world,
  policy: { ...world.policy, ...policy },
});
const withOp = (world: World, changes: Partial<UserOperationV06> | Partial<UserOperationV07>): World => {
  const op = { ...fromRpcUserOperation(world.facts.op), ...changes };
  return withFacts(world, { op: toRpcUserOperation(op) });
};
const withChain = (world: World, changes: (chain: ChainSnapshot) => Partial<ChainSnapshot>): World => {
  const { chain } = world.facts;
  if (chain === null) throw new Error('no node answers');
  return withFacts(world, { chain: { ...chain, ...changes(chain) } });
};
const withSettings = (world: World, settings: Partial<NonNullable<Policy['chain']>>): World => {
  const { chain } = world.policy;
  if (chain === null) throw new Error('the operator has set nothing for the chain');
  return withPolicy(world, { chain: { ...chain, ...settings } });
};
const withToken = (world: World, changes: Partial<NonNullable<Facts['token']>>): World => {
  const { token } = world.facts;
  if (token === undefined) throw new Error('the user pays in no token');
  return withFacts(world, { token: { ...token, ...changes } });
};
const withRule = (
  world: World,
  name: string,
  changes: Partial<PolicyRule> | ((data: never) => Partial<PolicyRule>),
): World => {
  const { rules } = world.policy;
  if (!rules.some((one) => one.name === name)) throw new Error(`there is no rule ${name}`);
  const changed = (one: PolicyRule): PolicyRule => ({
    ...one,
    ...(typeof changes === 'function' ? changes(one.policyData as never) : changes),
  });
  return withPolicy(world, { rules: rules.map((one) => (one.name === name ? changed(one) : one)) });
};

/** What the commands do that hints name. @throws Error where there is no such command */
const commands: readonly (readonly [RegExp, (said: Said, world: World) => World])[] = [
  [
    /^gasdesk resume$/,
    (_, world) => {
      const { desk, dapp } = world.policy.resumes;
      return withPolicy(world, { pause: null, resumes: { desk: desk + 1, dapp } });
    },
  ],
  [
    /^gasdesk resume --paymaster (?<id>\S+)$/,
    ({ id }, world) => {
      const { desk, dapp } = world.policy.resumes;
      expect(id).toBe(world.policy.pause?.paymasterId);
      return withPolicy(world, { pause: null, resumes: { desk, dapp: dapp + 1 } });
    },
  ],
  [
    /^gasdesk paymaster token-mode (?<id>\S+) on$/,
    ({ id }, world) => {
      const { dapp } = world.policy;
      expect(id).toBe(dapp.paymasterId);
      return withPolicy(world, { dapp: { ...dapp, tokenMode: true } });
    },
  ],
  [
    /^gasdesk chain set (?<chain>\d+) --breaker (?<coins>[\d.]+)\/(?<seconds>\d+)s$/,
    ({ coins = '', seconds }, world) =>
      withSettings(world, { breaker: { amountWei: String(decimalToWei(coins)), seconds: Number(seconds) } }),
  ],
  [
    /^gasdesk chain set (?<chain>\d+) --max-operation-cost (?<coins>[\d.]+)$/,
    ({ coins = '' }, world) => withSettings(world, { maxOperationCostWei: String(decimalToWei(coins)) }),
  ],
  [
    /^gasdesk chain set (?<chain>\d+) --unreachable sign --unreachable-budget (?<coins>[\d.]+)$/,
    ({ coins = '' }, world) => withSettings(world, { unreachableBudgetWei: String(decimalToWei(coins)) }),
  ],
  [
    /^gasdesk config set outstandingSharePercent (?<percent>\d+)$/,
    ({ percent }, world) => withPolicy(world, { outstandingSharePercent: Number(percent) }),
  ],
];

const run = (command: string, world: World): World => {
  for (const [form, change] of commands) {
    const said = form.exec(command);
    if (said === null) continue;
    const { chain } = said.groups ?? {};
    if (chain !== undefined) expect(Number(chain)).toBe(world.policy.dapp.chainId);
    return change(said.groups ?? {}, world);
  }
  throw new Error(`there is no command ${command}`);
};

/** The hint names a command. */
const commanding = (denied: Situation, name: string, next?: string): Advice => ({
  denied,
  says: new RegExp(`"(?<command>gasdesk ${name}[^"]*)"`),
  change: ({ command = '' }, world) => run(command, world),
  ...(next !== undefined && { next }),
});

/** The hint names a quantity of the operation and what it may be. */
const offering = (
  denied: Situation,
  field:
    'maxFeePerGas' | 'maxPriorityFeePerGas' | 'preVerificationGas' | 'callGasLimit' | 'verificationGasLimit' | 'nonce',
  says: RegExp,
): Advice => ({ denied, says, change: ({ number = '' }, world) => withOp(world, { [field]: BigInt(number) }) });

const PRE_VERIFICATION_GAS = /a preVerificationGas of at most (?<number>\d+)/;
const CALL_GAS = /a callGasLimit of at most (?<number>\d+)/;
/** An operation of v0.7 that asks for far more gas than it uses. */
const unused = (call: string | null, changes: Partial<UserOperationV07> = { callGasLimit: 10n ** 7n }): Situation => ({
  dapp: { version: 'verifying-0.7' },
  facts: { op: rpcOperationV07With(changes), gasUsed: call === null ? null : { validation: '50000', call } },
});

const STRANGER: Address = `0x${'57'.repeat(20)}`;
const [MINT, BURN] = [call('mint'), call('burn')];
const MINTING = encodeExecute(ITEMS, 0n, MINT);
const minting = (amount: bigint): Hex => encodeFunction('mint(uint256)', ['uint256'], [amount]);

const calling = (callData: Hex): Situation => ({ policy: { contracts: [items()] }, op: { callData } });
const executing = (target: Address, data: Hex): Situation => calling(encodeExecute(target, 0n, data));

/** The calls are encoded otherwise, as the words that are read ask for. */
const encoded = (denied: Hex, says: RegExp, callData: Hex): Advice => ({
  denied: calling(denied),
  says,
  change: (_, world) => withOp(world, { callData }),
});

const transactions = (count: number): Hex =>
  encodeSafe(MULTI_SEND, encodeMultiSend(...Array.from({ length: count }, () => packTransaction(0, ITEMS, MINT))), 1);
const nested = (depth: number): Hex => {
  let data = encodeMultiSend(packTransaction(0, ITEMS, MINT));
  for (let level = 1; level < depth; level += 1) data = encodeMultiSend(packTransaction(1, MULTI_SEND, data));
  return encodeSafe(MULTI_SEND, data, 1);
};
const batch = (target: Address): Hex =>
  encodeExecute7579(BATCH, encodeArguments(['(address,uint256,bytes)[]'], [[[target, 0n, MINT]]]));
const HIDING = `${batch(ITEMS).slice(0, 138)}${'20'.padStart(64, '0')}${batch(ITEMS).slice(202)}` as Hex;
const single = (target: Address): Hex => encodeExecute7579(SINGLE, `${target}${'00'.repeat(32)}${MINT.slice(2)}`);
const prefixed = (prefix: string): Hex => `0x${prefix}${MINTING.slice(2)}`;
const PREFIX = '8dd7712f';

const withContract = (world: World, name: string, changes: Partial<PolicyContract>): World =>
  withPolicy(world, {
    contracts: world.policy.contracts.map((one) => (one.name === name ? { ...one, ...changes } : one)),
  });

/** The operation makes its account, of a DApp that says what it sponsors. */
const deploying = (rules: PolicyRule[], initCode = FACTORY): Situation => ({
  facts: { account: { hasCode: false, nextNonce: '0' } },
  policy: { rules, contracts: [items()] },
  op: { initCode },
});
const wallets = (changes: Partial<PolicyRule> = {}): PolicyRule => ({
  ...rule('New wallets', 'WALLET_DEPLOYMENT', { operator: 'walletDeployment' }),
  ...changes,
});
const trusting = (denied: Situation): Advice => ({
  denied,
  says: /add (?<factory>0x\w{40}) to the factories of the WALLET_DEPLOYMENT rule/,
  change: ({ factory = '' }, world) =>
    withRule(world, 'New wallets', (data: object) => ({ policyData: { ...data, factories: [factory] } })),
});

const account = (hasCode: boolean, nextNonce = '0'): Situation => ({ facts: { account: { hasCode, nextNonce } } });
const failing = (creationFailure: 'AA13' | 'AA14' | 'AA15'): Situation => ({
  facts: { account: { hasCode: false, nextNonce: '0', creationFailure } },
  op: { initCode: FACTORY },
});
/** The EntryPoint finds nothing amiss with the account that the factory makes. */
const created = (world: World): World => withFacts(world, { account: { hasCode: false, nextNonce: '0' } });

const condition = (expression: string, situation: Situation = {}): Situation =>
  together(situation, {
    policy: { ...situation.policy, rules: [rule('Rule', 'CONDITION', { expression, message: 'Not so.' })] },
  });

const limited = (changes: Parameters<typeof limit>[0], held: bigint): Situation => ({
  policy: { rules: [limit(changes)] },
  held: { limit: held },
});
const SILENT_FEED: Situation = {
  facts: { price: { usd: null, fault: 'it is silent' } },
  policy: {
    chain: {
      ...{ name: null, symbol: null, breaker: null, unreachableBudgetWei: null, maxOperationCostWei: null },
      price: { source: 'chainlink', nativeFeed: ITEMS, maxAge: 3_600 },
    },
  },
};
/** What a sender holds of a token of which a rule asks for 5,000 units. */
const owning = (held: bigint): Situation => ({
  policy: {
    rules: [rule('Holders', 'TOKEN_HOLDING', { standard: 'ERC20', address: ITEMS.toLowerCase(), minimum: '5000' })],
  },
  facts: { holdings: { [`ERC20:${ITEMS}`]: { held: String(held) } } },
});
const waiting = (denied: Situation): Advice => ({
  denied,
  says: /Wait until .* (?<day>\d{4}-\d{2}-\d{2}) (?<time>\d{2}:\d{2}) UTC/,
  change: ({ day, time }, world) => withFacts(world, { at: Date.parse(`${String(day)}T${String(time)}:00Z`) }),
});
const raising = (denied: Situation): Advice => ({
  denied,
  says: /threshold (?:of the limit )?to at least \$?(?<threshold>[\d.,]+?)[ ,.](?!\d)/,
  change: ({ threshold = '' }, world) =>
    withRule(world, 'Five a day', (data: object) => ({
      policyData: { ...data, threshold: threshold.replaceAll(',', '') },
    })),
});

const holding = (allowance: bigint, balance: bigint): Situation =>
  paying({ holdings: { allowance: String(allowance), balance: String(balance) } });
const sending = (denied: Situation): Advice => ({
  denied,
  says: /Send at least .* \((?<units>\d+) units?\) to (?<sender>0x\w{40})/,
  change: ({ units = '', sender }, world) => {
    expect(sender).toBe(SENDER);
    const { allowance = '', balance = '' } = world.facts.token?.holdings ?? {};
    return withToken(world, { holdings: { allowance, balance: String(BigInt(balance) + BigInt(units)) } });
  },
});
const approving = (denied: Situation): Advice => ({
  denied,
  says: /Approve (?<spender>0x\w{40}) for at least .* \((?<units>\d+) units?\) on the token (?<token>0x\w{40})/,
  change: ({ spender, units = '', token }, world) => {
    expect([spender, token]).toEqual([world.facts.contract.address, world.facts.token?.address]);
    return withToken(world, { holdings: { allowance: units, balance: world.facts.token?.holdings?.balance ?? '' } });
  },
});
/** Another of the chain's tokens: nothing is wrong with it. */
const inAnotherToken = (denied: Situation): Advice => ({
  denied,
  says: /Pay in (?:another token|a token with more decimals)/,
  change: (_, world) => withToken(world, { ...usdc, address: `0x${'da'.repeat(20)}` }),
});
/** By Pimlico's contract of v0.7, which takes less before the operation than it may take in all. */
const prefunding = (token: Partial<NonNullable<Facts['token']>>): Situation => ({
  facts: {
    ...paying({ preFund: true, ...token }, 'singleton-0.7').facts,
    op: rpcOperationV07With({ paymasterPostOpGasLimit: 50_000n }),
    gasUsed: { validation: '50000', call: '100000' },
  },
  dapp: { version: 'singleton-0.7' },
});
/** The operation itself sends tokens away first. */
const givingAway = (units: bigint): Situation => {
  const transfer = encodeFunction('transfer(address,uint256)', ['address', 'uint256'], [STRANGER, units]);
  return { op: { callData: encodeExecute(usdc.address, 0n, transfer) } };
};

const unfinished = (code: WebhookDenialCode, evidence: Record<string, string | number | boolean>): Situation => {
  const { status: _none, ...exchange } = responseWith({}, { response: '' }).call;
  return withResponse(responseWith({ call: exchange, fault: { code, evidence } }));
};
/** The webhook is made to answer what the hint says. */
const answering = (denied: Situation, status = 200): Advice => ({
  denied,
  says: /Make the webhook answer .*?(?<response>\{.*\})/,
  change: ({ response = '' }, world) => withFacts(world, { webhooks: [responseWith({}, { response, status })] }),
});
/** Its server or a setting is changed so that it verifies. */
const verifying = (denied: Situation, says: RegExp): Advice => ({
  denied,
  says,
  change: (_, world) => withFacts(world, { webhooks: [responseWith()] }),
});

const advices = {
  SPONSORSHIP_PAUSED: [commanding({ policy: { pause: { since: NOW, reason: null } } }, 'resume')],
  DAPP_PAUSED: [
    commanding({ policy: { pause: { since: NOW, reason: null, dapp: 'Game', paymasterId: 'dapp-1' } } }, 'resume'),
  ],

  TOKEN_MODE_OFF: [
    commanding({ ...paying(), dapp: { tokenMode: false } }, 'paymaster token-mode'),
    {
      denied: { ...paying(), dapp: { tokenMode: false } },
      says: /Ask for sponsorship instead/,
      change: (_, { facts: { token: _none, ...facts }, ...world }) => ({
        ...world,
        facts: { ...facts, contract: factsWith().contract },
      }),
    },
  ],

  UNKNOWN_SELECTOR: [
    {
      denied: calling('0xdeadbeef'),
      says: /call its (?<method>execute) or executeBatch/,
      change: ({ method }, world) => {
        const [types, values] = [
          ['address', 'uint256', 'bytes'],
          [ITEMS, 0n, MINT],
        ];
        return withOp(world, { callData: encodeFunction(`${String(method)}(${types.join(',')})`, types, values) });
      },
    },
  ],
  MALFORMED_CALL_DATA: [encoded(MINTING.slice(0, -64) as Hex, /Encode the callData with the ABI/, MINTING)],
  NESTED_EXECUTE_USER_OP: [
    {
      denied: together(calling('0x'), {
        dapp: { version: 'verifying-0.7' },
        facts: { op: rpcOperationV07With({ callData: prefixed(PREFIX.repeat(2)) }) },
      }),
      says: /behind (?<count>one) executeUserOp prefix only/,
      change: (_, world) => withOp(world, { callData: prefixed(PREFIX) }),
    },
  ],
  HIDDEN_CALLS: [encoded(HIDING, /every call inside its declared bytes/, batch(ITEMS))],
  UNKNOWN_EXECUTION_MODE: [
    encoded(batch(ITEMS).replace('0xe9ae5c5301', '0xe9ae5c5302') as Hex, /a plain execute or executeBatch/, MINTING),
  ],
  AMBIGUOUS_TARGET: [encoded(single(ZERO_ADDRESS), /Name the target of every call/, single(ITEMS))],
  NESTED_TOO_DEEP: [encoded(nested(5), /one flat batch/, nested(1))],
  TOO_MANY_CALLS: [
    {
      denied: calling(transactions(1001)),
      says: /user operations of at most (?<most>\d+) calls/,
      change: ({ most }, world) => withOp(world, { callData: transactions(Number(most)) }),
    },
  ],
  DELEGATECALL_NOT_ALLOWED: [
    {
      denied: calling(encodeSafe(ITEMS, MINT, 1)),
      says: /Call (?<target>0x\w{40}) by a plain call/,
      change: ({ target }, world) => withOp(world, { callData: encodeSafe(target as Address, MINT, 0) }),
    },
    trusting(deploying([wallets()], safeCreated(STRANGER, MINT))),
  ],
  SELF_CALL_NOT_ALLOWED: [
    {
      denied: executing(SENDER, MINTING),
      says: /Leave the call to (?<target>0x\w{40}) out, or put what it calls into the batch directly/,
      change: ({ target }, world) => {
        expect(target).toBe(SENDER);
        return withOp(world, { callData: MINTING });
      },
    },
  ],
  CONTRACT_NOT_REGISTERED: [
    {
      denied: executing(STRANGER, MINT),
      says: /Register (?<address>0x\w{40}) with the methods to sponsor/,
      change: ({ address }, world) =>
        withPolicy(world, { contracts: [...world.policy.contracts, items({ address: address as Address })] }),
    },
    {
      denied: executing(STRANGER, MINT),
      says: /leave this call out/,
      change: (_, world) => withOp(world, { callData: '0x' }),
    },
  ],
  CONTRACT_PAUSED: [
    {
      denied: { ...calling(MINTING), policy: { contracts: [items({ active: false })] } },
      says: /Activate the rule "(?<name>.+)" again/,
      change: ({ name = '' }, world) => withContract(world, name, { active: true }),
    },
  ],
  METHOD_NOT_WHITELISTED: [
    {
      denied: executing(ITEMS, BURN),
      says: /Add (?<method>\w+\(.*?\)) on (?<address>0x\w{40}) to the contract's whitelisted methods/,
      change: ({ method = '', address }, world) => {
        expect(address).toBe(ITEMS);
        return withContract(world, 'Items', { whitelistedMethods: ['mint(uint256)', method] });
      },
    },
  ],
  METHOD_NOT_IN_ABI: [
    {
      denied: executing(ITEMS, call('steal')),
      says: /register (?<address>0x\w{40}) again with an ABI that contains the method (?<selector>0x\w{8})/,
      change: ({ address, selector }, world) => {
        const fragment = FunctionFragment.from('function steal(uint256)');
        expect([address, selector]).toEqual([ITEMS, fragment.selector]);
        const methods = ['steal(uint256)'];
        return withContract(world, 'Items', {
          ...{ abi: `[${fragment.format('json')}]`, methods, whitelistedMethods: methods },
        });
      },
    },
  ],
  PLAIN_TRANSFER: [
    {
      denied: executing(STRANGER, '0x'),
      says: /Leave the plain transfer to (?<target>0x\w{40}) out/,
      change: ({ target }, world) => {
        expect(target).toBe(STRANGER);
        return withOp(world, { callData: MINTING });
      },
    },
  ],

  WALLET_DEPLOYMENT_NOT_SPONSORED: [
    {
      denied: deploying([]),
      says: /Add a (?<type>[A-Z_]+) rule to the DApp/,
      change: ({ type = '' }, world) =>
        withPolicy(world, { rules: [rule('New wallets', type, { operator: 'walletDeployment' })] }),
    },
    {
      denied: deploying([wallets({ active: false })]),
      says: /Activate the rule "(?<name>.+)" again/,
      change: ({ name = '' }, world) => withRule(world, name, { active: true }),
    },
    {
      denied: deploying([wallets({ enforcement: 'shadow' })]),
      says: /Let the rule "(?<name>.+)" bind/,
      change: ({ name = '' }, world) =>
        withPolicy(world, { rules: world.policy.rules.map((one) => (one.name === name ? wallets() : one)) }),
    },
    waiting(deploying([wallets({ activeFrom: NOW + HOUR_MS + 1 })])),
    {
      denied: deploying([wallets({ activeUntil: NOW })]),
      says: /Give the rule "(?<name>.+)" a later activeUntil than (?<time>[\d-]+ [\d:]+) UTC/,
      change: ({ name = '', time = '' }, world) =>
        withRule(world, name, { activeUntil: Date.parse(`${time.replace(' ', 'T')}Z`) + HOUR_MS }),
    },
    {
      denied: deploying([wallets({ when: 'has(context.tier)' })]),
      says: /meets the condition of the rule "New wallets": has\(context\.(?<key>\w+)\)/,
      change: ({ key = '' }, world) => withFacts(world, { context: { [key]: 'gold' } }),
    },
  ],
  DEPLOYMENT_UNREADABLE: [trusting(deploying([wallets()], factoryCalled('0xdeadbeef')))],

  SENDER_NOT_ALLOWED: [
    {
      denied: { policy: { rules: [rule('Members', 'SENDERS', { mode: 'ALLOW', addresses: [ITEMS] })] } },
      says: /Add (?<sender>0x\w{40}) to the addresses of the rule "(?<name>.+?)"/,
      change: ({ sender, name = '' }, world) =>
        withRule(world, name, (data: { addresses: string[] }) => ({
          policyData: { ...data, addresses: [...data.addresses, sender] },
        })),
    },
  ],
  SENDER_DENIED: [
    {
      denied: { policy: { rules: [rule('Bots', 'SENDERS', { mode: 'DENY', addresses: [ITEMS, SENDER] })] } },
      says: /Remove (?<sender>0x\w{40}) from the addresses of the rule "(?<name>.+?)"/,
      change: ({ sender, name = '' }, world) =>
        withRule(world, name, (data: { addresses: string[] }) => ({
          policyData: { ...data, addresses: data.addresses.filter((one) => one !== sender) },
        })),
    },
  ],
  CONDITION_NOT_MET: [
    offering(
      condition('op.callGasLimit <= 500000 && op.nonce >= 7'),
      'nonce',
      /must be true: op\.nonce >= (?<number>\d+)\. Here op\.nonce is 0\.$/,
    ),
    offering(
      condition('op.preVerificationGas <= 40000 || op.deploys'),
      'preVerificationGas',
      /must be true: \(op\.preVerificationGas <= (?<number>\d+) .* op\.preVerificationGas is 50000/,
    ),
    {
      denied: condition('calls.all(c, c.method == "mint" && c.args[0] <= 10)', executing(ITEMS, minting(12n))),
      says: /c\.args\[0\] <= (?<most>\d+).* Here .*calls\[0\]\.args\[0\] is 12\./,
      change: ({ most = '' }, world) => withOp(world, { callData: encodeExecute(ITEMS, 0n, minting(BigInt(most))) }),
    },
    {
      denied: condition('time >= timestamp("2026-12-01T08:30:00Z")'),
      says: /timestamp\("(?<from>.+)"\)\. Here/,
      change: ({ from = '' }, world) => withFacts(world, { at: Date.parse(from) }),
    },
    {
      denied: condition('has(context.policyId) && context.policyId == "summer"', {
        facts: { context: { policyId: 'winter' } },
      }),
      says: /must be true: context\.(?<key>\w+) == "(?<value>\w+)"\. Here context\.policyId is winter\./,
      change: ({ key = '', value }, world) => withFacts(world, { context: { [key]: value } }),
    },
  ],
  CONDITION_FAILED: [
    ...[
      condition('has(context.tier) && context.plan == "gold"', { facts: { context: { tier: 1 } } }),
      { policy: { rules: [{ ...limit({ threshold: '1' }), when: 'context.plan == "gold"' }] } },
    ].flatMap((denied): Advice[] => [
      {
        denied,
        says: /Send context\.(?<key>\w+), or change .* context\.plan == "(?<value>\w+)"/,
        change: ({ key = '', value }, world) => withFacts(world, { context: { tier: 1, [key]: value } }),
      },
    ]),
    {
      denied: condition('context.plan == "gold"'),
      says: /change the condition of the rule "(?<name>.+?)" so that it does without/,
      change: ({ name = '' }, world) =>
        withRule(world, name, (data: object) => ({ policyData: { ...data, expression: '!has(context.plan)' } })),
    },
    {
      denied: condition('calls.all(c, c.value == 0)', { op: { callData: '0xdeadbeef' } }),
      says: /Send calls through a plain execute or executeBatch of the account/,
      change: (_, world) => withOp(world, { callData: MINTING }),
    },
    {
      denied: condition('time.getDayOfYear() > 0'),
      says: /^Change the condition of the rule "(?<name>.+?)": time\.getDayOfYear\(\) > 0\.$/,
      change: ({ name = '' }, world) =>
        withRule(world, name, (data: object) => ({ policyData: { ...data, expression: 'true' } })),
    },
    {
      denied: condition('op.maxCostUsd > 0.0', { facts: { price: { usd: null, fault: 'it is silent' } } }),
      says: /coin: it is silent\. Set one with "gasdesk chain set \d+ --usd AMOUNT" or "gasdesk chain set \d+ --native-feed ADDRESS", or/,
      change: (_, world) => withFacts(world, { price: { usd: '3', source: 'static' } }),
    },
  ],
  CONDITION_NOT_READ: [
    {
      denied: condition('op.maxCostUsd > 0.0'),
      says: /^Send the operation again/,
      change: (_, world) => withFacts(world, { price: { usd: '3', source: 'static' } }),
    },
  ],

  SENDER_WITHOUT_CODE: [
    {
      denied: account(false),
      says: /Send the factory \((?<field>initCode) before v0\.7\)/,
      change: ({ field = '' }, world) => withOp(world, { [field]: FACTORY }),
    },
    {
      denied: account(false),
      says: /wait until it is mined/,
      change: (_, world) => withFacts(world, { account: { hasCode: true, nextNonce: '0' } }),
    },
  ],
  SENDER_HAS_CODE: [
    {
      denied: { op: { initCode: FACTORY } },
      says: /Leave out the factory \((?<field>initCode) before v0\.7\)/,
      change: ({ field = '' }, world) => withOp(world, { [field]: '0x' }),
    },
  ],
  FACTORY_FAILED: [
    {
      denied: failing('AA13'),
      says: /raise (?<field>verificationGasLimit) above (?<number>\d+)/,
      change: ({ field = '', number = '' }, world) => created(withOp(world, { [field]: BigInt(number) + 1n })),
    },
  ],
  FACTORY_MADE_OTHER_ACCOUNT: [
    {
      denied: failing('AA14'),
      says: /Set (?<field>sender) to what EntryPoint\.getSenderAddress returns/,
      change: ({ field = '' }, world) => created(withOp(world, { [field]: STRANGER })),
    },
  ],
  FACTORY_MADE_NO_ACCOUNT: [
    {
      denied: failing('AA15'),
      says: /the data \((?<field>initCode) before v0\.7\) that deploy the account/,
      change: ({ field = '' }, world) => created(withOp(world, { [field]: FACTORY })),
    },
  ],
  ACCOUNT_FAILS_VALIDATION: [
    {
      denied: { facts: { account: { hasCode: true, nextNonce: '0', validationFailure: '0x' } } },
      says: /raise (?<field>verificationGasLimit) above (?<number>\d+)/,
      change: ({ field = '', number = '' }, world) =>
        withFacts(withOp(world, { [field]: BigInt(number) + 1n }), { account: { hasCode: true, nextNonce: '0' } }),
    },
    {
      denied: { facts: { account: { hasCode: true, nextNonce: '0', validationFailure: '0x12345678' } } },
      says: /sets the account up, wait until it is mined/,
      change: (_, world) => withFacts(world, { account: { hasCode: true, nextNonce: '0' } }),
    },
  ],
  NONCE_USED: [offering({ ...account(true, '7'), op: { nonce: 6n } }, 'nonce', /for this key it is (?<number>\d+)/)],

  FEE_TOO_LOW: [offering({ op: { maxFeePerGas: 1n } }, 'maxFeePerGas', /maxFeePerGas of at least (?<number>\d+) wei/)],
  FEE_TOO_HIGH: [
    offering({ op: { maxFeePerGas: 11n * GWEI } }, 'maxFeePerGas', /maxFeePerGas of at most (?<number>\d+) wei/),
    offering(
      { op: { maxFeePerGas: 11n * GWEI, maxPriorityFeePerGas: 9n * GWEI } },
      'maxFeePerGas',
      /maxFeePerGas of at most (?<number>\d+) wei/,
    ),
    ...(['maxFeePerGas', 'maxPriorityFeePerGas'] as const).map((field) =>
      offering(
        { op: { maxFeePerGas: 9n * GWEI, maxPriorityFeePerGas: 9n * GWEI }, chain: { suggestedTipWei: '70000000' } },
        field,
        new RegExp(`${field} of at most (?<number>\\d+) wei`),
      ),
    ),
  ],
  GAS_ABOVE_BLOCK: [
    {
      denied: { chain: { blockGasLimit: '160000' } },
      says: /lower limits that add up to at most (?<most>\d+)/,
      change: ({ most = '' }, world) => {
        const { verificationGasLimit, preVerificationGas } = fromRpcUserOperation(world.facts.op);
        return withOp(world, { callGasLimit: BigInt(most) - verificationGasLimit - preVerificationGas });
      },
    },
  ],
  PRE_VERIFICATION_GAS_TOO_HIGH: [
    offering({ op: { preVerificationGas: 10n ** 9n } }, 'preVerificationGas', PRE_VERIFICATION_GAS),
    offering(
      { op: { preVerificationGas: 10n ** 9n }, facts: { chain: null, hasNode: false } },
      'preVerificationGas',
      PRE_VERIFICATION_GAS,
    ),
  ],
  CALL_GAS_TOO_HIGH: [
    offering(unused('90000'), 'callGasLimit', CALL_GAS),
    offering(unused(null), 'callGasLimit', CALL_GAS),
    {
      denied: unused('100', { callGasLimit: 100n, paymasterPostOpGasLimit: 10n ** 7n }),
      says: /a paymasterPostOpGasLimit of at most (?<number>\d+)/,
      change: ({ number = '' }, world) => withOp(world, { paymasterPostOpGasLimit: BigInt(number) }),
    },
  ],
  OPERATION_COST_TOO_HIGH: [
    offering(
      { settings: { maxOperationCostWei: String(COST) }, op: { maxFeePerGas: (17n * GWEI) / 10n } },
      'maxFeePerGas',
      /maxFeePerGas of at most (?<number>\d+) wei/,
    ),
    commanding({ settings: { maxOperationCostWei: String(COST - 1n) } }, 'chain set'),
  ],

  LIMIT_REACHED: [
    ...[
      limited({}, 5n),
      limited({ type: 'SMART_ACCOUNT' }, 5n),
      limited(inWei(2n * COST), COST + 1n),
      together(limited(inUsd(6n * COST), 4n * COST), PRICED),
    ].flatMap((denied) => [waiting(denied), raising(denied)]),
    raising(limited(LIFETIME, 5n)),
  ],
  LIMIT_TOO_SMALL: [
    ...[limited(inWei(COST - 1n), 0n), together(limited(inUsd(2n * COST), 0n), PRICED)].map(raising),
    raising(limited({ ...inWei(COST - 1n), ...EACH }, 0n)),
  ],
  PRICE_UNKNOWN: [
    {
      denied: together(limited(inUsd(3n * COST), 0n), { facts: { price: { usd: null, fault: 'it is silent' } } }),
      says: /"gasdesk chain set \d+ --usd AMOUNT"/,
      change: (_, world) => withFacts(world, { price: { usd: '3', source: 'static' } }),
    },
    {
      denied: together(limited(inUsd(3n * COST), 0n), SILENT_FEED),
      says: /A price that you set with "gasdesk chain set \d+ --usd AMOUNT"/,
      change: (_, world) => withFacts(world, { price: { usd: '3', source: 'static' } }),
    },
  ],
  PRICE_NOT_READ: [
    {
      denied: limited(inUsd(3n * COST), 0n),
      says: /^Send the operation again/,
      change: (_, world) => withFacts(world, { price: { usd: '3', source: 'static' } }),
    },
  ],

  TOKEN_HOLDING_TOO_LOW: [
    {
      denied: owning(1_000n),
      says: /Transfer (?<missing>[\d,]+) units of the ERC-20 token (?<token>0x\w{40}) to (?<sender>0x\w{40})/,
      change: ({ missing = '', token }, world) =>
        withFacts(world, {
          holdings: { [`ERC20:${token}`]: { held: String(1_000n + BigInt(missing.replaceAll(',', ''))) } },
        }),
    },
  ],
  TOKEN_HOLDING_UNREADABLE: [
    {
      denied: together(owning(0n), { facts: { holdings: { [`ERC20:${ITEMS}`]: { failure: 'NO_CONTRACT' } } } }),
      says: /Set the (?<field>address) of the rule to the token's contract/,
      change: ({ field = '' }, world) =>
        withFacts(
          withRule(world, 'Holders', (data: object) => ({ policyData: { ...data, [field]: SENDER.toLowerCase() } })),
          { holdings: { [`ERC20:${SENDER.toLowerCase()}`]: { held: '5000' } } },
        ),
    },
  ],
  TOKEN_HOLDING_NOT_READ: [
    {
      denied: together(owning(0n), { facts: { holdings: {} } }),
      says: /^Send the operation again/,
      change: (_, world) => withFacts(world, { holdings: { [`ERC20:${ITEMS}`]: { held: '5000' } } }),
    },
  ],

  TOKEN_ALLOWANCE_SHORT: [
    approving(holding(MAX_UNITS - 1n, 9n * MAX_UNITS)),
    approving(together(holding(2n * MAX_UNITS, 9n * MAX_UNITS), { held: { user: 3n * MAX_UNITS } })),
    // Of 990,000 units, 930,000 are taken before the operation runs.
    ...['0', '929999', '930000', '989999'].map((allowance) =>
      approving(prefunding({ holdings: { allowance, balance: String(9n * MAX_UNITS) } })),
    ),
  ],
  TOKEN_BALANCE_SHORT: [
    sending(holding(9n * MAX_UNITS, MAX_UNITS - 1n)),
    ...['929999', '989999'].map((balance) =>
      sending(prefunding({ holdings: { allowance: String(9n * MAX_UNITS), balance } })),
    ),
    // More is reserved than there is left.
    sending(together(holding(9n * MAX_UNITS, 1n), { held: { user: MAX_UNITS } })),
    sending(together(holding(9n * MAX_UNITS, MAX_UNITS), givingAway(3n * MAX_UNITS))),
  ],
  TOKEN_CALL_OUT_OF_GAS: [
    {
      denied: paying({ isTaken: false, callGasUsed: '120000' }),
      says: /raise callGasLimit well above (?<gas>\d+)/,
      change: ({ gas = '' }, world) => {
        const { callGasUsed: _none, ...token }: NonNullable<Facts['token']> = world.facts.token ?? usdc;
        const raised = withOp(world, { callGasLimit: (BigInt(gas) * 64n) / 63n + 5_000n });
        return withFacts(raised, { token: { ...token, isTaken: true } });
      },
    },
  ],
  TOKEN_TRANSFER_REFUSED: [inAnotherToken(paying({ isTaken: false }))],
  TOKEN_TOO_COARSE: [inAnotherToken(paying({ exchangeRate: '1', decimals: 0 }))],
  TOKEN_UNREADABLE: [inAnotherToken(paying({ holdings: null }))],

  GAS_TANK_EMPTY: [
    {
      denied: { chain: { balanceWei: String(COST), pendingWithdrawalsWei: '7' }, held: { tank: 5n * COST } },
      says: /Top up the tank by at least (?<coins>[\d.]+)/,
      change: ({ coins = '' }, world) =>
        withChain(world, ({ balanceWei }) => ({ balanceWei: String(BigInt(balanceWei) + decimalToWei(coins)) })),
    },
  ],
  TANK_SHARE_REACHED: [
    ...[
      together(shared({ bySenders: true }), { held: { sender: COIN / 4n - COST + 1n } }),
      together(shared({ byDapps: true }), { held: { dapp: COIN / 4n } }),
    ].flatMap((denied): Advice[] => [
      {
        denied,
        says: /top up the tank by at least (?<coins>[\d.]+)/,
        change: ({ coins = '' }, world) =>
          withChain(world, ({ balanceWei }) => ({ balanceWei: String(BigInt(balanceWei) + decimalToWei(coins)) })),
      },
      commanding(denied, 'config set'),
      { denied, says: /Wait until earlier operations are mined/, change: (_, world) => ({ ...world, ledger: [] }) },
    ]),
  ],
  UNREACHABLE_BUDGET_SPENT: [
    commanding(together(unreachable, { held: { unreachable: COST + 1n } }), 'chain set'),
    {
      denied: together(unreachable, { held: { unreachable: COST + 1n } }),
      says: /Send it again when the node answers/,
      change: (_, world) => withFacts(world, { chain: factsWith().chain }),
    },
  ],

  WEBHOOK_DENIED: [
    verifying(
      withResponse(responseWith({}, { response: '{"arePoliciesVerified": false}' })),
      /Meet the conditions that this webhook checks/,
    ),
  ],
  WEBHOOK_TIMEOUT: [
    verifying(
      unfinished('WEBHOOK_TIMEOUT', { timeoutMs: 3000 }),
      /answer within 3000 ms, or raise .* webhookTimeoutMs/,
    ),
  ],
  WEBHOOK_NOT_REACHED: [
    verifying(
      unfinished('WEBHOOK_NOT_REACHED', { timeoutMs: 3000 }),
      /^Check that DNS and the network of this machine/,
    ),
  ],
  WEBHOOK_STATUS: [
    {
      denied: withResponse(responseWith({}, { status: 500 })),
      says: /answer with status (?<status>\d+) and (?<response>\{.*\})/,
      change: ({ status, response = '' }, world) =>
        withFacts(world, { webhooks: [responseWith({}, { response, status: Number(status) })] }),
    },
  ],
  WEBHOOK_REDIRECT: [
    verifying(
      withResponse(responseWith({ headers: { location: '/there' } }, { status: 302 })),
      /Register the URL that it redirects to/,
    ),
  ],
  WEBHOOK_NOT_JSON: [answering(withResponse(responseWith({}, { response: 'true enough' })))],
  WEBHOOK_NO_VERDICT: [answering(withResponse(responseWith({}, { response: '{"arePoliciesVerified": "true"}' })))],
  WEBHOOK_DUPLICATE_KEYS: [
    answering(
      withResponse(responseWith({}, { response: '{"arePoliciesVerified": true, "arePoliciesVerified": true}' })),
    ),
  ],
  WEBHOOK_TOO_LARGE: [
    answering(withResponse(responseWith({ fault: { code: 'WEBHOOK_TOO_LARGE', evidence: { limitBytes: 65_536 } } }))),
  ],
  WEBHOOK_NOT_HTTP: [
    verifying(unfinished('WEBHOOK_NOT_HTTP', { detail: 'Parse Error' }), /Register the URL of an HTTP server/),
  ],
  WEBHOOK_UNREACHABLE: [
    verifying(unfinished('WEBHOOK_UNREACHABLE', { detail: 'refused' }), /Start the server .*, or correct the URL/),
  ],
  WEBHOOK_ADDRESS_REFUSED: [
    verifying(
      unfinished('WEBHOOK_ADDRESS_REFUSED', { address: '169.254.169.254', range: 'linkLocal', private: false }),
      /Serve the webhook at another address/,
    ),
    verifying(
      unfinished('WEBHOOK_ADDRESS_REFUSED', { address: '10.0.0.1', range: 'private', private: true }),
      /turn on the setting webhookAllowPrivate/,
    ),
  ],
  WEBHOOK_BUSY: [
    verifying(unfinished('WEBHOOK_BUSY', { atOnce: 8 }), /raise the setting webhookMaxConcurrent above (?<most>8)/),
  ],

  BURN_RATE_EXCEEDED_BY_DAPP: [
    ...['resume', 'chain set'].map((name) =>
      commanding(
        together(breaker(4n * COST), shared({ chain: true }), { held: { dappBreaker: COST + 1n } }),
        name,
        name === 'resume' ? undefined : 'DAPP_PAUSED',
      ),
    ),
  ],
  BURN_RATE_EXCEEDED: [
    ...['resume', 'chain set'].map((name) =>
      commanding(
        together(breaker(2n * COST), { held: { breaker: COST + 1n } }),
        name,
        name === 'resume' ? undefined : 'SPONSORSHIP_PAUSED',
      ),
    ),
  ],
  BURN_RATE_TOO_SMALL: [
    commanding(breaker(COST - 1n), 'chain set'),
    commanding(together(breaker(2n * COST - 1n), shared({ chain: true })), 'chain set'),
  ],
} satisfies Record<string, readonly Advice[]>;

test('every code with which a kind of rule denies has its advice', () => {
  const codes = ruleKinds.flatMap(({ denials }) => Object.keys(denials));
  expect(Object.keys(advices).toSorted()).toEqual(codes.toSorted());
});

/** What the desk is after a denial: a breaker has paused what it stops. */
const after = (world: World): World => {
  const { pause, pauseDapp } = decidedIn(world).effects;
  const { paymasterId, name: dapp } = world.policy.dapp;
  const set = pause ?? (pauseDapp && { ...pauseDapp, dapp, paymasterId });
  return set === undefined ? world : withPolicy(world, { pause: set });
};

const cases = Object.entries(advices as Record<string, readonly Advice[]>).flatMap(([code, all]) =>
  all.map((one, index) => ({ code, name: all.length === 1 ? code : `${code} (${index + 1})`, ...one })),
);

describe('what a denial says would help, helps:', () => {
  test.each(cases)('$name', ({ code, denied, says, change, next }) => {
    const world = worldOf(denied);
    const { reason } = decidedIn(world);
    expect(reason?.code).toBe(code);
    expect(reason?.hint).toMatch(says);
    const said = says.exec(reason?.hint ?? '')?.groups ?? {};
    expect(decidedIn(change(said, after(world))).reason?.code).toBe(next);
  });
});
