import { z } from 'zod';
import { findAttachable } from '../../core/paymaster-layouts/registry.ts';
import { addressesIn, inspect } from '../../core/inspect/inspect.ts';
import { decidedOperation } from '../../core/inspect/decided-operation.ts';
import type { Clues, Knowledge } from '../../core/inspect/knowledge.ts';
import type { ProcedureOutput } from '../../api/index.ts';
import { allEntryPoints } from '../../core/entry-points/registry.ts';
import { EngineError } from '../../shared/errors.ts';
import { allSoon } from '../base/soon.ts';
import type { DecisionRow } from '../../shared/schema/decision.ts';
import { type Address, type Hex, address, addressKey, hex } from '../../shared/schema/hex.ts';
import type { Inspection } from '../../shared/schema/inspection.ts';
import { RpcError } from '../chain/rpc.ts';
import type { SmartContract } from '../store/policy-store.ts';
import { chainViews } from './chains.ts';
import type { DecisionFilter } from '../store/decision-queries.ts';
import { describeCall } from '../../core/calls/described-calls.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

type Context = Pick<ServiceContext, 'store' | 'clock'> & Partial<Pick<ServiceContext, 'chains'>>;
type InspectionView = ProcedureOutput<'inspect.value'>;
type FoundBy = InspectionView['decisions'][number]['by'];

const MAX_DECISIONS = 10;

/** The maximum number of operations in a bundle that are searched for in all decisions, if no hash finds them. */
const MAX_SEARCHED = 3;

const findDecisions = async (
  { store }: Context,
  { hashes, operations, paymasterData }: Clues,
): Promise<Map<string, { row: DecisionRow; by: FoundBy }>> => {
  const found = new Map<string, { row: DecisionRow; by: FoundBy }>();
  const limit = MAX_DECISIONS;
  const search = async (by: FoundBy, filter: Omit<DecisionFilter, 'limit'>): Promise<boolean> => {
    const rows = await store.listDecisions({ ...filter, limit });
    for (const row of rows) if (!found.has(row.id)) found.set(row.id, { row, by });
    return rows.length > 0;
  };
  const byHash = async (all: readonly Hex[]): Promise<boolean> => {
    const answers = await Promise.all(all.map((userOpHash) => search('userOpHash', { userOpHash })));
    return answers.includes(true);
  };
  await byHash(hashes);
  let searched = 0;
  for (const { sender, nonce, hashes: own } of operations) {
    if ((await byHash(own)) || searched === MAX_SEARCHED) continue;
    await search('sender and nonce', { sender: addressKey(sender), nonce: String(nonce) });
    searched += 1;
  }
  for (const { paymasterAndData, validAfter } of paymasterData) {
    await search('paymasterAndData', { outcome: 'sponsored', paymasterAndData, ...signedAbout(validAfter) });
  }
  return found;
};

/**
 * Limits a search to decisions around the time of signing: paymaster data is valid from a minute before it was signed.
 */
const signedAbout = (validAfter: number | undefined): { from?: number; to?: number } =>
  validAfter ? { from: validAfter * 1000, to: (validAfter + 120) * 1000 } : {};

const transactionAnswer = z.object({ to: address.nullish(), input: hex });

/** A transaction as JSON that can be inspected; undefined if it is unknown or the chain is unreachable. */
const findTransaction = async ({ chains }: Context, hash: Hex, chainId: number): Promise<string | undefined> => {
  try {
    const rpc = await chains?.rpc(chainId);
    const answer = transactionAnswer.safeParse(await rpc?.send('eth_getTransactionByHash', [hash]));
    return answer.success ? JSON.stringify({ ...answer.data, chainId }) : undefined;
  } catch (error) {
    if (error instanceof EngineError || error instanceof RpcError) return undefined;
    throw error;
  }
};

const gatherKnowledge = async ({ store, clock }: Context, chainId: number | undefined): Promise<Knowledge> => {
  const [contracts, signers, chains] = await Promise.all([
    store.listPaymasterContracts(),
    store.listSigners(),
    chainViews(store),
  ]);
  const now = Math.floor(clock.now() / 1000);
  return { now, contracts, signers, chains, decided: [], ...(chainId !== undefined && { chainId }) };
};

