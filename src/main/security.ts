import { type Session, app } from 'electron';

const deny = (event: { preventDefault(): void }): void => event.preventDefault();

/** Keeps every web contents, also one nobody thought of, where it was put: nothing navigates, nothing opens. */
export const confineWebContents = (): void => {
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-navigate', deny);
    contents.on('will-frame-navigate', deny);
    contents.on('will-redirect', deny);
    contents.on('will-attach-webview', deny);
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  });
};

/** The console needs no permission and no device. Without handlers, Electron grants what is asked for. */
export const denyPermissions = (session: Session): void => {
  session.setPermissionCheckHandler(() => false);
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setDevicePermissionHandler(() => false);
};
