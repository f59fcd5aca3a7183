import { Wallet } from 'ethers';
import type { Clock } from '../engine/base/clock.ts';
import { GIVEN_GAS, SPONSORED_OPTIONS, requestSponsorship, reasonOf } from './sponsor-rpc.ts';
import type { Bundler } from './bundler.ts';
import { gameCall } from './game-items.ts';
import {
  type SimpleAccount,
  type SponsoredGas,
  finishOperation,
  partialOperation,
  simpleAccount,
} from './simple-account.ts';
import type { Stage } from './stage.ts';

const EVERY_MS = 1_000;

interface Move {
  readonly method: 'mint' | 'burn';
  /** True for a new user; otherwise the last user who minted sends the operation. */
  readonly newUser?: boolean;
  readonly lowFee?: boolean;
}

/** Alternates operations that are sponsored and operations that are denied. */
const MOVES: readonly Move[] = [
  { method: 'mint', newUser: true },
  { method: 'burn' },
  { method: 'mint', newUser: true },
  { method: 'mint' },
  { method: 'mint', newUser: true, lowFee: true },
];

export interface Traffic {
  readonly isOn: boolean;
  start(): void;
  /** Resolves when no operation is in flight any more. */
  stop(): Promise<void>;
}

const LOW_FEE = { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1' };

/** Sends one user's operation per second. A visitor's changes to Gasdesk affect these users too. */
export const createTraffic = ({ world, dapp }: Stage, bundler: Bundler, clock: Clock): Traffic => {
  const { chain, contracts, provider, url } = world;
  let cancel: (() => void) | undefined;
  let inFlight: Promise<unknown> = Promise.resolve();
  let last: SimpleAccount | undefined;
  let moves = 0;

  const userOf = async ({ newUser = false }: Move): Promise<SimpleAccount> =>
    (newUser ? undefined : last) ??
    simpleAccount(contracts.accountFactory, Wallet.createRandom(provider), 0n, provider);

  const make = async (move: Move): Promise<void> => {
    const user = await userOf(move);
    const call = gameCall(world, move.method, 1n);
    const partial = await partialOperation(user, call, contracts.entryPoint, provider);
    // A user who burns an item may have none, so the gas cannot be estimated.
    const gas = move.method === 'burn' ? GIVEN_GAS : undefined;
    const op = { ...partial, ...gas?.fields, ...(move.lowFee && LOW_FEE) };
    const options = { ...SPONSORED_OPTIONS, ...gas?.options };
    const reply = await requestSponsorship({ url, chainId: chain.chainId, apiKey: dapp.apiKey }, [op, options]);
    if (reply.result === undefined || reasonOf(reply) !== undefined) return;
    const target = { chainId: chain.chainId, entryPoint: contracts.entryPoint };
    await bundler.submit(await finishOperation(user, op, reply.result as SponsoredGas, target));
    last = user;
  };

  const next = (): void => {
    const move = MOVES[moves % MOVES.length];
    moves += 1;
    // The next user follows even after an error, for example because the clock was moved between signing and mining.
    if (move !== undefined) inFlight = make(move).catch(() => undefined);
    void inFlight.then(() => {
      if (cancel !== undefined) cancel = clock.setTimer(EVERY_MS, next);
    });
  };

  return {
    get isOn() {
      return cancel !== undefined;
    },
    start() {
      cancel ??= clock.setTimer(0, next);
    },
    async stop() {
      cancel?.();
      cancel = undefined;
      await inFlight;
    },
  };
};
