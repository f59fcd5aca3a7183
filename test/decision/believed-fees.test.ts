import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type SimpleAccount, finishOperation, simpleAccount } from '../../src/demo/simple-account.ts';
import { contractAt, devWallet } from '../../src/demo/world-contracts.ts';
import { type Answer, passTo, result, withNode } from '../support/odd-node.ts';
import { gameCall, operation, sponsorRequest } from '../support/operations.ts';
import { type RpcReply, type SponsoredDapp, startEngine } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { wholeDecisions } from '../support/whole-decisions.ts';

const GWEI = 10n ** 9n;
const ETHER = 10n ** 18n;
const BASE_FEE = 5_000_000n;
const PUSHED = 100n * GWEI;
const hex = (value: bigint): string => `0x${value.toString(16)}`;

let salt = 0n;

const codeOf = ({ body }: RpcReply): string => body.result?.reason?.code ?? body.error?.message ?? 'SPONSORED';

/** A chain with hardly a base fee, and an attacker on it who bundles by themselves. */
const useAttackedWorld = () => {
  const world = useSponsoredWorld();

  const setBaseFee = async (baseFee: bigint): Promise<void> => {
    const { provider } = world().chain;
    await provider.send('anvil_setNextBlockBaseFeePerGas', [hex(baseFee)]);
    await provider.send('evm_mine', []);
    await provider.send('anvil_setNextBlockBaseFeePerGas', [hex(baseFee)]);
  };

  /** One transaction by a stranger, with a tip that anvil suggests from then on. */
  const push = async (): Promise<void> => {
    const { chain } = world();
    const stranger = devWallet(7, chain.provider);
    const fees = { maxFeePerGas: 2n * PUSHED, maxPriorityFeePerGas: PUSHED, gasLimit: 21_000n };
    await (await stranger.sendTransaction({ to: stranger.address, value: 0n, ...fees })).wait();
    await chain.provider.send('anvil_setNextBlockBaseFeePerGas', [hex(BASE_FEE)]);
    expect(BigInt((await chain.provider.send('eth_maxPriorityFeePerGas', [])) as string)).toBe(PUSHED);
  };

  const newAccount = async (): Promise<SimpleAccount> => {
    const { chain, contracts, operator } = world();
    const owner = devWallet(3, chain.provider);
    const account = await simpleAccount(contracts.accountFactory, owner, (salt += 1n), chain.provider);
    const factory = await contractAt('SimpleAccountFactory', contracts.accountFactory, operator);
    await (await factory.getFunction('createAccount').send(owner.address, salt)).wait();
    await setBaseFee(BASE_FEE);
    return account;
  };

  /** A mint that offers its sender's own bundle this price. */
  const mintAt = ({ address }: SimpleAccount, price: bigint): Record<string, unknown> =>
    operation(
      { to: world().contracts.gameItems, data: gameCall('mint') },
      { sender: address, maxFeePerGas: hex(price), maxPriorityFeePerGas: hex(price) },
    );

  const tankOf = async ({ fundingWallet }: SponsoredDapp): Promise<bigint> => {
    const contract = await contractAt('VerifyingSingletonPaymaster', world().paymaster, world().chain.provider);
    return (await contract.getFunction('getBalance')(fundingWallet)) as bigint;
  };

  /** The highest price at which an operation is sponsored, of those the attacker asks for; what its bundle takes from the tank. */
  const plunder = async (dapp: SponsoredDapp, account: SimpleAccount): Promise<{ price: bigint; lost: bigint }> => {
    const { chain, contracts, operator } = world();
    const before = await tankOf(dapp);
    for (let price = 300n * GWEI; price > 0n; price = (price * 9n) / 10n) {
      const sent = mintAt(account, price);
      const reply = await dapp.sponsor(sent);
      if (codeOf(reply) !== 'SPONSORED') continue;
      const finish = { chainId: chain.chainId, entryPoint: contracts.entryPoint };
      const final = await finishOperation(account, sent as Record<string, string>, reply.body.result!, finish);
      // Who bundles by themselves pays no more than they must: 1.1.0 takes more of a tank where the bundle pays more.
      const entryPoint = await contractAt('EntryPoint', contracts.entryPoint, operator);
      const bundle = { maxFeePerGas: 2n * GWEI, maxPriorityFeePerGas: GWEI };
      await (await entryPoint.getFunction('handleOps').send([final], operator.address, bundle)).wait();
      await setBaseFee(BASE_FEE);
      return { price, lost: before - (await tankOf(dapp)) };
    }
    throw new Error('No price is sponsored');
  };

  const dappWithMint = async (): Promise<SponsoredDapp> => {
    const dapp = await world().dapp(10n * ETHER);
    await world().registerGameItems(dapp);
    return dapp;
  };

  return { world, setBaseFee, push, newAccount, mintAt, plunder, dappWithMint };
};

