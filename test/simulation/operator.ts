import type { ProcedureOutput } from '../../src/api/index.ts';
import { EngineError } from '../../src/shared/errors.ts';
import { CHAIN_BREAKER_REASON } from '../../src/shared/words/breaker.ts';
import type { Draw } from '../support/draw.ts';
import { CHAIN_ID } from './contracts.ts';
import { type Dapp, type Limit, MILLI, type World } from './world.ts';

/** The disk is full: nothing was done. */
export const isWithoutRoom = (error: unknown): boolean =>
  error instanceof EngineError && error.code === 'STORAGE_FAILED' && error.data['damaged'] !== true;

/**
 * Does something that changes the desk, and notes it only if the desk has confirmed it.
 *
 * @returns whether the desk has refused it, because the disk is full
 */
const confirmed = async <T>(world: World, work: Promise<T>, note: (done: T) => void): Promise<boolean> => {
  const start = world.starts;
  try {
    const done = await work;
    // What a dead engine still answers reaches no one.
    if (world.desk.isUp && world.starts === start) note(done);
    else world.isPolicyUncertain = true;
    return false;
  } catch (error) {
    const isAlive = world.desk.isUp && world.starts === start;
    if (isAlive && !isWithoutRoom(error)) throw error;
    if (!isAlive) world.isPolicyUncertain = true;
    else world.count('operator: refused without room');
    return isAlive;
  }
};

const limitsOf = async (world: World, { paymasterId }: Dapp) =>
  (await world.desk.call('rules.list', { paymasterId })).filter(
    ({ policyType }) => policyType === 'PAYMASTER_SA_LIMIT',
  ) as unknown as readonly {
    readonly _id: string;
    readonly active: boolean;
    readonly policyData: {
      readonly type: keyof typeof COUNTED;
      readonly thresholdType: 'COUNT' | 'NATIVE_ASSET';
      readonly threshold: string | number;
      readonly startTimeInEpoch: number;
      readonly cycleDuration: { readonly value: number };
    };
  }[];

const COUNTED = { PAYMASTER: 'dapp', SMART_ACCOUNT: 'sender', SUBJECT: 'person' } as const;

const weiOf = (coins: string): bigint => {
  const [whole = '0', part = ''] = coins.split('.');
  return BigInt(whole + part.padEnd(18, '0'));
};

/** Notes the limits that the desk now has: those that went or changed end, and others begin. */
const readLimits = async (world: World, dapp: Dapp): Promise<void> => {
  const start = world.starts;
  const listed = await limitsOf(world, dapp);
  if (world.starts !== start || !world.desk.isUp) return;
  const { awake } = world.time;
  const inForce = new Set<Limit>();
  for (const { _id: ruleId, active, policyData } of listed) {
    if (!active) continue;
    const { type, thresholdType: unit, startTimeInEpoch: startMs, cycleDuration } = policyData;
    const threshold = unit === 'COUNT' ? BigInt(policyData.threshold) : weiOf(String(policyData.threshold));
    const known = dapp.limits.find(
      (one) => one.to === Infinity && one.ruleId === ruleId && one.startMs === startMs && one.threshold === threshold,
    );
    const limit = known ?? {
      ruleId,
      per: COUNTED[type],
      unit,
      threshold,
      hours: cycleDuration.value,
      startMs,
      from: awake,
      to: Infinity,
    };
    if (known === undefined) dapp.limits.push(limit);
    inForce.add(limit);
  }
  for (const limit of dapp.limits) if (limit.to === Infinity && !inForce.has(limit)) limit.to = awake;
};

/** Before a change is sent, what it may end is no longer certain. */
const endLimit = (world: World, dapp: Dapp, ruleId: string | undefined): void => {
  for (const limit of dapp.limits) {
    if (limit.ruleId === ruleId && limit.to === Infinity) limit.to = world.time.awake;
  }
};

const drawLimit = (draw: Draw, { vouching }: Dapp) => {
  const isCount = draw.chance(60);
  return {
    type: vouching !== undefined && draw.chance(65) ? 'SUBJECT' : draw.pick(['PAYMASTER', 'SMART_ACCOUNT']),
    thresholdType: isCount ? 'COUNT' : 'NATIVE_ASSET',
    threshold: isCount ? String(draw.between(1, draw.pick([2, 5, 20]))) : `0.00${draw.between(1, 9)}`,
    cycleDuration: { value: draw.pick([1, 1, 1, 24]), unit: 'hour' },
  };
};

