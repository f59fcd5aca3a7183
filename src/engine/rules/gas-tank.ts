import { type Rule, deny, pass, skip } from './rule.ts';

/** What the tank holds and owes. All wei. */
export interface TankFacts {
  /** Balance on chain; undefined where the chain could not be read. */
  balanceWei: bigint | undefined;
  /** Promised to operations that are signed and neither settled nor expired. */
  promisedWei: bigint;
  /** What withdrawals under way take out of it. */
  leavingWei?: bigint;
  /** What the coin of the chain is called. */
  symbol?: string | undefined;
  /** The most this operation can take. */
  neededWei: bigint;
  /** The operator's word for when the tank is low; it denies nothing. */
  lowWei?: bigint | undefined;
}

/** What is promised must be in the tank (SPEC 4 and 5.5): balance − promised ≥ the operation's maximum cost, and so after withdrawals under way. */
export const gasTankRule: Rule<null, TankFacts> = {
  type: 'gasTank',
  check(_config, { balanceWei, promisedWei, leavingWei = 0n, symbol, neededWei, lowWei }) {
    const promise = {
      promisedWei: promisedWei.toString(),
      ...(leavingWei > 0n && { leavingWei: leavingWei.toString() }),
      neededWei: neededWei.toString(),
      ...(lowWei !== undefined && { lowWei: lowWei.toString() }),
    };
    if (balanceWei === undefined) return skip('BALANCE_UNKNOWN', promise);
    const evidence = { balanceWei: balanceWei.toString(), ...promise };
    if (balanceWei - promisedWei - leavingWei >= neededWei) return pass('TANK_COVERS', evidence);
    return deny('GAS_TANK_EMPTY', { ...evidence, ...(symbol !== undefined && { symbol }) });
  },
};
