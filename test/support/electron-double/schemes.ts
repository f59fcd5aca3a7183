import type { CustomScheme, Protocol } from 'electron';
import { strict } from './strict.ts';

type Handler = (request: Request) => Response | Promise<Response>;

const registered = new Map<string, CustomScheme>();
const handlers = new Map<string, Handler>();

const HOST_END = 'electron-double.test';

/**
 * Only C++ can register a scheme with Chromium. Here a custom scheme becomes a host that exists nowhere else:
 * `app://console/x` is `https://console.app.electron-double.test/x`.
 */
export const toChromium = (url: string): string =>
  url.replace(/^([a-z]+):\/\/([^/]+)/, (whole, scheme: string, host: string) =>
    registered.has(scheme) ? `https://${host}.${scheme}.${HOST_END}` : whole,
  );

/** The URL as Electron reports it. */
export const fromChromium = (url: string): string =>
  url.replace(
    /^https:\/\/(.+)\.([a-z]+)\.electron-double\.test/,
    (_whole, host: string, scheme: string) => `${scheme}://${host}`,
  );

/** Origin of a page as `WebFrameMain.origin` reports it. */
export const originOf = (url: string): string =>
  [...registered.keys()].some((scheme) => url.startsWith(`${scheme}://`))
    ? url.split('/').slice(0, 3).join('/')
    : new URL(url).origin;

/** Undefined for a URL of any other scheme. */
export const answerScheme = async (url: string, init: RequestInit = {}): Promise<Response | undefined> => {
  const handler = handlers.get(url.split(':', 1)[0] ?? '');
  return handler?.(new Request(url, init));
};

/** https://www.electronjs.org/docs/latest/api/protocol */
export const protocol = strict<Protocol>('protocol', {
  registerSchemesAsPrivileged(schemes: CustomScheme[]): void {
    for (const custom of schemes) {
      const { standard, secure, ...others } = custom.privileges ?? {};
      if (!standard || !secure || Object.keys(others).length > 0) {
        throw new Error('The electron double serves standard, secure schemes without further privileges');
      }
      registered.set(custom.scheme, custom);
    }
  },
  handle(scheme: string, handler: Handler): void {
    if (!registered.has(scheme)) throw new Error(`The scheme ${scheme} is not registered as privileged`);
    if (handlers.has(scheme)) throw new Error(`The scheme ${scheme} has a handler already`);
    handlers.set(scheme, handler);
  },
} satisfies Partial<Protocol>);
