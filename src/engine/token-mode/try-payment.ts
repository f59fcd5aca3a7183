import { Interface, MaxUint256 } from 'ethers';
import { EngineError } from '../../shared/errors.ts';
import { type Address, type Hex, addressKey } from '../../shared/schema/hex.ts';
import { type UserOperation, isV06 } from '../../shared/schema/user-operation.ts';
import { loadArtifact } from '../chain/artifacts.ts';
import { IMPLEMENTATION, executedCallData, senderCreatorOf } from '../chain/gas/call-gas.ts';
import { withAuthorization } from '../chain/gas/delegation.ts';
import { type StateOverride, callWithOverride, mergeOverrides, readCode } from '../chain/gas/eth-call.ts';
import { failSimulation } from '../chain/gas/failure.ts';
import type { RpcClient } from '../chain/rpc.ts';
import { packUserOperation } from '../user-operation/pack-user-operation.ts';
import type { TransferGas } from '../paymaster/layout.ts';
import { isEip7702 } from '../user-operation/user-op-hash.ts';
import type { TokenSale } from './token-sale.ts';

const probeAbi = new Interface([
  'function tryPayment(tuple(address senderCreator, bytes creation, address sender, bytes callData, uint256 callGasLimit) op, tuple(address paymaster, address token, address treasury, uint256 upFront, uint256 afterwards) payment) returns (bool taken, uint256 upFrontGas, uint256 gasUsed)',
  'function forward(address target, bytes data) returns (bool success, uint256 gasUsed)',
  'function approve(address spender, uint256 value)',
]);
const creatorAbi = new Interface([
  'function createSender(bytes initCode)',
  'function initEip7702Sender(address sender, bytes initCallData)',
]);

/** What came of trying a payment. */
export interface TriedPayment {
  /** Whether the paymaster gets its tokens, whatever becomes of the operation's own call. */
  readonly taken: boolean;
  /** Says nothing where the tokens are not taken. */
  readonly transferGas: TransferGas;
}

/** More than any operation's call may have; the rest of the simulating call is for taking the tokens. */
export const AMPLE_CALL_GAS = 15_000_000n;

const creationOf = (op: UserOperation): Hex => {
  const { sender, initCode } = isV06(op) ? op : packUserOperation(op);
  if (initCode === '0x') return '0x';
  if (!isEip7702(initCode)) return creatorAbi.encodeFunctionData('createSender', [initCode]) as Hex;
  if (initCode.length <= 42) return '0x';
  return creatorAbi.encodeFunctionData('initEip7702Sender', [sender, `0x${initCode.slice(42)}`]) as Hex;
};

/** Giving back uses up an allowance of the treasury that nothing has touched yet (EIP-2929: 2,100 and 2,900). */
const GIVING_BACK_GAS = 5_000n;

/** More units than a token can have are as many as one can ask it for: nobody has them. */
const atMostAll = (units: bigint): bigint => (units > MaxUint256 ? MaxUint256 : units);

type Units = Readonly<Record<'upFront' | 'afterwards', bigint>>;

const runProbe = async (
  rpc: RpcClient,
  { ready, token, treasury }: TokenSale,
  op: object,
  units: Units,
  state: StateOverride,
): Promise<TriedPayment> => {
  const { entryPoint, contract: paymaster } = ready;
  const [{ deployedBytecode: code }, entryPointCode] = await Promise.all([
    loadArtifact('PaymentProbe'),
    readCode(rpc, entryPoint).catch(failSimulation),
  ]);
  const override = { [entryPoint]: { code }, [paymaster]: { code }, [IMPLEMENTATION]: { code: entryPointCode } };
  const tried = { senderCreator: senderCreatorOf(entryPoint), ...op };
  const payment = { paymaster, token: token.address, treasury, ...units };
  const data = probeAbi.encodeFunctionData('tryPayment', [tried, payment]) as Hex;
  const answer = await callWithOverride(rpc, entryPoint, data, mergeOverrides(state, override)).catch(failSimulation);
  try {
    const result = probeAbi.decodeFunctionResult('tryPayment', answer) as unknown as [boolean, bigint, bigint];
    const [taken, upFront, afterwards] = result;
    return { taken, transferGas: { upFront, afterwards } };
  } catch (cause) {
    throw new EngineError('CHAIN_UNREACHABLE', 'The node garbled the simulation of the payment', {}, { cause });
  }
};

/**
 * Tries, by one `eth_call`, whether the paymaster gets the most it may take for an operation, after the operation's own
 * call: what that approves, sends away or swaps counts as it will. An account can tell a simulation from the chain and
 * behave otherwise there; only a fee that is taken up front is safe from that.
 *
 * @param callGasLimit what the operation's call gets, where the operation does not say it yet
 * @throws EngineError `CHAIN_UNREACHABLE`, or `GAS_ESTIMATION_FAILED` from nodes that cannot simulate
 */
export const tryPayment = async (
  rpc: RpcClient,
  sale: TokenSale,
  op: UserOperation,
  callGasLimit = op.callGasLimit,
): Promise<TriedPayment> => {
  const preFund = sale.preFund(op);
  const most = atMostAll(sale.maxUnits(op));
  // Gas and fees may be open yet; what moves one unit costs what moving many does.
  const upFront = preFund === 0n ? 1n : atMostAll(preFund ?? 0n);
  const afterwards = most > upFront ? most - upFront : 1n;
  const sender = addressKey(op.sender);
  const tried = { creation: creationOf(op), sender, callData: executedCallData(op), callGasLimit };
  const { taken, transferGas } = await runProbe(rpc, sale, tried, { upFront, afterwards }, withAuthorization(op));
  const givingBackGas = preFund === undefined ? 0n : GIVING_BACK_GAS;
  return { taken, transferGas: { ...transferGas, afterwards: transferGas.afterwards + givingBackGas } };
};

/**
 * What taking tokens costs once the account has approved it, for a quote: code in the account's place approves. Found
 * out for one unit, which costs as much up front; not taken where the account has none.
 *
 * @throws EngineError as `tryPayment`
 */
export const tryTransfer = async (rpc: RpcClient, sale: TokenSale, account: Address): Promise<TriedPayment> => {
  const sender = addressKey(account);
  const approval = probeAbi.encodeFunctionData('approve', [sale.ready.contract, 1n]);
  const callData = probeAbi.encodeFunctionData('forward', [sale.token.address, approval]);
  const { deployedBytecode: code } = await loadArtifact('PaymentProbe');
  const tried = { creation: '0x', sender, callData, callGasLimit: AMPLE_CALL_GAS };
  const { taken, transferGas } = await runProbe(
    rpc,
    sale,
    tried,
    { upFront: 0n, afterwards: 1n },
    { [sender]: { code } },
  );
  return { taken, transferGas: { ...transferGas, upFront: transferGas.afterwards } };
};
