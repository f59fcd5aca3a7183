import { tellingVersion } from '../names-of-chain.ts';

/** Older clients of Candide go on only where the answer begins with the name of their own service. */
export const pmClientVersion = tellingVersion('pm_clientVersion', 'Candide/v3 ');
