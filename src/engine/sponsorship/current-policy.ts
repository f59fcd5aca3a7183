import { type Policy, policyHash } from '../../core/policy/policy.ts';
import { isRuleType } from '../../core/decision/rule-words.ts';
import { findLayout } from '../../core/paymaster-layouts/registry.ts';
import { EngineError } from '../../shared/errors.ts';
import { type Soon, allSoon, soon } from '../base/soon.ts';
import type { Config } from '../config/config.ts';
import type { DappPolicy } from '../store/policy-store.ts';
import type { ChainSettings, Dapp } from '../store/registry-store.ts';
import type { Store } from '../store/store.ts';

interface PolicyContext {
  readonly store: Store;
  readonly config: Pick<Config, 'outstandingSharePercent'>;
}

export interface CurrentPolicy {
  readonly dapp: Dapp;
  readonly policy: Policy;
  readonly hash: string;
  /** {@link Store.settingsVersion} when nothing else had been read yet. */
  readonly version: number;
}

const withoutOwner = <Owned extends { paymasterId: string }>({ paymasterId: _, ...rest }: Owned) => rest;

const readPolicy = async (
  { store, config }: PolicyContext,
  dapp: Dapp,
  { contracts, rules, webhooks, lowBalanceThresholdWei }: DappPolicy,
): Promise<Policy> => {
  const { paymasterId, name, chainId, version, fundingWallet, ...settings } = dapp;
  const { allowedOrigins, maxExpirySeconds, tokenMode } = settings;
  const versions = [version, findLayout(version)?.token?.version].filter((one) => one !== undefined);
  const attached = await allSoon([...new Set(versions)].map((one) => store.findPaymasterContract(chainId, one)));
  const [deskPause, dappPauses] = await Promise.all([store.findPause(), store.listDappPauses()]);
  const dappPause = dappPauses.get(paymasterId);
  const [chain, signer, resumes] = await Promise.all([
    store.findChain(chainId),
    store.findSigner(chainId),
    store.resumes(paymasterId),
  ]);
  return {
    v: 1,
    dapp: { paymasterId, name, chainId, version, fundingWallet, allowedOrigins, maxExpirySeconds, tokenMode },
    contracts: contracts.map(withoutOwner),
    rules: rules.map(withoutOwner),
    webhooks: webhooks.map(withoutOwner),
    lowBalanceThresholdWei: lowBalanceThresholdWei === undefined ? null : String(lowBalanceThresholdWei),
    chain: chain === undefined ? null : chainPolicy(chain),
    paymasterContracts: attached.flatMap((one) => (one ? [{ version: one.version, address: one.address }] : [])),
    signer: signer?.address ?? null,
    treasury: chain?.treasury ?? null,
    pause: deskPause ?? (dappPause === undefined ? null : { ...dappPause, dapp: name, paymasterId }),
    resumes,
    outstandingSharePercent: config.outstandingSharePercent,
  };
};

const chainPolicy = ({
  name,
  symbol,
  breaker,
  unreachableBudgetWei,
  maxOperationCostWei,
  price,
}: ChainSettings): NonNullable<Policy['chain']> => ({
  name,
  symbol,
  breaker,
  unreachableBudgetWei,
  maxOperationCostWei,
  ...(price && { price }),
});

/**
 * An enforced rule of an unknown type must not count as absent: a newer Gasdesk may have created it.
 *
 * @throws EngineError `PAYMASTER_NOT_READY`
 */
const requireKnownRules = ({ rules }: Policy): void => {
  const unknown = rules.find(({ active, policyType }) => active && !isRuleType(policyType));
  if (unknown === undefined) return;
  const fix = 'Update Gasdesk, or pause the rule.';
  const message = `The rule "${unknown.name}" has the type ${unknown.policyType}, which this Gasdesk does not know. ${fix}`;
  throw new EngineError('PAYMASTER_NOT_READY', message, { missing: 'rule', fix });
};

const readCurrent = async (context: PolicyContext, paymasterId: string, version: number): Promise<CurrentPolicy> => {
  const { store } = context;
  const dapp = await store.findDapp(paymasterId);
  if (dapp === undefined) throw new EngineError('UNKNOWN_API_KEY');
  const rules = await store.dappPolicy(paymasterId);
  const policy = await readPolicy(context, dapp, rules);
  requireKnownRules(policy);
  return { dapp, policy, hash: policyHash(policy), version };
};

interface Reading {
  readonly version: number;
  readonly outstandingSharePercent: number;
  policy: Soon<CurrentPolicy>;
}

/** Cached readings, by store and DApp. They change only with the settings. */
const readings = new WeakMap<Store, Map<string, Reading>>();

/**
 * The policy of a DApp. It is read again only after a change, and only once for all concurrent callers.
 *
 * @throws EngineError `UNKNOWN_API_KEY` if the DApp no longer exists; `PAYMASTER_NOT_READY` for a rule of an unknown
 * type
 */
export const currentPolicy = (
  context: PolicyContext,
  { paymasterId, chainId }: Pick<Dapp, 'paymasterId' | 'chainId'>,
): Soon<CurrentPolicy> =>
  soon(context.store.settingsVersion({ paymasterId, chainId }), (version) => policyAt(context, paymasterId, version));

const policyAt = (context: PolicyContext, paymasterId: string, version: number): Soon<CurrentPolicy> => {
  const { store } = context;
  const { outstandingSharePercent } = context.config;
  const ofStore = readings.get(store) ?? new Map<string, Reading>();
  readings.set(store, ofStore);
  const last = ofStore.get(paymasterId);
  if (last?.version === version && last.outstandingSharePercent === outstandingSharePercent) return last.policy;
  const policy = readCurrent(context, paymasterId, version);
  const reading: Reading = { version, outstandingSharePercent, policy };
  ofStore.set(paymasterId, reading);
  policy.then(
    (read) => {
      reading.policy = read;
    },
    () => {
      if (ofStore.get(paymasterId) === reading) ofStore.delete(paymasterId);
    },
  );
  return policy;
};
