import { HDNodeWallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { startLocalChain } from '../../src/demo/local-chain.ts';
import { deployEntryPoint, devWallet, fundGasTank, localProvider } from '../../src/demo/world-contracts.ts';
import { ACCEPTING_ACCOUNT } from '../support/accepting-account.ts';
import { SENDER } from '../support/account-call-data.ts';
import { type Answer, error, json, result, text, withNode } from '../support/odd-node.ts';
import { operation } from '../support/operations.ts';
import {
  type RpcReply,
  type ServingEngine,
  type SponsoredDapp,
  startEngine,
  withDataFolder,
} from '../support/engine.ts';

const CONTRACT = `0x${'cc'.repeat(20)}`;
const op = operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' });
const fundingWallet = HDNodeWallet.fromPhrase('test test test test test test test test test test test junk');

/** A node of the right chain that fails in what it is asked then. */
const thenCall =
  (answer: Answer): Answer =>
  (response, method, body) =>
    (method === 'eth_chainId' ? result('0x7a69') : answer)(response, method, body);

const closedPort = async (): Promise<string> => {
  let url = '';
  await withNode(
    () => undefined,
    async (open) => void (url = open),
  );
  return url;
};

const expectUnreachable = ({ status, body }: RpcReply, error: string | RegExp = ''): void => {
  expect({ status, code: body.error?.code, message: body.error?.message }).toEqual({
    status: 503,
    code: -32053,
    message: expect.stringMatching(error),
  });
};

describe('a node that fails: the DApp learns that the chain is unreachable, never that we have a bug', () => {
  let engine: ServingEngine;
  let dapp: SponsoredDapp;
  let done: () => void;
  let folder: Promise<void>;
  beforeAll(async () => {
    const ended = new Promise<void>((resolve) => (done = resolve));
    await new Promise<void>((started) => {
      folder = withDataFolder(async (dir) => {
        engine = await startEngine({ dir, flags: { chainTimeoutMs: 200 } });
        // Attached while no one could be asked: every request has to ask first.
        await engine.service.call('paymasterContracts.use', { chainId: 31337, version: '1.1.0', address: CONTRACT });
        await engine.service.call('signers.create', { chainId: 31337 });
        dapp = await engine.dapp({ fundingWallet });
        started();
        await ended;
        await engine.stop();
      });
    });
  });
  afterAll(async () => {
    done();
    await folder;
  });

  const ask = async (url: string): Promise<RpcReply> => {
    await engine.service.call('chains.set', { chainId: 31337, rpc: url });
    return dapp.sponsor(op);
  };

  test('a port without a listener', async () => {
    expectUnreachable(await ask(await closedPort()), 'cannot be reached');
  });

  test.each<[string, Answer, string | RegExp]>([
    ['hangs', () => undefined, 'did not answer in 200 ms'],
    ['hangs in the middle', (response) => response.write('{"jsonrpc":'), /did not answer in 200 ms|cannot be reached/],
    ['hangs up', (response) => response.destroy(), 'cannot be reached'],
    ['answers garbage', text('pong'), 'did not answer in JSON'],
    ['answers nothing', text(''), 'did not answer in JSON'],
    ['answers HTML', text('<html>Welcome</html>'), 'did not answer in JSON'],
    ['answers HTML with 500', text('<html>Oops</html>', 500), 'did not answer in JSON'],
    ['answers JSON with 500', json({ message: 'oops' }, 500), 'did not answer in JSON-RPC'],
    ['answers null', json(null), 'did not answer in JSON-RPC'],
    ['answers a list', json([]), 'did not answer in JSON-RPC'],
    ['answers a string', json('0x7a69'), 'did not answer in JSON-RPC'],
    [
      'redirects',
      (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      'cannot be reached',
    ],
    ['refuses our key', error(-32000, 'invalid api key', 401), 'invalid api key'],
    ['has an error without words', error(null, null), 'unknown error'],
    ['refuses calls', thenCall(error(-32005, 'daily limit exceeded', 429)), 'answered with an error'],
    ['does not know calls', thenCall(error(-32601, 'method not found')), 'answered with an error'],
    ['answers calls with null', thenCall(result(null)), ''],
    ['answers calls with a number', thenCall(result(5)), ''],
    ['answers calls with an object', thenCall(result({})), ''],
    ['answers calls with words', thenCall(result('hello')), ''],
    ['answers calls with half a byte', thenCall(result('0x123')), ''],
    ['answers calls without a result', thenCall(json({ jsonrpc: '2.0', id: 1 })), 'did not answer in JSON-RPC'],
  ])('one that %s', async (_, answer, error) => {
    await withNode(answer, async (url) => {
      const { length } = await dapp.decisions();
      expectUnreachable(await ask(url), error);
      const decisions = await dapp.decisions();
      expect(decisions).toHaveLength(length + 1);
      expect(decisions[0]).toMatchObject({ outcome: 'error', code: 'CHAIN_UNREACHABLE', paymasterAndData: '0x' });
    });
  });

  test.each<[string, Answer]>([
    ['has no contract there', thenCall(result('0x'))],
    ['has another contract there', thenCall(result(`0x${'12'.repeat(32)}`))],
    ['has a contract there that reverts', thenCall(error(3, 'execution reverted'))],
  ])('one that %s is another error: nothing is signed', async (_, answer) => {
    await withNode(answer, async (url) => {
      const { status, body } = await ask(url);
      expect([status, body.error?.code]).toEqual([400, -32052]);
      expect(body.error?.message).toContain(`The contract ${CONTRACT} cannot be used as 1.1.0`);
      expect(body.error?.data?.['fix']).toContain('"gasdesk contract use --chain 31337 --version 1.1.0 --address 0x…"');
    });
  });

  test.each<[string, unknown, string]>([
    ['another chain', '0x1', 'The node at the RPC URL of chain 31337 belongs to chain 1.'],
    ['no chain at all', null, 'The node of chain 31337 did not return a chain id.'],
    ['a chain id that is none', 'mainnet', 'The node of chain 31337 did not return a chain id.'],
  ])('one of %s is named as a wrong setting, and is asked nothing else', async (_, chainId, found) => {
    const asked: string[] = [];
    const answer: Answer = (response, method, body) => {
      asked.push(method);
      // The operator sets the right one, which then becomes another.
      result(asked.length === 1 ? '0x7a69' : chainId)(response, method, body);
    };
    await withNode(answer, async (url) => {
      const { status, body } = await ask(url);
      expect({ status, ...body.error }).toMatchObject({ status: 400, code: -32052, data: { missing: 'rpc' } });
      expect(body.error?.message).toContain(found);
      expect(body.error?.message).toContain('gasdesk chain set 31337 --rpc URL');
    });
    expect(new Set(asked)).toEqual(new Set(['eth_chainId']));
  });
});

test('a chain that is cut off: all fails and says so; within a budget of the operator, operations that do not need it continue', () =>
  withDataFolder(async (dir) => {
    const chain = await startLocalChain();
    const provider = localProvider(chain.url, chain.chainId);
    const operator = devWallet(0, provider);
    const engine = await startEngine({ dir, flags: { chainTimeoutMs: 500 } });
    const { service } = engine;
    try {
      await deployEntryPoint(operator);
      await provider.send('anvil_setCode', [SENDER, ACCEPTING_ACCOUNT]);
      await service.call('chains.set', { chainId: 31337, rpc: chain.url });
      await service.call('signers.create', { chainId: 31337 });
      const tanks = await attachNewContract(service, operator, { chainId: 31337, version: '1.1.0' });
      await attachNewContract(service, operator, { chainId: 31337, version: 'verifying-0.6' });
      const dapp = await engine.dapp({ fundingWallet });
      const withoutTank = await engine.dapp({ version: 'verifying-0.6' });
      await fundGasTank(tanks, dapp.fundingWallet, 10n ** 18n, operator);
      expect((await dapp.sponsor(op)).body.result?.paymasterAndData).not.toBe('0x');

      await chain.stop();
      expectUnreachable(await dapp.sponsor(op), 'cannot be reached');
      await service.call('chains.set', { chainId: 31337, unreachable: { budgetWei: String(10n ** 18n) } });
      expectUnreachable(await dapp.sponsor(op, { calculateGasLimits: true }), 'cannot be reached');
      expectUnreachable(await withoutTank.sponsor(op), 'cannot be reached');
      // Gas given, contract checked before: the tank is looked into when the chain can be reached (behaviour 5.8).
      expect((await dapp.sponsor(op)).body.result?.paymasterAndData).not.toBe('0x');
      const [{ trace } = { trace: [] }] = await dapp.decisions();
      expect(trace).toMatchObject([
        { rule: 'gas' },
        { rule: 'contracts' },
        { rule: 'walletDeployment' },
        { rule: 'fees', outcome: 'skip', code: 'BASE_FEE_UNKNOWN' },
        { rule: 'gasTank', outcome: 'skip', code: 'BALANCE_UNKNOWN' },
        { rule: 'unreachable', outcome: 'pass', code: 'WITHIN_UNREACHABLE_BUDGET' },
      ]);
    } finally {
      await engine.stop();
      provider.destroy();
      await chain.stop();
    }
  }));
