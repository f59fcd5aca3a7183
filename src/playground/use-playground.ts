import { onMounted, onUnmounted, ref, shallowRef } from 'vue';
import { GIVEN_GAS } from '../demo/sponsor-rpc.ts';
import type { PlaygroundScene, PlaygroundState, SwitchName } from '../demo/playground-scene.ts';
import { unitsToDecimal } from '../shared/schema/decimal.ts';
import { type Game, type Holdings, type Wish, createGame } from './game.ts';
import { host } from './host.ts';
import { forgetVisitor } from './visitor.ts';

const TOKEN_DECIMALS = 6;
const POLL_MS = 1_000;

export const usdt = (units: bigint): string => `${unitsToDecimal(units, TOKEN_DECIMALS)} USDT`;

export interface Answer {
  readonly kind: 'sponsored' | 'denied' | 'error' | 'done';
  readonly title: string;
  readonly sentence: string;
  readonly hint?: string;
  readonly decision?: string | null;
}

const items = (count: bigint): string => `${count} ${count === 1n ? 'item' : 'items'}`;

const minedWords = (before: Holdings, after: Holdings): string => {
  const paid = before.tokens - after.tokens;
  const owns = `It is mined: your account owns ${items(after.items)} now, and still holds 0 ETH.`;
  if (paid === 0n) return owns;
  return `${owns} You paid ${usdt(paid)}: ${usdt(before.tokens)} before, ${usdt(after.tokens)} after.`;
};

export const usePlayground = () => {
  const scene = shallowRef<PlaygroundScene>();
  const state = shallowRef<PlaygroundState>();
  const holdings = shallowRef<Holdings>();
  const answer = shallowRef<Answer>();
  /** The action in progress; empty if none is. */
  const busy = ref('');
  const isClosed = ref(false);
  let game: Game | undefined;

  const open = async (): Promise<Game> => {
    scene.value = await host.scene();
    game = await createGame(scene.value);
    holdings.value = await game.holdings();
    return game;
  };

  /** Runs an action, unless another one is in progress, and shows its error. */
  const during = async (what: string, act: () => Promise<Answer | undefined>): Promise<void> => {
    if (busy.value !== '') return;
    busy.value = what;
    try {
      answer.value = await act();
    } catch (error) {
      const sentence = error instanceof Error ? error.message : String(error);
      answer.value = { kind: 'error', title: what, sentence };
    } finally {
      busy.value = '';
    }
  };

  const make = (title: string, wish: Wish): Promise<void> =>
    during(`${title}…`, async () => {
      const current = game ?? (await open());
      const before = await current.holdings();
      const isBlind = state.value?.on.includes('node') === true;
      // If Gasdesk cannot reach the chain, it cannot estimate gas either.
      const request = isBlind ? { ...GIVEN_GAS, ...wish } : wish;
      const { kind, reason, error, decision } = await current.make(request);
      const after = await current.holdings();
      holdings.value = after;
      if (kind === 'sponsored') return { kind, title, sentence: minedWords(before, after), decision };
      if (reason !== undefined) return { kind, title, sentence: reason.message, hint: reason.hint, decision };
      return { kind, title, sentence: error ?? '', decision };
    });

  const asNewUser = async (title: string, wish: Wish): Promise<void> => {
    forgetVisitor();
    game = undefined;
    await make(title, wish);
  };

  const change = (what: string, act: () => Promise<PlaygroundState>): Promise<void> =>
    during(what, async () => {
      state.value = await act();
      return answer.value;
    });

  const getTokens = (title: string): Promise<void> =>
    during(`${title}…`, async () => {
      const current = game ?? (await open());
      await current.getTokens();
      holdings.value = await current.holdings();
      return { kind: 'done', title, sentence: `Your account holds ${usdt(holdings.value.tokens)} now.` };
    });

  const beginAnew = (): void => {
    forgetVisitor();
    window.location.reload();
  };

  const reset = (): Promise<void> =>
    during('A new chain and new data: the demonstration runs again, about 5 s…', async () => {
      await host.reset();
      beginAnew();
      return undefined;
    });

  const poll = async (): Promise<void> => {
    if (busy.value !== '') return;
    try {
      const now = await host.state();
      // Another tab has reset the playground.
      if (scene.value !== undefined && now.deskUrl !== scene.value.deskUrl) beginAnew();
      state.value = now;
      isClosed.value = false;
    } catch (error) {
      // fetch throws a TypeError if no server answers. During a reset, the server still answers.
      isClosed.value = error instanceof TypeError;
    }
  };

  let timer: number | undefined;
  onMounted(() => {
    void during('Opening…', async () => {
      await open();
      state.value = await host.state();
      return undefined;
    });
    timer = window.setInterval(() => void poll(), POLL_MS);
  });
  onUnmounted(() => window.clearInterval(timer));

  return {
    scene,
    state,
    holdings,
    answer,
    busy,
    isGone: isClosed,
    make,
    asNewUser,
    getTokens,
    reset,
    flip: (name: SwitchName, on: boolean) => change('The operator changes it…', () => host.flip(name, on)),
    setTraffic: (on: boolean) => change('One moment…', () => host.setTraffic(on)),
    forward: (seconds: number) => change('The clock moves…', () => host.forward(seconds)),
  };
};
