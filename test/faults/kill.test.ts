import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { deskClient } from '../../src/demo/desk-client.ts';
import { gasdesk, useServe } from '../support/cli.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const serve = useServe();

/** What the service said it has done. */
interface AcknowledgedDecision {
  dapps: string[];
  contracts: string[];
  rules: string[];
}

const ABI = JSON.stringify([
  { type: 'function', name: 'mint', inputs: [], outputs: [], stateMutability: 'nonpayable' },
]);
const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`;

/** Creates DApps, contracts and rules until the service is gone, and notes what was acknowledged. */
const createUntilGone = async (
  url: string,
  authToken: string,
  round: number,
  noted: AcknowledgedDecision,
  enough: () => void,
) => {
  const client = deskClient(url);
  try {
    for (let n = 0; ; n += 1) {
      const name = `round ${round}, ${n}`;
      const dapp = { name, type: 'HYBRID', chainId: 31337, version: '1.1.0' };
      const { apiKey } = (await client.manage('POST', '/paymaster', { authToken }, dapp)) as { apiKey: string };
      noted.dapps.push(name);
      const headers = { authToken, apiKey };
      await client.manage('POST', '/smart-contract', headers, { name, address: address(n + 1), abi: ABI });
      noted.contracts.push(name);
      const rule = { name, policyType: 'WALLET_DEPLOYMENT', policyData: {} };
      await client.manage('POST', '/paymaster-policy', headers, rule);
      noted.rules.push(name);
      if (n === 5 + round) enough();
    }
  } catch {
    // Killed in the middle: what was not answered may be there or not.
  }
};

const names = (file: string, table: string): unknown[] => {
  const database = new Database(file);
  try {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(database.pragma('foreign_key_check')).toEqual([]);
    return database.prepare(`SELECT name FROM ${table}`).pluck().all();
  } finally {
    database.close();
  }
};

describe('a service that is killed without warning', () => {
  it('has everything it acknowledged, every time, and a sound database', async () => {
    const dir = tempFolder();
    const created = await gasdesk(['token', 'create', '--label', 'CI', '--scope', 'manage', '--data', dir, '--json']);
    const { authToken } = JSON.parse(created.stdout) as { authToken: string };
    const noted: AcknowledgedDecision = { dapps: [], contracts: [], rules: [] };

    for (let round = 0; round < 4; round += 1) {
      const desk = await serve(['--data', dir], { GASDESK_LOG_LEVEL: 'error' });
      let enough = (): void => undefined;
      const busy = new Promise<void>((resolve) => (enough = resolve));
      const clients = [0, 1, 2].map((client) =>
        createUntilGone(desk.url, authToken, round * 3 + client, noted, enough),
      );
      await busy;
      desk.signal('SIGKILL');
      await Promise.all([desk.ended, ...clients]);
    }

    const file = join(dir, 'gasdesk.db');
    expect(noted.dapps.length).toBeGreaterThan(20);
    expect(names(file, 'paymaster')).toEqual(expect.arrayContaining(noted.dapps));
    expect(names(file, 'smart_contract')).toEqual(expect.arrayContaining(noted.contracts));
    expect(names(file, 'rule')).toEqual(expect.arrayContaining(noted.rules));
    const { stdout } = await gasdesk(['doctor', '--data', dir, '--json']);
    expect((JSON.parse(stdout) as { checks: unknown[] }).checks[0]).toMatchObject({ name: 'database', ok: true });

    const database = new Database(file, { readonly: true });
    const actions = database.prepare(`SELECT body FROM log_entry WHERE kind = 'action'`).pluck().all().join('\n');
    database.close();
    for (const name of [...noted.dapps, ...noted.contracts, ...noted.rules]) expect(actions).toContain(`"${name}"`);
  });
});
