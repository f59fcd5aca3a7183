import { type DenialRows, coins } from '../../shared/denials.ts';
import { type Address, addressKey } from '../../shared/schema/hex.ts';
import { type AccountKey, accountText } from '../ledger/account.ts';
import type { Facts } from '../facts/facts.ts';
import type { Policy } from '../policy/policy.ts';
import { type CheckResult, type RuleInput, type RuleKind, deny, pass, skip } from './rule.ts';

/** The percentage at which shares are turned off. */
const ALL = 100;

const ceilDivide = (value: bigint, by: bigint): bigint => (value + by - 1n) / by;

/** The amount to add to the tank so that the share covers the needed amount. All amounts are in wei. */
const toTopUp = (share: bigint, needed: bigint, percent: number): bigint =>
  ceilDivide((needed - share) * 100n, BigInt(percent));

/** The percentage at which the share covers the needed amount. The highest percentage turns shares off. */
const sufficientPercent = (share: bigint, needed: bigint, percent: number): bigint => {
  const sufficient = share === 0n ? BigInt(ALL) : ceilDivide(needed * BigInt(percent), share);
  return sufficient < ALL ? sufficient : BigInt(ALL);
};

const denials = {
  GAS_TANK_EMPTY: (evidence) => {
    const wei = (key: string): bigint => BigInt(String(evidence[key] ?? 0));
    const amount = (value: bigint): string => coins(value, evidence);
    const [balance, reserved, pending, needed] = [
      wei('balanceWei'),
      wei('reservedWei'),
      wei('pendingWithdrawalsWei'),
      wei('requiredWei'),
    ];
    const out = pending === 0n ? '' : `, and ${amount(pending)} is in pending withdrawals`;
    return {
      message:
        `The gas tank holds ${amount(balance)}, of which ${amount(reserved)} is reserved for operations that are not mined yet${out}; ` +
        `this operation may cost ${amount(needed)}.`,
      hint: `Top up the tank by at least ${amount(needed + reserved + pending - balance)}.`,
    };
  },
  TANK_SHARE_REACHED: ({ holder, percent, ...evidence }) => {
    const one = holder === 'sender' ? 'sender' : 'DApp';
    const [share, needed] = [
      BigInt(String(evidence.shareWei)),
      BigInt(String(evidence.outstandingWei)) + BigInt(String(evidence.requiredWei)),
    ];
    return {
      message:
        `Several ${one}s use the gas tank, and each may have ${String(percent)} % of it outstanding, ${coins(evidence.shareWei, evidence)}; ` +
        `this ${one} has ${coins(evidence.outstandingWei, evidence)}, and this operation may cost ${coins(evidence.requiredWei, evidence)}.`,
      hint:
        `Wait until earlier operations are mined or expire, top up the tank by at least ${coins(toTopUp(share, needed, Number(percent)), evidence)}, ` +
        `or raise the share by "gasdesk config set outstandingSharePercent ${sufficientPercent(share, needed, Number(percent))}".`,
    };
  },
} satisfies DenialRows;

type Result = CheckResult<keyof typeof denials>;

/** The balance and the obligations of a tank. All amounts are in wei. */
export interface TankFacts {
  /** On-chain balance; undefined if the chain could not be read. */
  balanceWei: bigint | undefined;
  /** Reserved for signed operations that are neither settled nor expired. */
  reservedWei: bigint;
  /** Withdrawals in flight. */
  pendingWithdrawalsWei?: bigint;
  /** Symbol of the chain's native coin. */
  symbol?: string | undefined;
  /** The maximum cost of this operation. */
  requiredWei: bigint;
  /** The operator's threshold for a low tank. It never denies an operation. */
  lowBalanceThresholdWei?: bigint | undefined;
}

/**
 * The tank must cover its reservations (behaviour 5.8): the balance, minus reservations and withdrawals in flight, must
 * be at least the operation's maximum cost.
 */
export const checkGasTank = ({
  balanceWei,
  reservedWei,
  pendingWithdrawalsWei = 0n,
  symbol,
  requiredWei,
  lowBalanceThresholdWei,
}: TankFacts): Result => {
  const reservation = {
    reservedWei: reservedWei.toString(),
    ...(pendingWithdrawalsWei > 0n && { pendingWithdrawalsWei: pendingWithdrawalsWei.toString() }),
    requiredWei: requiredWei.toString(),
    ...(lowBalanceThresholdWei !== undefined && { lowBalanceThresholdWei: lowBalanceThresholdWei.toString() }),
  };
  if (balanceWei === undefined) return skip('BALANCE_UNKNOWN', reservation);
  const evidence = { balanceWei: balanceWei.toString(), ...reservation };
  if (balanceWei - reservedWei - pendingWithdrawalsWei >= requiredWei) return pass('TANK_COVERS', evidence);
  return deny('GAS_TANK_EMPTY', { ...evidence, ...(symbol !== undefined && { symbol }) });
};

export const tankAccount = (
  chainId: number,
  { address, fundingWallet = '0x' }: Pick<Facts['contract'], 'address' | 'fundingWallet'>,
): AccountKey => ({ kind: 'tank', id: [chainId, addressKey(address), addressKey(fundingWallet)].join(':') });

