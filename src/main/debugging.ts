import { EngineError } from '../shared/errors.ts';

/** Switches of Chromium and Node that let another program into this one. */
const SWITCH = /^(?:remote-debugging-\w+|remote-allow-origins|inspect(?:-[\w-]+)?|debug(?:-brk|-port)?)$/;

/** How switches begin: on Windows also as commands there do. */
const PREFIX = process.platform === 'win32' ? /^(?:--?|\/)/ : /^--?/;

/**
 * Refuses a start with a switch that opens the application to debuggers: whoever reaches one has the window, the engine and
 * the vault, and no password is asked.
 *
 * @param args the command line
 * @param inspector the address of Node's inspector, where it is open by other means
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
