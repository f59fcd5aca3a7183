import { onMounted, onUnmounted, ref, shallowRef } from 'vue';
import { GIVEN_GAS } from '../demo/sponsor-rpc.ts';
import type { PlaygroundScene, PlaygroundState, SwitchName } from '../demo/playground-scene.ts';
import type { DecisionRecord } from '../shared/schema/decision.ts';
import { unitsToDecimal } from '../shared/schema/decimal.ts';
import { type Game, type Holdings, type Wish, createGame } from './game.ts';
import { host } from './host.ts';
import { forgetVisitor } from './visitor.ts';
import { forwardWords } from './words.ts';

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

/** The last operation that was sent, and what was decided about it. */
export interface Run {
  readonly title: string;
  /** What it does, such as `mint(1) on GameItems`; empty until it is decided. */
  readonly calls: string;
  readonly decision: DecisionRecord | undefined;
  /** The text of the button that changes what denied it; null if nothing of the operator's does. */
  readonly fix: string | null;
  readonly isMined: boolean;
}

const items = (count: bigint): string => `${count} ${count === 1n ? 'item' : 'items'}`;

const minedWords = ({ method }: Wish, before: Holdings, after: Holdings): string => {
  if (method === 'burn' && before.items === 0n)
    return 'It is mined, but its call failed on chain: your account owned no item to burn. The gas tank paid all the same.';
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
  const run = shallowRef<Run>();
  /** True while an operation is on its way. */
  const isSending = ref(false);
  /** The balance of the gas tank before the last operation, in wei. */
  const tankBefore = shallowRef(0n);
  let game: Game | undefined;
  let lastWish: Wish | undefined;

  const open = async (): Promise<Game> => {
    scene.value = await host.scene();
    game = await createGame(scene.value);
    holdings.value = await game.holdings();
    tankBefore.value = holdings.value.tankWei;
    return game;
  };

  const showRun = async (what: Pick<Run, 'title' | 'isMined'>, decisionId: string | null): Promise<void> => {
    const found = decisionId === null ? undefined : await host.decision(decisionId);
    run.value = { ...what, decision: found?.decision, calls: found?.calls ?? '', fix: found?.fix ?? null };
  };
  /** Shows a decision that was not made by this page. Without its request, it cannot be sent again. */
  const showNewest = async (): Promise<void> => {
    await showRun({ title: 'The newest operation', isMined: false }, await host.newestDecision());
    if (run.value !== undefined) run.value = { ...run.value, fix: null };
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

  const send = async (title: string, wish: Wish): Promise<Answer> => {
    lastWish = wish;
    run.value = { title, calls: '', decision: undefined, fix: null, isMined: false };
    isSending.value = true;
    try {
      const current = game ?? (await open());
      const before = await current.holdings();
      tankBefore.value = before.tankWei;
      const isBlind = state.value?.on.includes('node') === true;
      // If Gasdesk cannot reach the chain, it cannot estimate gas either.
      const request = isBlind ? { ...GIVEN_GAS, ...wish } : wish;
      const { kind, reason, error, decision } = await current.make(request);
      const after = await current.holdings();
      await showRun({ title, isMined: kind === 'sponsored' }, decision);
      holdings.value = after;
      if (kind === 'sponsored') return { kind, title, sentence: minedWords(wish, before, after), decision };
      if (reason !== undefined) return { kind, title, sentence: reason.message, hint: reason.hint, decision };
      return { kind, title, sentence: error ?? '', decision };
    } finally {
      isSending.value = false;
    }
  };

  const make = (title: string, wish: Wish): Promise<void> => during(`${title}…`, () => send(title, wish));

  /** Changes what denied the last operation, and sends the same operation again. */
  const fix = async (): Promise<void> => {
    const { title = '', decision, fix: verb } = run.value ?? {};
    const wish = lastWish;
    if (decision === undefined || wish === undefined || verb === null || verb === undefined) return;
    await during(`${verb}…`, async () => {
      state.value = await host.fix(decision.id);
      return send(title, wish);
    });
  };

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

  const forward = (seconds: number): Promise<void> =>
    during('The clock moves…', async () => {
      state.value = await host.forward(seconds);
      return { kind: 'done', ...forwardWords(seconds, state.value.now) };
    });

  const beginAnew = (): void => {
    forgetVisitor();
    window.location.reload();
  };

  const reset = (): Promise<void> =>
    during('Restarting the chain and Gasdesk, about 5 s…', async () => {
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
      const shown = run.value;
      if (shown?.decision?.settlement !== 'reserved' || shown.isMined) return;
      const { decision } = await host.decision(shown.decision.id);
      if (run.value === shown) run.value = { ...shown, decision };
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
      await showNewest();
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
    run,
    isSending,
    tankBefore,
    make,
    fix,
    asNewUser,
    getTokens,
    reset,
    flip: (name: SwitchName, on: boolean) => change('The operator changes it…', () => host.flip(name, on)),
    setTraffic: (on: boolean) => change('One moment…', () => host.setTraffic(on)),
    forward,
  };
};
