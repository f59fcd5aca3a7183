import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { type Rolldown, build } from 'vite';
import type { decide } from '../../src/core/decision/decide.ts';

/** A JavaScript realm with text encoding, but nothing else of Node or a browser; clock and entropy fail. */
const WITHOUT_CLOCK_AND_ENTROPY = `
  const refuse = (what) => { throw new Error('core asked for ' + what); };
  Math.random = () => refuse('entropy');
  globalThis.Date = class extends Date {
    constructor(...values) {
      if (values.length === 0) refuse('the time');
      super(...values);
    }
    static now() { refuse('the time'); }
  };`;

/**
 * `decide` of src/core, bundled as for a browser, in such a realm.
 *
 * @returns the verdict as JSON
 */
export const bareDecide = async (): Promise<(...inputs: Parameters<typeof decide>) => string> => {
  const [built] = (await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2024',
      lib: { entry: join(import.meta.dirname, 'bare-core-entry.ts'), formats: ['es'], fileName: 'core' },
    },
  })) as Rolldown.RolldownOutput[];
  const realm = createContext({ TextEncoder, TextDecoder });
  runInContext(WITHOUT_CLOCK_AND_ENTROPY, realm);
  // The bundle is an ES module without exports: a function allows its top-level await in a script.
  await (runInContext(`(async () => {${built?.output[0].code ?? ''}\n})()`, realm) as Promise<void>);
  return (facts, policy, held) => {
    const texts = [facts, policy, held.map(String)].map((value) => JSON.stringify(JSON.stringify(value)));
    return runInContext(`decideText(${texts.join(', ')})`, realm) as string;
  };
};
