import { requireNode } from '../chain/require-node.ts';
import { readWithdrawals } from '../sponsorship/chain-reads.ts';
import { readTank } from '../sponsorship/read-tank.ts';
import { freeOf } from '../sponsorship/free-balance.ts';
import { accountOfTank } from '../sponsorship/tank-account.ts';
import type { Tank } from '../paymaster/readiness.ts';
import type { Holds, LedgerFacts } from '../store/decision-store.ts';
import { type ActionContext, amountsOn, failing } from './action-context.ts';

export interface Withdrawal {
  readonly tank: Tank;
  readonly amountWei: bigint;
}

interface FreeCheck {
  readonly facts: LedgerFacts;
  /** Throws if the amount is not free, given the amounts in the ledger accounts. */
  readonly check: (held: readonly bigint[]) => void;
}

const readFree = async ({ store, chains }: ActionContext, { tank, amountWei }: Withdrawal): Promise<FreeCheck> => {
  const ledgerVersion = await store.ledgerVersion();
  const balanceWei = await readTank(await requireNode(chains, tank.chainId), tank);
  const pendingWithdrawalsWei = await readWithdrawals(store, tank);
  const amountOf = await amountsOn(store, tank.chainId);
  return {
    facts: { reservations: [{ account: accountOfTank(tank), kind: 'tank', amount: amountWei }], ledgerVersion },
    check: ([reservedWei = 0n]) => {
      const freeWei = freeOf(balanceWei, { reservedWei, pendingWithdrawalsWei });
      if (amountWei <= freeWei) return;
      const withdrawals =
        pendingWithdrawalsWei === 0n ? '' : `, and ${amountOf(pendingWithdrawalsWei)} in pending withdrawals`;
      const parts = `${amountOf(balanceWei)} in the tank, ${amountOf(reservedWei)} reserved for operations${withdrawals}`;
      const fix = `Withdraw at most ${amountOf(freeWei)}, or pause sponsorship and wait until the reservations end.`;
      const data = { freeWei: String(freeWei), reservedWei: String(reservedWei), fix };
      throw failing(`Insufficient free balance: ${parts}. ${fix}`, data);
    },
  };
};

/**
 * Requires that the amount is free. The rest of the balance is reserved for signed operations. If it were withdrawn,
 * their bundlers would lose money or, if tanks share one deposit, the other tanks would pay. Reservations end within
 * minutes, so the rest soon becomes free.
 *
 * @throws EngineError `TRANSACTION_WOULD_FAIL`, `RPC_MISSING`, `CHAIN_UNREACHABLE`; RpcError
 */
export const requireFree = async (context: ActionContext, withdrawal: Withdrawal): Promise<void> => {
  const { facts, check } = await readFree(context, withdrawal);
  check(await context.store.heldOf(facts.reservations));
};

/**
 * Holds the amount while `send` signs and records the withdrawal, so that no operation or other withdrawal can use it
 * meanwhile. Afterwards, the record itself reserves the amount.
 *
 * @throws EngineError like `requireFree`; whatever `send` throws
 */
export const holdWithdrawal = async <T>(
  context: ActionContext,
  withdrawal: Withdrawal,
  send: (holds: Holds) => Promise<T>,
): Promise<T> => {
  for (;;) {
    const { facts, check } = await readFree(context, withdrawal);
    const sent = await context.store.withHold(facts, check, send);
    if (sent !== undefined) return sent;
  }
};
