import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HDNodeWallet, parseEther, toQuantity } from 'ethers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { deployEntryPoint, devWallet } from '../../src/demo/world-contracts.ts';
import type { Engine } from '../../src/engine/index.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { gasdesk } from '../support/cli.ts';
import { useFakeWallet } from '../support/fake-wallet.ts';
import { useLocalChain } from '../support/local-chain.ts';
import { PASSPHRASE, quickEngine } from '../support/quick-engine.ts';
import { useTempFolders } from '../support/temp-folder.ts';

// A test starts some processes; on a busy machine each may take seconds.
const chain = useLocalChain();
const clef = useFakeWallet();
const tempFolder = useTempFolders();
const PASSWORD = 'pa55word of the key';
const engines: Engine[] = [];
afterAll(async () => {
  for (const engine of engines) await engine.stop();
});

beforeAll(async () => {
  await deployEntryPoint(devWallet(0, chain().provider));
});

/** A desk with a contract that `owner` owns and a DApp; with an engine that serves it, or with none. */
const openDesk = async (owner: HDNodeWallet, served: boolean, version = 'singleton-0.6') => {
  const dir = tempFolder();
  const engine = await quickEngine(dir);
  const { service } = engine;
  const { chainId, url } = chain();
  await service.call('chains.set', { chainId, rpc: url });
  const signer = await service.call('signers.create', { chainId });
  await attachNewContract(service, owner, { chainId, version });
  const [account] = await service.call('accounts.list', {});
  const dapp = { accountId: account!.accountId, name: 'Game', type: 'HYBRID', chainId, version };
  const { paymasterId } = await service.call('paymasters.create', { ...dapp, type: 'HYBRID' });
  // Made here, where a password costs little to try.
  const keystore = await service.call('keystores.create', { label: 'Payer', password: PASSWORD });
  if (served) {
    await engine.serve();
    engines.push(engine);
  } else await engine.stop();
  const keyFile = join(dir, 'owner.key');
  writeFileSync(keyFile, `${owner.privateKey}\n`);
  const env = { GASDESK_KEYSTORE_PASSWORD: PASSWORD, ...(!served && { GASDESK_PASSPHRASE: PASSPHRASE }) };
  const run = (...args: string[]) => gasdesk([...args, '--data', dir, '--json'], env);
  const json = async (...args: string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as unknown;
  };
  return {
    paymasterId,
    service,
    signer: signer.address,
    keystore: keystore.address,
    run,
    json,
    key: ['--from-key-file', keyFile],
  };
};

it.each([
  ['on the files', false, 1],
  ['through the engine that runs', true, 2],
])(
  'the gas tank of a DApp, given by its name, is filled, watched and emptied with a key that stays with the command, %s',
  async (_way, served, nth) => {
    const owner = devWallet(nth, chain().provider);
    const { run, json, key } = await openDesk(owner, served);
    const tank = (name: string, ...args: string[]) => ['tank', name, '--dapp', 'Game', ...args];
    expect(await json(...tank('deposit', '--amount', '0.5', ...key))).toMatchObject({
      kind: 'deposit',
      state: 'mined',
      valueWei: String(parseEther('0.5')),
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
      balanceWei: String(parseEther('0.3')),
      // A singleton has roles, and does not say who holds them.
      owner: null,
      signerKind: 'many',
      level: 'low',
      lowBalanceThresholdWei: String(parseEther('0.4')),
    });
  },
);

it('a gas tank is filled by a keystore, by a wallet that sends and by Clef, which signs: each pays itself', async () => {
  const owner = devWallet(4, chain().provider);
  const { paymasterId, keystore, run, json } = await openDesk(owner, false);
  const passwordFile = join(tempFolder(), 'password');
  writeFileSync(passwordFile, `${PASSWORD}\n`);
  const amount = ['--dapp', paymasterId, '--amount', '0.5'];
  const wallet = (url: string, address: string) => ['--wallet', url, '--address', address];
  for (const address of [keystore, clef().account.address])
    await chain().provider.send('anvil_setBalance', [address, toQuantity(parseEther('1'))]);
  for (const [from, flags] of [
    [keystore, ['--keystore', keystore, '--password-file', passwordFile]],
    [owner.address, wallet(chain().url, owner.address)],
    [clef().account.address, wallet(clef().url, clef().account.address)],
  ] as const) {
    const { code, stdout, stderr } = await run('tank', 'deposit', ...amount, ...flags);
    const asked = flags[0] === '--wallet' ? /^Confirm in the wallet:\nDeposits 0\.5 ETH into .*\n$/ : /^$/;
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: expect.stringMatching(asked) });
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'deposit', state: 'mined', from });
  }
  expect(await json('tank', 'show', '--dapp', paymasterId)).toMatchObject({
    balanceWei: String(parseEther('1.5')),
    unchecked: false,
  });
  const to = `0x${'44'.repeat(20)}`;
  const byKeystore = ['tank', 'withdraw', ...amount, '--to', to, '--keystore', keystore];
  expect(await run(...byKeystore)).toMatchObject({ code: 1, stderr: expect.stringContaining('Only the owner') });
  expect(await run('tank', 'withdraw', ...amount, '--to', to, ...wallet(chain().url, owner.address))).toMatchObject({
    code: 0,
  });
  expect(await chain().provider.getBalance(to)).toBe(parseEther('0.5'));
});

