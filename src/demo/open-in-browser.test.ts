import { expect, test } from 'vitest';
import { fakeOpener } from '../../test/support/fake-opener.ts';
import { useTempFolders } from '../../test/support/temp-folder.ts';
import { openInBrowser } from './open-in-browser.ts';

const newFolder = useTempFolders();
const URL = 'http://127.0.0.1:1234/';
const onLinux = test.skipIf(process.platform !== 'linux');

onLinux('the address goes to what opens addresses on this system', async () => {
  const opener = fakeOpener(newFolder());
  openInBrowser(URL, { ...opener.env, DISPLAY: ':0' });
  expect(await opener.opened()).toBe(URL);
});

onLinux('nothing is opened without a display', async () => {
  const opener = fakeOpener(newFolder());
  openInBrowser(`${URL}hidden`, opener.env);
  openInBrowser(URL, { ...opener.env, WAYLAND_DISPLAY: 'wayland-0' });
  expect(await opener.opened()).toBe(URL);
});

test('nothing happens without a browser', () => {
  expect(() => openInBrowser(URL, { PATH: '/nowhere', DISPLAY: ':0' })).not.toThrow();
});
