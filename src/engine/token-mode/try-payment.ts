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
import type { RpcClient } from '../chain/rpc.ts';
import type { TransferGas } from '../../core/paymaster-layouts/layout.ts';
import type { ReadyPaymaster } from '../paymaster/readiness.ts';
import type { ReadyPaymentTerms } from './ready-payment-terms.ts';
import type { TokenHoldings } from './token-holdings.ts';

const probeAbi = new Interface([
  'function tryPayment(tuple(address senderCreator, bytes creation, address sender, bytes validation, bytes callData, uint256 callGasLimit) op, tuple(address paymaster, address token, address treasury, uint256 prefund, uint256 afterwards) payment) returns (tuple(bool taken, uint256 upFrontGas, uint256 gasUsed, uint256 validationGasUsed, uint256 callGasUsed, uint256 allowance, uint256 balance) outcome)',
  'function forward(address target, bytes data) returns (bool success, uint256 gasUsed)',
  'function approve(address spender, uint256 value)',
]);

/** What came of trying a payment. */
export interface TriedPayment {
  /** Whether the paymaster gets its tokens, whatever becomes of the operation's own call. */
  readonly taken: boolean;
  /** Says nothing where the tokens are not taken. */
  readonly transferGas: TransferGas;
  /** What there is to take from afterwards. */
  readonly left: TokenHoldings;
  /** What creation and validation of the account use. */
  readonly validationGasUsed: bigint;
  /** What the operation's call uses. */
  readonly callGasUsed: bigint;
}

/** More than any operation's call may have; the rest of the simulating call is for taking the tokens. */
export const AMPLE_CALL_GAS = 15_000_000n;

/** Giving back uses up an allowance of the treasury that nothing has touched yet (EIP-2929: 2,100 and 2,900). */
const GIVING_BACK_GAS = 5_000n;

/** More units than a token can have are as many as one can ask it for: nobody has them. */
const atMostAll = (units: bigint): bigint => (units > MaxUint256 ? MaxUint256 : units);

type Outcome = [boolean, bigint, bigint, bigint, bigint, bigint, bigint];

type Units = Readonly<Record<'prefund' | 'afterwards', bigint>>;

/** Who takes what, as far as the probe has to know it. */
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
  const tried = { senderCreator: senderCreatorOf(entryPoint), ...op };
  const payment = { paymaster, token: token.address, treasury, ...units };
  const data = probeAbi.encodeFunctionData('tryPayment', [tried, payment]) as Hex;
  const answer = await callWithOverride(rpc, entryPoint, data, mergeOverrides(state, override)).catch(failSimulation);
  try {
    const [result] = probeAbi.decodeFunctionResult('tryPayment', answer) as unknown as [Outcome];
    const [taken, prefund, afterwards, validationGasUsed, callGasUsed, allowance, balance] = result;
    const used = { validationGasUsed, callGasUsed };
    return { taken, transferGas: { prefund, afterwards }, left: { allowance, balance }, ...used };
  } catch (cause) {
    throw new EngineError(
      'CHAIN_UNREACHABLE',
      'The node returned an unreadable simulation of the payment',
      {},
      { cause },
    );
  }
};

/** What is tried of an operation. */
const triedOperation = (op: UserOperation) => ({
  creation: creationCall(op),
  sender: addressKey(op.sender),
  validation: validationCall(withAnySignature(op)),
  callData: executedCallData(op),
  callGasLimit: op.callGasLimit,
});

/**
 * Tries, by one `eth_call`, whether the paymaster gets the most it may take for an operation, after the whole of it: it
 * deploys and validates, and what its call approves, sends away or swaps counts as it will. An account can tell a
 * simulation from the chain and behave otherwise there; only a fee that is taken up front is safe from that.
 *
 * @param callGasLimit what the operation's call gets, where the operation does not say it yet
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
  // Gas and fees may be open yet; what moves one unit costs what moving many does.
  const prefund = preFund === 0n ? 1n : atMostAll(preFund ?? 0n);
  const afterwards = most > prefund ? most - prefund : 1n;
  const tried = { ...triedOperation(op), callGasLimit };
  const outcome = await runProbe(rpc, payment, tried, { prefund, afterwards }, withAuthorization(op));
  const { transferGas } = outcome;
  const givingBackGas = preFund === undefined ? 0n : GIVING_BACK_GAS;
  return { ...outcome, transferGas: { ...transferGas, afterwards: transferGas.afterwards + givingBackGas } };
};

/**
 * What an operation uses of its gas, where no token is taken: also where its call reverts, and where the account accepts no
 * signature but its owner's.
 *
 * @throws EngineError as `tryPayment`
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
 * What taking tokens costs once the account has approved it, for a quote: code in the account's place approves. Found
 * out for one unit, which costs as much up front; not taken where the account has none.
 *
 * @throws EngineError as `tryPayment`
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