type Rules = Awaited<ReturnType<typeof limitsOf>>;

/** Changes the limits of a DApp that has these rules. @param changed id of the rule, unless it is new */
const changeLimits = async (
  world: World,
  { dapp, rules, changed }: { dapp: Dapp; rules: Rules; changed?: string },
  words: string,
  work: () => Promise<unknown>,
): Promise<void> => {
  const { desk, starts } = world;
  endLimit(world, dapp, changed);
  const isRefused = await confirmed(world, work(), () => undefined);
  world.count(`operator: ${words}`);
  world.tell(`operator: ${words} on DApp ${dapp.index}${isRefused ? ', in vain' : ''}`);
  if (!desk.isUp) return;
  const after = await limitsOf(world, dapp);
  const isSame = JSON.stringify(after) === JSON.stringify(rules);
  // A change whose result cannot be read may have been made.
  if (isRefused && !isSame && world.starts === starts && world.disk.unreadable === 0)
    world.blame('REFUSED_AND_DONE', words);
  await readLimits(world, dapp);
};

/** The operator adds a limit, unless there are many. */
export const addLimit = async (world: World, draw: Draw, dapp: Dapp): Promise<void> => {
  const { paymasterId } = dapp;
  const rules = await limitsOf(world, dapp);
  if (rules.length >= 4 || !world.desk.isUp) return;
  const name = `limit ${draw.below(10 ** 9)}`;
  const rule = { name, policyType: 'PAYMASTER_SA_LIMIT', policyData: drawLimit(draw, dapp) };
  await changeLimits(world, { dapp, rules }, 'add a limit', () =>
    world.desk.call('rules.create', { paymasterId, rule } as never),
  );
};

/** Puts thousandths of a coin into the tank, or the deposit, that pays for a DApp. */
const pay = (world: World, { wallet, paymaster }: Dapp, millis: number): void => {
  world.payments.push({ payer: (wallet ?? paymaster).toLowerCase(), wei: BigInt(millis) * MILLI });
  world.count('payments into tanks');
};

/** Tanks that are nearly empty get a little: for as long as they are, each signature depends on what is mined. */
export const keepAlive = (world: World, draw: Draw): void => {
  const dapp = draw.pick(world.dapps);
  if (world.chain.balance((dapp.wallet ?? dapp.paymaster).toLowerCase()) < 5n * MILLI)
    pay(world, dapp, draw.between(1, 3));
};

/** The operator changes limits and puts coins into tanks. */
export const operate = async (world: World, draw: Draw): Promise<void> => {
  const { desk } = world;
  if (!desk.isUp) return;
  const dapp = draw.pick(world.dapps);
  const { paymasterId } = dapp;
  const act = draw.pick(['create', 'create', 'update', 'toggle', 'delete', 'fund'] as const);
  if (act === 'fund') {
    pay(world, dapp, draw.between(1, 100));
    return;
  }
  if (act === 'create') return addLimit(world, draw, dapp);
  const rules = await limitsOf(world, dapp);
  if (rules.length === 0 || !desk.isUp) return;
  const rule = draw.pick(rules);
  const target = { paymasterId, ruleId: rule._id };
  const change = (words: string, work: () => Promise<unknown>): Promise<void> =>
    changeLimits(world, { dapp, rules, changed: rule._id }, words, work);
  if (act === 'update') {
    const { threshold } = drawLimit(draw, dapp);
    const isCount = rule.policyData.thresholdType === 'COUNT';
    const changed = isCount === !threshold.includes('.') ? threshold : isCount ? '3' : '0.004';
    await change('change a limit', () =>
      desk.call('rules.updateLimit', { ...target, update: { threshold: changed } } as never),
    );
  } else if (act === 'toggle') {
    await change('switch a limit', () => desk.call(rule.active ? 'rules.deactivate' : 'rules.activate', target));
  } else await change('remove a limit', () => desk.call('rules.delete', target));
};

