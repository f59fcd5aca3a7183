import { unitsToDecimal } from '../../src/shared/schema/decimal.ts';
import { mostUnits } from './token-promises.ts';
import { TOKEN_DECIMALS } from './tokens.ts';
import { Violation } from './violation.ts';
import { HOUR_MS, type Ticket, type World, driving } from './world.ts';

interface Settled {
  readonly id: string;
  readonly message: string;
  readonly paymasterId: string;
  readonly settlement: string | null;
  readonly actualCostWei: string | null;
}

const decisionsOf = async (world: World) => {
  const all = [];
  for (let after = 0, more = true; more;) {
    const page = await driving(world, world.desk.call('decisions.page', { after, limit: 1_000 }));
    all.push(...page.decisions);
    ({ upTo: after, more } = page);
  }
  return all;
};

/**
 * What the decisions with the hash of a signed operation have to be settled as, when everything is past: what the chain
 * says of it.
 */
const checkSettled = (world: World, ticket: Ticket, decisions: readonly Settled[]): void => {
  const mined = world.chain.mined().find(({ userOpHash }) => userOpHash === ticket.userOpHash);
  const words = decisions.map(({ id, settlement, actualCostWei }) => `${id}: ${settlement} at ${actualCostWei} wei`);
  const wrong = (what: string): Violation => new Violation('SETTLED_WRONGLY', `${words.join(', ')}, and ${what}`);
  if (mined === undefined) {
    // While the node was silent for an hour, its silence proves nothing.
    const isEnded = decisions.every(({ settlement }) => settlement === 'released' || settlement === 'unconfirmed');
    if (!isEnded) throw wrong('was never mined');
    return;
  }
  const charged = mined.chargedWei < ticket.maxCostWei ? mined.chargedWei : ticket.maxCostWei;
  const dapps = new Set(decisions.map(({ paymasterId }) => paymasterId));
  // The chain does not show which of several DApps has paid.
  const isRight =
    dapps.size === 1
      ? decisions.some(
          ({ settlement, actualCostWei }) => settlement === 'settled' && BigInt(actualCostWei ?? -1) === charged,
        )
      : [...dapps].every((dapp) =>
          decisions.some(({ paymasterId, settlement }) => paymasterId === dapp && settlement === 'unconfirmed'),
        );
  if (!isRight) throw wrong(`was mined for ${mined.chargedWei}`);
};

/** A decision says how much the user pays at most. */
const checkExplained = (ticket: Ticket, decisions: readonly Settled[]): void => {
  if (ticket.payment === undefined) return;
  const most = `at most ${unitsToDecimal(mostUnits(ticket), TOKEN_DECIMALS)} USDC`;
  const wrong = decisions.find(({ message }) => !message.includes(most));
  if (wrong !== undefined) throw new Violation('EXPLAINED_WRONGLY', `${wrong.id}: ${wrong.message} In truth ${most}`);
};

/** Each sponsorship is reported, and in the order of the decisions unless the receiver has refused it at first. */
const checkEvents = (world: World, sponsored: readonly { readonly id: string }[]): void => {
  if (!world.kinds.has('receivers')) return;
  const reported = world.events
    .filter(({ type }) => type === 'operation.sponsored')
    .map(({ decisionId }) => decisionId);
  const expected = sponsored.map(({ id }) => id);
  const missing = expected.filter((id) => !reported.includes(id));
  if (missing.length > 0 || reported.length !== expected.length) {
    const detail = `${reported.length} of ${expected.length} sponsorships were reported; missing: ${missing.join(', ')}`;
    throw new Violation('EVENTS_MISSING', detail);
  }
  const inOrder = (ids: readonly string[]): string => ids.filter((id) => !world.refused.has(id)).join(' ');
  if (inOrder(reported) !== inOrder(expected)) throw new Violation('EVENTS_DISORDERED', inOrder(reported));
};

/**
 * Lets everything in flight end, with nothing wrong any more, and compares what the desk then says with the
 * chain.
 *
 * @returns the root of the desk's log, base64
 */
export const audit = async (
  world: World,
  playFor: (ms: number) => Promise<void>,
  verifyLog: (world: World) => Promise<void>,
): Promise<string> => {
  const { desk, node, time } = world;
  world.isCalm = true;
  node.heal();
  Object.assign(world.disk, { full: 0, unreadable: 0, slowMs: 0 });
  time.aheadMs = 0;
  // Past every signature, every wait of the desk, and any further try of an event.
  for (let passed = 0; passed < 6; passed += 1) {
    await playFor(90_000);
    time.sleep(HOUR_MS / 2);
  }
  await playFor(5 * 60_000);
  const decisions = await decisionsOf(world);
  const sponsored = decisions.filter(({ outcome }) => outcome === 'sponsored');
  const byHash = Map.groupBy(sponsored, ({ userOpHash }) => userOpHash);
  for (const ticket of world.tickets) {
    const ofHash = byHash.get(ticket.userOpHash) ?? [];
    checkSettled(world, ticket, ofHash);
    checkExplained(ticket, ofHash);
  }
  const open = sponsored.filter(({ settlement }) => settlement === 'reserved');
  if (open.length > 0) throw new Violation('NEVER_ENDED', `${open.length} reservations, such as ${open[0]?.id}`);
  checkEvents(world, sponsored);
  await verifyLog(world);
  const { note } = await driving(world, desk.call('log.checkpoint', {}));
  return note.split('\n')[2] ?? '';
};
