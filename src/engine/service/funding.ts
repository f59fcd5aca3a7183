import { EngineError } from '../../shared/errors.ts';
import { proofOf } from '../keys/message-proof.ts';
import { newestUnexpired, requireDapp } from './dapps.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** Procedures that sign the funding message, and no other text. */
export const fundingHandlers = (context: ServiceContext): Handlers<NamesOf<'funding'>> => {
  const { store, keySigners } = context;

  const messageOf = async (paymasterId: string): Promise<string> => {
    await requireDapp(context, paymasterId);
    const newest = await newestUnexpired(context, paymasterId);
    if (newest === undefined) throw new EngineError('FUNDING_MESSAGE_MISSING');
    return newest.message;
  };

  return {
    'funding.sign': async ({ paymasterId, key }) => {
      const message = await messageOf(paymasterId);
      const signer = keySigners.of(key);
      return { signature: await signer.signMessage(message), address: signer.address };
    },
    'funding.recover': async ({ paymasterId, signature }) => {
      const proof = proofOf(await messageOf(paymasterId), signature);
      if (proof === undefined) throw new EngineError('INVALID_SIGNATURE');
      return proof;
    },
    'funding.history': async ({ paymasterId }) => {
      await requireDapp(context, paymasterId);
      return store.listFundingWalletChanges(paymasterId);
    },
  };
};
