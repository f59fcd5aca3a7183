import { Interface } from 'ethers';
import type { ProcedureOutput } from '../../shared/contract/index.ts';
import { entryPointAddress } from '../../shared/entry-points.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';
import { type Address, type Hex, sameAddress } from '../../shared/schema/hex.ts';
import type { EntryPointVersion } from '../../shared/schema/user-operation.ts';
import { type DecodedCall, decodeCalls } from '../calls/decode-calls.ts';
import { type ContractMethod, stateChangingMethods } from '../contract-abi/methods.ts';
import type { SmartContract } from '../store/store.ts';

type Told = ProcedureOutput<'decisions.calls'>;

const SELECTOR_LENGTH = 10; // 0x and four bytes
const MAX_ARGS = 50;
const MAX_ARG_LENGTH = 200;

const versionOf = (entryPoint: string): EntryPointVersion => {
  const versions = Object.keys(entryPointAddress) as EntryPointVersion[];
  return versions.find((version) => sameAddress(entryPointAddress[version], entryPoint as Address)) ?? '0.6';
};

const textOf = (value: unknown): string =>
  Array.isArray(value) ? `[${value.slice(0, MAX_ARGS).map(textOf).join(', ')}]` : String(value);

/** The arguments of a call in words; null if the data is not what the method takes. */
const argsOf = ({ name, signature }: ContractMethod, data: Hex): string[] | null => {
  try {
    const values = new Interface([`function ${signature}`]).decodeFunctionData(name, data).toArray() as unknown[];
    return values.slice(0, MAX_ARGS).map((value) => textOf(value).slice(0, MAX_ARG_LENGTH));
  } catch {
    return null;
  }
};

const tell = ({ target, value, data, operation }: DecodedCall, contracts: readonly SmartContract[]) => {
  const contract = contracts.find(({ address }) => sameAddress(address, target));
  const selector = data.slice(0, SELECTOR_LENGTH);
  const method = contract && stateChangingMethods(contract.abi).find((candidate) => candidate.selector === selector);
  return {
    target,
    contract: contract?.name ?? null,
    method: method?.signature ?? null,
    args: method === undefined ? null : argsOf(method, data),
    valueWei: value.toString(),
    data,
    operation,
  };
};

/** The calls of a decided operation, told by the contracts that are registered now. */
export const callsOf = ({ request, entryPoint }: DecisionRecord, contracts: readonly SmartContract[]): Told => {
  const { userOperation } = request as { userOperation?: { sender: Address; callData: Hex } };
  if (userOperation === undefined) return { calls: [], fault: 'The decision holds no operation.' };
  const { sender, callData } = userOperation;
  const decoding = decodeCalls(callData, { sender, entryPointVersion: versionOf(entryPoint) });
  if (decoding.outcome === 'undecodable') return { calls: [], fault: decoding.detail };
  return { calls: decoding.calls.map((call) => tell(call, contracts)), fault: null };
};