/** Names for addresses: of this engine's contracts, signers, tanks and tokens, and of the DApps' contracts. */
const namesOf = async (
  { store }: Context,
  { contracts, signers, chains }: Knowledge,
  registered: readonly SmartContract[],
): Promise<ReadonlyMap<Address, string>> => {
  const chain = (chainId: number): string => chains.find((one) => one.chainId === chainId)?.name ?? `chain ${chainId}`;
  const [dapps, tokens] = await Promise.all([store.listDapps(), store.listFeeTokens()]);
  const named: [Address, string][] = [
    ...allEntryPoints.map(({ version, address: at }): [Address, string] => [at, `EntryPoint ${version}`]),
    ...registered.map((one): [Address, string] => [one.address, one.name]),
    ...tokens.map((token): [Address, string] => [token.address, `${token.symbol} on ${chain(token.chainId)}`]),
    ...dapps.flatMap(({ fundingWallet, name }): [Address, string][] =>
      fundingWallet === null ? [] : [[fundingWallet, `funding wallet of ${name}`]],
    ),
    ...signers.map((signer): [Address, string] => [signer.address, `signer of ${chain(signer.chainId)}`]),
    ...contracts.map((one): [Address, string] => [
      one.address,
      `${findAttachable(one.version)?.title ?? one.version} on ${chain(one.chainId)}`,
    ]),
  ];
  return new Map(named.map(([at, name]) => [addressKey(at), name]));
};

const withCallNames = (found: Inspection, contracts: readonly SmartContract[]): Inspection => ({
  ...found,
  readings: found.readings.map((reading) => ({
    ...reading,
    sections: reading.sections.map((section) => ({
      ...section,
      calls: section.calls.map((call) =>
        describeCall(
          { ...call, target: call.target as Address, value: BigInt(call.valueWei), data: call.data as Hex },
          contracts,
        ),
      ),
    })),
  })),
});

interface Finding extends ReturnType<typeof inspect> {
  readonly text: string;
  readonly found: readonly { readonly row: DecisionRow; readonly by: FoundBy }[];
}

/** Procedures that decode values, using the engine's data. Without `chains`, no node is called. */
export const inspectHandlers = (context: Context): Handlers<NamesOf<'inspect'>> => {
  const { store, clock } = context;

  const find = async (text: string, knowledge: Knowledge): Promise<Finding> => {
    const { inspection, clues } = inspect(text, knowledge);
    const matches = [...(await findDecisions(context, clues)).values()];
    const found = matches.toSorted((one, other) => other.row.seq - one.row.seq).slice(0, MAX_DECISIONS);
    return { text, inspection, clues, found };
  };

  /** A hash that belongs to no decision may be the hash of a transaction. */
  const findByHash = async (value: string, knowledge: Knowledge): Promise<Finding> => {
    const first = await find(value, knowledge);
    const [hash] = first.clues.hashes;
    const isUnknown = first.found.length === 0 && first.inspection.readings[0]?.what === 'hash';
    if (!isUnknown || hash === undefined || context.chains === undefined) return first;
    const { chainId } = knowledge;
    const on = chainId === undefined ? (await store.listChains()).map((chain) => chain.chainId) : [chainId];
    const answers = await Promise.all(on.map((one) => findTransaction(context, hash, one)));
    const transaction = answers.find((answer) => answer !== undefined);
    return transaction === undefined ? first : find(transaction, knowledge);
  };

  const registeredContracts = async (): Promise<SmartContract[]> => {
    const dapps = await store.listDapps();
    const policies = await allSoon(dapps.map(({ paymasterId }) => store.dappPolicy(paymasterId)));
    return policies.flatMap(({ contracts }) => contracts);
  };

  return {
    'inspect.value': async ({ value, chainId }) => {
      const gathered = await gatherKnowledge(context, chainId);
      const { text, inspection: first, found } = await findByHash(value, gathered);
      const records = await Promise.all(found.map(({ row }) => store.findDecision(row.id)));
      const decided = records.flatMap((record) => (record === undefined ? [] : decidedOperation(record)));
      const knowledge = { ...gathered, decided };
      const inspection = decided.length === 0 ? first : inspect(text, knowledge).inspection;
      const registered = await registeredContracts();
      const names = await namesOf(context, knowledge, registered);
      return {
        ...withCallNames(inspection, registered),
        decisions: found.map(({ row, by }) => ({
          id: row.id,
          at: row.at,
          dapp: row.dapp,
          chainId: row.chainId,
          outcome: row.outcome,
          code: row.code,
          message: row.message,
          by,
        })),
        names: [...addressesIn(inspection)].flatMap((one) => {
          const name = names.get(one);
          return name === undefined ? [] : [{ address: one, name }];
        }),
        at: clock.now(),
      };
    },
  };
};
