import { tellingVersion } from '../names-of-chain.ts';

export const web3ClientVersion = tellingVersion('web3_clientVersion');
