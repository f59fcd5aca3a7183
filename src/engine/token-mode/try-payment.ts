import { Interface, MaxUint256, ZeroAddress } from 'ethers';
import { EngineError } from '../../shared/errors.ts';
import { type Address, type Hex, addressKey } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { creationCall, validationCall, withAnySignature } from '../chain/gas/account-calls.ts';
import { loadArtifact } from '../chain/artifacts.ts';
import { IMPLEMENTATION, executedCallData, senderCreatorOf } from '../chain/gas/call-gas.ts';
import { withAuthorization } from '../chain/gas/delegation.ts';
import { type StateOverride, callWithOverride, mergeOverrides, readCode } from '../chain/gas/eth-call.ts';
import { failSimulation } from '../chain/gas/failure.ts';
import { slotChangeGas } from '../../core/gas-schedules/work.ts';
import { type RpcClient, scheduleOf } from '../chain/rpc.ts';
import type { TransferGas } from '../../core/paymaster-layouts/layout.ts';
import type { ReadyPaymaster } from '../paymaster/readiness.ts';
import type { ReadyPaymentTerms } from './ready-payment-terms.ts';
import type { TokenHoldings } from './token-holdings.ts';

const probeAbi = new Interface([
  'function tryPayment(tuple(address senderCreator, bytes creation, address sender, bytes validation, bytes callData, uint256 callGasLimit) op, tuple(address paymaster, address token, address treasury, uint256 prefund, uint256 afterwards) payment) returns (tuple(bool taken, uint256 upFrontGas, uint256 gasUsed, uint256 validationGasUsed, uint256 callGasUsed, uint256 allowance, uint256 balance) outcome)',
  'function forward(address target, bytes data) returns (bool success, uint256 gasUsed)',
  'function approve(address spender, uint256 value)',
]);

export interface TriedPayment {
  /** Whether the paymaster gets its tokens, even if the operation's own call fails. */
  readonly taken: boolean;
  /** The units that were to be taken. */
  readonly units: bigint;
  /** Meaningless if the tokens are not taken. */
  readonly transferGas: TransferGas;
  readonly left: TokenHoldings;
  readonly validationGasUsed: bigint;
  readonly callGasUsed: bigint;
}

/** More gas than the call of any operation may use. The rest of the simulating call's gas is for taking the tokens. */
export const AMPLE_CALL_GAS = 15_000_000n;

/** Limits an amount to the largest one that a token can represent, because no account can own more. */
const atMostAll = (units: bigint): bigint => (units > MaxUint256 ? MaxUint256 : units);

type Outcome = [boolean, bigint, bigint, bigint, bigint, bigint, bigint];

type Units = Readonly<Record<'prefund' | 'afterwards', bigint>>;

interface ProbeTarget {
  readonly charging: Pick<ReadyPaymaster, 'entryPoint' | 'contract'>;
  readonly token: { readonly address: string };
  readonly treasury: string;
}

const runProbe = async (
  rpc: RpcClient,
  { charging, token, treasury }: ProbeTarget,
  op: object,
  units: Units,
  state: StateOverride,
): Promise<TriedPayment> => {
  const { entryPoint, contract: paymaster } = charging;
  const [{ deployedBytecode: code }, entryPointCode] = await Promise.all([
    loadArtifact('PaymentProbe'),
    readCode(rpc, entryPoint).catch(failSimulation),
  ]);
  const override = { [entryPoint]: { code }, [paymaster]: { code }, [IMPLEMENTATION]: { code: entryPointCode } };
  const run = { senderCreator: senderCreatorOf(entryPoint), ...op };
  const payment = { paymaster, token: token.address, treasury, ...units };
  const data = probeAbi.encodeFunctionData('tryPayment', [run, payment]) as Hex;
  const answer = await callWithOverride(rpc, entryPoint, data, mergeOverrides(state, override)).catch(failSimulation);
  try {
    const [result] = probeAbi.decodeFunctionResult('tryPayment', answer) as unknown as [Outcome];
    const [taken, prefund, afterwards, validationGasUsed, callGasUsed, allowance, balance] = result;
    const used = { validationGasUsed, callGasUsed };
    const tried = { taken, units: units.prefund + units.afterwards };
    return { ...tried, transferGas: { prefund, afterwards }, left: { allowance, balance }, ...used };
  } catch (cause) {
    throw new EngineError(
      'CHAIN_UNREACHABLE',
      'The node returned an unreadable simulation of the payment',
      {},
      { cause },
    );
  }
};

