import { maxExpiry } from '../../api/paymasters.ts';
import { EngineError } from '../../shared/errors.ts';
import { sameAddress } from '../../shared/schema/hex.ts';
import { pausedFor } from '../sponsorship/pause-switch.ts';
import { proofOf } from '../keys/message-proof.ts';
import { requireLayout } from '../../core/paymaster-layouts/registry.ts';
import type { FundingMessage, Dapp } from '../store/registry-store.ts';
import { requireChain } from './chains.ts';
import { newApiKey, newKey } from './new-api-key.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

const ANY_ORIGIN = '*';
const MESSAGE_LIFETIME_MS = 10 * 60_000;

/** An origin as browsers send it: host in lower case, no default port. `URL` does not parse the origins of apps. */
const asSent = (origin: string): string => {
  const known = /^https?:/i.test(origin) && URL.canParse(origin) ? new URL(origin).origin : origin;
  return known.toLowerCase().replace(/\/$/, '');
};

/** The DApp with this id. @throws EngineError `PAYMASTER_NOT_FOUND` */
export const requireDapp = async ({ store }: Pick<ServiceContext, 'store'>, id: string): Promise<Dapp> => {
  const dapp = await store.findDapp(id);
  if (dapp === undefined) throw new EngineError('PAYMASTER_NOT_FOUND');
  return dapp;
};

/** The message that has to be signed, which is the latest one; undefined if it is too old. */
export const newestUnexpired = async (
  { store, clock }: Pick<ServiceContext, 'store' | 'clock'>,
  paymasterId: string,
): Promise<FundingMessage | undefined> => {
  const message = await store.findFundingMessage(paymasterId);
  // The absolute value, because a clock that was set back must not make an old message valid again.
  const age = Math.abs(clock.now() - (message?.issuedAt ?? 0));
  return age <= MESSAGE_LIFETIME_MS ? message : undefined;
};

/** Procedures for DApps and their funding wallets. */
export const dappHandlers = (context: ServiceContext): Handlers<NamesOf<'paymasters'>> => {
  const { store, clock, entropy, pause } = context;
  const base64 = (bytes: number): string => Buffer.from(entropy.bytes(bytes)).toString('base64url');

  return {
    'paymasters.create': async ({ accountId, name, chainId, version, tokenMode }) => {
      if ((await store.findAccount(accountId)) === undefined) throw new EngineError('ACCOUNT_NOT_FOUND');
      await requireChain(context, chainId);
      requireLayout(version);
      const dapp: Dapp = {
        paymasterId: entropy.uuid(),
        accountId,
        name,
        chainId,
        apiKey: newApiKey(entropy),
        version,
        fundingWallet: null,
        allowedOrigins: [ANY_ORIGIN],
        maxExpirySeconds: maxExpiry.default,
        tokenMode,
        createdAt: clock.now(),
      };
      await store.createDapp(dapp);
      return dapp;
    },
    'paymasters.list': async ({ accountId }) =>
      (await store.listDapps(accountId)).map((one) => ({ ...one, paused: pause.ofDapp(one.paymasterId) })),
    'paymasters.fundingMessage': async ({ paymasterId }) => {
      await requireDapp(context, paymasterId);
      const issuedAt = clock.now();
      const message = [
        `Timestamp: ${new Date(issuedAt).toISOString()}`,
        'Signing this links your wallet to this gas tank as its funding wallet. It is not a transaction and costs no fee.',
        `Nonce: ${base64(24)}`,
      ].join('\n');
      await store.saveFundingMessage({ paymasterId, message, issuedAt });
      return { paymasterId, fundingMessage: message };
    },
    'paymasters.setFundingWallet': async ({ paymasterId, signature, address }) => {
      const dapp = await requireDapp(context, paymasterId);
      const message = await newestUnexpired(context, paymasterId);
      const proof = message && proofOf(message.message, signature);
      if (!proof || !sameAddress(proof.address, address)) throw new EngineError('INVALID_SIGNATURE');
      const change = { fundingWallet: address, signature: proof.signature, at: clock.now() };
      if (!(await store.useFundingMessage(message, change))) throw new EngineError('INVALID_SIGNATURE');
      return { ...dapp, fundingWallet: address };
    },
    'paymasters.setOrigins': async ({ paymasterId, origins }) => {
      const dapp = await store.setAllowedOrigins(paymasterId, [...new Set(origins.map(asSent))]);
      if (dapp === undefined) throw new EngineError('PAYMASTER_NOT_FOUND');
      return dapp;
    },
    'paymasters.rename': async ({ paymasterId, name }) => {
      const dapp = await store.renameDapp(paymasterId, name);
      if (dapp === undefined) throw new EngineError('PAYMASTER_NOT_FOUND');
      return dapp;
    },
    'paymasters.replaceKey': async ({ paymasterId }) => {
      await requireDapp(context, paymasterId);
      await store.replaceApiKeys(newKey(context, paymasterId, ''));
      return requireDapp(context, paymasterId);
    },
    'paymasters.setSponsor': async ({ paymasterId, ...sponsor }) => {
      const dapp = await store.setSponsor(paymasterId, sponsor);
      if (dapp === undefined) throw new EngineError('PAYMASTER_NOT_FOUND');
      return dapp;
    },
    'paymasters.setMaxExpiry': async ({ paymasterId, seconds }) => {
      const dapp = await store.setMaxExpiry(paymasterId, seconds);
      if (dapp === undefined) throw new EngineError('PAYMASTER_NOT_FOUND');
      return dapp;
    },
    'paymasters.setTokenMode': async ({ paymasterId, tokenMode }) => {
      const dapp = await store.setTokenMode(paymasterId, tokenMode);
      if (dapp === undefined) throw new EngineError('PAYMASTER_NOT_FOUND');
      return dapp;
    },
    'paymasters.pause': async ({ paymasterId, reason }) => {
      await requireDapp(context, paymasterId);
      const paused = pausedFor(pause.ofDapp(paymasterId), reason, clock.now());
      await pause.setDapp(paymasterId, paused);
      return paused;
    },
    'paymasters.resume': async ({ paymasterId }) => {
      await requireDapp(context, paymasterId);
      await pause.setDapp(paymasterId, null);
      return null;
    },
    'paymasters.corsOrigin': async ({ apiKey, origin }) => {
      const { allowedOrigins } = (await store.findDappByApiKey(apiKey)) ?? { allowedOrigins: [ANY_ORIGIN] };
      if (allowedOrigins.includes(ANY_ORIGIN)) return ANY_ORIGIN;
      return allowedOrigins.includes(origin.toLowerCase()) ? origin : null;
    },
  };
};
