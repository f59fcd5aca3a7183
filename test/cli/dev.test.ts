import { execFile } from 'node:child_process';
import { readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createPimlicoClient } from 'permissionless/clients/pimlico';
import { toSimpleSmartAccount } from 'permissionless/accounts';
import { type Address, createPublicClient, http, parseAbi } from 'viem';
import {
  createBundlerClient,
  entryPoint06Address,
  entryPoint07Address,
  entryPoint08Address,
} from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { expect, test } from 'vitest';
import { snippetsFor } from '../../src/renderer/src/modules/dapps/snippets.ts';
import { gasdeskProcess, usePrinting } from '../support/cli.ts';
import { useLocalChain } from '../support/local-chain.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const chain = useLocalChain();
const tempFolder = useTempFolders();
const startPrinting = usePrinting();

const abi = parseAbi(['function mint(uint256)', 'function balanceOf(address) view returns (uint256)']);
const entryPoints = { '0.6': entryPoint06Address, '0.7': entryPoint07Address, '0.8': entryPoint08Address };

interface Variables {
  readonly RPC_URL: string;
  readonly GASDESK_URL: string;
  readonly CONTRACT: Address;
}

const start = async (...args: string[]) => {
  const temporary = tempFolder();
  const { found, end } = await startPrinting(['dev', '--port', '0', ...args], /^((?:\w+=\S+\n){3})/, {
    PATH: process.env['PATH'] ?? '',
    TMPDIR: temporary,
  });
  const lines = found[1]!
    .trim()
    .split('\n')
    .map((line) => line.split('='));
  return { variables: Object.fromEntries(lines) as unknown as Variables, end, temporary };
};

/** What an app does with the three variables and an SDK's defaults: a new user mints. */
const newUser = async ({ RPC_URL, GASDESK_URL, CONTRACT }: Variables, version: keyof typeof entryPoints) => {
  const entryPoint = { address: entryPoints[version], version };
  const client = createPublicClient({ chain: foundry, transport: http(RPC_URL), pollingInterval: 50 });
  const owner = privateKeyToAccount(generatePrivateKey());
  const account = await toSimpleSmartAccount({ client, owner, entryPoint: entryPoint as never });
  const paymaster = createPimlicoClient({ transport: http(GASDESK_URL), entryPoint });
  const bundler = createBundlerClient({
    account,
    client,
    transport: http(GASDESK_URL),
    paymaster,
    pollingInterval: 50,
    userOperation: { estimateFeesPerGas: async () => (await paymaster.getUserOperationGasPrice()).standard },
  });
  return {
    async mint() {
      const hash = await bundler.sendUserOperation({
        calls: [{ to: CONTRACT, abi, functionName: 'mint', args: [1n] }],
      });
      return (await bundler.waitForUserOperationReceipt({ hash })).success;
    },
    items: () => client.readContract({ address: CONTRACT, abi, functionName: 'balanceOf', args: [account.address] }),
  };
};

test('an app mints with three variables and one URL, is denied with a fix, and Ctrl-C leaves nothing behind', async () => {
  const { variables, end, temporary } = await start('--watch', '--limit', '1');
  expect(Object.keys(variables)).toEqual(['RPC_URL', 'GASDESK_URL', 'CONTRACT']);
  const user = await newUser(variables, '0.7');
  expect(await user.mint()).toBe(true);
  expect(await user.items()).toBe(1n);
  await expect(user.mint()).rejects.toThrow('The limit "For each user" allows 1 operation');

  const { code, stdout, stderr } = await end('SIGINT');
  expect(code).toBe(0);
  expect(stdout.trim().split('\n')).toHaveLength(3);
  expect(stderr).toMatch(/ sponsored {2}Development: /);
  expect(stderr).toMatch(/ denied {5}Development: .*\n {10}→ /);
  expect(readdirSync(temporary)).toEqual([]);
  const bundler = /Bundler at (\S+)/.exec(stderr)![1]!;
  for (const url of [variables.RPC_URL, new URL(variables.GASDESK_URL).origin, bundler]) {
    await expect(fetch(url, { method: 'POST' })).rejects.toThrow();
  }
});