describe('a stranger who pushes the suggested tip', () => {
  const { world, setBaseFee, push, newAccount, mintAt, plunder, dappWithMint } = useAttackedWorld();

  test('takes at most half as much again as with the honest tip, read from the chain, also after the desk was started again', async () => {
    await setBaseFee(BASE_FEE);
    const dapp = await dappWithMint();
    const accounts = [await newAccount(), await newAccount(), await newAccount()] as const;
    const honest = await plunder(dapp, accounts[0]);
    await push();
    const pushed = await plunder(dapp, accounts[1]);
    expect(honest.lost).toBeGreaterThan(0n);
    expect(2n * pushed.lost).toBeLessThanOrEqual(3n * honest.lost);

    const { home, engine, clock, chain } = world();
    await engine.stop();
    await push();
    const again = await startEngine({ dir: join(home, 'gasdesk'), clock });
    try {
      const params = [mintAt(accounts[2], 300n * GWEI), { mode: 'SPONSORED' }];
      const reply = await again.post(`/api/v1/${chain.chainId}/${dapp.apiKey}`, sponsorRequest(params));
      expect(codeOf(reply)).toBe('FEE_TOO_HIGH');
      const [decision] = await wholeDecisions((name, input) => again.service.call(name, input), {
        paymasterId: dapp.paymasterId,
        limit: 1,
      });
      expect(decision).toMatchObject({
        facts: { chain: { suggestedTipWei: String(PUSHED), believedTipWei: String(GWEI) } },
      });
    } finally {
      await again.stop();
    }
  });
});

describe('a chain', () => {
  const { world, newAccount, mintAt, dappWithMint } = useAttackedWorld();
  const chainId = 31337;

  /** Runs while the chain has another node, which answers some methods in its own way. */
  const withOwnNode = async (answers: Record<string, unknown>, run: () => Promise<void>): Promise<void> => {
    const { chain, engine } = world();
    const proper = passTo(chain.url);
    const answer: Answer = (response, method, body) =>
      (method in answers ? result(answers[method]) : proper)(response, method, body);
    await withNode(answer, async (rpc) => {
      await engine.service.call('chains.set', { chainId, rpc });
      await run();
    });
    await engine.service.call('chains.set', { chainId, rpc: chain.url });
  };

  test('whose node lies once about the base fee: what the desk suggests rises by what blocks could bring', async () => {
    const { chain, clock, engine } = world();
    const { apiKey } = await dappWithMint();
    const suggested = async () =>
      BigInt((await engine.service.call('sponsorship.gasPrice', { chainId, apiKey })).standard.maxFeePerGas);
    const honest = await suggested();
    const block = (await chain.provider.send('eth_getBlockByNumber', ['latest', false])) as Record<string, string>;
    const number = hex(BigInt(block['number']!) + 1_000_000n);
    const baseFeePerGas = hex(1_000n * BigInt(block['baseFeePerGas']!));
    await clock.advance(200);
    await withOwnNode({ eth_getBlockByNumber: { ...block, number, baseFeePerGas } }, async () => {
      // The price of the block itself stays in it, or nothing could be mined if it were true.
      const cost = (await suggested()) - BigInt(baseFeePerGas);
      expect(cost).toBeLessThanOrEqual(honest);
    });
  });

  test('like Polygon works from the first operation on: removing a chain forgets what was usual', async () => {
    const { engine, chain } = world();
    const dapp = await dappWithMint();
    await engine.service.call('chains.remove', { chainId, force: true });
    await withOwnNode({ eth_maxPriorityFeePerGas: hex(30n * GWEI) }, async () => {
      expect(codeOf(await dapp.sponsor(mintAt(await newAccount(), 31n * GWEI)))).toBe('SPONSORED');
    });
    await engine.service.call('chains.remove', { chainId, force: true });
    await engine.service.call('chains.set', { chainId, rpc: chain.url });
  });

  test('with hardly a base fee sponsors tips that have doubled within the hour, and a third more', async () => {
    const { engine, chain } = world();
    const dapp = await dappWithMint();
    await engine.service.call('chains.remove', { chainId, force: true });
    const tip = { eth_maxPriorityFeePerGas: hex(15n * GWEI) };
    await withOwnNode(tip, async () => {
      expect(codeOf(await dapp.sponsor(mintAt(await newAccount(), 16n * GWEI)))).toBe('SPONSORED');
      tip.eth_maxPriorityFeePerGas = hex(30n * GWEI);
      for (const gwei of [31n, 40n])
        expect(codeOf(await dapp.sponsor(mintAt(await newAccount(), gwei * GWEI)))).toBe('SPONSORED');
    });
    await engine.service.call('chains.remove', { chainId, force: true });
    await engine.service.call('chains.set', { chainId, rpc: chain.url });
  });
});
