import type { RouteLocationRaw } from 'vue-router';
import type { DecisionRecord } from '../../../../shared/schema/decision.ts';
import { shorten } from '../../../../shared/words/shorten.ts';
import { coinPricePlace } from '../../desk/coin-price-place.ts';
import { type DappQuery, type DappTab, dappPlace } from '../../desk/dapp-place.ts';

export interface Fix {
  /** The button's text. */
  readonly verb: string;
  readonly to: RouteLocationRaw;
}

interface Change extends DappQuery {
  readonly verb: string;
  readonly tab?: DappTab;
}

type Evidence = DecisionRecord['trace'][number]['evidence'];

/** A value in the evidence if it is text, otherwise an empty text. */
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const wei = (value: unknown): bigint => BigInt(/^\d+$/.test(text(value)) ? text(value) : 0);

const editLimit = ({ name }: Evidence): Change => ({
  verb: `Raise "${text(name)}"`,
  form: 'spendingLimit',
  of: text(name),
});
const trustFactory = (factory: unknown): Change => ({
  verb: `Trust ${shorten(text(factory))}`,
  form: 'walletDeployment',
  add: text(factory),
});
const resume = (what: unknown): Change => ({ verb: `Resume ${text(what)}`, at: 'pause' });

const CHANGES: Readonly<Record<string, (evidence: Evidence) => Change | undefined>> = {
  SPONSORSHIP_PAUSED: () => resume('sponsorship'),
  DAPP_PAUSED: ({ dapp }) => resume(dapp),
  METHOD_NOT_WHITELISTED: ({ method, contract, target }) => ({
    verb: `Add ${text(method)} to ${text(contract)}`,
    form: 'contracts',
    of: text(target),
    add: text(method),
  }),
  CONTRACT_NOT_REGISTERED: ({ target }) => ({
    verb: `Register ${shorten(text(target))}`,
    form: 'contracts',
    add: text(target),
  }),
  CONTRACT_PAUSED: ({ contract, target }) => ({ verb: `Resume ${text(contract)}`, at: text(target) }),
  DELEGATECALL_NOT_ALLOWED: ({ deployment, target }) => (deployment === true ? trustFactory(target) : undefined),
  DEPLOYMENT_UNREADABLE: ({ factory }) => trustFactory(factory),
  WALLET_DEPLOYMENT_NOT_SPONSORED: ({ paused }) =>
    paused === true
      ? { verb: 'Resume the deployment rule', at: 'walletDeployment' }
      : { verb: 'Sponsor deployments', form: 'walletDeployment' },
  LIMIT_REACHED: editLimit,
  LIMIT_TOO_SMALL: editLimit,
  LIMIT_WITHOUT_SUBJECT: () => ({ verb: 'Require a person', form: 'identity' }),
  SUBJECT_UNVERIFIABLE: ({ rule }) => ({ verb: `Edit "${text(rule)}"`, form: 'identity', of: text(rule) }),
  GAS_TANK_EMPTY: ({ balanceWei, reservedWei, pendingWithdrawalsWei, requiredWei }) => ({
    verb: 'Top up the gas tank',
    tab: 'tank',
    deposit: String(wei(requiredWei) + wei(reservedWei) + wei(pendingWithdrawalsWei) - wei(balanceWei)),
  }),
};

/**
 * The change with which the operation would not have been denied, including the prefilled form for it; undefined if no
 * change to the policy helps.
 */
export const fixOf = ({ id, code, chainId, paymasterId, trace }: DecisionRecord): Fix | undefined => {
  if (code === 'PRICE_UNKNOWN') return { verb: 'Set a price', to: coinPricePlace(chainId) };
  const step = trace.find(({ outcome }) => outcome === 'deny');
  const change = step && CHANGES[code]?.(step.evidence);
  if (change === undefined) return undefined;
  const { verb, tab = 'policy', ...query } = change;
  const decision = tab === 'policy' ? { decision: id } : {};
  return { verb, to: dappPlace(paymasterId, tab, { ...query, ...decision }) };
};
