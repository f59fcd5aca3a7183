import type { TransactionResponse } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { contractAt, deployWorld, devWallet, fundGasTank } from '../../src/demo/world-contracts.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { ACCEPTING_ACCOUNT } from '../support/accepting-account.ts';
import { SENDER } from '../support/account-call-data.ts';
import { auditDesk } from '../support/audit-desk.ts';
import { useLocalChain } from '../support/local-chain.ts';
import { canShare, useEngines } from '../support/several-engines.ts';
import { gameCall, operation, sponsorRequest } from '../support/operations.ts';
import { type ServingEngine, type SponsoredDapp, startEngine } from '../support/engine.ts';

/** That ask each engine all the time. */
const CLIENTS = 2;
const TANK_WEI = 10n ** 21n;

describe.skipIf(!canShare)('three engines on one database, under load,', () => {
  const engines = useEngines();
  const localChain = useLocalChain();
  let database: string;
  let running: readonly ServingEngine[] = [];
  let [contract, gameItems]: [Address, Address] = ['0x', '0x'];
  let dapp: SponsoredDapp;
  beforeAll(async () => {
    const { chainId, provider, url } = localChain();
    const operator = devWallet(0, provider);
    ({ gameItems } = await deployWorld(operator));
    await provider.send('anvil_setCode', [SENDER, ACCEPTING_ACCOUNT]);
    ({ database } = await engines.desk(async ({ engine }) => {
      await engine.service.call('chains.set', { chainId, rpc: url });
      await engine.service.call('signers.create', { chainId });
      contract = await attachNewContract(engine.service, operator, { chainId, version: '1.1.0' });
      dapp = await engine.dapp({ chainId, fundingWallet: devWallet(100, provider) });
      await fundGasTank(contract, dapp.fundingWallet, TANK_WEI, operator);
      return {};
    }));
    const start = () => startEngine({ dir: engines.folder(), flags: { database } });
    running = [await start(), await start(), await start()];
  });
  afterAll(async () => {
    for (const engine of running) await engine.stop();
    await auditDesk(engines, { database });
  });
  const call = <Answer>(name: string, input: unknown): Promise<Answer> =>
    (running[0]?.service.call as unknown as (name: string, input: unknown) => Promise<Answer>)(name, input);

  let asked = 0;
  /** Runs something while clients ask each engine; answers how often they were not given what they asked for. */
  const underLoad = async (
    ask: (engine: ServingEngine) => Promise<string>,
    run: (several: () => Promise<void>) => Promise<void>,
  ): Promise<string[]> => {
    const answers: string[] = [];
    let isOver = false;
    const several = async (): Promise<void> => {
      const before = answers.length;
      await expect.poll(() => answers.length).toBeGreaterThan(before + 30);
    };
    const load = running.flatMap((engine) =>
      Array.from({ length: CLIENTS }, async () => {
        while (!isOver) answers.push(await ask(engine).catch(String));
      }),
    );
    try {
      await several();
      await run(several);
      await several();
    } finally {
      isOver = true;
      await Promise.all(load);
    }
    return [...new Set(answers)];
  };
  const sponsor = async (engine: ServingEngine, apiKey: string): Promise<string> => {
    const nonce = `0x${(BigInt((asked += 1)) << 64n).toString(16)}`;
    const op = operation({ to: gameItems, data: gameCall('mint') }, { nonce });
    const path = `/api/v1/${localChain().chainId}/${apiKey}`;
    const { body } = await engine.post(path, sponsorRequest([op, { mode: 'SPONSORED' }]));
    const { paymasterAndData = '0x' } = body.result ?? {};
    return paymasterAndData === '0x' ? JSON.stringify(body) : 'sponsored';
  };

  it('change the key that signs, and no request fails', async () => {
    const { chainId, provider } = localChain();
    const answers = await underLoad(
      (engine) => sponsor(engine, dapp.apiKey),
      async (several) => {
        for (let round = 0; round < 3; round += 1) {
          const { address } = await call<{ address: string }>('signers.prepareNext', { chainId });
          await several();
          const paymaster = await contractAt('VerifyingSingletonPaymaster', contract, devWallet(0, provider));
          const changed = (await paymaster.getFunction('setSigner')(address)) as TransactionResponse;
          await changed.wait();
          await call('signers.useNext', { chainId });
          await several();
        }
      },
    );
    expect(answers).toEqual(['sponsored']);
  });

  it('change the API key of a DApp, and no request fails', async () => {
    const { paymasterId } = dapp;
    let { apiKey } = dapp;
    const answers = await underLoad(
      (engine) => sponsor(engine, apiKey),
      async (several) => {
        for (let round = 0; round < 3; round += 1) {
          const keys = await call<{ keyId: string; revokedAt: number | null }[]>('apiKeys.list', { paymasterId });
          ({ apiKey } = await call<{ apiKey: string }>('apiKeys.create', { paymasterId }));
          await several();
          for (const { keyId } of keys.filter(({ revokedAt }) => revokedAt === null)) {
            await call('apiKeys.revoke', { paymasterId, keyId });
          }
          await several();
        }
      },
    );
    dapp = { ...dapp, apiKey };
    expect(answers).toEqual(['sponsored']);
  });

  it('change an auth token, and no request fails', async () => {
    interface Token {
      readonly authToken: string;
      readonly tokenId: string;
    }
    let token = await call<Token>('authTokens.create', {});
    const answers = await underLoad(
      async ({ url }) => {
        const headers = { authToken: token.authToken };
        const response = await fetch(`${url}/api/v2/public/sdk/paymaster`, { headers });
        await response.arrayBuffer();
        return String(response.status);
      },
      async (several) => {
        for (let round = 0; round < 3; round += 1) {
          const { tokenId } = token;
          token = await call<Token>('authTokens.create', {});
          await several();
          await call('authTokens.revoke', { tokenId });
          await several();
        }
      },
    );
    expect(answers).toEqual(['200']);
  });
});
