import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseEther } from 'ethers';
import type { Address } from '../shared/schema/hex.ts';
import { GIVEN_GAS } from './sponsor-rpc.ts';
import { type Dapp, deployPaymaster, registerDapp } from './dapp.ts';
import { gameCall, gameItems, itemsOf } from './game-items.ts';
import { narrateDenied, narrateMined } from './requests.ts';
import { type SimpleAccount, simpleAccount } from './simple-account.ts';
import { type World, ether } from './world.ts';
import { contractAt, fundGasTank } from './world-contracts.ts';

const VERSION = '1.1.0';
const TANK_WEI = parseEther('0.1');

/** The operator's setup, with the same calls as the commands: the chain, a signer and a paymaster contract. */
export const prepareDesk = async (world: World): Promise<Address> => {
  const { story, engine, chain } = world;
  story.step('The operator connects Gasdesk to the chain and deploys a paymaster');
  await engine.service.call('chains.set', { chainId: chain.chainId, rpc: chain.url });
  const signer = await engine.service.call('signers.create', { chainId: chain.chainId });
  story.print('signing key, in the vault', signer.address);
  return deployPaymaster(world, VERSION);
};

/**
 * The steps of the DApp's developer, over HTTP: register, prove control of the funding wallet, whitelist a method,
 * limit each user.
 */
export const prepareDapp = async (world: World, paymaster: Address): Promise<Dapp> => {
  const { story, cast, contracts } = world;
  story.step('A DApp registers over HTTP and proves its funding wallet');
  const dapp = await registerDapp(world, { name: 'Game Items', version: VERSION, paymaster });
  const { fundingMessage, paymasterId } = (await dapp.manage('GET', '/funding-message')) as {
    fundingMessage: string;
    paymasterId: string;
  };
  const { address } = cast.fundingWallet;
  const signature = await cast.fundingWallet.signMessage(fundingMessage);
  await dapp.manage('PATCH', '/paymaster', { paymasterId, type: 'paymasterFundingId', signature, address });
  story.print('funding wallet, by its signature', address);

  const abi = gameItems.formatJson();
  const contract = { name: 'GameItems', address: contracts.gameItems, abi, whitelistedMethods: ['mint'] };
  await dapp.manage('POST', '/smart-contract', contract);
  story.print('sponsored', `mint on ${contracts.gameItems}`);
  const limit = {
    type: 'SMART_ACCOUNT',
    cycleDuration: { value: 1, unit: 'day' },
    threshold: 1,
    thresholdType: 'COUNT',
  };
  await addRule(dapp, 'One a day', 'PAYMASTER_SA_LIMIT', limit);
  story.print('limit', '1 operation a day for each user');
  return dapp;
};

const addRule = (dapp: Dapp, name: string, policyType: string, policyData: object): Promise<unknown> =>
  dapp.manage('POST', '/paymaster-policy', { name, policyType, policyData });

export const sponsorDeployments = (dapp: Dapp): Promise<unknown> =>
  addRule(dapp, 'New accounts', 'WALLET_DEPLOYMENT', {});

/** Lets an operation mint five items at most. @returns the condition */
export const limitAmounts = async (dapp: Dapp): Promise<string> => {
  const expression = 'calls.all(c, c.args.amount <= 5)';
  await addRule(dapp, 'At most 5', 'CONDITION', { expression, message: 'At most 5 items at once.' });
  return expression;
};

const tankBalance = async ({ provider, cast }: World, { paymaster }: Dapp): Promise<bigint> => {
  const contract = await contractAt('VerifyingSingletonPaymaster', paymaster, provider);
  return (await contract.getFunction('getBalance')(cast.fundingWallet.address)) as bigint;
};

