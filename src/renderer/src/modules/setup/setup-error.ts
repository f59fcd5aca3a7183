import { EngineError, type ErrorCode } from '../../../../shared/errors.ts';

const LOCKED = 'The vault is locked. Press "Unlock the vault" in step 1.';
const NO_NODE = 'The chain has no node. Press "Save the node" in step 2.';
const NO_SIGNER = 'The chain has no signing key. Press "Create the signing key" in step 3.';

/** Missing parts, by the engine's name, each with the button that creates the part. */
const MISSING: Readonly<Record<string, string>> = {
  vault: LOCKED,
  rpc: NO_NODE,
  signer: NO_SIGNER,
  contract: 'The paymaster contract is missing. Press "Deploy, verify and deposit" in step 5.',
  fundingWallet: 'The DApp has no funding wallet. Press "Deploy, verify and deposit" in step 5.',
  accountFactory: 'The chain has no account factory. Press "Send a test operation" again, which deploys it.',
};

/** Replacements for messages of the engine that name commands. These name a button instead. */
const WORDS: Partial<Record<ErrorCode, string>> = {
  VAULT_LOCKED: LOCKED,
  RPC_MISSING: NO_NODE,
  SIGNER_MISSING: NO_SIGNER,
  CHAIN_UNREACHABLE:
    'The node does not answer. Open step 2 and press "Save the node" with the URL of a node that does.',
  CHAIN_NOT_SUPPORTED: NO_NODE,
  KEYSTORE_PASSWORD_WRONG: 'The password is wrong. Enter it again, and press the button again.',
  KEYSTORE_NOT_FOUND: 'The key is gone. Open step 4 and press "Create the key".',
  DRAFT_NOT_FOUND: 'It took too long to sign. Press the button again.',
  FUNDING_MESSAGE_MISSING: 'It took too long to sign. Press the button again.',
};

export const setupError = (error: unknown): unknown => {
  if (!(error instanceof EngineError)) return error;
  const { code, data } = error;
  const words = code === 'PAYMASTER_NOT_READY' ? MISSING[String(data['missing'])] : WORDS[code];
  return words === undefined ? error : new EngineError(code, words, data);
};
