import { dialog } from 'electron';
import { portHolder } from '../engine/http/port-holder.ts';
import { EngineError } from '../shared/errors.ts';

export type WayOut = 'again' | 'free port' | 'quit';

const LABELS: Readonly<Record<WayOut, string>> = { again: 'Try again', 'free port': 'Use a free port', quit: 'Quit' };

const showChoice = async (message: string, detail: string, ways: readonly WayOut[]): Promise<WayOut> => {
  const buttons = ways.map((way) => LABELS[way]);
  const cancelId = ways.length - 1;
  const { response } = await dialog.showMessageBox({
    type: 'warning',
    title: 'Gasdesk',
    message,
    detail,
    buttons,
    cancelId,
    defaultId: 0,
    noLink: true,
  });
  return ways[response] ?? 'quit';
};

/** Explains why the engine cannot start, and asks the operator what to do. Undefined if no choice would help. */
export const chooseWayOut = async (error: unknown): Promise<WayOut | undefined> => {
  if (!(error instanceof EngineError)) return undefined;
  if (error.code === 'ADDRESS_IN_USE') {
    const address = `${String(error.data['host'])}:${String(error.data['port'])}`;
    const detail =
      `DApps reach Gasdesk at http://${address}. Stop the other program and try again, or use a free port this ` +
      'time; DApps then need the new address. To change the port permanently, set GASDESK_PORT or "port" in gasdesk.json.';
    return showChoice(`Port ${String(error.data['port'])} is taken by ${await portHolder(address)}`, detail, [
      'again',
      'free port',
      'quit',
    ]);
  }
  if (error.code === 'DATA_FOLDER_IN_USE') {
    const pid = error.data['pid'];
    const who = typeof pid === 'number' ? `Process ${pid}` : 'Another process';
    const detail = `${who}, such as "gasdesk serve", uses ${String(error.data['dir'])}. Stop it and try again.`;
    return showChoice('Another Gasdesk uses this data folder', detail, ['again', 'quit']);
  }
  return undefined;
};
