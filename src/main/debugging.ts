import { EngineError } from '../shared/errors.ts';

/** Switches of Chromium and Node that allow another program to control this one. */
const SWITCH = /^(?:remote-debugging-\w+|remote-allow-origins|inspect(?:-[\w-]+)?|debug(?:-brk|-port)?)$/;

/** Prefixes of switches. On Windows, a slash is also one. */
const PREFIX = process.platform === 'win32' ? /^(?:--?|\/)/ : /^--?/;

/**
 * Refuses to start with a switch that allows debuggers to connect. A debugger could control the window, the engine and
 * the vault without a password.
 *
 * @param args the command line
 * @param inspector address of Node's inspector, in case something else has opened it
 * @throws EngineError `VALIDATION`
 */
export const refuseDebuggers = (args: readonly string[], inspector: string | undefined): void => {
  const given = args
    .filter((one) => PREFIX.test(one))
    .map((one) => one.replace(PREFIX, '').split('=', 1)[0]?.toLowerCase() ?? '')
    .find((name) => SWITCH.test(name));
  if (given === undefined && inspector === undefined) return;
  const found = given === undefined ? 'a debugger is open' : `--${given} opens it to debuggers`;
  throw new EngineError('VALIDATION', `Gasdesk does not start while ${found}. Start it without.`);
};