/** What an app has before it pastes code that sends an operation: a new user, and what the user calls. */
const appOf = ({ RPC_URL, GASDESK_URL, CONTRACT }: Variables): string => `
import * as viem from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { toSimpleSmartAccount } from 'permissionless/accounts';
const client = viem.createPublicClient({ chain: foundry, transport: viem.http('${RPC_URL}') });
const account = await toSimpleSmartAccount({
  client,
  owner: privateKeyToAccount(generatePrivateKey()),
  entryPoint: { address: '${entryPoint07Address}', version: '0.7' },
});
console.log(account.address);
const bundlerUrl = '${GASDESK_URL}';
const to = '${CONTRACT}';
const data = viem.encodeFunctionData({ abi: viem.parseAbi(['function mint(uint256)']), args: [1n] });
const calls = [{ to, data }];
`;

test('the code that the console and the README show for viem mints as it is pasted', async () => {
  const { variables } = await start();
  const url = variables.GASDESK_URL;
  const client = createPublicClient({ chain: foundry, transport: http(variables.RPC_URL) });
  const [console] = snippetsFor({
    url,
    forwards: true,
    chainId: 31337,
    entryPointVersion: '0.7',
    entryPoint: entryPoint07Address,
  });
  const readme = /```ts\n(.+?)```/s.exec(readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8'));
  const folder = tempFolder();
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));
  for (const code of [console!.code, readme![1]!.replace(/http:[^']+API_KEY/, url)]) {
    const file = join(folder, 'app.mjs');
    writeFileSync(file, appOf(variables) + code);
    const { stdout } = await promisify(execFile)(process.execPath, [file]);
    const minted = (): Promise<bigint> =>
      client.readContract({
        address: variables.CONTRACT,
        abi,
        functionName: 'balanceOf',
        args: [stdout.trim() as Address],
      });
    await expect.poll(minted).toBe(1n);
  }
});

test('a chain that runs already: a second start uses what the first has deployed, and a folder that is kept, also for another EntryPoint', async () => {
  const data = tempFolder();
  const options = ['--rpc', chain().url, '--data', data, '--entry-point', '0.6', '--prefix', 'NEXT_PUBLIC_'];
  const first = await start(...options);
  expect((await first.end('SIGTERM')).code).toBe(0);
  const blocks = await chain().provider.getBlockNumber();
  const second = await start(...options);
  const { NEXT_PUBLIC_RPC_URL, NEXT_PUBLIC_GASDESK_URL, NEXT_PUBLIC_CONTRACT } = second.variables as unknown as Record<
    string,
    string
  >;
  const path = (url: string): string => new URL(url).pathname;
  const before = first.variables as unknown as Record<string, string>;
  expect(path(NEXT_PUBLIC_GASDESK_URL!)).toBe(path(before['NEXT_PUBLIC_GASDESK_URL']!));
  expect(NEXT_PUBLIC_CONTRACT).toBe(before['NEXT_PUBLIC_CONTRACT']);
  // The deposit, which is topped up.
  expect(await chain().provider.getBlockNumber()).toBe(blocks + 1);
  const variables = {
    RPC_URL: NEXT_PUBLIC_RPC_URL!,
    GASDESK_URL: NEXT_PUBLIC_GASDESK_URL!,
    CONTRACT: NEXT_PUBLIC_CONTRACT as Address,
  };
  expect(await (await newUser(variables, '0.6')).mint()).toBe(true);
  await second.end('SIGTERM');
  expect(await chain().provider.getBlockNumber()).toBeGreaterThan(blocks);
  expect(readdirSync(data)).toContain('gasdesk.db');

  const other = await start('--rpc', chain().url, '--data', data, '--entry-point', '0.7');
  expect(await (await newUser(other.variables, '0.7')).mint()).toBe(true);
  await other.end('SIGTERM');
});

test.each([
  [
    'no node',
    ['--rpc', 'http://127.0.0.1:9'],
    1,
    /No node answers at http:\/\/127\.0\.0\.1:9\. Start it, or leave out --rpc/,
  ],
  ['a folder to keep, and a chain that is gone afterwards', ['--data', 'desk'], 2, /--data needs --rpc/],
  ['an EntryPoint that does not exist', ['--entry-point', '0.5'], 2, /Allowed choices are 0\.6, 0\.7, 0\.8, 0\.9/],
  ['an anvil that cannot be run', [], 1, /GASDESK_ANVIL names .*, which is not an executable file/],
])('%s: says what to do', async (_what, args, code, answer) => {
  const ended = await gasdeskProcess(['dev', '--bundler', 'http://127.0.0.1:9', ...args], {
    GASDESK_ANVIL: '/nonexistent',
  });
  expect({ ...ended, stderr: '' }).toEqual({ code, stdout: '', stderr: '' });
  expect(ended.stderr).toMatch(answer);
});
