import { type Contract, type HDNodeWallet, MaxUint256 } from 'ethers';
import { contractAt, deployContract } from '../../src/demo/world-contracts.ts';
import type { ArtifactName } from '../../src/engine/chain/artifacts.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { SponsoredWorld } from './sponsored-world.ts';
import type { Call } from './wallets.ts';

export interface PaidToken {
  readonly address: Address;
  readonly contract: Contract;
  /** Smallest units for 1e18 wei, without the premium. */
  readonly unitsPerCoin: bigint;
  readonly premiumPercent: number;
  /** Mints units for an address; 1,000 whole tokens by default. */
  give(to: Address, units?: bigint): Promise<void>;
  /** Approves a spender for everything, by a transaction of the wallet. */
  approveFrom(wallet: HDNodeWallet, spender: Address): Promise<void>;
}

export const approveCall = ({ address, contract }: PaidToken, spender: Address, units: bigint): Call => ({
  to: address,
  data: contract.interface.encodeFunctionData('approve', [spender, units]) as Hex,
});

const send = async (contract: Contract, method: string, ...args: unknown[]): Promise<void> => {
  const sent = await contract.getFunction(method).send(...args);
  await sent.wait();
};

/**
 * Deploys fee tokens and sets them at the desk. `static`: 6 decimals and a static rate. `feeds`: 18 decimals and
 * Chainlink feeds. The others are like `static`: with a prefund, with transfers that use much gas, or with both.
 */
export const deployFeeTokens = async ({
  operator,
  engine,
  chain,
  clock,
}: SponsoredWorld): Promise<Record<'static' | 'feeds' | 'preFund' | 'dear' | 'dearPreFund', PaidToken>> => {
  const { chainId } = chain;
  const feed = async (decimals: number, price: bigint): Promise<Address> => {
    const address = await deployContract('TestFeed', [decimals], operator);
    await send(await contractAt('TestFeed', address, operator), 'set', price, Math.floor(clock.now() / 1000));
    return address;
  };
  const token = async (
    symbol: string,
    decimals: number,
    premiumPercent: number,
    settings: object,
    artifact: ArtifactName = 'TestToken',
  ) => {
    const address = await deployContract(artifact, [symbol, decimals], operator);
    const contract = await contractAt('TestToken', address, operator);
    const premium = String(premiumPercent);
    const definition = { chainId, address, symbol, decimals, premium, preFund: false, ...settings };
    await engine.service.call('feeTokens.set', definition);
    const unit = 10n ** BigInt(decimals);
    return {
      address,
      contract,
      premiumPercent,
      unitsPerCoin: 3000n * unit,
      give: (to: Address, units = 1000n * unit) => send(contract, 'mint', to, units),
      approveFrom: (wallet: HDNodeWallet, spender: Address) =>
        contractAt('TestToken', address, wallet).then((own) => send(own, 'approve', spender, MaxUint256)),
    };
  };
  const fixed = { source: 'static', tokensPerCoin: '3000' };
  const nativeFeed = await feed(8, 3000n * 10n ** 8n);
  const tokenFeed = await feed(18, 10n ** 18n);
  return {
    static: await token('USDT', 6, 10, { rate: fixed }),
    feeds: await token('DAI', 18, 13, { rate: { source: 'chainlink', nativeFeed, tokenFeed } }),
    preFund: await token('USDC', 6, 5, { rate: fixed, preFund: true }),
    dear: await token('DEAR', 6, 0, { rate: fixed }, 'DearToken'),
    dearPreFund: await token('DEARPRE', 6, 0, { rate: fixed, preFund: true }, 'DearToken'),
  };
};
