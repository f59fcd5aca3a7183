import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Wallet } from 'ethers';
import { expect, it } from 'vitest';
import { deskClient } from '../../src/demo/desk-client.ts';
import { loadConfig } from '../../src/engine/config.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { createEngine } from '../../src/engine/index.ts';
import { createLog } from '../../src/engine/log.ts';
import { Secret } from '../../src/engine/secret.ts';
import { useServe } from '../support/cli.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const serve = useServe();

const CHAIN = 31337;
const PASSPHRASE = 'correct horse';
const ROUNDS = 50;
const REQUESTS = 30;
/** More than one round asks for, less than all of them do: the limit is reached on the way. */
const THRESHOLD = 400;
const ENV = { GASDESK_PASSPHRASE: PASSPHRASE, GASDESK_LOG_LEVEL: 'error' };

/** A desk that signs without a chain: contract attached unseen, gas given by the client. */
const setUp = async (dir: string): Promise<string> => {
  const engine = await createEngine({
    folder: openDataFolder(dir),
    config: loadConfig({}),
    log: createLog({ level: 'silent' }),
    passphrase: new Secret(PASSPHRASE),
    scrypt: { N: 2, r: 1, p: 1 },
  });
  try {
    const { service } = engine;
    await service.call('signers.create', { chainId: CHAIN });
    const address = `0x${'ab'.repeat(20)}`;
    await service.call('paymasterContracts.use', { chainId: CHAIN, version: '1.1.0', address });
    const [account] = await service.call('accounts.list', {});
    const { paymasterId, apiKey } = await service.call('paymasters.create', {
      accountId: account!.accountId,
      name: 'Game',
      type: 'HYBRID',
      chainId: CHAIN,
      version: '1.1.0',
    });
    const wallet = Wallet.createRandom();
    const { fundingMessage } = await service.call('paymasters.fundingMessage', { paymasterId });
    const signature = await wallet.signMessage(fundingMessage);
    const proof = { type: 'paymasterFundingId', signature, address: wallet.address };
    await service.call('paymasters.setFundingWallet', { paymasterId, ...proof });
    const policyData = { type: 'PAYMASTER', thresholdType: 'COUNT', threshold: THRESHOLD };
    const rule = {
      name: 'A few a year',
      policyType: 'PAYMASTER_SA_LIMIT',
      policyData: { ...policyData, cycleDuration: { value: 365, unit: 'day' } },
    };
    await service.call('rules.create', { paymasterId, rule });
    return apiKey;
  } finally {
    await engine.stop();
  }
};

const operation = (nonce: number) => ({
  sender: `0x${'11'.repeat(20)}`,
  nonce: String(nonce),
  callData: '0x',
  callGasLimit: '100000',
  verificationGasLimit: '100000',
  preVerificationGas: '50000',
  maxFeePerGas: '1000000000',
  maxPriorityFeePerGas: '1',
});

it('what a client was promised is in the store, and no limit is exceeded, however often the service is killed', async () => {
  const dir = tempFolder();
  const apiKey = await setUp(dir);
  const approved: string[] = [];

  for (let round = 0; round < ROUNDS; round += 1) {
    const desk = await serve(['--data', dir], ENV);
    const client = deskClient(desk.url);
    const killAfter = round % REQUESTS;
    let answered = 0;
    await Promise.all(
      Array.from({ length: REQUESTS }, async (_, index) => {
        try {
          const op = operation(round * REQUESTS + index);
          const { result } = await client.sponsor(CHAIN, apiKey, [op, { mode: 'SPONSORED' }]);
          const { paymasterAndData } = result as { paymasterAndData: string };
          if (paymasterAndData !== '0x') approved.push(paymasterAndData);
        } catch {
          // Killed in the middle: what was not answered may be stored or not.
        }
        answered += 1;
        if (answered > killAfter) desk.signal('SIGKILL');
      }),
    );
    desk.signal('SIGKILL');
    await desk.ended;
  }

  const database = new Database(join(dir, 'gasdesk.db'), { readonly: true });
  try {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(database.pragma('foreign_key_check')).toEqual([]);
    const stored = database
      .prepare(`SELECT record ->> 'paymasterAndData' FROM decision WHERE outcome = 'sponsored'`)
      .pluck()
      .all() as string[];
    expect(approved.length).toBeGreaterThan(THRESHOLD / 2);
    const known = new Set(stored);
    expect(approved.filter((promise) => !known.has(promise))).toEqual([]);
    expect(stored.length).toBeLessThanOrEqual(THRESHOLD);
    const held = database.prepare(`SELECT held FROM ledger_account WHERE account_key LIKE 'limit:%'`).pluck().all();
    expect(held).toEqual([String(stored.length)]);
  } finally {
    database.close();
  }
}, 240_000);
