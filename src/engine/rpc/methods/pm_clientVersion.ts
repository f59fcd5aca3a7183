import { versionMethod } from '../names-of-chain.ts';

/** Older clients of Candide require that the answer begins with the name of their own service. */
export const pmClientVersion = versionMethod('pm_clientVersion', 'Candide/v3 ');
