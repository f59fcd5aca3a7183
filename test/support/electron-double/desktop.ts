import { EventEmitter } from 'node:events';
import type {
  Dialog,
  Display,
  MenuItem,
  MenuItemConstructorOptions,
  MessageBoxOptions,
  NativeImage,
  NotificationConstructorOptions,
  Menu as RealMenu,
  Notification as RealNotification,
  Tray as RealTray,
  SafeStorage,
  Screen,
  Shell,
} from 'electron';
import { strict } from './strict.ts';

/** Tests inspect what the application did to the desktop outside its windows. */
export const desktop = {
  trays: [] as DoubledTray[],
  notifications: [] as DoubledNotification[],
  /** Addresses and paths handed to the system to open. */
  opened: [] as string[],
  /** Files that the operator will choose in the next dialog. */
  chosen: [] as string[],
};

/** Labels of the buttons that the operator will press, in order. */
const presses = JSON.parse(process.env['ELECTRON_DOUBLE_PRESSES'] ?? '[]') as string[];

/** https://www.electronjs.org/docs/latest/api/dialog; the text goes to standard error. */
export const dialog = strict<Dialog>('dialog', {
  showErrorBox: (title: string, content: string) => console.error(`${title}: ${content}`),
  showOpenDialog: async () => ({ canceled: desktop.chosen.length === 0, filePaths: desktop.chosen.splice(0) }),
  showMessageBox: async (...args: unknown[]) => {
    const { message, detail, buttons = [] } = args.at(-1) as MessageBoxOptions;
    console.error(`Message box: ${message}. ${detail ?? ''} [${buttons.join('] [')}]`);
    const press = presses.shift();
    // No operator is there: a message box never closes.
    if (press === undefined) return new Promise(() => undefined);
    const response = buttons.indexOf(press);
    if (response < 0) throw new Error(`There is no button ${press}`);
    return { response, checkboxChecked: false };
  },
} satisfies Partial<Dialog>);

type DoubledMenuItem = Pick<MenuItem, 'label' | 'type' | 'role' | 'visible' | 'enabled' | 'accelerator'> & {
  readonly click: () => void;
  readonly submenu: DoubledMenu | undefined;
};

/** https://www.electronjs.org/docs/latest/api/menu: items keep their options and can be clicked. */
class DoubledMenu {
  static application: DoubledMenu | null = null;
  static buildFromTemplate = (template: MenuItemConstructorOptions[]): DoubledMenu =>
    strict<DoubledMenu>('Menu', new DoubledMenu(template));
  static setApplicationMenu = (menu: DoubledMenu | null): void => {
    DoubledMenu.application = menu;
  };
  static getApplicationMenu = (): DoubledMenu | null => DoubledMenu.application;

  readonly items: DoubledMenuItem[];

  constructor(template: MenuItemConstructorOptions[]) {
    this.items = template.map(({ submenu, ...item }) =>
      strict<DoubledMenuItem>('MenuItem', {
        label: '',
        type: 'normal',
        role: undefined,
        visible: true,
        enabled: true,
        accelerator: undefined,
        ...item,
        click: () => item.click?.(undefined as never, undefined, {}),
        submenu: Array.isArray(submenu) ? DoubledMenu.buildFromTemplate(submenu) : undefined,
      }),
    );
  }
}

export const Menu = strict<typeof RealMenu>('Menu', DoubledMenu);

interface Bitmap {
  readonly pixels: Buffer;
}

/** https://www.electronjs.org/docs/latest/api/native-image */
export const nativeImage = strict<typeof Electron.nativeImage>('nativeImage', {
  createFromBitmap(pixels: Buffer, { width, height }: { width: number; height: number }): NativeImage {
    if (pixels.length !== width * height * 4) throw new Error('invalid buffer size');
    return strict<NativeImage & Bitmap>('NativeImage', { pixels, isEmpty: () => false });
  },
});

/** https://www.electronjs.org/docs/latest/api/tray */
class DoubledTray extends EventEmitter {
  image: NativeImage;
  toolTip = '';
  menu: DoubledMenu | null = null;

  constructor(image: NativeImage) {
    super();
    this.image = image;
    const strictly = strict<DoubledTray>('Tray', this);
    desktop.trays.push(strictly);
    return strictly;
  }

  setImage(image: NativeImage): void {
    this.image = image;
  }

  setToolTip(text: string): void {
    this.toolTip = text;
  }

  setContextMenu(menu: DoubledMenu | null): void {
    this.menu = menu;
  }

  destroy(): void {
    desktop.trays.splice(desktop.trays.indexOf(this), 1);
  }
}

export const Tray = strict<typeof RealTray>('Tray', DoubledTray);

/** https://www.electronjs.org/docs/latest/api/notification */
class DoubledNotification extends EventEmitter {
  static isSupported = (): boolean => true;

  readonly title: string;
  readonly body: string;

  constructor({ title = '', body = '' }: NotificationConstructorOptions) {
    super();
    this.title = title;
    this.body = body;
    return strict<DoubledNotification>('Notification', this);
  }

  show(): void {
    desktop.notifications.push(this);
  }
}

export const Notification = strict<typeof RealNotification>('Notification', DoubledNotification);

const display = strict<Display>('Display', { id: 1, workArea: { x: 0, y: 0, width: 1920, height: 1040 } });

/** https://www.electronjs.org/docs/latest/api/screen: one screen. */
export const screen = strict<Screen>('screen', {
  getPrimaryDisplay: () => display,
  getAllDisplays: () => [display],
} satisfies Partial<Screen>);

/** https://www.electronjs.org/docs/latest/api/shell */
export const shell = strict<Shell>('shell', {
  openExternal: async (url: string) => void desktop.opened.push(url),
  openPath: async (path: string) => {
    desktop.opened.push(path);
    return '';
  },
} satisfies Partial<Shell>);

/** The keyring of this desktop; without one Electron uses a well-known password. */
const backend = (process.env['ELECTRON_DOUBLE_KEYRING'] ?? 'basic_text') as 'basic_text' | 'gnome_libsecret';
const SEALED = 'sealed by the keyring:';

/** https://www.electronjs.org/docs/latest/api/safe-storage */
export const safeStorage = strict<SafeStorage>('safeStorage', {
  isAsyncEncryptionAvailable: () => Promise.resolve(true),
  getSelectedStorageBackend: () => backend,
  encryptStringAsync: (text: string) => Promise.resolve(Buffer.from(SEALED + Buffer.from(text).toString('hex'))),
  decryptStringAsync: async (sealed: Buffer) => {
    const text = sealed.toString();
    if (!text.startsWith(SEALED)) throw new Error('Error while decrypting the ciphertext provided to safeStorage');
    return { result: Buffer.from(text.slice(SEALED.length), 'hex').toString(), shouldReEncrypt: false };
  },
} satisfies Partial<SafeStorage>);
