import { app } from 'electron';
import { openLink } from './links.ts';

const deny = (event: { preventDefault(): void }): void => event.preventDefault();

/**
 * Confines every web contents, including any that are created by other code: none of them can navigate, and links from
 * the list open in the browser.
 */
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
