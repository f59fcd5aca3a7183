import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** Settings of the service. */
export const configHandlers = ({ settings }: ServiceContext): Handlers<NamesOf<'config'>> => ({
  'config.get': async () => ({ file: settings.file, settings: settings.list() }),
  'config.set': async (change) => settings.set(change),
});
