import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import type {
  BrowserWindow as RealBrowserWindow,
  BrowserWindowConstructorOptions,
  Rectangle,
  WebContents,
} from 'electron';
import { chromium } from 'playwright-core';
import { app, lastWindowClosed, windows } from './app.ts';
import { preventable, strict } from './strict.ts';
import { type DoubledContents, createContents } from './web-contents.ts';

/** Address of the Chromium that the test started for this process. */
const endpoint = process.env['ELECTRON_DOUBLE_CDP'];
if (endpoint === undefined) throw new Error('ELECTRON_DOUBLE_CDP does not say where Chromium listens');
const browser = chromium.connectOverCDP(endpoint);

const open = new Set<DoubledWindow>();
windows.closeAll = async () => {
  await Promise.all([...open].map((window) => window.end()));
};

/** https://www.electronjs.org/docs/latest/api/browser-window, with a page of Chromium as its contents. */
class DoubledWindow extends EventEmitter {
  static getAllWindows = (): DoubledWindow[] => [...open];

  readonly webContents: WebContents;
  readonly contents: DoubledContents;
  visible: boolean;
  focused = 0;
  bounds: Rectangle;
  maximised = false;
  title = '';

  constructor(options: BrowserWindowConstructorOptions = {}) {
    super();
    this.visible = options.show ?? true;
    const { x = 0, y = 0, width = 800, height = 600, icon } = options;
    // Electron shows its own icon for a missing file.
    if (process.platform === 'linux' && !(typeof icon === 'string' && existsSync(icon)))
      throw new Error('A window has no icon');
    this.bounds = { x, y, width, height };
    this.contents = createContents(browser, options);
    this.webContents = this.contents.webContents;
    const strictly = strict<DoubledWindow>('BrowserWindow', this);
    open.add(strictly);
    app.emit('web-contents-created', preventable({}), this.webContents);
    return strictly;
  }

  async loadURL(url: string): Promise<void> {
    await this.contents.load(url);
    this.emit('ready-to-show');
  }

  show(): void {
    this.visible = true;
  }

  isVisible(): boolean {
    return this.visible;
  }

  isMinimized(): boolean {
    return false;
  }

  restore(): void {
    this.show();
  }

  setTitle(title: string): void {
    this.title = title;
  }

  focus(): void {
    this.focused += 1;
  }

  getNormalBounds(): Rectangle {
    return this.bounds;
  }

  setBounds(bounds: Partial<Rectangle>): void {
    this.bounds = { ...this.bounds, ...bounds };
    this.emit('move');
    this.emit('resize');
  }

  isMaximized(): boolean {
    return this.maximised;
  }

  maximize(): void {
    this.maximised = true;
    this.emit('maximize');
  }

  isDestroyed(): boolean {
    return ![...open].some(({ contents }) => contents === this.contents);
  }

  close(): void {
    void this.end().then(() => open.size === 0 && lastWindowClosed());
  }

  /** Closes the page and emits `closed`. */
  async end(): Promise<void> {
    if (!open.delete(this)) return;
    this.emit('close');
    await this.contents.close();
    this.emit('closed');
  }
}

export const BrowserWindow = strict<typeof RealBrowserWindow>('BrowserWindow', DoubledWindow);
