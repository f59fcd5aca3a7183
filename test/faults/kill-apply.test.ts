import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/engine/base/clock.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { openSqliteStore } from '../../src/engine/store/sqlite/sqlite-store.ts';
import { account, paymaster } from '../support/store-records.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { wholePolicy } from '../support/whole-policies.ts';

const tempFolder = useTempFolders();
const SCRIPT = join(import.meta.dirname, '..', 'support', 'replace-policies.ts');
const ROUNDS = 8;

it('a policy that is applied is there as a whole or not at all, whenever the desk is killed', async () => {
  const database = join(tempFolder(), 'gasdesk.db');
  const open = () => openSqliteStore(database, { clock: systemClock, log: createLog({ level: 'silent' }) });
  const first = open();
  await first.createAccount(account);
  await first.createDapp(paymaster());
  await first.close();
  const whole = ['even', 'odd'].map((which) => wholePolicy(which as 'even' | 'odd'));

  for (let round = 0; round < ROUNDS; round += 1) {
    const child = spawn(process.execPath, [SCRIPT, database], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    let lines = 0;
    for await (const _ of createInterface({ input: child.stdout })) {
      lines += 1;
      if (lines === 3 * round + 1) child.kill('SIGKILL');
    }
    await exited;
    const store = open();
    const { contracts, rules, webhooks, lowBalanceThresholdWei } = await store.dappPolicy('dapp-1');
    const [dapp] = await store.listDapps();
    await store.close();
    const withoutOwner = <Row extends { paymasterId: string }>({ paymasterId: _, ...row }: Row) => row;
    expect(whole).toContainEqual({
      contracts: contracts.map(withoutOwner),
      rules: rules.map(withoutOwner),
      webhooks: webhooks.map(withoutOwner),
      lowBalanceThresholdWei: String(lowBalanceThresholdWei),
      allowedOrigins: dapp!.allowedOrigins,
      maxExpirySeconds: dapp!.maxExpirySeconds,
      tokenMode: dapp!.tokenMode,
    });
  }
});
