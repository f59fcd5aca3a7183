import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HDNodeWallet } from 'ethers';
import { nodeFlags } from '../../scripts/node-flags.ts';
import type { Caller } from '../../src/api/index.ts';
import { controlClient } from '../../src/engine/control/client.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { GAME, gameItems } from '../bench/operations.ts';
import { type IssuerKey, backend, issuerKey } from '../support/people.ts';
import type { Ask, Health, Started } from './desk-process.ts';

/** A desk in a process of its own, and what it reports about itself. */
export interface DeskProcess {
  readonly url: URL;
  readonly operatorToken: string;
  readonly call: Caller;
  health(ask?: Ask): Promise<Health>;
  /** Stops it, and returns its last report. */
  stop(): Promise<Health>;
  kill(): void;
}

export const PASSPHRASE = 'malformed requests read no passphrase';

export const startDeskProcess = async (dir: string, consoleFolder: string): Promise<DeskProcess> => {
  const script = join(import.meta.dirname, 'desk-process.ts');
  const child = spawn(process.execPath, [...nodeFlags, '--expose-gc', script, dir, consoleFolder, PASSPHRASE], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const crashed = exited.then(() => {
    throw new Error('The desk has crashed');
  });
  crashed.catch(() => undefined);
  const next = async <T>(): Promise<T> => {
    const [message] = (await Promise.race([once(child, 'message'), crashed])) as [T];
    return message;
  };
  const { url, operatorToken } = await next<Started>();
  const health = async (ask: Ask = {}): Promise<Health> => {
    const answered = next<Health>();
    child.send(ask);
    return answered;
  };
  return {
    url: new URL(url),
    operatorToken,
    call: controlClient(openDataFolder(dir).controlSocket),
    health,
    async stop() {
      const last = await health({ stop: true });
      await exited;
      return last;
    },
    kill: () => void child.kill('SIGKILL'),
  };
};

/** Files of a console: malformed paths do not depend on what is in them. */
export const makeConsole = (folder: string): void => {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), '<!doctype html><html><head></head><body></body></html>');
  writeFileSync(join(folder, 'assets', 'index-abcdefgh.js'), 'export {};\n');
  writeFileSync(join(folder, '..', 'outside.txt'), OUTSIDE);
};

/** In a file next to the console's folder. */
export const OUTSIDE = 'no path of the console leads here';

const LOCAL = 31_337;
/** A chain whose node answers anything. */
const ODD = 31_338;
/** A chain of DApps that malformed calls may change. */
export const SPARE = 31_339;

export const ISSUER = 'https://login.example';
export const AUDIENCE = 'game';

/** The credentials in the URLs of a node and a bundler. */
const NODE_SECRET = 'n0de-s3cret';

export interface PreparedDapp {
  readonly paymasterId: string;
  readonly apiKey: string;
  readonly chainId: number;
}

export interface Prepared {
  readonly accountId: string;
  readonly authToken: string;
  /** Its operations are of EntryPoint 0.6. */
  readonly plain: PreparedDapp;
  /** EntryPoint 0.7. */
  readonly packed: PreparedDapp;
  /** EntryPoint 0.9. */
  readonly parallel: PreparedDapp;
  readonly people: PreparedDapp;
  readonly hooked: PreparedDapp;
  readonly noded: PreparedDapp;
  readonly spare: PreparedDapp;
  readonly issuer: IssuerKey;
  /** What no answer may contain, unless its request did. */
  readonly secrets: readonly string[];
}

export interface Places {
  /** Receives the calls of webhooks. */
  readonly webhook: string;
  /** Answers as the node and the bundler of the chain {@link ODD}. */
  readonly node: string;
}

const contractOf = (index: number): Address => `0x${(0xf100 + index).toString(16).padStart(40, '0')}`;
const VERSIONS = ['1.1.0', 'singleton-0.7', 'parallel-0.9'] as const;

const register = async (
  call: Caller,
  accountId: string,
  name: string,
  chainId: number,
  version: string,
): Promise<PreparedDapp> => {
  const { paymasterId, apiKey } = await call('paymasters.create', {
    accountId,
    name,
    type: 'HYBRID',
    chainId,
    version,
    tokenMode: true,
  });
  const wallet = HDNodeWallet.createRandom();
  const { fundingMessage } = await call('paymasters.fundingMessage', { paymasterId });
  const signature = await wallet.signMessage(fundingMessage);
  await call('paymasters.setFundingWallet', {
    paymasterId,
    type: 'paymasterFundingId',
    signature,
    address: wallet.address,
  });
  return { paymasterId, apiKey, chainId };
};

