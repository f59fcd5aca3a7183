import { Interface, Wallet, concat, getBytes, hexlify } from 'ethers';
import { z } from 'zod';
import type { ProcedureOutput } from '../../api/index.ts';
import { entryPoint06 } from '../../core/entry-points/0.6.ts';
import { STUB_SIGNATURE } from '../../core/paymaster-layouts/layout.ts';
import { toRpcUserOperation } from '../../core/user-operation/rpc-user-operation.ts';
import { EngineError, type ErrorCode, errorTable } from '../../shared/errors.ts';
import { type Address, type Hex, hash, hex } from '../../shared/schema/hex.ts';
import { quantity, toQuantity } from '../../shared/schema/quantity.ts';
import type { UserOperationV06 } from '../../shared/schema/user-operation.ts';
import { canonicalContracts } from '../chain/canonical-contracts.ts';
import { readCode } from '../chain/gas/eth-call.ts';
import { requireNode } from '../chain/require-node.ts';
import { type RpcClient, RpcError } from '../chain/rpc.ts';
import { type ReadyPaymaster, requireReady } from '../paymaster/readiness.ts';
import { suggestFees } from '../sponsorship/chain-reads.ts';
import { requireDapp } from './dapps.ts';
import type { ServiceContext } from './service.ts';

type TestOperation = ProcedureOutput<'setup.testOperation'>;

const factory = canonicalContracts.accountFactory;
const factoryAbi = new Interface([
  'function createAccount(address owner, uint256 salt)',
  'function getAddress(address owner, uint256 salt) view returns (address)',
]);

const sponsored = z.object({
  paymasterAndData: hex,
  preVerificationGas: quantity,
  verificationGasLimit: quantity,
  callGasLimit: quantity,
});

const answer = z.object({
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

/** Error codes that are not denials. All other codes are denials. */
const errors: readonly ErrorCode[] = ['PAYMASTER_NOT_READY', 'CHAIN_UNREACHABLE', 'GAS_ESTIMATION_FAILED'];

/** Requests sponsorship over HTTP, as a DApp's wallet does. @throws EngineError with the code in the response */
const requestSponsorship = async (
  { address }: Pick<ServiceContext, 'address'>,
  { chainId, apiKey }: { chainId: number; apiKey: string },
  partial: object,
): Promise<z.output<typeof sponsored>> => {
  const url = address();
  if (url === null)
    throw new EngineError('PAYMASTER_NOT_READY', 'The HTTP interface is not running, so no client can send requests.');
  const response = await fetch(`${url}/api/v2/${chainId}/${apiKey}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'pm_sponsorUserOperation',
      params: [partial, { mode: 'SPONSORED', calculateGasLimits: true }],
    }),
  });
  const { result, error } = answer.parse(await response.json());
  if (error === undefined) return sponsored.parse(result);
  const code = errors.find((one) => errorTable[one].rpc === error.code) ?? 'NOT_SPONSORED';
  throw new EngineError(code, error.message);
};

/** Sends an operation to its chain's bundler. @throws EngineError `TRANSACTION_WOULD_FAIL` if the bundler refuses it */
const handToBundler = async (bundler: RpcClient, op: UserOperationV06, entryPoint: Address): Promise<Hex> => {
  try {
    return hash.parse(await bundler.send('eth_sendUserOperation', [toRpcUserOperation(op), entryPoint]));
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const words = `The bundler refuses the operation: ${error.message.slice(0, 300)}`;
    throw new EngineError('TRANSACTION_WOULD_FAIL', words, {}, { cause: error });
  }
};

/** An operation without gas limits that creates the account of a new owner and makes no calls. */
const partialOperation = async (
  { fees: believed }: Pick<ServiceContext, 'fees'>,
  rpc: RpcClient,
  ready: ReadyPaymaster,
  owner: Wallet,
) => {
  if ((await readCode(rpc, factory.address)) === '0x') {
    throw new EngineError('PAYMASTER_NOT_READY', `The chain has no ${factory.title}.`, { missing: 'accountFactory' });
  }
  const creation = [owner.address, 0n] as const;
  const found = await rpc.call(factory.address, factoryAbi.encodeFunctionData('getAddress', creation) as Hex);
  const fees = await suggestFees(rpc, ready, believed);
  return {
    sender: factoryAbi.decodeFunctionResult('getAddress', found)[0] as Address,
    nonce: 0n,
    initCode: concat([factory.address, factoryAbi.encodeFunctionData('createAccount', creation)]) as Hex,
    callData: '0x' as const,
    ...fees,
    // With this signature, the account returns failure instead of reverting.
    signature: STUB_SIGNATURE,
  };
};

/**
 * Creates and signs a sponsored operation, as a DApp's wallet would. The owner's key is discarded, because the account
 * will hold nothing.
 *
 * @throws EngineError like `setup.testOperation`; RpcError
 */
export const testOperation = async (context: ServiceContext, paymasterId: string): Promise<TestOperation> => {
  const { store, vault, chains, entropy } = context;
  const dapp = await requireDapp(context, paymasterId);
  const { chainId } = dapp;
  const ready = await requireReady(store, vault, dapp);
  if (ready.layout.entryPointVersion !== entryPoint06.version) {
    const words = `The test operation is for EntryPoint v0.6, and version ${dapp.version} is for another.`;
    throw new EngineError('VERSION_NOT_SUPPORTED', words);
  }
  const rpc = await requireNode(chains, chainId);
  const owner = new Wallet(hexlify(entropy.bytes(32)));
  const partial = await partialOperation(context, rpc, ready, owner);
  const { sender, nonce, maxFeePerGas, maxPriorityFeePerGas } = partial;
  const terms = await requestSponsorship(context, dapp, {
    ...partial,
    nonce: toQuantity(nonce),
    maxFeePerGas: toQuantity(maxFeePerGas),
    maxPriorityFeePerGas: toQuantity(maxPriorityFeePerGas),
  });
  // No other operation uses this sender.
  const [decision] = await store.listDecisions({ paymasterId, sender: sender.toLowerCase(), limit: 1 });
  if (decision === undefined) throw new EngineError('DECISION_NOT_FOUND');
  if (terms.paymasterAndData === '0x') return { decisionId: decision.id, operation: null, userOpHash: null };
  const unsigned: UserOperationV06 = { ...partial, ...terms };
  const { entryPoint } = ready;
  const signature = await owner.signMessage(getBytes(entryPoint06.hash(unsigned, { chainId, entryPoint })));
  const op = { ...unsigned, signature: signature as Hex };
  const bundler = await chains.bundler(chainId);
  return {
    decisionId: decision.id,
    operation: toRpcUserOperation(op) as unknown as TestOperation['operation'],
    userOpHash: bundler === undefined ? null : await handToBundler(bundler, op, entryPoint),
  };
};
