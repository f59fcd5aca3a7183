import type { ProcedureArguments, ProcedureName } from '../../src/api/index.ts';
import { dispatch } from '../../src/engine/rpc/dispatch.ts';
import type { RpcResponse } from '../../src/engine/rpc/envelope.ts';
import type { Service } from '../../src/engine/service/index.ts';
import { EngineError } from '../../src/shared/errors.ts';

type SponsorArguments = ProcedureArguments<'sponsorship.sponsor'>;

/** A sponsorship, as the service answers it. */
export const ANSWER = {
  decisionId: 'd',
  sponsored: true,
  paymasterAndData: '0x1234',
  callGasLimit: '108848',
  verificationGasLimit: '57121',
  preVerificationGas: '75388',
};

/** The EntryPoint of {@link DAPP}. */
export const ENTRY_POINT = '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789';
export const DAPP = {
  name: 'DApp',
  isSponsorTold: true,
  version: '1.1.0',
  entryPoint: ENTRY_POINT,
  entryPointVersion: '0.6',
};
const FEES = { maxFeePerGas: '2', maxPriorityFeePerGas: '1' };
export const ANSWERS: Partial<Record<ProcedureName, unknown>> = {
  'sponsorship.dapp': DAPP,
  'sponsorship.sponsor': ANSWER,
  'sponsorship.stub': { paymasterAndData: '0x1234' },
  'sponsorship.feeQuotes': { paymasterAddress: `0x${'cd'.repeat(20)}`, feeQuotes: [], unsupportedTokens: [] },
  'sponsorship.feeTokens': { paymasterAddress: `0x${'cd'.repeat(20)}`, tokens: [] },
  'sponsorship.gasPrice': { slow: FEES, standard: FEES, fast: FEES },
  'sponsorship.forward': null,
  'sponsorship.allowance': { limits: [] },
  'sponsorship.outcome': null,
  'sponsorship.balance': { balanceWei: '256', reservedWei: '16' },
};

/** The account of {@link validOp}. */
export const sender = `0x${'ab'.repeat(20)}`;
export const validOp = {
  sender,
  nonce: '0x1',
  initCode: '0x',
  callData: '0x1234',
  callGasLimit: '200000',
  verificationGasLimit: '500000',
  preVerificationGas: '60000',
  maxFeePerGas: '0x3b9aca00',
  maxPriorityFeePerGas: '0x1',
  signature: '0x',
  paymasterAndData: '0x',
};
export const validOptions = {
  mode: 'SPONSORED',
  calculateGasLimits: true,
  expiryDuration: 300,
  sponsorshipInfo: { webhookData: { a: 1 }, smartAccountInfo: { name: 'BICONOMY', version: '2.0.0' } },
  tokenInfo: { feeTokenAddress: sender },
};
export const request = (change: Record<string, unknown> = {}): Record<string, unknown> => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'pm_sponsorUserOperation',
  params: [validOp, validOptions],
  ...change,
});
export const without = (value: Record<string, unknown>, key: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));

/** Dispatches to a service that sponsors everything. @returns the answer, and the calls to the service */
export const send = async (
  body: unknown,
): Promise<{ status: number; body: RpcResponse | RpcResponse[]; asked: SponsorArguments[] }> => {
  const asked: SponsorArguments[] = [];
  const service = {
    run: async (name: ProcedureName, args: SponsorArguments) => {
      if (name !== 'sponsorship.dapp') asked.push(args);
      return ANSWERS[name];
    },
    access: { refused: async () => undefined },
  } as unknown as Service;
  const answer = await dispatch(body, { service, chainId: 31337, apiKey: 'key', showReasons: true }, (error) => {
    if (error instanceof EngineError) return error;
    throw error; // a bug: the test shows it
  });
  // As it is sent: JSON.rawJSON and undefined are gone.
  return { ...answer, body: JSON.parse(JSON.stringify(answer.body)) as RpcResponse, asked };
};
