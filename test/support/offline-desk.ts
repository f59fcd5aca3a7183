import { HDNodeWallet } from 'ethers';
import { afterAll, beforeAll, expect } from 'vitest';
import type { ProcedureName } from '../../src/api/index.ts';
import { ManualClock } from './manual-clock.ts';
import {
  type RpcReply,
  type ServingEngine,
  type SponsoredDapp,
  prepareUnreachableChain,
  startEngine,
} from './engine.ts';
import { sponsorRequest } from './operations.ts';
import { wholeDecisions } from './whole-decisions.ts';
import { makeTempFolder, removeTempFolder } from './temp-folder.ts';

/** A desk that sponsors for an unreachable chain: it asks no node, and gas comes with the operation. */
export interface OfflineDesk {
  readonly clock: ManualClock;
  readonly dir: string;
  engine(): ServingEngine;
  /**
   * Stops the engine and starts another one on the same data folder. DApps made before keep their ids and keys.
   *
   * @param meanwhile changes the folder in between
   */
  restart(meanwhile?: () => void | Promise<void>): Promise<void>;
  /** Registers a DApp that is ready to sponsor, by default on the local chain. */
  dapp(chainId?: number): Promise<SponsoredDapp>;
  call<T>(procedure: ProcedureName, input: unknown): Promise<T>;
  /** Adds a spending limit; `threshold` as in JSON. @returns the rule's id */
  limit(dapp: SponsoredDapp, limit: LimitInput): Promise<string>;
}

/** A new limit; by default per hour and for all users together. */
export interface LimitInput {
  readonly name?: string;
  readonly type?: 'PAYMASTER' | 'SMART_ACCOUNT' | 'SUBJECT' | 'OPERATION';
  readonly thresholdType: 'COUNT' | 'NATIVE_ASSET' | 'USD';
  readonly threshold: number;
  readonly hours?: number;
  /** Instead of hours. */
  readonly unit?: 'week' | 'lifetime';
}

const CHAIN_ID = 31337;
/** Settlement finds no node here, so it polls as rarely as possible; requests may take as long as possible. */
const PATIENT = { settlementPollMs: 600_000, requestTimeoutMs: 600_000 };

/** The code of the reason in an answer, or `SPONSORED`. */
export const codeOf = ({ status, body }: RpcReply): string => {
  expect([status, body.error]).toEqual([200, undefined]);
  if (body.result === undefined) throw new Error('The answer holds no result');
  const { paymasterAndData, reason } = body.result;
  expect(paymasterAndData === '0x').toBe(reason !== undefined);
  return reason?.code ?? 'SPONSORED';
};

export const codesOf = (replies: readonly RpcReply[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const code of replies.map(codeOf)) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
};

/**
 * Gives the tests of the calling file such a desk. Call the result inside tests.
 *
 * @param nameServers starts the DNS servers that the desk asks
 */
export const useOfflineDesk = (
  flags: Record<string, unknown> = {},
  nameServers?: () => Promise<readonly string[]>,
): (() => OfflineDesk) => {
  const dir = makeTempFolder();
  const fundingWallet = HDNodeWallet.fromPhrase('test test test test test test test test test test test junk');
  const clock = new ManualClock();
  let engine: ServingEngine | undefined;
  const running = (): ServingEngine => {
    if (engine === undefined) throw new Error('The desk is there only while tests run');
    return engine;
  };
  const start = async (): Promise<void> => {
    engine = await startEngine({ dir, clock, flags: { ...PATIENT, ...flags }, nameServers: await nameServers?.() });
  };
  const call = <T>(procedure: ProcedureName, input: unknown): Promise<T> =>
    (running().service.call as (name: string, input: unknown) => Promise<unknown>)(procedure, input) as Promise<T>;
  const prepared = new Set<number>();
  const prepareChain = async (chainId: number): Promise<void> => {
    if (prepared.has(chainId)) return;
    prepared.add(chainId);
    await prepareUnreachableChain(running(), chainId);
  };
  let limits = 0;
  const desk: OfflineDesk = {
    clock,
    dir,
    engine: running,
    call,
    async restart(meanwhile) {
      await running().stop();
      await meanwhile?.();
      await start();
    },
    async dapp(chainId = CHAIN_ID) {
      await prepareChain(chainId);
      const { paymasterId, apiKey, fundingWallet: wallet } = await running().dapp({ fundingWallet, chainId });
      return {
        paymasterId,
        apiKey,
        fundingWallet: wallet,
        // Uses the engine that runs at the time of the call.
        sponsor: (op, options = {}) =>
          running().post(`/api/v1/${chainId}/${apiKey}`, sponsorRequest([op, { mode: 'SPONSORED', ...options }])),
        decisions: () => wholeDecisions(call, { paymasterId, limit: 1000 }),
      };
    },
    async limit({ paymasterId }, { name, hours = 1, unit = 'hour', type = 'PAYMASTER', ...threshold }) {
      limits += 1;
      const cycleDuration = { value: hours, unit };
      const policyData = { type, ...(type !== 'OPERATION' && { cycleDuration }), ...threshold };
      const rule = { name: name ?? `Limit ${limits}`, policyType: 'PAYMASTER_SA_LIMIT', policyData };
      return (await call<{ _id: string }>('rules.create', { paymasterId, rule }))._id;
    },
  };
  beforeAll(async () => {
    await start();
    await prepareChain(CHAIN_ID);
  });
  afterAll(async () => {
    await engine?.stop();
    removeTempFolder(dir);
  });
  return () => desk;
};
