import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HDNodeWallet, parseEther } from 'ethers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deployEntryPoint, devWallet } from '../../src/demo/world-contracts.ts';
import type { Engine } from '../../src/engine/index.ts';
import { gasdesk } from '../support/cli.ts';
import { useLocalChain } from '../support/local-chain.ts';
import { PASSPHRASE, quickEngine } from '../support/quick-engine.ts';
import { useTempFolders } from '../support/temp-folder.ts';

// A test starts some processes; on a busy machine each may take seconds.
const chain = useLocalChain();
const tempFolder = useTempFolders();
const engines: Engine[] = [];
afterAll(async () => {
  for (const engine of engines) await engine.stop();
});

beforeAll(async () => {
  await deployEntryPoint(devWallet(0, chain().provider));
});

/** A desk with a contract that `owner` owns and a DApp; with an engine that serves it, or with none. */
const openDesk = async (owner: HDNodeWallet, served: boolean) => {
  const dir = tempFolder();
  const engine = await quickEngine(dir);
  const { service } = engine;
  const { chainId, url } = chain();
  await service.call('chains.set', { chainId, rpc: url });
  const signer = await service.call('signers.create', { chainId });
  const deployment = { chainId, version: 'singleton-0.6', privateKey: owner.privateKey };
  await service.call('paymasterContracts.deploy', deployment);
  const [account] = await service.call('accounts.list', {});
  const dapp = { accountId: account!.accountId, name: 'Game', type: 'HYBRID', chainId, version: 'singleton-0.6' };
  const { paymasterId } = await service.call('paymasters.create', { ...dapp, type: 'HYBRID' });
  if (served) {
    await engine.serve();
    engines.push(engine);
  } else await engine.stop();
  const keyFile = join(dir, 'owner.key');
  writeFileSync(keyFile, `${owner.privateKey}\n`);
  const env = served ? {} : { GASDESK_PASSPHRASE: PASSPHRASE };
  const run = (...args: string[]) => gasdesk([...args, '--data', dir, '--json'], env);
  const json = async (...args: string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as unknown;
  };
  return { paymasterId, signer: signer.address, run, json, key: ['--from-key-file', keyFile] };
};

it.each([
  ['on the files', false, 1],
  ['through the engine that runs', true, 2],
])(
  'a gas tank is filled, watched and emptied with a key that stays with the command, %s',
  async (_way, served, nth) => {
    const owner = devWallet(nth, chain().provider);
    const { paymasterId, run, json, key } = await openDesk(owner, served);
    const tank = (name: string, ...args: string[]) => ['tank', name, '--paymaster', paymasterId, ...args];
    expect(await json(...tank('deposit', '--amount', '0.5', ...key))).toMatchObject({
      ...{ kind: 'deposit', state: 'mined', valueWei: String(parseEther('0.5')) },
    });
    const to = `0x${String(nth).repeat(40)}`;
    const withdraw = (amount: string) => tank('withdraw', '--amount', amount, '--to', to, ...key);
    expect(await json(...withdraw('0.2'))).toMatchObject({ kind: 'withdraw', state: 'mined' });
    expect(await chain().provider.getBalance(to)).toBe(parseEther('0.2'));
    expect(await run(...withdraw('0.4'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('at most 0.3 ETH'),
    });
    expect(await run(...withdraw('0x4'))).toMatchObject({ code: 2 });
    await json(...tank('threshold', '--amount', '0.4'));
    expect(await json(...tank('show'))).toMatchObject({
      ...{
        balanceWei: String(parseEther('0.3')),
        // A singleton has roles, and does not say who holds them.
        owner: null,
        level: 'low',
        lowWei: String(parseEther('0.4')),
      },
    });
  },
);

it('the signing key of a chain is changed step by step, without a moment in which none is accepted', async () => {
  const owner = devWallet(3, chain().provider);
  const { paymasterId, signer, run, json, key } = await openDesk(owner, false);
  const ofChain = ['--chain', String(chain().chainId)];
  const contract = [...ofChain, '--version', 'singleton-0.6', ...key];
  const next = (await json('signer', 'prepare-next', ...ofChain)) as { address: string };
  expect(await run('signer', 'use-next', ...ofChain)).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining('does not accept the next key') },
  });
  expect(await json('contract', 'accept-signer', ...contract)).toMatchObject({ state: 'mined' });
  expect(await json('signer', 'use-next', ...ofChain)).toEqual(next);
  expect(await json('contract', 'remove-signer', ...contract, '--signer', signer)).toMatchObject({ state: 'mined' });
  expect(await json('tank', 'show', '--paymaster', paymasterId)).toMatchObject({
    signer: { vault: next.address, next: null, agrees: true },
  });
});