/** The accounts for the outstanding amounts of a sender and of a DApp, at a tank that others may use as well. */
export const shareAccounts = (tank: AccountKey, sender: Address, paymasterId: string): [AccountKey, AccountKey] => {
  const id = accountText(tank);
  return [
    { kind: 'sender', id, user: addressKey(sender) },
    { kind: 'dapp', id, user: paymasterId },
  ];
};

/** A holder with nothing outstanding may have one operation of any cost. */
const mostOutstanding = (shareWei: bigint, requiredWei: bigint): bigint =>
  shareWei > requiredWei ? shareWei - requiredWei : 0n;

/** The largest share that one holder may have outstanding, in wei. */
const shareOf = (balanceWei: bigint, percent: number): bigint => (balanceWei * BigInt(percent)) / 100n;

/** The outstanding amount of one user of a tank. All amounts are in wei. */
export interface TankShareFacts {
  /** Whose amount this is: that of one sender, or that of a DApp with all its senders. */
  readonly holder: 'sender' | 'dapp';
  /** The largest share of the tank that one holder may have outstanding, in percent. */
  readonly percent: number;
  /** On-chain balance. */
  readonly balanceWei: bigint;
  /** Reserved for this sender's or DApp's signed operations that are neither settled nor expired. */
  readonly outstandingWei: bigint;
  /** The maximum cost of this operation. */
  readonly requiredWei: bigint;
  /** Symbol of the chain's native coin. */
  readonly symbol?: string | undefined;
}

/**
 * If several holders (senders or DApps) use a tank, each may have at most its share outstanding: outstanding + the
 * operation's maximum cost ≤ balance × percent. A holder with nothing outstanding may have one operation of any cost
 * that the tank covers. {@link checkGasTank} checks the tank.
 */
export const checkTankShare = ({
  holder,
  percent,
  balanceWei,
  outstandingWei,
  requiredWei,
  symbol,
}: TankShareFacts): Result => {
  const shareWei = shareOf(balanceWei, percent);
  const wei = { shareWei: String(shareWei), outstandingWei: String(outstandingWei), requiredWei: String(requiredWei) };
  const evidence = { holder, percent, ...wei, ...(symbol !== undefined && { symbol }) };
  const isWithin = outstandingWei <= mostOutstanding(shareWei, requiredWei);
  return isWithin ? pass('WITHIN_TANK_SHARE', evidence) : deny('TANK_SHARE_REACHED', evidence);
};

const haveShares = ({ stage }: Facts, { outstandingSharePercent }: Policy): boolean =>
  stage !== 'draft' && outstandingSharePercent !== ALL;

/**
 * Shares apply as soon as another sender or another DApp has used this tank; a sole user may use all of it. Outstanding
 * amounts are counted even while shares are turned off or the balance is unknown, so that shares apply at once when
 * they are turned on or the node is reachable again.
 */
const checkShares = (
  { facts, policy, requiredWei, symbol }: RuleInput,
  [bySender = 0n, byDapp = 0n]: readonly bigint[],
): Result[] => {
  const { chain, shared } = facts;
  if (chain === null || !haveShares(facts, policy)) return [];
  const percent = policy.outstandingSharePercent;
  const tank = { percent, balanceWei: BigInt(chain.balanceWei), requiredWei: requiredWei, symbol };
  const shares = [
    ...(shared.bySenders ? [checkTankShare({ ...tank, holder: 'sender', outstandingWei: bySender })] : []),
    ...(shared.byDapps ? [checkTankShare({ ...tank, holder: 'dapp', outstandingWei: byDapp })] : []),
  ];
  return shares.filter(({ outcome }) => outcome === 'deny');
};

/** What the gas tank covers, and the share of it that each sender or DApp may have outstanding. */
export const gasTank: RuleKind<keyof typeof denials> = {
  type: 'gasTank',
  title: 'Gas tank',
  denials,
  reserve({ facts, policy, op, requiredWei: amount }) {
    const { chainId, paymasterId } = policy.dapp;
    const tank = tankAccount(chainId, facts.contract);
    const accounts = [tank, ...shareAccounts(tank, op.sender, paymasterId)];
    return accounts.map((account) => ({ account, kind: 'tank', amount }));
  },
  mostHeld({ facts, policy, requiredWei }) {
    const { chain, shared } = facts;
    if (chain === null) return [];
    const balanceWei = BigInt(chain.balanceWei);
    const inTank = balanceWei - BigInt(chain.pendingWithdrawalsWei) - requiredWei;
    if (!haveShares(facts, policy)) return [inTank];
    const ofShare = mostOutstanding(shareOf(balanceWei, policy.outstandingSharePercent), requiredWei);
    return [inTank, shared.bySenders ? ofShare : undefined, shared.byDapps ? ofShare : undefined];
  },
  check(input, [reservedWei = 0n, ...shares]) {
    const { facts, policy, requiredWei, symbol } = input;
    const { chain } = facts;
    const low = policy.lowBalanceThresholdWei;
    const tank = checkGasTank({
      balanceWei: chain === null ? undefined : BigInt(chain.balanceWei),
      ...(chain !== null && { pendingWithdrawalsWei: BigInt(chain.pendingWithdrawalsWei), symbol }),
      reservedWei,
      requiredWei: requiredWei,
      lowBalanceThresholdWei: low === null ? undefined : BigInt(low),
    });
    return [tank, ...checkShares(input, shares)];
  },
};
