import type { ContextModule } from '@ledgerhq/context-module';
import {
  type DeviceActionState,
  DeviceActionStatus,
  DeviceManagementKitBuilder,
  type DeviceSessionId,
  type DmkError,
  UserInteractionRequired,
} from '@ledgerhq/device-management-kit';
import { SignerEthBuilder } from '@ledgerhq/device-signer-kit-ethereum';
import { webHidTransportFactory } from '@ledgerhq/device-transport-kit-web-hid';
import { type Observable, firstValueFrom } from 'rxjs';
import type { Address, Hex } from '../../../../shared/schema/hex.ts';
import { LedgerError, ledgerError } from './ledger-error.ts';

export type LedgerPrompt = 'unlock' | 'open-app' | 'compare-address' | 'confirm' | 'transaction-check';

/** A connected Ledger. Every method rejects with a {@link LedgerError}. */
export interface Ledger {
  /**
   * The address at a path such as `m/44'/60'/0'/0/0`. @param confirm true to also show the address on the device and
   * wait for its confirmation
   */
  address(path: string, options: { readonly confirm: boolean }): Promise<Address>;
  /** Signs a text as an EIP-191 personal message. @returns 65 bytes r, s, v, where v is 27 or 28 */
  signMessage(path: string, text: string): Promise<Hex>;
  /** Signs an unsigned EIP-2718 type 2 transaction. @returns 65 bytes r, s, v, where v is 27 or 28 */
  signTransaction(path: string, unsigned: Hex): Promise<Hex>;
  /** Releases the device. A running request rejects. */
  close(): Promise<void>;
}

/**
 * By default, the kit would ask the manufacturer's servers for the names of contracts and tokens. This module has no
 * names, and makes no requests.
 */
const nothingKnown: ContextModule = {
  getContexts: () => Promise.resolve([]),
  getFieldContext: () => Promise.reject(new Error('No context is known')),
  getTypedDataFilters: () => Promise.resolve({ type: 'error', error: new Error('No filter is known') }),
  report: () => Promise.resolve(),
};

/**
 * Replaces the addresses of the manufacturer's servers for firmware and apps, so that no request can reach these
 * servers by mistake.
 */
const NOWHERE = 'about:invalid';

const PROMPTS: Readonly<Partial<Record<string, LedgerPrompt>>> = {
  [UserInteractionRequired.UnlockDevice]: 'unlock',
  [UserInteractionRequired.ConfirmOpenApp]: 'open-app',
  [UserInteractionRequired.VerifyAddress]: 'compare-address',
  [UserInteractionRequired.SignPersonalMessage]: 'confirm',
  [UserInteractionRequired.SignTransaction]: 'confirm',
  [UserInteractionRequired.Web3ChecksOptIn]: 'transaction-check',
};

const buildKit = () =>
  new DeviceManagementKitBuilder()
    .addTransport(webHidTransportFactory)
    .addConfig({ managerApiUrl: NOWHERE, mockUrl: NOWHERE, webSocketUrl: NOWHERE })
    .build();

let kit: ReturnType<typeof buildKit> | undefined;

type Steps<Output> = Observable<
  DeviceActionState<Output, DmkError, { readonly requiredUserInteraction: UserInteractionRequired }>
>;

const outcome = <Output>(
  steps: Steps<Output>,
  showPrompt: (prompt: LedgerPrompt | undefined) => void,
  purpose?: 'transaction',
): Promise<Output> =>
  new Promise<Output>((resolve, reject) => {
    const fail = (error: unknown): void => reject(ledgerError(error, purpose));
    steps.subscribe({
      next: (state) => {
        if (state.status === DeviceActionStatus.Pending)
          showPrompt(PROMPTS[state.intermediateValue.requiredUserInteraction]);
        if (state.status === DeviceActionStatus.Completed) resolve(state.output);
        if (state.status === DeviceActionStatus.Error) fail(state.error);
      },
      error: fail,
      // If it completes without a result, the device was disconnected.
      complete: () => fail({ _tag: 'DeviceDisconnectedWhileSendingError' }),
    });
  }).finally(() => showPrompt(undefined));

const joined = ({ r, s, v }: { readonly r: string; readonly s: string; readonly v: number }): Hex =>
  `0x${r.slice(2)}${s.slice(2)}${(v < 27 ? v + 27 : v).toString(16)}`;

const bytesOf = (hex: Hex): Uint8Array =>
  Uint8Array.from(hex.slice(2).match(/../g) ?? [], (byte) => parseInt(byte, 16));

const sessionLedger = (
  dmk: NonNullable<typeof kit>,
  sessionId: DeviceSessionId,
  showPrompt: (prompt: LedgerPrompt | undefined) => void,
): Ledger => {
  const signer = new SignerEthBuilder({ dmk, sessionId }).withContextModule(nothingKnown).build();
  /** Without a session, the kit throws synchronously. */
  const run = async <Output>(act: () => { observable: Steps<Output> }, purpose?: 'transaction'): Promise<Output> => {
    try {
      return await outcome(act().observable, showPrompt, purpose);
    } catch (error) {
      throw ledgerError(error, purpose);
    }
  };
  const bare = (path: string): string => path.replace(/^m\//, '');
  return {
    async address(path, { confirm }) {
      const { address } = await run(() => signer.getAddress(bare(path), { checkOnDevice: confirm }));
      return address;
    },
    async signMessage(path, text) {
      // Passed as bytes, because with a string, the kit would use only the lower half of each UTF-16 unit.
      return joined(await run(() => signer.signMessage(bare(path), new TextEncoder().encode(text))));
    },
    async signTransaction(path, unsigned) {
      if (!unsigned.startsWith('0x02')) throw new LedgerError('other', 'Only transactions of type 2 are signed.');
      return joined(await run(() => signer.signTransaction(bare(path), bytesOf(unsigned)), 'transaction'));
    },
    // The device may already be disconnected.
    close: () => dmk.disconnect({ sessionId }).catch(() => undefined),
  };
};

/**
 * Lets the operator choose a Ledger, and connects to it. Browsers require a click before this call.
 *
 * @param showPrompt receives what the Ledger is waiting for; undefined if it is not waiting
 * @throws LedgerError
 */
export const connectLedger = async (showPrompt: (prompt: LedgerPrompt | undefined) => void): Promise<Ledger> => {
  kit ??= buildKit();
  try {
    if (!kit.isEnvironmentSupported()) throw ledgerError({ _tag: 'TransportNotSupportedError' });
    const device = await firstValueFrom(kit.startDiscovering({}));
    // Prevents the kit from sending its own requests between those of this page.
    const sessionRefresherOptions = { isRefresherDisabled: true };
    return sessionLedger(kit, await kit.connect({ device, sessionRefresherOptions }), showPrompt);
  } catch (error) {
    throw ledgerError(error);
  }
};
