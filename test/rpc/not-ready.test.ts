import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { HDNodeWallet } from 'ethers';
import { expect, test } from 'vitest';
import { operation } from '../support/operations.ts';
import { type RpcReply, startEngine, withDataFolder } from '../support/engine.ts';

const CONTRACT = `0x${'cc'.repeat(20)}`;
const op = operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' });
const fundingWallet = HDNodeWallet.fromPhrase('test test test test test test test test test test test junk');

const expectMissing = ({ status, body }: RpcReply, missing: string, fix: string): void => {
  expect({ status, code: body.error?.code, missing: body.error?.data?.['missing'] }).toEqual({
    status: 400,
    code: -32052,
    missing,
  });
  expect(body.error?.message).toContain(fix);
  expect(body.error?.data?.['fix']).toContain(fix);
};

test('each part that is missing is named with the command that mends it, until the desk sponsors', () =>
  withDataFolder(async (dir) => {
    const engine = await startEngine({ dir });
    const { service } = engine;
    try {
      const dapp = await engine.dapp({ fundingWallet });
      const unfunded = await engine.dapp({});
      const withoutTank = await engine.dapp({ version: 'verifying-0.6' });

      const deploy = '"gasdesk contract deploy --chain 31337 --version 1.1.0 --from-key-file FILE"';
      expectMissing(await dapp.sponsor(op), 'contract', deploy);
      expectMissing(await withoutTank.sponsor(op), 'contract', '--version verifying-0.6');
      for (const version of ['1.1.0', 'verifying-0.6'])
        await service.call('paymasterContracts.use', { chainId: 31337, version, address: CONTRACT });

      expectMissing(await dapp.sponsor(op), 'signer', '"gasdesk signer create --chain 31337"');
      await service.call('signers.create', { chainId: 31337 });

      expectMissing(await unfunded.sponsor(op), 'fundingWallet', 'gasdesk funding-wallet set');
      const setRpc = '"gasdesk chain set 31337 --rpc URL"';
      expectMissing(await dapp.sponsor(op, { calculateGasLimits: true }), 'rpc', setRpc);
      expectMissing(await withoutTank.sponsor(op), 'rpc', setRpc);

      const { status, body } = await dapp.sponsor(op);
      expect([status, body.result?.paymasterAndData.slice(0, 42)]).toEqual([200, CONTRACT]);
      expect((await dapp.decisions())[0]).toMatchObject({ outcome: 'sponsored', code: 'SPONSORED' });
      const notReady = {
        outcome: 'error',
        code: 'PAYMASTER_NOT_READY',
        hint: expect.stringContaining('gasdesk chain'),
      };
      expect((await dapp.decisions())[1]).toMatchObject(notReady);
    } finally {
      await engine.stop();
    }
  }));

test('a locked vault, or one without the key, is named; with the vault back the desk sponsors again', () =>
  withDataFolder(async (dir) => {
    const first = await startEngine({ dir });
    await first.service.call('paymasterContracts.use', { chainId: 31337, version: '1.1.0', address: CONTRACT });
    await first.service.call('signers.create', { chainId: 31337 });
    const { apiKey } = await first.dapp({ fundingWallet });
    await first.stop();

    const ask = async (locked: boolean): Promise<RpcReply> => {
      const engine = await startEngine({ dir, locked });
      try {
        const params = [op, { mode: 'SPONSORED' }];
        return await engine.post(`/api/v1/31337/${apiKey}`, {
          jsonrpc: '2.0',
          id: 1,
          method: 'pm_sponsorUserOperation',
          params,
        });
      } finally {
        await engine.stop();
      }
    };
    expectMissing(await ask(true), 'vault', 'Start the service with GASDESK_PASSPHRASE or --passphrase-file');
    expect((await ask(false)).body.result?.paymasterAndData).toContain(CONTRACT);
    rmSync(join(dir, 'vault.json'));
    expectMissing(await ask(false), 'signer', '"gasdesk signer import --chain 31337 --private-key-file FILE"');
  }));
