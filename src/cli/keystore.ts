import { writeFileSync } from 'node:fs';
import type { Address } from '../shared/schema/hex.ts';
import { EngineError } from '../shared/errors.ts';
import { command, group, listing, printFromDesk } from './command.ts';
import { type DeskOptions, readSecretFile, withDesk } from './desk.ts';
import { print } from './human-text.ts';
import { printLine } from './terminal.ts';

interface Password {
  readonly passwordFile: string;
}

const PASSWORD = '--password-file <file>';

const list = listing('List the local keys', 'keystores.list');

const create = command('create', 'Create a local key: a keystore file, encrypted with its password')
  .requiredOption('--label <label>', 'label of the key')
  .requiredOption(PASSWORD, 'file with the password of the key')
  .action(({ label, passwordFile, ...options }: DeskOptions & Password & { label: string }) => {
    const password = readSecretFile(passwordFile).reveal();
    return printFromDesk(options, (call) => call('keystores.create', { label, password }));
  });

const importFile = command('import', 'Import a copy of a keystore file (Web3 Secret Storage, version 3)')
  .argument('<file>', 'the keystore file')
  .requiredOption('--label <label>', 'label of the key')
  .requiredOption(PASSWORD, 'file with the password of that keystore')
  .action((file: string, { label, passwordFile, ...options }: DeskOptions & Password & { label: string }) => {
    const keystore = readSecretFile(file).reveal();
    const password = readSecretFile(passwordFile).reveal();
    return printFromDesk(options, (call) => call('keystores.import', { label, keystore, password }));
  });

/** Never over another file. */
const writeNew = (file: string, text: string): void => {
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    const detail = (cause as Error).message;
    throw new EngineError('CONFIG_INVALID', `Cannot write the file ${file}: ${detail}`, {}, { cause });
  }
};

const exportFile = command('export', 'Export a keystore file, still encrypted with its password')
  .argument('<address>', 'address of the key')
  .option('--out <file>', 'file to write (default: standard output)')
  .action(async (address: Address, { out, ...options }: DeskOptions & { out?: string }) => {
    const { keystore } = await withDesk(options, (call) => call('keystores.export', { address }));
    if (out === undefined) printLine(keystore);
    else {
      writeNew(out, keystore);
      print({ file: out }, options.json === true);
    }
  });

const remove = command('remove', 'Delete a local key. Without another copy of its file, the key is lost')
  .argument('<address>', 'address of the key')
  .option(PASSWORD, 'file with the password of the key; a damaged keystore file needs none, and is only renamed')
  .action((address: Address, { passwordFile, ...options }: DeskOptions & Partial<Password>) => {
    const proof = passwordFile === undefined ? {} : { password: readSecretFile(passwordFile).reveal() };
    return printFromDesk(options, async (call) => {
      await call('keystores.remove', { address, ...proof });
      return { removed: address };
    });
  });

/** `gasdesk keystore` */
export const keystoreCommand = group('keystore', 'Local keys of funding wallets and contract owners', [
  list,
  create,
  importFile,
  exportFile,
  remove,
]);
