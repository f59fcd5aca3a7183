/**
 * Scripts that run in the page before its own: one in the page's world and one in an isolated world, around the preload
 * script. They are injected as text, so each is self-contained. The worlds exchange DOM events with JSON in them.
 */

/** Binding through which the isolated world reaches the main process; the page's world does not have it. */
export const IPC_BINDING = 'electronDoubleIpc';
export const ISOLATED_WORLD = 'Electron Isolated Context';
/** Function in the isolated world that takes answers of the main process. */
export const DELIVER = 'electronDoubleDeliver';

export interface Invocation {
  readonly id: number;
  readonly channel: string;
  /** Each in a box, since JSON has no undefined. */
  readonly args: readonly { readonly value?: unknown }[];
}

export interface Delivery {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** In the page's world: puts what `contextBridge.exposeInMainWorld` exposes on `window`, frozen, as Electron does. */
export const pageWorld = (): void => {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const read = (event: Event): unknown => JSON.parse((event as CustomEvent<string>).detail);
  document.addEventListener('double:expose', (event) => {
    const { key, names } = read(event) as { key: string; names: string[] };
    const remote =
      (name: string) =>
      (...args: unknown[]): Promise<unknown> => {
        const id = waiting.size === 0 ? 1 : Math.max(...waiting.keys()) + 1;
        const call = Promise.withResolvers<unknown>();
        waiting.set(id, call);
        // Throws for functions and the like, as the bridge does.
        const boxes = structuredClone(args).map((value) => ({ value }));
        document.dispatchEvent(new CustomEvent('double:call', { detail: JSON.stringify({ id, name, boxes }) }));
        return call.promise;
      };
    const api = Object.freeze(Object.fromEntries(names.map((name) => [name, remote(name)])));
    Object.defineProperty(window, key, { value: api, enumerable: true });
  });
  document.addEventListener('double:answer', (event) => {
    const { id, value, error } = read(event) as Delivery;
    const call = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) call?.resolve(value);
    else call?.reject(new Error(error));
  });
};

/** In the isolated world: what a sandboxed preload script may require of `electron`. */
export const isolatedWorld = (
  preload: (require: (name: string) => unknown, module: { exports: object }, exports: object) => void,
  names: { binding: string; deliver: string },
): void => {
  // Unless `nodeIntegrationInSubFrames` is on, preload scripts run in the main frame only.
  if (window !== window.top) return;
  const send = (globalThis as unknown as Record<string, (payload: string) => void>)[names.binding];
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let sent = 0;

  const only = (what: string, members: object): object =>
    new Proxy(members, {
      get: (target, key): unknown => {
        if (key in target) return Reflect.get(target, key);
        throw new Error(`The electron double does not implement ${what}.${String(key)}`);
      },
    });

  const ipcRenderer = only('ipcRenderer', {
    invoke: (channel: string, ...args: unknown[]): Promise<unknown> => {
      const call = Promise.withResolvers<unknown>();
      waiting.set((sent += 1), call);
      const boxes = structuredClone(args).map((value) => ({ value }));
      send?.(JSON.stringify({ id: sent, channel, args: boxes } satisfies Invocation));
      return call.promise;
    },
  });

  const contextBridge = only('contextBridge', {
    exposeInMainWorld: (key: string, api: Record<string, (...args: unknown[]) => unknown>): void => {
      const exposed = Object.keys(api);
      if (exposed.some((name) => typeof api[name] !== 'function')) {
        throw new Error('The electron double exposes functions only');
      }
      document.addEventListener('double:call', (event) => {
        const { id, name, boxes } = JSON.parse((event as CustomEvent<string>).detail) as {
          id: number;
          name: string;
          boxes: { value?: unknown }[];
        };
        const answer = (delivery: Omit<Delivery, 'id'>): boolean =>
          document.dispatchEvent(
            new CustomEvent('double:answer', { detail: JSON.stringify({ id, ...delivery } satisfies Delivery) }),
          );
        void Promise.resolve(api[name]?.(...boxes.map(({ value }) => value))).then(
          (value: unknown) => answer({ value }),
          (error: unknown) => answer({ error: (error as Error).message }),
        );
      });
      document.dispatchEvent(new CustomEvent('double:expose', { detail: JSON.stringify({ key, names: exposed }) }));
    },
  });

  (globalThis as unknown as Record<string, unknown>)[names.deliver] = ({ id, value, error }: Delivery): void => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) call?.resolve(value);
    else call?.reject(new Error(error));
  };

  const electron = only('electron (in the preload script)', { contextBridge, ipcRenderer });
  const requireElectron = (name: string): unknown => {
    if (name === 'electron') return electron;
    throw new Error(`module not found: ${name}`);
  };
  const module = { exports: {} };
  preload(requireElectron, module, module.exports);
};
