import { createRequire } from 'node:module';

/**
 * The part of secp256k1's native binding that is used. The package's own entry point would fall back to slow
 * JavaScript.
 */
export interface NativeBinding {
  readonly ecdsaRecover: (
    signature: Uint8Array,
    recid: number,
    digest: Uint8Array,
    isCompressed: boolean,
    output: Buffer,
  ) => Buffer;
  readonly ecdsaSign: (
    digest: Uint8Array,
    privateKey: Uint8Array,
    options: undefined,
    output: Buffer,
  ) => { readonly signature: Buffer; readonly recid: number };
}

/** Not called `require`, because the desktop app's bundle defines its own. */
const load = createRequire(import.meta.url);

const loadBinding = (): NativeBinding | undefined => {
  try {
    return load('secp256k1/bindings.js') as NativeBinding;
  } catch {
    // The binding is prebuilt only for Linux and Windows on x64 and for macOS on arm64.
    return undefined;
  }
};

/** The binding to libsecp256k1; undefined if it cannot be loaded. */
export const binding: NativeBinding | undefined = loadBinding();
