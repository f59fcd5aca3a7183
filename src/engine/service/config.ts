import { noteChange } from '../base/caller.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

export const configHandlers = ({ settings }: ServiceContext): Handlers<NamesOf<'config'>> => ({
  'config.get': async () => ({ file: settings.file, settings: settings.list() }),
  'config.set': async (change) => {
    const before = settings.list().find(({ key }) => key === change.key)?.value ?? null;
    const setting = settings.set(change);
    noteChange({ subject: 'setting', id: change.key, before, after: setting.value });
    return setting;
  },
});
