import { buildContracts } from '../../scripts/build-contracts.ts';

/** Runs once before the tests: they deploy the contracts that this makes. */
export const setup = (): Promise<void> => buildContracts();
