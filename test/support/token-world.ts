import { createRpcClient } from '../../src/engine/chain/rpc.ts';
import type { RpcClient } from '../../src/engine/chain/rpc.ts';
import type { ArtifactName } from '../../src/engine/chain/artifacts.ts';
import { contractAt, deployContract, devWallet } from '../../src/demo/world-contracts.ts';
import type { FeeToken } from '../../src/shared/schema/fee-token.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { useFixture } from './fixture.ts';
import { useLocalChain } from './local-chain.ts';
import { ManualClock } from './manual-clock.ts';

export interface DeployedToken {
  readonly address: Address;
  /** Sends a transaction from the deployer, or from the dev key of that number, and waits until it is mined. */
  send(method: string, args: readonly unknown[], from?: number): Promise<void>;
}

export interface TokenWorld {
  readonly rpc: RpcClient;
  readonly chainId: number;
  readonly url: string;
  readonly clock: ManualClock;
  /** 6 decimals. */
  readonly token: DeployedToken;
  /** 8 decimals; 3000 USD, answered now. */
  readonly nativeFeed: DeployedToken;
  /** 18 decimals; 1 USD, answered now. */
  readonly tokenFeed: DeployedToken;
  /** A token with a premium of 13 percent, priced by the feeds. */
  feeToken(fields?: Partial<FeeToken>): FeeToken;
  wallet(index: number): Address;
  /** Makes both feeds answer now, with these prices in USD. */
  price(native: bigint, token: bigint): Promise<void>;
}

/** Gives the tests of the calling file such a world. Call the result inside tests. */
export const useTokenWorld = (): (() => TokenWorld) => {
  const chain = useLocalChain();
  const clock = new ManualClock();

  const deploy = async (name: ArtifactName, ...args: unknown[]): Promise<DeployedToken> => {
    const { provider } = chain();
    const address = await deployContract(name, args, devWallet(0, provider));
    return {
      address,
      async send(method, values, from = 0) {
        const contract = await contractAt(name, address, devWallet(from, provider));
        await (await contract.getFunction(method).send(...values)).wait();
      },
    };
  };

  return useFixture<TokenWorld>(async () => {
    const { url, chainId, provider } = chain();
    const token = await deploy('TestToken', 'USDT', 6);
    const nativeFeed = await deploy('TestFeed', 8);
    const tokenFeed = await deploy('TestFeed', 18);
    const price = async (native: bigint, other: bigint): Promise<void> => {
      const now = clock.now() / 1000;
      await nativeFeed.send('set', [native * 10n ** 8n, now]);
      await tokenFeed.send('set', [other * 10n ** 18n, now]);
    };
    await price(3000n, 1n);
    const feeds = { nativeFeed: nativeFeed.address, tokenFeed: tokenFeed.address };
    return {
      url,
      chainId,
      clock,
      token,
      nativeFeed,
      tokenFeed,
      price,
      rpc: createRpcClient(url, `The node of chain ${chainId}`, 5000),
      wallet: (index) => devWallet(index, provider).address as Address,
      feeToken: (fields) => ({
        chainId,
        address: token.address,
        symbol: 'USDT',
        decimals: 6,
        premium: '13',
        rate: { source: 'chainlink', ...feeds, maxAge: 3600 },
        preFund: false,
        logoUrl: null,
        ...fields,
      }),
    };
  });
};
