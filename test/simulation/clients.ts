import { requireLayout } from '../../src/core/paymaster-layouts/registry.ts';
import { withPaymasterAndData } from '../../src/core/user-operation/paymaster-fields.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { partialUserOperation } from '../../src/shared/schema/partial-user-operation.ts';
import { type UserOperation, isV06 } from '../../src/shared/schema/user-operation.ts';
import type { Draw } from '../support/draw.ts';
import { storedDecision } from './stored-decision.ts';
import { type Proof, proofOf } from './people.ts';
import { checkTicket } from './promises.ts';
import { pricesSince } from './token-promises.ts';
import { CHAIN_ID } from './contracts.ts';
import { TOKEN, paymentIn } from './tokens.ts';
import { type Dapp, HOUR_MS, type Ticket, type World, entryPointOf, senderAt } from './world.ts';

/** The most gas that an EntryPoint charges for: written here again, so that a mistake in the core is seen. */
const maxGas = (op: UserOperation): bigint => {
  const { callGasLimit: call, verificationGasLimit: verification, preVerificationGas: before } = op;
  if (isV06(op)) return call + 3n * verification + before;
  return call + verification + before + (op.paymasterVerificationGasLimit ?? 0n) + (op.paymasterPostOpGasLimit ?? 0n);
};

/** Percent of the requests to a DApp with token mode that want to pay in tokens. */
const PAID_PERCENT = 80;

/** What the overhead of contract 1.1.0 adds to the maximum, gas. */
const OVERHEAD_GAS = 12_000n;

/** What a client sends with an operation: a proof of who the user is, and the token that the user pays in. */
interface Sent {
  readonly erc20Context?: object;
}

export type Fields = Readonly<Record<string, string>>;
type Ask = (op: Fields, dapp: Dapp, sent: Sent) => { readonly method: string; readonly params: readonly unknown[] };

/** How clients ask for a signature: the methods of several SDKs. */
const DIALECTS: Readonly<Record<string, Ask>> = {
  biconomy: (op, _dapp, sent) => ({
    method: 'pm_sponsorUserOperation',
    params: [op, { mode: sent.erc20Context === undefined ? 'SPONSORED' : 'ERC20', ...sent }],
  }),
  'ERC-7677': (op, dapp, sent) => ({
    method: 'pm_getPaymasterData',
    params: [op, entryPointOf(dapp).address, `0x${CHAIN_ID.toString(16)}`, sent],
  }),
  alchemy: (op, dapp, { erc20Context }) => ({
    method: 'alchemy_requestPaymasterAndData',
    params: [{ policyId: 'any', entryPoint: entryPointOf(dapp).address, userOperation: op, erc20Context }],
  }),
};

interface Answer {
  readonly result?: Readonly<Record<string, unknown>> | null;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: object };
}

/** The paymaster's bytes in an answer; undefined if the operation is not sponsored. */
const paymasterAndDataIn = ({ result }: Answer): Hex | undefined => {
  if (typeof result !== 'object' || result === null) return undefined;
  if (typeof result['paymaster'] === 'string') {
    const gas = (name: string): string => BigInt(String(result[name])).toString(16).padStart(32, '0');
    const limits = gas('paymasterVerificationGasLimit') + gas('paymasterPostOpGasLimit');
    return `${result['paymaster']}${limits}${String(result['paymasterData']).slice(2)}` as Hex;
  }
  const { paymasterAndData } = result;
  return typeof paymasterAndData === 'string' && paymasterAndData !== '0x' ? (paymasterAndData as Hex) : undefined;
};

const nonceOf = (world: World, draw: Draw, sender: Address): bigint =>
  world.chain.nextNonce(sender, BigInt(draw.below(4)));

/** An operation whose account signs it later. Its sender has done nothing before in some cases. */
export const draft = (world: World, draw: Draw, dapp: Dapp): Fields => {
  const sender = senderAt(draw.below(world.senders));
  const creation: Fields = entryPointOf(dapp).isPacked ? {} : { initCode: '0x' };
  return {
    sender,
    nonce: `0x${nonceOf(world, draw, sender).toString(16)}`,
    ...creation,
    callData: '0x',
    // Most of what its call does not use would go to the bundler, so the desk denies an operation with much more.
    callGasLimit: String(draw.between(20, draw.chance(90) ? 70 : 300) * 1_000),
    verificationGasLimit: String(draw.between(100, 200) * 1_000),
    preVerificationGas: draw.chance(90) ? '50000' : '60000',
    maxFeePerGas: String(world.baseFeeWei * 2n),
    maxPriorityFeePerGas: '100000000',
    signature: '0x',
  };
};

/** The operation that an answer signs. */
const signedOperation = (dapp: Dapp, fields: Fields, paymasterAndData: Hex): UserOperation => {
  const op = entryPointOf(dapp).read(partialUserOperation.parse(fields), CHAIN_ID);
  return withPaymasterAndData(op as UserOperation, paymasterAndData);
};

/** Why an operation is not sponsored: the code of the reason, or of the error. */
const codeOf = ({ result, error }: Answer): string => {
  const { reason } = (result ?? {}) as { readonly reason?: { readonly code: string } };
  const { code } = (error?.data ?? {}) as { readonly code?: string };
  return reason?.code ?? code ?? `error ${error?.code ?? ''}`;
};

