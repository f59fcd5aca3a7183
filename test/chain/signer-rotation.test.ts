import { type TransactionResponse, parseEther } from 'ethers';
import { describe, expect, test } from 'vitest';
import { contractAt, deployContract, devWallet } from '../../src/demo/world-contracts.ts';
import type { UserOperationV06 } from '../../src/shared/schema/user-operation.ts';
import { type EntryPointWorld, deployEntryPointWorld } from '../support/entry-point-world.ts';
import { type OperatorDesk, useOperatorDesk } from '../support/operator-desk.ts';
import { gameCall, operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { playsAll } from '../support/combinations.ts';

/** New users of a DApp, whose first operations the desk sponsors and a bundler of their own mines. */
const usersOf = async (desk: OperatorDesk, dapp: SponsoredDapp) => {
  const bundler = devWallet(1, desk.chain.provider);
  const owner = devWallet(2, desk.chain.provider);
  const world: EntryPointWorld = await deployEntryPointWorld(bundler, desk.chain.chainId, '0.6');
  let users = 0n;
  /** The operation, or what the desk answered instead of sponsoring it. */
  const sponsored = async (): Promise<UserOperationV06 | string> => {
    const account = await world.newAccount(owner, (users += 1n));
    const mint = { to: desk.contracts.gameItems, data: gameCall('mint') };
    const op = world.firstOperation(account, mint) as UserOperationV06;
    const json = Object.entries(op).map(([name, value]: [string, bigint | string]) => [
      name,
      typeof value === 'bigint' ? `0x${value.toString(16)}` : value,
    ]);
    const { body } = await dapp.sponsor(Object.fromEntries(json) as Record<string, string>);
    if (body.result === undefined || body.result.paymasterAndData === '0x') return JSON.stringify(body);
    return world.sign({ ...op, paymasterAndData: body.result.paymasterAndData }, owner);
  };
  return {
    sponsored,
    mine: async (op: UserOperationV06 | string) => {
      if (typeof op === 'string') throw new Error(`not sponsored: ${op}`);
      return world.mine(op);
    },
    /** Asks again and again until `stop`, which answers everything that came. */
    load() {
      const all: (UserOperationV06 | string)[] = [];
      let isOn = true;
      const asking = Array.from({ length: 3 }, async () => {
        while (isOn) all.push(await sponsored());
      });
      const several = async (): Promise<void> => {
        const before = all.length;
        await expect.poll(() => all.length).toBeGreaterThan(before + 4);
      };
      const stop = async () => {
        isOn = false;
        await Promise.all(asking);
        return all;
      };
      return { several, stop };
    },
  };
};

const actionsOn = (desk: OperatorDesk) => {
  const { chainId } = desk.chain;
  const service = () => desk.engine().service;
  return {
    prepareNext: () => service().call('signers.prepareNext', { chainId }),
    useNext: () => service().call('signers.useNext', { chainId }),
    signer: async () => (await service().call('signers.list', {}))[0]?.address,
    accept: (version: string) => ({ kind: 'acceptSigner', chainId, version }) as const,
    deposit: ({ paymasterId }: SponsoredDapp, ether = '5') =>
      ({ kind: 'deposit', paymasterId, amountWei: String(parseEther(ether)) }) as const,
  };
};

describe('a contract with several signers', () => {
  const world = useOperatorDesk();

  test.runIf(playsAll)(
    'changes its key under load: every operation is sponsored, and mined whichever key signed it',
    async () => {
      const desk = world();
      const { prepareNext, useNext, signer, accept, deposit } = actionsOn(desk);
      const { chainId } = desk.chain;
      await desk.attach('singleton-0.6');
      const dapp = await desk.dapp('singleton-0.6');
      await desk.now(await desk.send(deposit(dapp), dapp.wallet));
      const users = await usersOf(desk, dapp);
      const old = await signer();
      if (old === undefined) throw new Error('no signer');

      const load = users.load();
      await load.several();
      const next = await prepareNext();
      expect(await prepareNext()).toEqual(next);
      expect((await desk.tank(dapp)).signer).toEqual({ vault: old, next: next.address, agrees: true });
      await expect(useNext()).rejects.toMatchObject({
        code: 'CONTRACT_MISMATCH',
        message: expect.stringContaining(next.address),
      });
      await expect(desk.prepare(accept('singleton-0.6'), await desk.rich())).rejects.toMatchObject({
        code: 'TRANSACTION_WOULD_FAIL',
        message: expect.stringContaining('its signers may also be changed by its manager'),
      });
      expect(await signer()).toBe(old);
      const accepted = await desk.now(await desk.send(accept('singleton-0.6'), desk.operator));
      expect(accepted).toMatchObject({ state: 'mined', outcome: expect.stringContaining(next.address) });
      expect(await signer()).toBe(old);
      await load.several();
      expect(await useNext()).toEqual(next);
      await load.several();
      const operations = await load.stop();
      expect((await desk.tank(dapp)).signer).toEqual({ vault: next.address, next: null, agrees: true });

      expect(operations.filter((one) => typeof one === 'string')).toEqual([]);
      for (const one of operations) expect((await users.mine(one)).success).toBe(true);
      const remove = { kind: 'removeSigner', chainId, version: 'singleton-0.6' } as const;
      await expect(desk.prepare({ ...remove, signer: next.address }, desk.operator)).rejects.toMatchObject({
        code: 'TRANSACTION_WOULD_FAIL',
        message: expect.stringContaining('is the signer of this chain'),
      });
      const last = await users.sponsored();
      expect(await desk.now(await desk.send({ ...remove, signer: old }, desk.operator))).toMatchObject({
        state: 'mined',
      });
      expect((await users.mine(last)).success).toBe(true);
    },
  );
});

describe('a contract with one signer', () => {
  const world = useOperatorDesk();

  test('changes its key with the block that accepts the new one, and after those that can accept both', async () => {
    const desk = world();
    const { prepareNext, signer, accept, deposit } = actionsOn(desk);
    await desk.attach('1.1.0');
    await desk.attach('singleton-0.6');
    const dapp = await desk.dapp('1.1.0');
    await desk.now(await desk.send(deposit(dapp), dapp.wallet));
    const users = await usersOf(desk, dapp);
    await users.mine(await users.sponsored());
    const next = await prepareNext();
    await expect(desk.prepare(accept('1.1.0'), desk.operator)).rejects.toMatchObject({
      code: 'TRANSACTION_WOULD_FAIL',
      message: expect.stringContaining('singleton-0.6'),
    });
    await desk.now(await desk.send(accept('singleton-0.6'), desk.operator));
    const draft = await desk.prepare(accept('1.1.0'), desk.operator);
    expect(draft.summary).toContain('signed before and are not yet mined will fail');
    const stranger = await desk.rich();
    await expect(desk.prepare(accept('1.1.0'), stranger)).rejects.toMatchObject({
      code: 'TRANSACTION_WOULD_FAIL',
      data: { only: desk.operator.address },
    });
    await desk.send(accept('1.1.0'), desk.operator);
    // No one asks: the watch sees the receipt by itself.
    await expect
      .poll(async () => {
        await desk.clock.advance(4_000);
        return signer();
      })
      .toBe(next.address);
    expect((await desk.tank(dapp)).signer).toEqual({ vault: next.address, next: null, agrees: true });
    expect((await users.mine(await users.sponsored())).success).toBe(true);
    await expect(desk.prepare(accept('1.1.0'), desk.operator)).rejects.toMatchObject({
      code: 'TRANSACTION_WOULD_FAIL',
      message: expect.stringContaining('already'),
    });
  });
});

describe('a contract whose signer is fixed', () => {
  const world = useOperatorDesk();

  test('is followed by a new one with the next key; what the old one reserved is still paid', async () => {
    const desk = world();
    const { prepareNext, signer, accept, deposit } = actionsOn(desk);
    const { chainId } = desk.chain;
    const before = await desk.attach('verifying-0.6');
    const dapp = await desk.dapp('verifying-0.6');
    await desk.now(await desk.send(deposit(dapp), dapp.wallet));
    const users = await usersOf(desk, dapp);
    const reserved = await users.sponsored();
    const next = await prepareNext();
    await expect(desk.prepare(accept('verifying-0.6'), desk.operator)).rejects.toMatchObject({
      code: 'TRANSACTION_WOULD_FAIL',
      message: expect.stringContaining('Deploy a new contract'),
    });
    const sent = await desk.send({ kind: 'deploy', chainId, version: 'verifying-0.6' }, desk.operator);
    const { contract, outcome } = await desk.now(sent);
    expect(outcome).toContain('signs from now on');
    expect(await signer()).toBe(next.address);
    expect(contract).not.toBe(before);
    expect(await desk.tank(dapp)).toMatchObject({ contract, signer: { agrees: true, next: null } });
    expect((await users.mine(reserved)).paymaster).toBe(before);
    await desk.now(await desk.send(deposit(dapp, '1'), dapp.wallet));
    expect((await users.mine(await users.sponsored())).paymaster).toBe(contract);
  });
});

describe('a contract with one signer', () => {
  const world = useOperatorDesk();

  test('keeps the next key once it is about to accept it, and is not signed for once its owner changes the signer', async () => {
    const desk = world();
    const { prepareNext, signer, accept, deposit } = actionsOn(desk);
    const { chainId, provider } = desk.chain;
    const { service } = desk.engine();
    const drop = () => service.call('signers.dropNext', { chainId });
    const address = await desk.attach('1.1.0');
    const dapp = await desk.dapp('1.1.0');
    await desk.send(deposit(dapp), dapp.wallet);

    await prepareNext();
    await drop();
    const next = await prepareNext();
    await desk.hold();
    const sent = await desk.send(accept('1.1.0'), desk.operator);
    await expect(drop()).rejects.toMatchObject({ code: 'CONTRACT_MISMATCH' });
    await desk.mine();
    await desk.now(sent);
    expect(await signer()).toBe(next.address);

    const mint = operation({ to: desk.contracts.gameItems, data: gameCall('mint') });
    expect((await dapp.sponsor(mint)).body.result?.reason).toBeUndefined();
    const contract = await contractAt('VerifyingSingletonPaymaster', address, desk.operator.connect(provider));
    const changed = (await contract.getFunction('setSigner')(desk.operator.address)) as TransactionResponse;
    await changed.wait();
    const isChecked = async () => (await service.call('paymasterContracts.list', {}))[0]?.checked;
    await expect
      .poll(async () => {
        await desk.clock.advance(60_000);
        return isChecked();
      })
      .toBe(false);
    expect((await dapp.sponsor(mint)).body.error).toMatchObject({ code: -32052 });
  });
});

describe('a contract of version 1.0.0, whose builds differ', () => {
  const world = useOperatorDesk();

  test('gets the next key by the function that it has for that', async () => {
    const desk = world();
    const { prepareNext, signer, accept } = actionsOn(desk);
    const { chainId } = desk.chain;
    const { service } = desk.engine();
    const constructed = [desk.operator.address, desk.contracts.entryPoint, await signer()];
    const address = await deployContract('TankPaymasterV100', constructed, desk.operator);
    await service.call('paymasterContracts.use', { chainId, version: '1.0.0', address });
    const next = await prepareNext();
    expect(await desk.now(await desk.send(accept('1.0.0'), desk.operator))).toMatchObject({ state: 'mined' });
    expect(await signer()).toBe(next.address);
  });
});
