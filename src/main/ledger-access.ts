import { type BrowserWindow, type HIDDevice, type Session, dialog } from 'electron';
import { CONSOLE_ORIGIN } from './console-files.ts';

/** USB vendor id of Ledger. */
const LEDGER = 0x2c97;

/** Electron writes an origin with or without a trailing slash, depending on the call. */
const isConsole = (origin: string): boolean => origin === CONSOLE_ORIGIN || origin === `${CONSOLE_ORIGIN}/`;

/** The only Ledger connected, or the one that the operator chooses; undefined without a Ledger. */
const chooseLedger = async (ledgers: readonly HIDDevice[], window: BrowserWindow): Promise<HIDDevice | undefined> => {
  if (ledgers.length < 2) return ledgers[0];
  const names = ledgers.map(({ name }, index) => `${index + 1}. ${name}`);
  const { response } = await dialog.showMessageBox(window, {
    type: 'question',
    message: 'Which Ledger do you want to sign with?',
    detail: 'Several Ledgers are connected. If you cannot tell them apart, unplug the others.',
    buttons: [...names, 'None'],
    cancelId: names.length,
  });
  return ledgers[response];
};

/**
 * Allows only the console's own page in the main window to access Ledgers, and no other devices. All other permissions
 * are denied, because the console needs none, and Electron grants them unless handlers are set.
 *
 * @param deskWindow returns the main window while it is open; windows of reviews sign nothing
 */
export const allowLedgersOnly = (session: Session, deskWindow: () => BrowserWindow | undefined): void => {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(
    (contents, permission, origin, { isMainFrame }) =>
      permission === 'hid' &&
      isMainFrame &&
      isConsole(origin) &&
      contents !== null &&
      contents === deskWindow()?.webContents,
  );
  session.setDevicePermissionHandler(
    ({ deviceType, origin, device }) =>
      deviceType === 'hid' && isConsole(origin) && (device as HIDDevice).vendorId === LEDGER,
  );

  const unplugged = new Set<string>();
  session.on('hid-device-removed', (_event, { device }) => unplugged.add(device.deviceId));
  session.on('select-hid-device', (event, { deviceList, frame }, choose) => {
    // Otherwise, Electron chooses the first device.
    event.preventDefault();
    const window = deskWindow();
    const isOwnPage = frame?.parent === null && isConsole(frame.origin) && frame === window?.webContents.mainFrame;
    if (!isOwnPage) {
      choose();
      return;
    }
    unplugged.clear();
    const ledgers = deviceList.filter(({ vendorId }) => vendorId === LEDGER);
    chooseLedger(ledgers, window).then(
      (ledger) => choose(ledger && !unplugged.has(ledger.deviceId) ? ledger.deviceId : undefined),
      () => choose(),
    );
  });
};
