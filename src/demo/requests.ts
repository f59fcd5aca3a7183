import { type RpcReply, SPONSORED_OPTIONS, reasonOf } from './sponsor-rpc.ts';
import type { Dapp } from './dapp.ts';
import {
  type AccountCall,
  type MinedOperation,
  type SimpleAccount,
  type SponsoredGas,
  finishOperation,
  partialOperation,
  submitOperation,
} from './simple-account.ts';
import type { World } from './world.ts';

export interface SponsorRequest {
  readonly dapp: Dapp;
  readonly account: SimpleAccount;
  readonly calls: readonly [AccountCall, ...AccountCall[]];
  /** Fields that differ from what the wallet would send. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Options that differ from {@link SPONSORED_OPTIONS}. */
  readonly options?: Readonly<Record<string, unknown>>;
}

const requestSponsored = async (
  { desk, chain, provider, contracts }: World,
  { dapp, account, calls, fields, options }: SponsorRequest,
): Promise<{ partial: Record<string, string>; reply: RpcReply }> => {
  const partial = { ...(await partialOperation(account, calls, contracts.entryPoint, provider)), ...fields };
  return {
    partial,
    reply: await desk.sponsor(chain.chainId, dapp.apiKey, [partial, { ...SPONSORED_OPTIONS, ...options }]),
  };
};

/** Gets an operation signed by Gasdesk and mined through the EntryPoint. */
export const narrateMined = async (world: World, request: SponsorRequest, signed: string): Promise<MinedOperation> => {
  const { story, chain, contracts, cast } = world;
  const { entryPoint } = contracts;
  const { partial, reply } = await requestSponsored(world, request);
  const sponsored = reply.result as SponsoredGas | undefined;
  story.check(reply.status === 200 && (sponsored?.paymasterAndData ?? '0x') !== '0x', signed);
  if (sponsored === undefined) throw new Error('Gasdesk answered without a result');
  const { callGasLimit, verificationGasLimit, preVerificationGas } = sponsored;
  const limits = `call ${callGasLimit}, verification ${verificationGasLimit}, before ${preVerificationGas}`;
  story.print('gas', limits);

  const op = await finishOperation(request.account, partial, sponsored, { chainId: chain.chainId, entryPoint });
  const mined = await submitOperation(op, entryPoint, cast.bundler);
  story.print('transaction', mined.transactionHash);
  story.check(mined.success, `the EntryPoint mined it with success, ${mined.actualGasUsed} gas used`);
  return mined;
};

/** Checks that an operation is denied for the expected reason, and prints the explanation. */
export const narrateDenied = async (
  world: World,
  rule: string,
  code: string,
  request: SponsorRequest,
): Promise<void> => {
  const { reply } = await requestSponsored(world, request);
  const reason = reasonOf(reply);
  const instead = reason?.code ?? reply.error?.message ?? 'it is sponsored';
  world.story.check(reason?.rule === rule && reason.code === code, `denied by ${rule}: ${code}`, instead);
  world.story.print(reason?.message ?? '');
  world.story.print(reason?.hint ?? '');
};