it('a wallet that sends something else fails the command; one that sent nothing does not block the tank', async () => {
  const owner = devWallet(5, chain().provider);
  const { paymasterId, service, run, json, key } = await openDesk(owner, true);
  await json('tank', 'deposit', '--dapp', paymasterId, '--amount', '0.5', ...key);
  const answer = (hash: string) =>
    clef().behave(({ method }) => ({ result: method === 'eth_chainId' ? toQuantity(chain().chainId) : hash }));
  const elsewhere = `0x${'47'.repeat(20)}`;
  answer((await owner.sendTransaction({ to: elsewhere, value: 5n })).hash);
  const wallet = ['--wallet', clef().url, '--address', owner.address];
  const odd = await run('tank', 'deposit', '--dapp', paymasterId, '--amount', '0.1', ...wallet);
  expect(odd).toMatchObject({ code: 1, stderr: expect.stringContaining(`a transaction that differs from the draft`) });
  expect(JSON.parse(odd.stdout)).toMatchObject({ state: 'different', outcome: expect.stringContaining(elsewhere) });

  answer(`0x${'ab'.repeat(32)}`);
  const action = { kind: 'withdraw', paymasterId, amountWei: '1', to: owner.address as Address } as const;
  const { draftId } = await service.call('transactions.prepare', { action, from: action.to });
  const signed = { key: { kind: 'wallet', url: clef().url, address: action.to } } as const;
  const { transactionId } = await service.call('transactions.send', { draftId, signed });
  expect(await json('tank', 'show', '--dapp', paymasterId)).toMatchObject({ pendingWithdrawalsWei: '1' });
  expect(await json('tank', 'transactions', '--dapp', paymasterId)).toMatchObject([{ transactionId }, {}, {}]);
  expect(await json('tank', 'forget', transactionId)).toMatchObject({ state: 'forgotten' });
  expect(await json('tank', 'show', '--dapp', paymasterId)).toMatchObject({ pendingWithdrawalsWei: '0' });
  expect(await run('tank', 'forget', transactionId)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('No pending transaction has this id'),
  });
});

it.each([
  [[], 'No signer is given. Use --from-key-file, --keystore, or --wallet with --address'],
  [['--wallet', 'http://127.0.0.1:1'], 'The account of the wallet is missing. Use --address'],
  [['--wallet', 'http://127.0.0.1:1', '--from-key-file', 'owner.key'], 'cannot be used with'],
  [['--keystore', `0x${'11'.repeat(20)}`], 'The password of the keystore is missing. Set GASDESK_KEYSTORE_PASSWORD'],
])('a transaction without a possible signer is refused before anything is prepared: %j', async (flags, why) => {
  const dir = tempFolder();
  const { code, stdout, stderr } = await gasdesk([
    'tank',
    'deposit',
    '--data',
    join(dir, 'desk'),
    '--dapp',
    'id',
    '--amount',
    '1',
    ...flags,
  ]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(why);
  expect(readdirSync(dir)).toEqual([]);
});

it('the signing key of a chain is changed step by step, without a moment in which none is accepted', async () => {
  const owner = devWallet(3, chain().provider);
  const { paymasterId, signer, run, json, key } = await openDesk(owner, false);
  const ofChain = ['--chain', String(chain().chainId)];
  const contract = [...ofChain, '--version', 'singleton-0.6'];
  const wallet = ['--wallet', chain().url, '--address', owner.address];
  const next = (await json('signer', 'prepare-next', ...ofChain)) as { address: string };
  expect(await run('signer', 'use-next', ...ofChain)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('does not accept the next key'),
  });
  expect(await json('contract', 'accept-signer', ...contract, ...key)).toMatchObject({ state: 'mined' });
  expect(await json('signer', 'use-next', ...ofChain)).toEqual(next);
  const removed = await run('contract', 'remove-signer', ...contract, '--signer', signer, ...wallet);
  expect(removed).toMatchObject({ code: 0, stdout: expect.stringContaining('"state":"mined"') });
  expect(await json('tank', 'show', '--dapp', paymasterId)).toMatchObject({
    signer: { vault: next.address, next: null, agrees: true },
  });
});

it('a contract is staked, unlocked and paid out by its owner with the flags that the reference names', async () => {
  const owner = devWallet(6, chain().provider);
  const { run, json, key } = await openDesk(owner, true, 'verifying-0.6');
  const DAY = 86_400;
  const contract = (name: string, ...args: string[]) => [
    ...['contract', name, '--chain', String(chain().chainId), '--version', 'verifying-0.6'],
    ...args,
  ];
  expect(await run(...contract('add-stake', ...key))).toMatchObject({ code: 2 });
  const stake = (...flags: string[]) => contract('add-stake', '--amount', '0.5', ...flags, ...key);
  expect(await json(...stake('--unstake-delay', String(2 * DAY)))).toMatchObject({
    kind: 'addStake',
    state: 'mined',
    valueWei: String(parseEther('0.5')),
  });
  // Without the flag, the delay stays.
  await json(...stake());
  const stakeWei = String(parseEther('1'));
  const staked = { stakeWei, isStaked: true, unstakeDelaySec: 2 * DAY, withdrawableAt: null };
  expect(await json(...contract('reputation'))).toMatchObject(staked);
  const to = `0x${'65'.repeat(20)}`;
  const withdraw = contract('withdraw-stake', '--to', to, ...key);
  expect(await run(...withdraw)).toMatchObject({ code: 1, stderr: expect.stringContaining('Unlock the stake') });
  expect(await json(...contract('unlock-stake', ...key))).toMatchObject({ kind: 'unlockStake', state: 'mined' });
  await chain().provider.send('evm_increaseTime', [toQuantity(2 * DAY + 1)]);
  await chain().provider.send('anvil_mine', ['0x1']);
  expect(await json(...withdraw)).toMatchObject({ kind: 'withdrawStake', state: 'mined' });
  expect(await chain().provider.getBalance(to)).toBe(parseEther('1'));
  expect(await json(...contract('reputation'))).toMatchObject({ stakeWei: '0', isStaked: false });
});
