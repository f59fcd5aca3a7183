import { expect } from 'vitest';
import { type Verdict, decide, plan } from '../../src/core/decision/decide.ts';
import type { ChainSnapshot, Facts } from '../../src/core/facts/facts.ts';
import type { AccountKey } from '../../src/core/ledger/account.ts';
import type { Policy, PolicyRule } from '../../src/core/policy/policy.ts';
import { fromRpcUserOperation, toRpcUserOperation } from '../../src/core/user-operation/rpc-user-operation.ts';
import { decimalToWei } from '../../src/shared/schema/decimal.ts';
import type { UserOperationV06, UserOperationV07 } from '../../src/shared/schema/user-operation.ts';
import { type Situation, inputsOf } from './situation.ts';

/** All that an operation is decided by, so all that a hint can ask to change. */
export interface World {
  readonly facts: Facts;
  readonly policy: Policy;
  /** What the ledger holds without the operation. */
  readonly ledger: readonly { readonly account: AccountKey; readonly held: bigint }[];
}

/** The world of a situation. */
export const worldOf = (situation: Situation): World => {
  const [facts, policy, held] = inputsOf(situation);
  const ledger = plan(facts, policy).map(({ account }, index) => ({ account, held: held[index] ?? 0n }));
  return { facts, policy, ledger };
};

const isSameAccount = (one: AccountKey, other: AccountKey): boolean =>
  one.kind === other.kind && one.id === other.id && one.user === other.user;

/** What is decided in a world. @throws Error if webhooks are to be asked first */
export const decidedIn = ({ facts, policy, ledger }: World): Extract<Verdict, { next: 'done' }> => {
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
export interface Advice {
  readonly denied: Situation;
  /** Reads the hint; what is changed comes from its groups alone. */
  readonly says: RegExp;
  readonly change: (said: Said, world: World) => World;
  /** What denies the operation next: its hint is followed next. */
  readonly next?: string;
}

/** The world with other facts. */
export const withFacts = (world: World, facts: Partial<Facts>): World => ({
  ...world,
  facts: { ...world.facts, ...facts },
});
/** The world with another policy. */
export const withPolicy = (world: World, policy: Partial<Policy>): World => ({
  ...world,
  policy: { ...world.policy, ...policy },
});
/** The world with another operation. */
export const withOp = (world: World, changes: Partial<UserOperationV06> | Partial<UserOperationV07>): World => {
  const op = { ...fromRpcUserOperation(world.facts.op), ...changes };
  return withFacts(world, { op: toRpcUserOperation(op) });
};
/** The world with another state of the chain. @throws Error if no node answers */
export const withChain = (world: World, changes: (chain: ChainSnapshot) => Partial<ChainSnapshot>): World => {
  const { chain } = world.facts;
  if (chain === null) throw new Error('no node answers');
  return withFacts(world, { chain: { ...chain, ...changes(chain) } });
};
const withSettings = (world: World, settings: Partial<NonNullable<Policy['chain']>>): World => {
  const { chain } = world.policy;
  if (chain === null) throw new Error('the operator has set nothing for the chain');
  return withPolicy(world, { chain: { ...chain, ...settings } });
};
/** The world with other terms of the payment. @throws Error if the user pays in no token */
export const withToken = (world: World, changes: Partial<NonNullable<Facts['token']>>): World => {
  const { token } = world.facts;
  if (token === undefined) throw new Error('the user pays in no token');
  return withFacts(world, { token: { ...token, ...changes } });
};
/** The world with a rule changed, by its name. @throws Error if no rule has this name */
export const withRule = (
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

/** What the commands do that hints name. @throws Error if no such command exists */
const commands: readonly (readonly [RegExp, (said: Said, world: World) => World])[] = [
  [
    /^gasdesk resume$/,
    (_, world) => {
      const { desk, dapp } = world.policy.resumes;
      return withPolicy(world, { pause: null, resumes: { desk: desk + 1, dapp } });
    },
  ],
  [
    /^gasdesk resume --dapp (?<id>\S+)$/,
    ({ id }, world) => {
      const { desk, dapp } = world.policy.resumes;
      expect(id).toBe(world.policy.pause?.paymasterId);
      return withPolicy(world, { pause: null, resumes: { desk, dapp: dapp + 1 } });
    },
  ],
  [
    /^gasdesk dapp token-mode (?<id>\S+) on$/,
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
export const commanding = (denied: Situation, name: string, next?: string): Advice => ({
  denied,
  says: new RegExp(`"(?<command>gasdesk ${name}[^"]*)"`),
  change: ({ command = '' }, world) => run(command, world),
  ...(next !== undefined && { next }),
});

/** The hint names a quantity of the operation and what it may be. */
export const offering = (
  denied: Situation,
  field:
    'maxFeePerGas' | 'maxPriorityFeePerGas' | 'preVerificationGas' | 'callGasLimit' | 'verificationGasLimit' | 'nonce',
  says: RegExp,
): Advice => ({ denied, says, change: ({ number = '' }, world) => withOp(world, { [field]: BigInt(number) }) });

/** The hint names a time to wait for. */
export const waiting = (denied: Situation): Advice => ({
  denied,
  says: /Wait until .* (?<day>\d{4}-\d{2}-\d{2}) (?<time>\d{2}:\d{2}) UTC/,
  change: ({ day, time }, world) => withFacts(world, { at: Date.parse(`${String(day)}T${String(time)}:00Z`) }),
});
/** The hint names a factory that a rule "New wallets" may trust. */
export const trusting = (denied: Situation): Advice => ({
  denied,
  says: /add (?<factory>0x\w{40}) to the factories of the WALLET_DEPLOYMENT rule/,
  change: ({ factory = '' }, world) =>
    withRule(world, 'New wallets', (data: object) => ({ policyData: { ...data, factories: [factory] } })),
});

/** What the desk is after a denial: a breaker has paused what it stops. */
export const afterDenial = (world: World): World => {
  const { pauseChain, pauseDapp } = decidedIn(world).effects;
  const { paymasterId, name: dapp } = world.policy.dapp;
  const set = pauseChain ?? pauseDapp;
  return set === undefined ? world : withPolicy(world, { pause: { ...set, dapp, paymasterId } });
};
