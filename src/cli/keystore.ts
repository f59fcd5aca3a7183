import { writeFile } from 'node:fs/promises';
import { group, printFromDesk } from './command.ts';
import { onFile, secretIn } from './desk.ts';
import { calling, taking } from './fields.ts';
import { NEW_FILE } from './words.ts';

const label = 'label of the key';
const password = (help: string) => ({ words: `--password-file <file>  ${help}`, send: secretIn });
const address = '<address>  address of the key';

const exportFile = taking<'keystores.export', { readonly out?: string }>(
  'export',
  'Export a keystore file, still encrypted with its password',
  'keystores.export',
  { address },
  (input, { out, ...options }) =>
    printFromDesk(options, async (call) => {
      const { keystore } = await call('keystores.export', input);
      if (out === undefined) return `${keystore}\n`;
      // Fails if the file exists.
      await onFile(`write the file ${out}`, () => writeFile(out, keystore, { flag: 'wx', mode: 0o600 }));
      return { file: out };
    }),
).option('--out <file>', NEW_FILE);

/** `gasdesk keystore` */
export const keystoreCommand = group('keystore', 'Local keys of funding wallets and contract owners', [
  calling('list', 'List the local keys', 'keystores.list', {}),
  calling('create', 'Create a local key: a keystore file, encrypted with its password', 'keystores.create', {
    label,
    password: password('file with the password of the key'),
  }),
  calling('import', 'Import a copy of a keystore file (Web3 Secret Storage, version 3)', 'keystores.import', {
    keystore: { words: '<file>  the keystore file', send: secretIn },
    label,
    password: password('file with the password of that keystore'),
  }),
  exportFile,
  calling(
    'remove',
    'Delete a local key. Without another copy of its file, the key is lost',
    'keystores.remove',
    {
      address,
      password: password(
        'file with the password of the key; not needed for a damaged keystore file, which is only renamed',
      ),
    },
    (_none, { input }) => ({ removed: input.address }),
  ),
]);
