import { singletonHash } from './singleton-0.7.ts';
import { singletonForV08 } from './singleton-0.8.ts';

/**
 * Pimlico SingletonPaymasterV8 from the npm package, attached to EntryPoint v0.9. The operation's hash covers its
 * signature, as on earlier EntryPoints. The data ends in the signature's recovery byte, so it never ends in the magic
 * bytes that mark a suffix.
 */
export const singleton09 = singletonForV08(
  {
    version: 'singleton-0.9',
    title: 'Pimlico SingletonPaymasterV8 (npm build) for EntryPoint 0.9',
    entryPointVersion: '0.9',
    artifact: 'SingletonPaymasterV8',
  },
  singletonHash,
);
