import { JsonRpcProvider } from 'ethers';
import {
  type Reason,
  type SponsorAddress,
  SPONSORED_OPTIONS,
  requestSponsorship,
  reasonOf,
} from '../demo/sponsor-rpc.ts';
import { approval, tokensOf } from '../demo/fee-token.ts';
import { gameCall, itemsOf } from '../demo/game-items.ts';
import { PEOPLE, type PlaygroundScene } from '../demo/playground-scene.ts';
import {
  type AccountCall,
  type SimpleAccount,
  type SponsoredGas,
  finishOperation,
  partialOperation,
} from '../demo/simple-account.ts';
import { host } from './host.ts';
import { tankBalance } from './tank-balance.ts';
import { visitorAccount } from './visitor.ts';

/** On-chain balances of the visitor's account. Ether is in wei, tokens are in their smallest unit. */
export interface Holdings {
  readonly address: string;
  readonly isDeployed: boolean;
  readonly ether: bigint;
  readonly items: bigint;
  readonly tokens: bigint;
  /** The balance of the DApp's gas tank, in wei. */
  readonly tankWei: bigint;
}

export interface Wish {
  readonly method: 'mint' | 'burn';
  /** True if the visitor pays in the token, at the second DApp. */
  readonly inToken?: boolean;
  /** Who is signed in at the DApp. */
  readonly person?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, unknown>>;
}

export interface Outcome {
  readonly kind: 'sponsored' | 'denied' | 'error';
  readonly reason?: Reason;
  /** Set if no decision was made. */
  readonly error?: string;
  /** The decision's id; null if no decision was made. */
  readonly decision: string | null;
}

/** More units than any operation costs. The visitor approves this amount with each operation. */
const APPROVED_UNITS = 10_000_000n;

export interface Game {
  holdings(): Promise<Holdings>;
  /** Requests sponsorship. If it is granted, signs the operation in the page, and waits until it is mined. */
  make(wish: Wish): Promise<Outcome>;
  getTokens(): Promise<void>;
}

/** Makes the page a client of Gasdesk and of the chain, like any DApp. */
export const createGame = async (scene: PlaygroundScene): Promise<Game> => {
  const { chainId, chainUrl, deskUrl, contracts, shop } = scene;
  const { entryPoint } = contracts;
  const provider = new JsonRpcProvider(chainUrl, chainId, { staticNetwork: true, cacheTimeout: -1 });
  const account: SimpleAccount = await visitorAccount(contracts.accountFactory, provider);

  const callsOf = ({ method, inToken = false }: Wish): readonly [AccountCall, ...AccountCall[]] => {
    const call = gameCall(scene, method, 1n);
    return inToken ? [approval(shop.token, shop.paymaster, APPROVED_UNITS), call] : [call];
  };
  const dappOf = ({ inToken = false }: Wish): SponsorAddress => {
    return { url: deskUrl, chainId, apiKey: inToken ? shop.apiKey : scene.apiKey };
  };

  const sponsor = async (wish: Wish) => {
    const standard = await partialOperation(account, callsOf(wish), entryPoint, provider);
    const partial = { ...standard, ...wish.fields };
    const inToken = wish.inToken && { mode: 'ERC20', tokenInfo: { feeTokenAddress: shop.token } };
    const { person } = wish;
    const signedIn = person && { policyId: PEOPLE, voucher: await host.voucher(person, account.address) };
    const reply = await requestSponsorship(dappOf(wish), [
      partial,
      { ...SPONSORED_OPTIONS, ...inToken, ...signedIn, ...wish.options },
    ]);
    return { partial, reply };
  };

  return {
    async holdings() {
      const { address } = account;
      const [ether, code, items, tokens, tankWei] = await Promise.all([
        provider.getBalance(address),
        provider.getCode(address),
        itemsOf({ provider, contracts }, address),
        tokensOf(shop.token, address, provider),
        tankBalance(scene.tank, provider),
      ]);
      return { address, isDeployed: code !== '0x', ether, items, tokens, tankWei };
    },
    async make(wish) {
      const before = await host.newestDecision(account.address);
      const { partial, reply } = await sponsor(wish);
      const newest = await host.newestDecision(account.address);
      const decision = newest === before ? null : newest;
      const reason = reasonOf(reply);
      if (reason !== undefined) return { kind: 'denied', reason, decision };
      if (reply.result === undefined) return { kind: 'error', error: reply.error?.message ?? '', decision };
      const op = await finishOperation(account, partial, reply.result as SponsoredGas, { chainId, entryPoint });
      await host.submit(op, entryPoint);
      return { kind: 'sponsored', decision };
    },
    async getTokens() {
      await host.giveTokens(account.address);
    },
  };
};
