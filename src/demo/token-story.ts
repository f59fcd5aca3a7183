import { type Contract, parseEther } from 'ethers';
import { WEI_PER_COIN } from '../core/paymaster-layouts/token-charge.ts';
import { unitsToDecimal } from '../shared/schema/decimal.ts';
import type { Address } from '../shared/schema/hex.ts';
import { type Dapp, deployPaymaster, registerDapp } from './dapp.ts';
import { gameCall, itemsOf } from './game-items.ts';
import { approval } from './fee-token.ts';
import { narrateDenied, narrateMined } from './requests.ts';
import type { SimpleAccount } from './simple-account.ts';
import { type World, ether } from './world.ts';
import { contractAt, deployContract, fundDeposit } from './world-contracts.ts';

/** A contract that takes tokens, for the EntryPoint version of the user's account. */
const VERSION = 'singleton-0.6';
const DEPOSIT_WEI = parseEther('0.1');
const SYMBOL = 'USDT';
const DECIMALS = 6;
const USDT = 10n ** BigInt(DECIMALS);
const USDT_PER_ETH = 3000n;
const PREMIUM = '10';

const usdt = (units: bigint): string => `${unitsToDecimal(units, DECIMALS)} ${SYMBOL}`;

/** Token units for an amount of wei at the exchange rate, without the premium. */
const worth = (wei: bigint): bigint => (wei * USDT_PER_ETH * USDT) / WEI_PER_COIN;

export interface TokenShop {
  readonly dapp: Dapp;
  /** The token contract, connected to the key of its deployer. */
  readonly token: Contract;
  readonly tokenAddress: Address;
}

export const openShop = async (world: World): Promise<TokenShop> => {
  const { story, engine, chain, cast, contracts } = world;
  const { chainId } = chain;
  story.step('A second DApp, with a contract for users who pay in a token');
  const paymaster = await deployPaymaster(world, VERSION);
  await fundDeposit(contracts.entryPoint, paymaster, DEPOSIT_WEI, cast.operator);
  const tokenAddress = await deployContract('TestToken', [SYMBOL, DECIMALS], cast.operator);
  await engine.service.call('chains.set', { chainId, treasury: cast.treasury.address as Address });
  await engine.service.call('feeTokens.set', {
    chainId,
    address: tokenAddress,
    symbol: SYMBOL,
    decimals: DECIMALS,
    premium: PREMIUM,
    rate: { source: 'static', tokensPerCoin: String(USDT_PER_ETH) },
    // The operation approves the tokens in its own batch. A prefund would be taken before the batch runs, and fail.
    preFund: false,
  });
  story.print('deposit in the EntryPoint', ether(DEPOSIT_WEI));
  story.print(`fee token ${SYMBOL}`, tokenAddress);
  story.print('price', `${USDT_PER_ETH} ${SYMBOL} for 1 ETH, and ${PREMIUM} % on top`);
  story.print('treasury', cast.treasury.address);
  const dapp = await registerDapp(world, { name: 'Token Items', version: VERSION, paymaster });
  return { dapp, token: await contractAt('TestToken', tokenAddress, cast.operator), tokenAddress };
};

/** Lets the users of the shop pay in tokens. */
export const acceptTokens = async ({ engine: { service } }: World, { dapp }: TokenShop): Promise<void> => {
  const dapps = await service.call('paymasters.list', {});
  const paymasterId = dapps.find(({ apiKey }) => apiKey === dapp.apiKey)?.paymasterId;
  await service.call('paymasters.setTokenMode', { paymasterId, tokenMode: true });
};

/** Balances before and after, all read from the chain. */
const readMoney = async (
  { provider, contracts, cast }: World,
  { dapp, token }: TokenShop,
  { address }: SimpleAccount,
): Promise<{ deposit: bigint; income: bigint; userTokens: bigint }> => {
  const entryPoint = await contractAt('EntryPoint', contracts.entryPoint, provider);
  const balanceOf = token.getFunction('balanceOf');
  return {
    deposit: (await entryPoint.getFunction('balanceOf')(dapp.paymaster)) as bigint,
    income: (await balanceOf(cast.treasury.address)) as bigint,
    userTokens: (await balanceOf(address)) as bigint,
  };
};

/**
 * The user pays. The operation is denied until the user can pay. Then the user is charged the cost of the operation
 * plus the premium.
 * @returns the DApp
 */
export const narrateTokenPayment = async (world: World, account: SimpleAccount): Promise<TokenShop> => {
  const { story, provider } = world;
  const shop = await openShop(world);
  const mint = gameCall(world, 'mint', 2n);
  const options = { mode: 'ERC20', tokenInfo: { feeTokenAddress: shop.tokenAddress } };
  const request = { dapp: shop.dapp, account, options };

  story.step(`The user would pay in ${SYMBOL}, which the DApp does not allow yet`);
  await narrateDenied(world, 'tokenMode', 'TOKEN_MODE_OFF', { ...request, calls: [mint] });
  await acceptTokens(world, shop);
  story.print('The DApp lets its users pay in tokens.');
  story.step('The user has not approved the paymaster');
  await narrateDenied(world, 'tokenPayment', 'TOKEN_ALLOWANCE_SHORT', { ...request, calls: [mint] });
  story.step(`The user approves it in the same batch, and has no ${SYMBOL}`);
  const paid = { ...request, calls: [approval(shop.tokenAddress, shop.dapp.paymaster, 10n * USDT), mint] } as const;
  await narrateDenied(world, 'tokenPayment', 'TOKEN_BALANCE_SHORT', paid);

  story.step(`The user receives ${usdt(10n * USDT)} and mints 2 items`);
  await (await shop.token.getFunction('mint').send(account.address, 10n * USDT)).wait();
  const items = await itemsOf(world, account.address);
  const before = await readMoney(world, shop, account);
  const mined = await narrateMined(world, paid, 'Gasdesk signs it in ERC20 mode');
  story.check((await itemsOf(world, account.address)) === items + 2n, 'the user owns 2 items more');

  const after = await readMoney(world, shop, account);
  const cost = before.deposit - after.deposit;
  const income = after.income - before.income;
  story.print('cost, taken from the deposit', `${ether(cost)}, worth ${usdt(worth(cost))}`);
  story.print('income, at the treasury', usdt(income));
  story.print('income less cost', usdt(income - worth(cost)));
  story.check(cost === mined.actualGasCost && cost > 0n, 'the deposit paid what the EntryPoint charged');
  story.check(before.userTokens - after.userTokens === income, 'the user paid what the treasury received');
  story.check(
    income * 100n >= worth(cost) * (100n + BigInt(PREMIUM)),
    `the income is the cost and ${PREMIUM} % at least`,
  );
  story.check((await provider.getBalance(account.address)) === 0n, 'the account still holds 0 ETH');
  return shop;
};