/** Denials of a DApp that is not completely set up. After each denial, its hint is followed. */
const narrateNotReady = async (world: World, dapp: Dapp, account: SimpleAccount): Promise<void> => {
  const { story, cast } = world;
  const mint = { dapp, account, calls: [gameCall(world, 'mint', 3n)] } as const;
  story.step('A user without an account mints: the DApp does not sponsor new accounts');
  await narrateDenied(world, 'walletDeployment', 'WALLET_DEPLOYMENT_NOT_SPONSORED', mint);
  await sponsorDeployments(dapp);
  story.print('The DApp adds that rule.');

  story.step('The user is on a list of accounts that the DApp does not sponsor');
  const list = { mode: 'DENY', addresses: [account.address] };
  const { _id } = (await addRule(dapp, 'Not these', 'SENDERS', list)) as { _id: string };
  await narrateDenied(world, 'senders', 'SENDER_DENIED', mint);
  await dapp.manage('DELETE', `/paymaster-policy/${_id}`);
  story.print('The DApp deletes the list.');

  story.step('The user mints 12: the DApp sponsors at most 5 at once, by a condition');
  story.print('condition', await limitAmounts(dapp));
  await narrateDenied(world, 'condition', 'CONDITION_NOT_MET', {
    dapp,
    account,
    calls: [gameCall(world, 'mint', 12n)],
  });

  await narrateHolding(world, dapp, account);
  await narratePerson(world, dapp, account);

  story.step('The user mints 3 again: the gas tank is empty');
  await narrateDenied(world, 'gasTank', 'GAS_TANK_EMPTY', mint);
  await fundGasTank(dapp.paymaster, cast.fundingWallet.address as Address, TANK_WEI, cast.operator);
  story.print('Paid in; read from the chain', ether(await tankBalance(world, dapp)));

  story.step('The user tries again: the breaker allows almost nothing within an hour');
  const { chainId } = world.chain;
  await world.engine.service.call('chains.set', { chainId, breaker: { amountWei: '1', seconds: 3600 } });
  await narrateDenied(world, 'burnRate', 'BURN_RATE_TOO_SMALL', mint);
  await world.engine.service.call('chains.set', { chainId, breaker: 'default' });
  story.print('The operator lifts the breaker.');
  await narrateUnreachable(world, dapp, account);
};

/** A denial by the sender's token balance, which Gasdesk reads from the chain. */
const narrateHolding = async (world: World, dapp: Dapp, account: SimpleAccount): Promise<void> => {
  const { story, contracts } = world;
  story.step('The user mints 3 again: the DApp sponsors only holders of an item');
  const holding = { standard: 'ERC721', address: contracts.gameItems, minimum: '1' };
  const { _id } = (await addRule(dapp, 'Owners', 'TOKEN_HOLDING', holding)) as { _id: string };
  const mint = { dapp, account, calls: [gameCall(world, 'mint', 3n)] } as const;
  await narrateDenied(world, 'tokenHolding', 'TOKEN_HOLDING_TOO_LOW', mint);
  await dapp.manage('DELETE', `/paymaster-policy/${_id}`);
  story.print('The DApp deletes that rule.');
};

/** A denial because no one vouches for the user. */
const narratePerson = async (world: World, dapp: Dapp, account: SimpleAccount): Promise<void> => {
  const { story, cast } = world;
  story.step('The user mints 3 again: the DApp sponsors only people for whom its backend vouches');
  const backend = { source: 'VOUCHER', signer: cast.operator.address };
  const { _id } = (await addRule(dapp, 'People', 'IDENTITY', backend)) as { _id: string };
  const mint = { dapp, account, calls: [gameCall(world, 'mint', 3n)] } as const;
  await narrateDenied(world, 'identity', 'SUBJECT_MISSING', mint);
  await dapp.manage('DELETE', `/paymaster-policy/${_id}`);
  story.print('The DApp deletes that rule.');
};

/** An address at which no server listens. */
export const NO_NODE = 'http://127.0.0.1:1';

/** A denial because the node does not answer and the budget for that case is too small. */
const narrateUnreachable = async (world: World, dapp: Dapp, account: SimpleAccount): Promise<void> => {
  const { story, engine, chain } = world;
  const { chainId, url } = chain;
  story.step('The user tries again while the node is unreachable: the budget for this case is almost nothing');
  await engine.service.call('chains.set', { chainId, rpc: NO_NODE, unreachable: { budgetWei: '1' } });
  const mint = { dapp, account, calls: [gameCall(world, 'mint', 3n)], ...GIVEN_GAS } as const;
  await narrateDenied(world, 'unreachable', 'UNREACHABLE_BUDGET_SPENT', mint);
  await engine.service.call('chains.set', { chainId, rpc: url, unreachable: null });
  story.print('The node answers again.');
};

/**
 * A user without ETH mints an item: the operation deploys the account, and is sponsored, mined and paid from the tank.
 */
