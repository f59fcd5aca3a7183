import { EngineError } from '../../shared/errors.ts';
import { requireNode } from '../chain/require-node.ts';
import { readTank, readWithdrawals } from '../decision/chain-reads.ts';
import { freeOf } from '../decision/free-balance.ts';
import { tankKey } from '../decision/ledger-steps.ts';
import type { Tank } from '../paymaster/readiness.ts';
import type { Claim, LedgerFacts } from '../store/store.ts';
import type { ActionContext } from './action-context.ts';
import { amountsOn } from './amounts-on.ts';

/** What is to be taken out of a tank. */
export interface Withdrawal {
  readonly tank: Tank;
  readonly amountWei: bigint;
}

interface Look {
  readonly facts: LedgerFacts;
  /** Throws if the amount is not free. */
  readonly check: (held: readonly bigint[]) => void;
}

const look = async ({ store, chains }: ActionContext, { tank, amountWei }: Withdrawal): Promise<Look> => {
  const settlements = await store.settlements();
  const balanceWei = await readTank(await requireNode(chains, tank.chainId), tank);
  const leavingWei = await readWithdrawals(store, tank);
  const amountOf = await amountsOn(store, tank.chainId);
  const claim: Claim = { key: tankKey(tank), kind: 'tank', amount: amountWei };
  return {
    facts: { claims: [claim], settlements },
    check: ([promisedWei = 0n]) => {
      const freeWei = freeOf(balanceWei, { promisedWei, leavingWei });
      if (amountWei <= freeWei) return;
      const leaving = leavingWei === 0n ? '' : `, and ${amountOf(leavingWei)} on their way out`;
      const parts = `${amountOf(balanceWei)} in the tank, ${amountOf(promisedWei)} promised to operations${leaving}`;
      const fix = `Withdraw at most ${amountOf(freeWei)}, or pause sponsorship and wait until the promises are over.`;
      const data = { freeWei: String(freeWei), promisedWei: String(promisedWei), fix };
      throw new EngineError('TRANSACTION_WOULD_FAIL', `There are ${parts}. ${fix}`, data);
    },
  };
};

/**
 * Not more than is free: what is promised is signed, and its bundlers would be let down; where tanks share one deposit
 * the other tanks would pay. A promise ends by itself within minutes, so the rest can be had soon.
 *
 * @throws EngineError `TRANSACTION_WOULD_FAIL`, `RPC_MISSING`, `CHAIN_UNREACHABLE`; RpcError
 */
export const requireFree = async (context: ActionContext, withdrawal: Withdrawal): Promise<void> => {
  const { facts, check } = await look(context, withdrawal);
  check(await context.store.heldOf(facts.claims));
};

/**
 * Has the amount to itself while `send` signs the withdrawal and records it: neither an operation nor another
 * withdrawal gets any of it meanwhile, and afterwards the record counts.
 *
 * @throws EngineError as `requireFree`; what `send` throws
 */
export const whileFree = async <T>(
  context: ActionContext,
  withdrawal: Withdrawal,
  send: () => Promise<T>,
): Promise<T> => {
  for (;;) {
    const { facts, check } = await look(context, withdrawal);
    const sent = await context.store.holdWhile(facts, check, send);
    if (sent !== undefined) return sent;
  }
};