interface Asked {
  readonly dapp: Dapp;
  readonly fields: Fields;
  /** When the bundler gets the operation, epoch ms; undefined: at once, in most cases. */
  readonly sendAt?: number;
}

/** Checks an answer, and keeps what it signs. */
const keepTicket = (
  world: World,
  draw: Draw,
  asked: Asked & Pick<Proof, 'person'> & Pick<Ticket, 'askedAt'> & { readonly isPaid: boolean },
  paymasterAndData: Hex,
): void => {
  const { dapp, fields, sendAt, person, askedAt } = asked;
  const op = signedOperation(dapp, fields, paymasterAndData);
  const entryPoint = entryPointOf(dapp);
  const userOpHash = entryPoint.hash(op, { entryPoint: entryPoint.address, chainId: CHAIN_ID });
  if (!world.desk.isUp) {
    world.lastWords.push(userOpHash);
    return;
  }
  const stored = storedDecision(world.desk.database, userOpHash, dapp.paymasterId);
  if (stored === undefined) {
    world.blame('ANSWERED_NOT_STORED', `The signature of ${userOpHash} is in no decision`);
    return;
  }
  if (world.tickets.some((one) => one.dapp === dapp && one.userOpHash === userOpHash)) {
    world.count('signed again');
    return;
  }
  const overheadGas = requireLayout(dapp.version).hasTanks ? OVERHEAD_GAS : 0n;
  const ticket: Ticket = {
    dapp,
    op,
    userOpHash,
    entryPoint: entryPoint.address,
    sender: op.sender,
    nonce: op.nonce,
    paymaster: dapp.paymaster,
    wallet: dapp.wallet,
    maxCostWei: maxGas(op) * op.maxFeePerGas + overheadGas * op.maxFeePerGas,
    validUntil: stored.validUntil,
    payment: dapp.version === 'singleton-0.7' ? paymentIn(paymasterAndData) : undefined,
    prices: pricesSince(world, askedAt),
    decisionId: stored.id,
    person,
    askedAt,
    decidedAt: stored.at,
    answeredAt: world.time.awake,
  };
  if (BigInt(stored.maxCostWei) !== ticket.maxCostWei) {
    world.blame('WRONG_MAXIMUM', `${userOpHash}: ${stored.maxCostWei} in place of ${ticket.maxCostWei}`);
  }
  if ((ticket.payment !== undefined) !== asked.isPaid) world.blame('WRONG_MODE', userOpHash);
  if (ticket.validUntil * 1_000 > world.time.now + 24 * HOUR_MS) world.blame('ENDLESS_SIGNATURE', userOpHash);
  world.count(ticket.payment === undefined ? 'signed' : 'signed: paid in tokens');
  world.tell(`${ticket.decisionId.slice(-8)} signed for DApp ${dapp.index}, ${ticket.maxCostWei} wei at most`);
  world.tickets.push(ticket);
  checkTicket(world, ticket);
  if (sendAt === undefined ? draw.chance(80) : sendAt <= world.time.now) world.mempool.push(ticket);
  else if (sendAt !== undefined) world.time.after(sendAt - world.time.now, () => world.mempool.push(ticket));
};

/** What a client hears whose decision had to begin again too often: while a node is late, each block ends something. */
const OUTDATED = 'Settings or balances kept changing during the decision. Try again';

/** Some clients of a DApp ask at the same moment. @param clients how many; default: mostly one */
export const askTogether = async (world: World, draw: Draw, clients?: number): Promise<void> => {
  if (!world.desk.isUp) return;
  const dapp = draw.pick(world.dapps);
  const count = clients ?? (draw.chance(15) ? draw.between(2, 8) : 1);
  await Promise.all(
    Array.from({ length: count }, () => askForSponsorship(world, draw, { dapp, fields: draft(world, draw, dapp) })),
  );
};

/** A client asks for a signature, and gives the operation to the bundler. */
export const askForSponsorship = async (world: World, draw: Draw, asked: Asked): Promise<void> => {
  const { desk } = world;
  const { dapp } = asked;
  const [name, ask] = draw.pick(Object.entries(DIALECTS));
  world.count(`asked: ${name}`);
  const { sent, person } = await proofOf(world, draw, dapp, String(asked.fields['sender']));
  const isPaid = dapp.version === 'singleton-0.7' && draw.chance(PAID_PERCENT);
  const paying = isPaid ? { erc20Context: { tokenAddress: TOKEN } } : {};
  const askedAt = world.time.awake;
  const request = { jsonrpc: '2.0', id: draw.below(1_000), ...ask(asked.fields, dapp, { ...sent, ...paying }) };
  const answer = await desk.request('POST', `/api/v1/${CHAIN_ID}/${dapp.apiKey}`, request);
  if (answer === undefined) {
    world.count('answers lost');
    return;
  }
  const body = JSON.parse(answer.body) as Answer;
  const isInternal = body.error?.code === -32603 && body.error.message !== OUTDATED;
  if (isInternal || answer.status === 500) world.blame('INTERNAL_ERROR', answer.body);
  const paymasterAndData = paymasterAndDataIn(body);
  if (paymasterAndData === undefined) world.count(`denied: ${codeOf(body)}`);
  else keepTicket(world, draw, { ...asked, person, askedAt, isPaid }, paymasterAndData);
};
