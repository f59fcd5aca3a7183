import { protocol } from 'electron';
import { CONSOLE_ORIGIN, serveConsoleFile } from './console-files.ts';

const SCHEME = new URL(CONSOLE_ORIGIN).protocol.slice(0, -1);

/** Gives the console's scheme an origin, like that of a website. Must be called before the app is ready. */
export const registerConsoleScheme = (): void => {
  protocol.registerSchemesAsPrivileged([{ scheme: SCHEME, privileges: { standard: true, secure: true } }]);
};

/** Serves the built console under {@link CONSOLE_ORIGIN}. */
export const serveConsole = (folder: string): void => {
  protocol.handle(SCHEME, (request) => serveConsoleFile(folder, request));
};
