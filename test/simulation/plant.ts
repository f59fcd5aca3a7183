import { registerHooks } from 'node:module';
import { faults } from './faults.ts';

/** Plants a fault into the sources that this process loads from now on. @throws if the source has changed meanwhile */
export const plant = (name: string): void => {
  const fault = faults.find((one) => one.name === name);
  if (fault === undefined) throw new Error(`No fault is called ${name}`);
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const changes = fault.changes.filter(({ file }) => url.endsWith(`/src/${file}`));
      if (changes.length === 0) return loaded;
      let source = String(loaded.source);
      for (const { file, before, after } of changes) {
        if (!source.includes(before)) throw new Error(`${file} does not contain ${before}`);
        source = source.replace(before, () => after);
      }
      return { ...loaded, source };
    },
  });
};