const narrateSponsored = async (world: World, dapp: Dapp, account: SimpleAccount): Promise<void> => {
  const { story, provider } = world;
  story.step('With 0 ETH and no account yet, the user mints 3 items');
  story.check((await provider.getBalance(account.address)) === 0n, 'the account holds 0 ETH');
  story.check((await provider.getCode(account.address)) === '0x', 'the account is not deployed');

  const before = await tankBalance(world, dapp);
  const mint = { dapp, account, calls: [gameCall(world, 'mint', 3n)] } as const;
  const mined = await narrateMined(world, mint, 'Gasdesk sponsors the operation');
  story.check((await itemsOf(world, account.address)) === 3n, 'the user owns 3 items');

  const charged = before - (await tankBalance(world, dapp));
  story.print('cost at the EntryPoint', ether(mined.actualGasCost));
  story.print('taken from the gas tank', ether(charged));
  story.check(charged >= mined.actualGasCost && charged > 0n, 'the tank of the funding wallet paid for it');
  story.check((await provider.getBalance(account.address)) === 0n, 'the account still holds 0 ETH');
};

/** Starts a webhook that denies every operation. */
const startSternWebhook = async (): Promise<{ url: string; calls(): number; stop(): void }> => {
  let calls = 0;
  const server = createServer((_request, response) => {
    calls += 1;
    response.setHeader('content-type', 'application/json').end('{"arePoliciesVerified":false}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/verdict`;
  return { url, calls: () => calls, stop: () => server.close() };
};

const narrateWebhook = async (world: World, dapp: Dapp): Promise<void> => {
  const { story, contracts, cast, provider } = world;
  story.step('Another user mints, and the webhook of the DApp says no');
  const webhook = await startSternWebhook();
  try {
    await dapp.manage('POST', '/webhook', { webhookUrl: webhook.url, requestType: 'POST' });
    const account = await simpleAccount(contracts.accountFactory, cast.player, 1n, provider);
    const mint = { dapp, account, calls: [gameCall(world, 'mint', 1n)] } as const;
    await narrateDenied(world, 'webhook', 'WEBHOOK_DENIED', mint);
    story.check(webhook.calls() === 1, 'the webhook was asked once');
  } finally {
    webhook.stop();
  }
};

/** Denials by every rule of the DApp that has not denied an operation yet. */
const narrateRules = async (world: World, dapp: Dapp, account: SimpleAccount): Promise<void> => {
  const { story } = world;
  const before = await tankBalance(world, dapp);
  story.step('The user burns an item: that method is not whitelisted');
  const burn = { dapp, account, calls: [gameCall(world, 'burn', 1n)] } as const;
  await narrateDenied(world, 'contracts', 'METHOD_NOT_WHITELISTED', burn);

  const mint = { dapp, account, calls: [gameCall(world, 'mint', 1n)] } as const;
  const fields = { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1' };
  story.step('The user mints once more, for less than the chain asks');
  await narrateDenied(world, 'fees', 'FEE_TOO_LOW', { ...mint, fields });

  story.step('The user mints once more, under a nonce that is used');
  const used = { ...GIVEN_GAS, fields: { ...GIVEN_GAS.fields, nonce: '0x0' } };
  await narrateDenied(world, 'validity', 'NONCE_USED', { ...mint, ...used });

  story.step('The user mints once more: a second time on this day');
  await narrateDenied(world, 'spendingLimit', 'LIMIT_REACHED', mint);

  story.step('The operator pauses all sponsorship, and the user mints once more');
  await world.engine.service.call('system.pause', { reason: 'The demo' });
  await narrateDenied(world, 'pause', 'SPONSORSHIP_PAUSED', mint);
  await world.engine.service.call('system.resume', {});
  story.print('The operator resumes.');

  await narrateWebhook(world, dapp);
  story.check((await tankBalance(world, dapp)) === before, 'the tank paid for none of these');
};

/**
 * Operations for which the DApp pays: one that is sponsored, and a denial by each rule. @returns the DApp and the
 * account of its user
 */
export const narrateSponsorship = async (world: World): Promise<{ dapp: Dapp; account: SimpleAccount }> => {
  const { contracts, cast, provider } = world;
  const dapp = await prepareDapp(world, await prepareDesk(world));
  const account = await simpleAccount(contracts.accountFactory, cast.player, 0n, provider);
  await narrateNotReady(world, dapp, account);
  await narrateSponsored(world, dapp, account);
  await narrateRules(world, dapp, account);
  return { dapp, account };
};
