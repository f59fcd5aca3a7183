import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HDNodeWallet, formatEther, hexlify } from 'ethers';
import { type Clock, systemEntropy } from '../engine/base/clock.ts';
import { loadConfig } from '../engine/config/config.ts';
import { openDataFolder } from '../engine/data-folder/data-folder.ts';
import { type Engine, createEngine } from '../engine/index.ts';
import { createLog } from '../engine/base/log.ts';
import { Secret } from '../engine/base/secret.ts';
import { type DeskClient, deskClient } from './desk-client.ts';
import { type LocalChain, startLocalChain } from './local-chain.ts';
import type { Story } from './story.ts';
import { type WorldContracts, deployWorld, devWallet, localProvider } from './world-contracts.ts';

/** The participants. Their keys are anvil's public test keys. */
interface Cast {
  readonly operator: HDNodeWallet;
  readonly bundler: HDNodeWallet;
  readonly fundingWallet: HDNodeWallet;
  readonly player: HDNodeWallet;
  /** Receives the tokens with which users pay. */
  readonly treasury: HDNodeWallet;
}

export interface World {
  readonly story: Story;
  readonly chain: LocalChain;
  readonly provider: ReturnType<typeof localProvider>;
  readonly cast: Cast;
  readonly contracts: WorldContracts;
  readonly engine: Engine;
  readonly url: string;
  readonly desk: DeskClient;
}

const castOf = (provider: World['provider']): Cast => {
  const [operator, bundler, fundingWallet, player, treasury] = [0, 1, 2, 3, 4].map((index) =>
    devWallet(index, provider),
  );
  if (!operator || !bundler || !fundingWallet || !player || !treasury) throw new Error('anvil funds ten keys');
  return { operator, bundler, fundingWallet, player, treasury };
};

export interface StageOptions {
  /** Gasdesk's clock. Default: the machine's. */
  readonly clock?: Clock;
  /** Origin of the page that shows the console in a frame. */
  readonly consoleFramedBy?: string;
}

interface LocalEngineOptions extends StageOptions {
  /** Default: any free port. */
  readonly port?: number;
  /** Default: a new one, with which no one opens the vault again. */
  readonly passphrase?: string;
}

/** Starts an engine on a data folder, for a local chain. */
export const startLocalEngine = (
  dir: string,
  { port = 0, passphrase = hexlify(systemEntropy.bytes(16)), ...options }: LocalEngineOptions = {},
): Promise<Engine> => {
  const folder = openDataFolder(dir);
  const configSources = { flags: { port, logLevel: 'error' } };
  return createEngine({
    ...options,
    folder,
    config: loadConfig({ ...configSources, file: folder.config }),
    configSources,
    log: createLog({ level: 'error' }),
    passphrase: new Secret(passphrase),
    consoleFolder: join(import.meta.dirname, '..', '..', 'out', 'renderer'),
  });
};

/**
 * Starts a chain, and a Gasdesk with an empty data folder. `onEnd` receives the functions that stop them, even if a
 * later part fails to start.
 */
export const startWorld = async (
  story: Story,
  onEnd: (end: () => unknown) => void,
  options: StageOptions = {},
): Promise<World> => {
  story.step('A local chain with EntryPoint v0.6, an account factory and a sample DApp');
  const chain = await startLocalChain();
  onEnd(() => chain.stop());
  const provider = localProvider(chain.url, chain.chainId);
  onEnd(() => provider.destroy());
  const cast = castOf(provider);
  const contracts = await deployWorld(cast.operator);
  story.print('EntryPoint', contracts.entryPoint);
  story.print('GameItems, the sample DApp', contracts.gameItems);

  const dir = await mkdtemp(join(tmpdir(), 'gasdesk-demo-'));
  onEnd(() => rm(dir, { recursive: true, force: true }));
  const engine = await startLocalEngine(dir, options);
  onEnd(() => engine.stop());
  const url = await engine.serve();
  return { story, chain, provider, cast, contracts, engine, url, desk: deskClient(url) };
};

export const ether = (wei: bigint): string => `${formatEther(wei).replace(/\.0$/, '')} ETH`;
