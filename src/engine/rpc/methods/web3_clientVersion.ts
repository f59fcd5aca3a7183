import { versionMethod } from '../names-of-chain.ts';

export const web3ClientVersion = versionMethod('web3_clientVersion');
