import { tellingVersion } from '../names-of-chain.ts';

/** What any node can be asked. */
export const web3ClientVersion = tellingVersion('web3_clientVersion');
