import { pmSupportedEntryPoints } from './pm_supportedEntryPoints.ts';

/** Candide's clients of 2024 call it so. */
export const pmSupportedEntryPoint = { ...pmSupportedEntryPoints, method: 'pm_supportedEntryPoint' };
