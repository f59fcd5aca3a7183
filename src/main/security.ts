import { app } from 'electron';
import { openLink } from './links.ts';

const deny = (event: { preventDefault(): void }): void => event.preventDefault();

/** Keeps every web contents, also one nobody thought of, where it was put: nothing navigates, and what is on the list opens outside. */
export const confineWebContents = (): void => {
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-navigate', deny);
    contents.on('will-frame-navigate', deny);
    contents.on('will-redirect', deny);
    contents.on('will-attach-webview', deny);
    contents.setWindowOpenHandler(({ url }) => {
      openLink(url);
      return { action: 'deny' };
    });
  });
};
