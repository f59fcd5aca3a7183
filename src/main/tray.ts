import { Menu, Tray } from 'electron';
import type { Clock } from '../engine/base/clock.ts';
import type { DeskControl, DeskState } from './desk-state.ts';
import { trayIcon } from './tray-icon.ts';

const WORDS: Readonly<Record<DeskState, string>> = {
  sponsoring: 'Sponsoring',
  paused: 'All sponsorship is paused',
  locked: 'The vault is locked: Gasdesk signs nothing',
  error: 'The engine does not answer',
};

const EVERY_MS = 3_000;

export interface TrayOptions {
  readonly desk: DeskControl;
  readonly show: () => void;
  readonly quit: () => void;
  readonly clock: Clock;
  /** Called if pausing or resuming fails. */
  readonly failed: (error: unknown) => void;
}

/**
 * Shows the state in the tray, with a menu item that pauses or resumes sponsorship. @returns a function that removes
 * the icon
 */
export const openTray = ({ desk, show, quit, clock, failed }: TrayOptions): (() => void) => {
  const tray = new Tray(trayIcon('sponsoring'));
  let shown: DeskState | undefined;
  let isClosed = false;
  let cancel = (): void => undefined;

  const menuOf = (state: DeskState) => {
    const isPaused = state === 'paused';
    const change = isPaused ? desk.resume : desk.pause;
    return Menu.buildFromTemplate([
      { label: WORDS[state], enabled: false },
      { type: 'separator' },
      { label: 'Open Gasdesk', click: show },
      {
        label: isPaused ? 'Resume sponsorship' : 'Pause all sponsorship',
        click: () => void change().catch(failed).then(refresh),
      },
      { type: 'separator' },
      { label: 'Quit', click: quit },
    ]);
  };

  const refresh = async (): Promise<void> => {
    const state = await desk.state();
    if (isClosed || state === shown) return;
    shown = state;
    tray.setImage(trayIcon(state));
    tray.setToolTip(`Gasdesk: ${WORDS[state]}`);
    tray.setContextMenu(menuOf(state));
  };

  const watch = async (): Promise<void> => {
    await refresh();
    if (!isClosed) cancel = clock.setTimer(EVERY_MS, () => void watch());
  };

  tray.on('click', show);
  void watch();
  return () => {
    isClosed = true;
    cancel();
    tray.destroy();
  };
};
