import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import type {
  BrowserWindowConstructorOptions,
  IpcMainInvokeEvent,
  WebContents,
  WebFrameMain,
  WindowOpenHandlerResponse,
} from 'electron';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { invoke } from './ipc-main.ts';
import {
  DELIVER,
  type Delivery,
  IPC_BINDING,
  ISOLATED_WORLD,
  type Invocation,
  isolatedWorld,
  pageWorld,
} from './page-scripts.ts';
import { answerScheme, fromChromium, originOf, toChromium } from './schemes.ts';
import { applyPermissions } from './session.ts';
import { preventable, strict } from './strict.ts';

type WindowOpenHandler = (details: { url: string }) => WindowOpenHandlerResponse;

/** The fields of `Fetch.requestPaused` (DevTools protocol) that are read here. */
interface PausedRequest {
  readonly requestId: string;
  readonly request: { readonly url: string; readonly method: string };
  readonly resourceType: string;
  readonly frameId: string;
}

/** Contents of a window: Electron's object, and the Chromium page behind it. */
export interface DoubledContents {
  readonly webContents: WebContents;
  /** Navigates without asking listeners of `will-navigate`, which only see navigations of the page itself. */
  load(url: string): Promise<void>;
  close(): Promise<void>;
}

/** Chromium requests URLs without their fragment. */
const withoutFragment = (url: string): string => url.replace(/#.*/, '');

const requireSafe = ({ webPreferences }: BrowserWindowConstructorOptions): string => {
  const { preload, sandbox, contextIsolation, nodeIntegration, spellcheck, ...others } = webPreferences ?? {};
  if (!preload || !sandbox || !contextIsolation || nodeIntegration || spellcheck || Object.keys(others).length > 0) {
    throw new Error('The electron double imitates sandboxed, isolated pages with a preload script only');
  }
  return preload;
};

const preloadScript = (file: string): string => {
  const wrapped = `(require, module, exports) => {\n${readFileSync(file, 'utf8')}\n}`;
  return `(${String(isolatedWorld)})(${wrapped}, ${JSON.stringify({ binding: IPC_BINDING, deliver: DELIVER })})`;
};

/**
 * True if listeners allow a navigation that the page starts (https://www.electronjs.org/docs/latest/api/web-contents).
 */
const mayNavigate = (emitter: EventEmitter, url: string, isMainFrame: boolean): boolean => {
  const events = isMainFrame ? ['will-frame-navigate', 'will-navigate'] : ['will-frame-navigate'];
  return events.every((name) => {
    const event = preventable({ url, isMainFrame, isSameDocument: false });
    emitter.emit(name, event);
    return !event.defaultPrevented;
  });
};

/** Answers every request of the page: ours through the scheme's handler, all others as without a network. */
const serveRequests = async (cdp: CDPSession, emitter: EventEmitter, mainFrame: string, expected: Set<string>) => {
  const answer = async ({ requestId, request, resourceType, frameId }: PausedRequest) => {
    const url = fromChromium(request.url);
    const isNavigation = resourceType === 'Document';
    if (isNavigation && !expected.delete(request.url) && !mayNavigate(emitter, url, frameId === mainFrame)) {
      return cdp.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
    }
    const response = await answerScheme(url, { method: request.method });
    if (response === undefined)
      return cdp.send('Fetch.failRequest', { requestId, errorReason: 'InternetDisconnected' });
    return cdp.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: response.status,
      responseHeaders: [...response.headers].map(([name, value]) => ({ name, value })),
      body: Buffer.from(await response.arrayBuffer()).toString('base64'),
    });
  };
  cdp.on('Fetch.requestPaused', (paused) => {
    answer(paused).catch((error: unknown) => {
      // The page was reloaded or closed meanwhile: Chromium has cancelled the request.
      if (!/Invalid InterceptionId|has been closed/.test(String(error))) throw error;
    });
  });
  await cdp.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
};

const serveIpc = async (cdp: CDPSession, sender: () => WebContents) => {
  const call = async ({ channel, args }: Invocation): Promise<Omit<Delivery, 'id'>> => {
    const { mainFrame: senderFrame } = sender();
    const event = strict<IpcMainInvokeEvent>('IpcMainInvokeEvent', { sender: sender(), senderFrame });
    try {
      return {
        value: await invoke(
          channel,
          event,
          args.map(({ value }) => value),
        ),
      };
    } catch (error) {
      return { error: (error as Error).message };
    }
  };
  cdp.on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
    if (name !== IPC_BINDING) return;
    const invocation = JSON.parse(payload) as Invocation;
    void call(invocation).then((answer) => {
      const delivery = JSON.stringify({ id: invocation.id, ...answer } satisfies Delivery);
      // The page may be gone by now.
      return cdp
        .send('Runtime.evaluate', { contextId: executionContextId, expression: `${DELIVER}(${delivery})` })
        .catch(() => undefined);
    });
  });
  await cdp.send('Runtime.enable');
  await cdp.send('Runtime.addBinding', { name: IPC_BINDING, executionContextName: ISOLATED_WORLD });
};

/** Opens a page for a window. @throws Error if the options do not sandbox it */
export const createContents = (
  browser: Promise<Browser>,
  options: BrowserWindowConstructorOptions,
): DoubledContents => {
  const preload = requireSafe(options);
  const expected = new Set<string>();
  let openHandler: WindowOpenHandler | undefined;
  let page: Page | undefined;

  const getURL = (): string => fromChromium(page?.url() ?? '');
  const mainFrame = strict<WebFrameMain>('WebFrameMain', {
    get url() {
      return getURL();
    },
    get origin() {
      return originOf(getURL());
    },
    parent: null,
  });

  const emitter = Object.assign(new EventEmitter(), {
    getURL,
    mainFrame,
    reload() {
      if (page === undefined) return;
      expected.add(withoutFragment(page.url()));
      void page.reload();
    },
    setWindowOpenHandler: (handler: WindowOpenHandler) => void (openHandler = handler),
  });
  const webContents = strict<WebContents>('webContents', emitter);

  const attach = async (): Promise<Page> => {
    const [context] = (await browser).contexts();
    if (context === undefined) throw new Error('Chromium has no default context');
    page = await context.newPage();
    await page.setViewportSize({ width: options.width ?? 800, height: options.height ?? 600 });
    const cdp = await context.newCDPSession(page);
    await cdp.send('Page.enable');
    const { frameTree } = await cdp.send('Page.getFrameTree');
    await serveIpc(cdp, () => webContents);
    await serveRequests(cdp, emitter, frameTree.frame.id, expected);
    cdp.on('Page.windowOpen', ({ url }) => {
      // Chromium itself is set to open nothing.
      if (openHandler?.({ url }).action !== 'deny') throw new Error('The electron double opens no further windows');
    });
    await cdp.send('Page.addScriptToEvaluateOnNewDocument', { source: `(${String(pageWorld)})()` });
    await cdp.send('Page.addScriptToEvaluateOnNewDocument', {
      source: preloadScript(preload),
      worldName: ISOLATED_WORLD,
    });
    return page;
  };
  const attached = attach();

  return {
    webContents,
    async load(url) {
      const target = await attached;
      if (!url.startsWith('data:')) await applyPermissions(await browser, originOf(url));
      const address = toChromium(url);
      // Navigation within the document requests nothing.
      if (withoutFragment(address) !== withoutFragment(target.url())) expected.add(withoutFragment(address));
      await target.goto(address);
    },
    async close() {
      await (await attached).close();
    },
  };
};
