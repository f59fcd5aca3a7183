import type { ProcedureArguments, ProcedureOutput } from '../../api/index.ts';
import { MOST_COST_GROUPS } from '../../api/costs.ts';
import { whitelistOf } from '../../core/contract-abi/whitelist.ts';
import { type CostGroup, CostReport, addUp } from '../../core/costs/cost-report.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { type CostGrouping, costParts } from '../../shared/schema/cost.ts';
import { weiToDecimal } from '../../shared/schema/decimal.ts';
import { turn } from '../store/rows.ts';
import { chainViews } from './chains.ts';
import { requireDapp } from './dapps.ts';
import { costStatement } from './report/cost-statement.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

type View = ProcedureOutput<'costs.get'>['chains'][number];

const groupView = (group: CostGroup, name: string): View['total'] => {
  const { key, operations, reverted, costWei, unsplitWei, dollars, priced } = group;
  const parts = Object.fromEntries(costParts.map((part) => [part, String(group[part])])) as Record<
    (typeof costParts)[number],
    string
  >;
  const amounts = { costWei: String(costWei), ...parts, unsplitWei: String(unsplitWei) };
  return { key, name, operations, reverted, ...amounts, usd: weiToDecimal(dollars), priced };
};

/** Which operations: by the time at which they were signed, epoch ms. */
type CostQuery = Pick<ProcedureArguments<'costs.get'>, 'paymasterId' | 'from' | 'to'>;

const LAST_TIME = Number.MAX_SAFE_INTEGER;

/** What operations of the past cost, and for what. */
export const costHandlers = (context: ServiceContext): Handlers<NamesOf<'costs'>> => {
  const { store, clock } = context;

  const collect = async ({ paymasterId, from = 0, to = LAST_TIME }: CostQuery, by: CostGrouping) => {
    const report = new CostReport(by);
    // Decisions that follow each other usually have the same policy, and a policy may take megabytes.
    let known: { readonly hash: string | undefined; readonly policy: Policy | undefined } | undefined;
    const policyOf = async (hash: string | undefined): Promise<Policy | undefined> => {
      if (!report.needsPolicy || hash === undefined) return undefined;
      if (known?.hash !== hash) known = { hash, policy: await store.findPolicy(hash) };
      return known.policy;
    };
    const ids = paymasterId === undefined ? (await store.listDapps()).map((dapp) => dapp.paymasterId) : [paymasterId];
    for (const id of ids) {
      const today = report.needsPolicy ? whitelistOf(await store.dappPolicy(id)) : undefined;
      let place = { at: from, seq: -1 };
      for (;;) {
        const some = await store.paidOperations(id, place, to);
        for (const operation of some) report.add(operation, await policyOf(operation.record.policy), today);
        const last = some.at(-1);
        if (last === undefined) break;
        place = { at: last.record.at, seq: last.seq };
        await turn();
      }
    }
    return report.chains();
  };

  const nameOf = (by: CostGrouping, dapps: ReadonlyMap<string, string>, key: string): string => {
    if (key === '') return 'unknown';
    return by === 'dapp' ? (dapps.get(key) ?? key) : key;
  };

  const namesOf = async () => {
    const [chains, dapps] = await Promise.all([chainViews(store), store.listDapps()]);
    return {
      chains: new Map(chains.map((chain) => [chain.chainId, chain])),
      dapps: new Map(dapps.map(({ paymasterId, name }) => [paymasterId, name])),
    };
  };

  return {
    'costs.get': async ({ by, ...query }) => {
      if (query.paymasterId !== undefined) await requireDapp(context, query.paymasterId);
      const [costs, { chains, dapps }] = await Promise.all([collect(query, by), namesOf()]);
      const views = costs.map(({ chainId, total, groups }): View => {
        const { name = `Chain ${chainId}`, symbol: coin = 'coins' } = chains.get(chainId) ?? {};
        const [shown, rest] = [groups.slice(0, MOST_COST_GROUPS), groups.slice(MOST_COST_GROUPS)];
        return {
          chainId,
          name,
          coin,
          total: groupView(total, 'all'),
          groups: [
            ...shown.map((group) => groupView(group, nameOf(by, dapps, group.key))),
            ...(rest.length === 0 ? [] : [groupView(addUp(rest), `${rest.length} others`)]),
          ],
        };
      });
      return { by, chains: views };
    },
    'costs.statement': async ({ paymasterId, month }) => {
      const dapp = await requireDapp(context, paymasterId);
      const [year = 0, number = 1] = month.split('-').map(Number);
      const period = { from: Date.UTC(year, number - 1), to: Date.UTC(year, number) };
      const query = { paymasterId, ...period };
      const [byMethod, bySender, { chains }] = await Promise.all([
        collect(query, 'method'),
        collect(query, 'sender'),
        namesOf(),
      ]);
      const symbol = chains.get(dapp.chainId)?.symbol ?? 'coins';
      const chain = { name: chains.get(dapp.chainId)?.name ?? `Chain ${dapp.chainId}`, symbol };
      const costs = byMethod[0];
      const users = bySender[0]?.groups.length ?? 0;
      const html = costStatement({ dapp: dapp.name, month, chain, costs, users, at: clock.now() });
      return { html, operations: costs?.total.operations ?? 0 };
    },
  };
};
