import { EngineError } from '../../shared/errors.ts';
import type { Address } from '../../shared/schema/hex.ts';
import type { Store } from '../store/store.ts';

/** The contracts through which users pay in tokens. They differ in what they charge for. */
export type TokenContractKind = 'singleton-0.6' | 'singleton-0.7' | 'singleton-0.8' | 'biconomy-token-0.6';

/** The contract that takes a user's tokens. */
export interface TokenContract {
  readonly kind: TokenContractKind;
  /** The paymaster of the operation, and the spender that the user has to approve. */
  readonly address: Address;
  /** Where singletons send the fees. Biconomy's contract has a receiver of its own. */
  readonly treasury: Address;
}

/** A DApp's paymaster contract, as far as token mode asks. A `ReadyPaymaster` with its version is one. */
export interface AttachedContract {
  readonly chainId: number;
  readonly version: string;
  /** The sponsoring contract attached for the version; singletons do both. */
  readonly contract: Address;
  readonly signer: Address;
}

const SINGLETONS = ['singleton-0.6', 'singleton-0.7', 'singleton-0.8'] as const satisfies TokenContractKind[];

const notReady = (missing: string, message: string, fix: string): EngineError =>
  new EngineError('PAYMASTER_NOT_READY', `${message} ${fix}`, { missing, fix });

/**
 * The contract that takes the tokens for a DApp's version: the singleton itself, or for `1.1.0` Biconomy's token
 * paymaster of the chain.
 *
 * @throws EngineError `PAYMASTER_NOT_READY` for a version without token mode, or if the token paymaster is not set
 */
export const requireTokenContract = async (
  store: Pick<Store, 'findChain'>,
  { chainId, version, contract, signer }: AttachedContract,
): Promise<TokenContract> => {
  const settings = await store.findChain(chainId);
  const treasury = settings?.treasury ?? signer;
  const kind = SINGLETONS.find((singleton) => singleton === version);
  if (kind !== undefined) return { kind, address: contract, treasury };
  if (version !== '1.1.0') {
    const fix = 'Register the DApp with version 1.1.0 or a singleton to let users pay in tokens.';
    throw notReady('tokenMode', `Paymaster version ${version} has no token mode.`, fix);
  }
  const address = settings?.tokenPaymaster ?? null;
  if (address === null) {
    const fix = `Run "gasdesk chain set ${chainId} --token-paymaster 0x…".`;
    throw notReady('tokenPaymaster', `Chain ${chainId} has no token paymaster for version 1.1.0.`, fix);
  }
  return { kind: 'biconomy-token-0.6', address, treasury };
};
