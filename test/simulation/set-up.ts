import { Wallet } from 'ethers';
import { type Address, addressKey } from '../../src/shared/schema/hex.ts';
import type { Draw } from '../support/draw.ts';
import { PAYMASTERS, SIGNER_KEY, CHAIN_ID } from './contracts.ts';
import { addLimit, setBreaker } from './operator.ts';
import { identityRule } from './people.ts';
import { FEEDS, MAX_AGE_S, PREMIUM_PERCENT, TOKEN, TOKEN_DECIMALS, TREASURY } from './tokens.ts';
import { type Dapp, HOSTS, MILLI, type World, driving } from './world.ts';

const WALLETS = [1, 2].map((nth) => new Wallet(`0x${String(nth).repeat(64)}`));

const callOf =
  (world: World): World['desk']['call'] =>
  (name, input) =>
    driving(world, world.desk.call(name, input));

/** What DApps have in common: in some seeds all pay from one tank. */
interface Shared {
  readonly accountId: string;
  readonly versions: readonly Dapp['version'][];
  readonly wallets: readonly Wallet[];
}

const addDapp = async (world: World, set: Draw, { accountId, versions, wallets }: Shared): Promise<void> => {
  const call = callOf(world);
  const index = world.dapps.length;
  const version = set.pick(versions);
  const { paymasterId, apiKey } = await call('paymasters.create', {
    accountId,
    name: `DApp ${index}`,
    type: 'HYBRID',
    chainId: CHAIN_ID,
    version,
    tokenMode: version === 'singleton-0.7',
  });
  let wallet: Wallet | undefined;
  if (version === '1.1.0') {
    wallet = set.pick(wallets);
    const { fundingMessage } = await call('paymasters.fundingMessage', { paymasterId });
    const signature = await wallet.signMessage(fundingMessage);
    const address = wallet.address as Address;
    await call('paymasters.setFundingWallet', { paymasterId, type: 'paymasterFundingId', signature, address });
  }
  const hasWebhook = world.kinds.has('webhooks') && set.chance(30);
  if (hasWebhook) {
    const webhookUrl = `http://${HOSTS.webhook}:80/${index}`;
    await call('webhooks.create', { paymasterId, webhookUrl, requestType: 'POST' });
  }
  const vouching =
    world.kinds.has('identities') && set.chance(world.vouching) ? set.pick(['VOUCHER', 'OIDC'] as const) : undefined;
  if (vouching !== undefined) await call('rules.create', { paymasterId, rule: identityRule(vouching) } as never);
  const paymaster = PAYMASTERS[version];
  world.dapps.push({
    index,
    version,
    paymasterId,
    apiKey,
    paymaster,
    wallet: wallet && addressKey(wallet.address as Address),
    limits: [],
    vouching,
    hasWebhook,
    pauses: [],
    tokensOff: [],
  });
};

/** Adds a fee token, and DApps whose users may pay in it. */
const takeTokens = async (world: World, shared: Shared): Promise<void> => {
  const call = callOf(world);
  const draw = world.draw.part('tokens');
  await call('chains.set', { chainId: CHAIN_ID, treasury: TREASURY } as never);
  await call('feeTokens.set', {
    chainId: CHAIN_ID,
    address: TOKEN,
    symbol: 'USDC',
    decimals: TOKEN_DECIMALS,
    premium: String(PREMIUM_PERCENT),
    rate: { source: 'chainlink', nativeFeed: FEEDS.native, tokenFeed: FEEDS.token, maxAge: MAX_AGE_S },
    preFund: draw.chance(75),
    logoUrl: null,
  });
  for (let count = draw.pick([1, 1, 2]); count > 0; count -= 1) await addDapp(world, draw, shared);
};

/** Puts a desk with DApps and policies into the world. */
export const setUp = async (world: World): Promise<void> => {
  const { desk, draw, chain, dapps, kinds, time } = world;
  await desk.start();
  world.starts += 1;
  const set = draw.part('set-up');
  const call = callOf(world);
  await call('chains.set', {
    chainId: CHAIN_ID,
    rpc: `http://${HOSTS.node}:8545`,
    bundler: `http://${HOSTS.bundler}:4337`,
    breaker: null,
    maxOperationCostWei: String(100n * MILLI),
  });
  await call('signers.import', { chainId: CHAIN_ID, privateKey: SIGNER_KEY });
  const [account] = await call('accounts.list', {});
  for (const [version, address] of Object.entries(PAYMASTERS)) {
    if (version === 'singleton-0.7' && !kinds.has('tokens')) continue;
    await call('paymasterContracts.use', { chainId: CHAIN_ID, version, address });
  }
  const mixed = ['1.1.0', '1.1.0', 'verifying-0.7'] as const;
  const shared = {
    accountId: account?.accountId ?? '',
    versions: set.pick([mixed, mixed, ['1.1.0'], ['verifying-0.7']] as const),
    wallets: set.pick([WALLETS, WALLETS.slice(1)]),
  };
  for (let count = set.pick([1, 2, 3, 3]); dapps.length < count;) await addDapp(world, set, shared);
  if (kinds.has('tokens')) await takeTokens(world, { ...shared, versions: ['singleton-0.7'] });
  const payers = new Set(dapps.map(({ wallet, paymaster }) => (wallet ?? paymaster).toLowerCase()));
  const funds = [...payers].map((payer) => ({ payer, wei: BigInt(set.pick(world.funds)) * MILLI }));
  chain.mine(Math.floor(time.now / 1_000), [], funds);
  if (kinds.has('receivers')) await call('eventWebhooks.create', { url: `http://${HOSTS.events}:80/` });
  for (const dapp of dapps) {
    if (kinds.has('operator')) await driving(world, addLimit(world, set, dapp));
  }
  if (kinds.has('breaker') && set.chance(80)) await driving(world, setBreaker(world, set));
};