/** The operator pauses all sponsorship or one DApp, or ends every pause. */
export const pauseOrResume = async (world: World, draw: Draw): Promise<void> => {
  const { desk, time } = world;
  if (!desk.isUp) return;
  const dapp = draw.pick(world.dapps);
  const { paymasterId } = dapp;
  const isAll = draw.chance(40);
  const pauses = isAll ? world.pauses : dapp.pauses;
  const what = isAll ? 'everything' : `DApp ${dapp.index}`;
  if (draw.chance(35)) {
    const paused = isAll ? desk.call('system.pause', {}) : desk.call('paymasters.pause', { paymasterId } as never);
    await confirmed(world, paused, () => {
      if (pauses.at(-1)?.to !== Infinity) pauses.push({ from: time.awake, to: Infinity });
      world.count('operator: pause');
      world.tell(`operator: pauses ${what}`);
    });
  } else {
    for (const pause of [...world.pauses, ...world.dapps.flatMap((one) => one.pauses)]) {
      if (pause.to === Infinity) pause.to = time.awake;
    }
    const counting = world.breakers.filter((one) => one.to === Infinity);
    for (const breaker of counting) breaker.to = time.awake;
    const paused: ProcedureOutput<'system.info'>['pausedDapps'] = [];
    await confirmed(world, desk.call('system.resume', {}), () => {
      // The breaker's count begins again.
      for (const breaker of counting) world.breakers.push({ ...breaker, from: time.awake, to: Infinity });
    });
    await confirmed(world, desk.call('system.info', {}), ({ pausedDapps }) => paused.push(...pausedDapps));
    for (const one of paused) {
      // If the breaker has tripped again meanwhile, ending this pause would restart its count.
      if (!desk.isUp || one.reason?.startsWith(CHAIN_BREAKER_REASON) === true) continue;
      await confirmed(world, desk.call('paymasters.resume', { paymasterId: one.paymasterId }), () => undefined);
    }
    world.count('operator: resume');
    world.tell('operator: ends every pause');
  }
};

/** The operator switches the token mode of a DApp off, or on. */
export const switchTokenMode = async (world: World, draw: Draw): Promise<void> => {
  const { desk, time } = world;
  if (!desk.isUp) return;
  const { index, paymasterId, tokensOff } = draw.pick(world.dapps.filter(({ version }) => version === 'singleton-0.7'));
  const tokenMode = draw.chance(70);
  if (tokenMode) for (const off of tokensOff) if (off.to === Infinity) off.to = time.awake;
  await confirmed(world, desk.call('paymasters.setTokenMode', { paymasterId, tokenMode }), () => {
    if (!tokenMode && tokensOff.at(-1)?.to !== Infinity) tokensOff.push({ from: time.awake, to: Infinity });
    world.count('operator: token mode');
    world.tell(`operator: token mode of DApp ${index} is ${tokenMode ? 'on' : 'off'}`);
  });
};

/** The operator sets the breaker, or removes it. */
export const setBreaker = async (world: World, draw: Draw): Promise<void> => {
  const { desk, time, breakers } = world;
  if (!desk.isUp) return;
  const amount = draw.chance(70)
    ? { amountWei: BigInt(draw.between(2, draw.pick([6, 20, 60]))) * MILLI, seconds: draw.pick([60, 60, 600, 3_600]) }
    : null;
  for (const one of breakers) if (one.to === Infinity) one.to = time.awake;
  const breaker = amount && { ...amount, amountWei: String(amount.amountWei) };
  await confirmed(world, desk.call('chains.set', { chainId: CHAIN_ID, breaker } as never), () => {
    if (amount !== null) breakers.push({ ...amount, from: time.awake, to: Infinity });
    world.count('operator: breaker');
    world.tell(`operator: sets the breaker to ${String(amount?.amountWei ?? 'off')}`);
  });
};

/** After a crash while a change was sent: only what the desk says now is certain. */
export const readPolicyAgain = async (world: World): Promise<void> => {
  if (!world.isPolicyUncertain) return;
  world.isPolicyUncertain = false;
  const now = world.time.awake;
  for (const dapp of world.dapps) await readLimits(world, dapp);
  const ofDapps = world.dapps.flatMap(({ pauses, tokensOff }) => [...pauses, ...tokensOff]);
  const uncertain = [...world.pauses, ...ofDapps, ...world.breakers];
  for (const one of uncertain) if (one.to === Infinity) one.to = now;
};
