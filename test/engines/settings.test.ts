import { HDNodeWallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditDesk } from '../support/audit-desk.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts';
import { type SharedDesk, ask, canShare, promiseIn, useEngines } from '../support/several-engines.ts';
import { type ServingEngine, startEngine } from '../support/engine.ts';

const CHAIN = 31337;
const ROUNDS = 5;
/** Asked of each engine once a change is answered. */
const REQUESTS = 10;
/** That ask each engine all the time. */
const CLIENTS = 3;

describe.skipIf(!canShare)('what is changed at one of three engines on one database', () => {
  const engines = useEngines();
  let shared: SharedDesk;
  let line: DatabaseProxy;
  let changing: ServingEngine;
  /** One hears of changes as soon as may be, the other one never. */
  let others: readonly ServingEngine[];
  beforeAll(async () => {
    shared = await engines.desk(async ({ dapp }) => {
      await dapp(CHAIN);
      return {};
    });
    line = await startDatabaseProxy(shared.database);
    const start = (database: string) => startEngine({ dir: engines.folder(), flags: { database } });
    changing = await start(shared.database);
    others = [await start(shared.database), await start(line.url)];
    line.deafen();
  });
  afterAll(async () => {
    for (const engine of others) await engine.stop();
    await changing.stop();
    await line.stop();
    await auditDesk(engines, shared);
  });
  let nonce = 0;
  const call = <Answer>(name: string, input: unknown): Promise<Answer> =>
    (changing.service.call as unknown as (name: string, input: unknown) => Promise<Answer>)(name, input);
  const isSigned = async (url: string, apiKey: string): Promise<boolean> =>
    promiseIn(await ask({ url, chainId: CHAIN, apiKey }, (nonce += 1))) !== undefined;
  const newDapp = () => changing.dapp({ chainId: CHAIN, fundingWallet: HDNodeWallet.createRandom() });

  /** Keeps everything from being signed. @returns undoes that; answers the key to use from then on */
  type Change = (dapp: { readonly paymasterId: string; readonly apiKey: string }) => Promise<() => Promise<string>>;
  const changes: readonly (readonly [string, Change])[] = [
    [
      'a rule that is added',
      async ({ paymasterId, apiKey }) => {
        const policyData = { mode: 'DENY', addresses: [`0x${'11'.repeat(20)}`] };
        const rule = { name: 'Nobody', policyType: 'SENDERS', policyData };
        const { _id: ruleId } = await call<{ _id: string }>('rules.create', { paymasterId, rule });
        return async () => {
          await call('rules.delete', { paymasterId, ruleId });
          return apiKey;
        };
      },
    ],
    [
      'the pause of a DApp',
      async ({ paymasterId, apiKey }) => {
        await call('paymasters.pause', { paymasterId });
        return async () => {
          await call('paymasters.resume', { paymasterId });
          return apiKey;
        };
      },
    ],
    [
      'the pause of all sponsorship',
      async ({ apiKey }) => {
        await call('system.pause', {});
        return async () => {
          await call('system.resume', {});
          return apiKey;
        };
      },
    ],
    [
      'a revoked API key',
      async ({ paymasterId }) => {
        const { apiKey } = await call<{ apiKey: string }>('paymasters.replaceKey', { paymasterId });
        return async () => apiKey;
      },
    ],
  ];

  it.each(changes)('applies to the others once it is answered: %s', async (_what, make) => {
    const { paymasterId, apiKey: first } = await newDapp();
    let [apiKey, isOver] = [first, false];
    /** The round whose change applies now. */
    let bound: number | undefined;
    const signedWhileBound: string[] = [];
    const askOne = async ({ url }: ServingEngine): Promise<boolean> => {
      const boundBefore = bound;
      const signed = await isSigned(url, apiKey);
      if (signed && bound !== undefined && boundBefore === bound) signedWhileBound.push(url);
      return signed;
    };
    const load = Promise.allSettled(
      others.flatMap((engine) =>
        Array.from({ length: CLIENTS }, async () => {
          while (!isOver) await askOne(engine);
        }),
      ),
    );
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const engine of others) await expect.poll(() => askOne(engine)).toBe(true);
      const undo = await make({ paymasterId, apiKey });
      bound = round;
      await Promise.all(others.flatMap((engine) => Array.from({ length: REQUESTS }, () => askOne(engine))));
      bound = undefined;
      apiKey = await undo();
    }
    isOver = true;
    expect((await load).filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(signedWhileBound.map((url) => others.findIndex((engine) => engine.url === url))).toEqual([]);
  });
});
