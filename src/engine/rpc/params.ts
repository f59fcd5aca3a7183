import type { ProcedureOutput } from '../../api/index.ts';
import { EngineError } from '../../shared/errors.ts';
import { address, sameAddress } from '../../shared/schema/hex.ts';
import { parse } from '../../shared/schema/parse.ts';
import { type PartialUserOperation, partialUserOperation } from '../../shared/schema/partial-user-operation.ts';
import { plainUserOperation } from '../../shared/schema/plain-request.ts';
import { quantity } from '../../shared/schema/quantity.ts';
import type { MethodContext } from './method.ts';

export type Dapp = ProcedureOutput<'sponsorship.dapp'>;

/** The DApp of an API key. @throws EngineError `UNKNOWN_API_KEY` */
export const dappOf = ({ service, chainId, apiKey }: MethodContext): Promise<Dapp> =>
  service.run('sponsorship.dapp', { chainId, apiKey });

/**
 * Checks an operation's EntryPoint. @throws EngineError `ENTRY_POINT_MISMATCH` if it is not the EntryPoint of the DApp
 */
export const checkEntryPoint = (
  value: unknown,
  root: string,
  { entryPoint, entryPointVersion, version }: Dapp,
): void => {
  const given = parse(address, value, root);
  if (sameAddress(given, entryPoint as `0x${string}`)) return;
  throw new EngineError(
    'ENTRY_POINT_MISMATCH',
    `${root} is ${given}, but this DApp is sponsored on EntryPoint ${entryPointVersion} (${entryPoint}): its paymaster version is ${version}`,
    {
      code: 'ENTRY_POINT_MISMATCH',
      expected: entryPoint,
      fix: `Set the client to EntryPoint ${entryPointVersion}, or register a DApp with a version for the client's EntryPoint.`,
    },
  );
};

/** Checks an operation's chain. @throws EngineError `CHAIN_MISMATCH` if it is not the chain of the URL */
export const checkChainId = (value: unknown, root: string, chainId: number): void => {
  const given = parse(quantity, value, root);
  if (given === BigInt(chainId)) return;
  throw new EngineError('CHAIN_MISMATCH', `${root} is chain ${given}, but this address serves chain ${chainId}`, {
    code: 'CHAIN_MISMATCH',
    expected: `0x${chainId.toString(16)}`,
    fix: 'Use the URL of a DApp that is registered on the chain of the client.',
  });
};

/** Accepts operations of any EntryPoint. @throws EngineError `VALIDATION` */
export const readUserOperation = (value: unknown): PartialUserOperation =>
  plainUserOperation(value) ?? parse(partialUserOperation, value, 'params[0]');