const triedOperation = (op: UserOperation) => ({
  creation: creationCall(op),
  sender: addressKey(op.sender),
  validation: validationCall(withAnySignature(op)),
  callData: executedCallData(op),
  callGasLimit: op.callGasLimit,
});

/**
 * Simulates, with one `eth_call`, whether the paymaster gets the maximum charge after the whole operation has run:
 * deployment, validation, and the call with its approvals, transfers and swaps. An account can detect a simulation and
 * behave differently on chain. Only a prefund protects against this.
 *
 * @param callGasLimit limit for the operation's call, if the operation has none yet
 * @throws EngineError `CHAIN_UNREACHABLE`, or `GAS_ESTIMATION_FAILED` from nodes that cannot simulate
 */
export const tryPayment = async (
  rpc: RpcClient,
  payment: ReadyPaymentTerms,
  op: UserOperation,
  callGasLimit = op.callGasLimit,
): Promise<TriedPayment> => {
  const preFund = payment.preFund(op);
  const most = atMostAll(payment.maxUnits(op));
  // Gas and fees may still be missing. Moving one unit costs the same gas as moving many.
  const prefund = preFund === 0n ? 1n : atMostAll(preFund ?? 0n);
  const afterwards = most > prefund ? most - prefund : 1n;
  const tried = { ...triedOperation(op), callGasLimit };
  const outcome = await runProbe(rpc, payment, tried, { prefund, afterwards }, withAuthorization(op));
  const { transferGas } = outcome;
  // The refund uses the treasury's allowance.
  const givingBackGas = preFund === undefined ? 0n : slotChangeGas(scheduleOf(rpc));
  return { ...outcome, transferGas: { ...transferGas, afterwards: transferGas.afterwards + givingBackGas } };
};

/**
 * Gas that an operation uses without a token payment. Works even if its call reverts, or if the account accepts only
 * its owner's signature.
 *
 * @throws EngineError like `tryPayment`
 */
export const tryOperation = async (
  rpc: RpcClient,
  ready: ProbeTarget['charging'],
  op: UserOperation,
): Promise<Pick<TriedPayment, 'validationGasUsed' | 'callGasUsed'>> => {
  const nothing: ProbeTarget = { charging: ready, token: { address: ZeroAddress }, treasury: ZeroAddress };
  const units = { prefund: 0n, afterwards: 0n };
  return runProbe(rpc, nothing, triedOperation(op), units, withAuthorization(op));
};

/**
 * Gas for taking tokens after an approval, for a quote. A state override replaces the account's code by code that makes
 * the approval. Measured with one unit, which costs the same as a prefund. If the account has no tokens, nothing is
 * taken.
 *
 * @throws EngineError like `tryPayment`
 */
export const tryTransfer = async (
  rpc: RpcClient,
  payment: ReadyPaymentTerms,
  account: Address,
): Promise<Pick<TriedPayment, 'taken' | 'transferGas'>> => {
  const sender = addressKey(account);
  const approval = probeAbi.encodeFunctionData('approve', [payment.charging.contract, 1n]);
  const callData = probeAbi.encodeFunctionData('forward', [payment.token.address, approval]);
  const { deployedBytecode: code } = await loadArtifact('PaymentProbe');
  const tried = { creation: '0x', sender, validation: '0x', callData, callGasLimit: AMPLE_CALL_GAS };
  const units = { prefund: 0n, afterwards: 1n };
  const { taken, transferGas } = await runProbe(rpc, payment, tried, units, { [sender]: { code } });
  return { taken, transferGas: { ...transferGas, prefund: transferGas.afterwards } };
};
