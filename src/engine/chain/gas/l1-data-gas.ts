import { Interface, Transaction } from 'ethers';
import type { Rollup } from '../../../shared/chains.ts';
import { EngineError } from '../../../shared/errors.ts';
import type { Address, Hex } from '../../../shared/schema/hex.ts';
import type { UserOperation } from '../../../shared/schema/user-operation.ts';
import type { RpcClient } from '../rpc.ts';
import { callWithOverride, readBlockGas, readCode } from './eth-call.ts';
import { bundleCallData } from '../../../core/user-operation/pre-verification.ts';

const abi = new Interface([
  'function getL1Fee(bytes data) view returns (uint256)',
  'function gasEstimateL1Component(address to, bool contractCreation, bytes data) payable returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)',
]);

/** The predeployed contract of OP-stack chains that returns the layer 1 data fee of a transaction, in wei. */
const GAS_PRICE_ORACLE: Address = '0x420000000000000000000000000000000000000F';
/** Scroll's predeployed contract, with the same method. */
const L1_GAS_PRICE_ORACLE: Address = '0x5300000000000000000000000000000000000002';
/** Arbitrum's contract, which returns layer 2 gas. The nodes themselves answer calls to it. */
const NODE_INTERFACE: Address = '0x00000000000000000000000000000000000000C8';

/** A precompile of every Arbitrum chain. Unlike NodeInterface, it has code. */
const ARB_GAS_INFO: Address = '0x000000000000000000000000000000000000006C';

/** For each kind of rollup, an address that has code only on such chains. */
const PREDEPLOYS: Readonly<Record<Rollup, Address>> = {
  'op-stack': GAS_PRICE_ORACLE,
  scroll: L1_GAS_PRICE_ORACLE,
  arbitrum: ARB_GAS_INFO,
};

/** Placeholders, of the usual length, for unknown parts of the bundle's transaction. */
const FILLER = { nonce: 0xff_ff, gasLimit: 0xff_ff_ffn, fee: 0xff_ff_ff_ffn };

/** An operation on a layer 2 chain. */
export interface L1DataQuestion {
  readonly rpc: RpcClient;
  readonly chainId: number;
  readonly entryPoint: Address;
  /** The operation with its final paymaster data. */
  readonly op: UserOperation;
}

/**
 * The charge of a layer 2 chain for the layer 1 data of a bundle with only this operation: gas at the operation's
 * price, plus 10 %, because layer 1 prices change.
 *
 * @throws RpcError, EngineError `CHAIN_UNREACHABLE`
 */
export const l1DataGas = async (rollup: Rollup, question: L1DataQuestion): Promise<bigint> =>
  ((await gasFor[rollup](question)) * 11n) / 10n;

/**
 * How an unlisted chain charges for layer 1 data; undefined if it does not.
 *
 * @throws RpcError, EngineError `CHAIN_UNREACHABLE`
 */
export const recognizeRollup = async (rpc: RpcClient): Promise<Rollup | undefined> => {
  const rollups = Object.entries(PREDEPLOYS) as [Rollup, Address][];
  const codes = await Promise.all(rollups.map(([, predeploy]) => readCode(rpc, predeploy)));
  return rollups.find((_, index) => codes[index] !== '0x')?.[0];
};

/** Calls a contract that returns the fee of an unsigned transaction in wei. */
const gasByFee =
  (oracle: Address) =>
  async ({ rpc, chainId, entryPoint, op }: L1DataQuestion): Promise<bigint> => {
    const transaction = Transaction.from({
      type: 2,
      chainId,
      to: entryPoint.toLowerCase(),
      data: bundleCallData(op),
      nonce: FILLER.nonce,
      gasLimit: FILLER.gasLimit,
      maxFeePerGas: FILLER.fee,
      maxPriorityFeePerGas: FILLER.fee,
    });
    const [[fee], price] = await Promise.all([
      callContract(rpc, oracle, 'getL1Fee', [transaction.unsignedSerialized]),
      effectiveGasPrice(rpc, op),
    ]);
    return (fee + price - 1n) / price;
  };

const gasFor: Readonly<Record<Rollup, (question: L1DataQuestion) => Promise<bigint>>> = {
  'op-stack': gasByFee(GAS_PRICE_ORACLE),
  scroll: gasByFee(L1_GAS_PRICE_ORACLE),
  arbitrum: async ({ rpc, entryPoint, op }) => {
    const call = [entryPoint.toLowerCase(), false, bundleCallData(op)];
    const [gas] = await callContract(rpc, NODE_INTERFACE, 'gasEstimateL1Component', call);
    return gas;
  },
};

const callContract = async (rpc: RpcClient, to: Address, name: string, values: unknown[]): Promise<[bigint]> => {
  const answer = await callWithOverride(rpc, to, abi.encodeFunctionData(name, values) as Hex, {});
  try {
    return abi.decodeFunctionResult(name, answer).toArray() as [bigint];
  } catch (error) {
    throw new EngineError(
      'CHAIN_UNREACHABLE',
      'The node did not return the price of layer-1 data',
      {},
      { cause: error },
    );
  }
};

/**
 * The price in wei per gas that the operation would pay now. If it offers less than the base fee, it cannot be mined
 * before the base fee falls, so the offer is returned.
 */
const effectiveGasPrice = async (
  rpc: RpcClient,
  { maxFeePerGas, maxPriorityFeePerGas }: UserOperation,
): Promise<bigint> => {
  const { baseFeePerGas: baseFee } = await readBlockGas(rpc);
  const tipped = baseFee + maxPriorityFeePerGas;
  const offered = maxFeePerGas < tipped ? maxFeePerGas : tipped;
  const price = offered < baseFee ? baseFee : offered;
  return price === 0n ? 1n : price;
};