/** Sets up DApps of every kind, with every kind of rule, and another account whose secrets no answer may tell. */
export const prepare = async (call: Caller, { webhook, node }: Places): Promise<Prepared> => {
  const signingKey = HDNodeWallet.createRandom().privateKey;
  for (const [index, chainId] of [LOCAL, ODD, SPARE].entries()) {
    await call('chains.set', { chainId, name: `Chain ${index}` });
    if (chainId === LOCAL) await call('signers.import', { chainId, privateKey: signingKey });
    else await call('signers.create', { chainId });
    for (const [place, version] of VERSIONS.entries()) {
      if (chainId === ODD && place > 0) continue;
      await call('paymasterContracts.use', { chainId, version, address: contractOf(index * 8 + place) });
    }
    await call('feeTokens.set', {
      chainId,
      address: contractOf(99),
      symbol: 'USDX',
      decimals: 6,
      premium: '5',
      rate: { source: 'static', tokensPerCoin: '3000' },
    });
  }
  const accountId = (await call('accounts.list', {}))[0]?.accountId ?? '';
  const dapp = (name: string, chainId = LOCAL, version: string = VERSIONS[0]) =>
    register(call, accountId, name, chainId, version);
  const [plain, packed, parallel] = [
    await dapp('Plain'),
    await dapp('Packed', LOCAL, VERSIONS[1]),
    await dapp('Parallel', LOCAL, VERSIONS[2]),
  ];
  const [people, hooked, noded, spare] = [
    await dapp('People'),
    await dapp('Hooked'),
    await dapp('Noded', ODD),
    await dapp('Spare', SPARE),
  ];
  for (const { paymasterId } of [plain, packed, parallel]) {
    const contract = { name: 'Game Items', address: GAME, abi: gameItems.formatJson(), whitelistedMethods: ['mint'] };
    await call('contracts.create', { paymasterId, ...contract });
    const cycleDuration = { value: 1, unit: 'day' } as const;
    for (const type of ['PAYMASTER', 'SMART_ACCOUNT'] as const) {
      const policyData = { type, cycleDuration, threshold: 1_000_000_000, thresholdType: 'COUNT' } as const;
      await call('rules.create', { paymasterId, rule: { name: type, policyType: 'PAYMASTER_SA_LIMIT', policyData } });
    }
    const policyData = { expression: 'op.maxCostWei < 10000000000000000000 && size(calls) < 5', message: 'too much' };
    await call('rules.create', { paymasterId, rule: { name: 'Condition', policyType: 'CONDITION', policyData } });
  }
  // A contract of a chain with a node would have to be there.
  const urls = { rpc: `${node}?key=${NODE_SECRET}`, bundler: `${node}bundler?key=${NODE_SECRET}` };
  await call('chains.set', { chainId: ODD, ...urls, forwardBundler: 'all' });
  const issuer = await issuerKey();
  const identities = [
    { name: 'Vouched', policyData: { source: 'VOUCHER', signer: backend.address as Address } },
    {
      name: 'Signed in',
      policyData: { source: 'OIDC', issuer: ISSUER, audience: AUDIENCE, jwks: { keys: [issuer.publicJwk] } },
    },
  ] as const;
  for (const rule of identities)
    await call('rules.create', { paymasterId: people.paymasterId, rule: { ...rule, policyType: 'IDENTITY' } });
  const { webhookId } = await call('webhooks.create', {
    paymasterId: hooked.paymasterId,
    webhookUrl: webhook,
    requestType: 'POST',
  });
  await call('rules.create', {
    paymasterId: hooked.paymasterId,
    rule: { name: 'Hook', policyType: 'WEBHOOK', policyData: { url: webhook } },
  });
  const { secret } = await call('webhooks.secret', { webhookId });
  const { authToken } = await call('authTokens.create', { accountId, label: 'Malformed', scope: 'manage' });
  const stranger = (await call('accounts.create', { name: 'Stranger' })).accountId;
  const other = await call('authTokens.create', { accountId: stranger, label: 'Stranger', scope: 'manage' });
  const theirs = await register(call, stranger, 'Theirs', LOCAL, VERSIONS[0]);
  const secrets = [PASSPHRASE, signingKey.slice(2), secret, other.authToken, theirs.apiKey, NODE_SECRET, OUTSIDE];
  return { accountId, authToken, plain, packed, parallel, people, hooked, noded, spare, issuer, secrets };
};
