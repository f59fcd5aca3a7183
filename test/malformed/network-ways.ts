import { rpcMethods } from '../../src/engine/rpc/methods.ts';
import { type IssuerKey, tokenOf, voucherFor } from '../support/people.ts';
import { GAME, gameItems } from '../bench/operations.ts';
import { encodeExecute } from '../support/account-call-data.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { checkAnswer } from './answers.ts';
import type { Json } from './mutate.ts';
import { type HttpInput, mutateRequest, sender, showRequest } from './requests.ts';
import { type Way, way } from './way.ts';
import type { Connections } from './wire.ts';
import { AUDIENCE, ISSUER, type Prepared, type PreparedDapp } from './world.ts';

const SENDER: Address = `0x${'0b'.repeat(20)}`;
const DUMMY = `0x${'c3'.repeat(65)}`;
const fees = { maxFeePerGas: '0x3b9aca00', maxPriorityFeePerGas: '0x3b9aca00' };
const gas = { callGasLimit: '0x30d40', verificationGasLimit: '0x7a120', preVerificationGas: '0xea60' };
const callData = encodeExecute(GAME, 0n, gameItems.encodeFunctionData('mint', [1n]) as Hex);
const shared = { sender: SENDER, nonce: '0x1', callData, ...gas, ...fees, signature: DUMMY };

/** Operations as clients send them. */
export const operationV06 = { ...shared, initCode: '0x', paymasterAndData: '0x' };
export const operationV07 = { ...shared, factory: null, factoryData: '0x', eip7702Auth: null };
const packed = {
  ...{
    sender: SENDER,
    nonce: '0x1',
    initCode: '0x',
    callData,
    accountGasLimits: `0x${'00000000000000000000000000030d40'.repeat(2)}`,
  },
  ...{
    preVerificationGas: '0xea60',
    gasFees: `0x${'0000000000000000000000003b9aca00'.repeat(2)}`,
    paymasterAndData: '0x',
    signature: DUMMY,
  },
};

const ENTRY_POINTS = {
  v06: '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789',
  v07: '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
  v09: '0x433709009B8330FDa32311DF1C2AFA402eD8D009',
};

const options = {
  mode: 'SPONSORED',
  calculateGasLimits: false,
  expiryDuration: 300,
  sponsorshipInfo: { webhookData: { a: 1 }, smartAccountInfo: { name: 'BICONOMY', version: '2.0.0' } },
};

const requestTo = ({ chainId, apiKey }: PreparedDapp, json: Json): HttpInput => ({
  method: 'POST',
  path: `/api/v1/${chainId}/${apiKey}`,
  headers: { 'content-type': 'application/json' },
  body: { json },
});

const ask = (method: string, params: Json, id: Json = 1): Json => ({ jsonrpc: '2.0', id, method, params });

const chainText = (chainId: number): string => `0x${chainId.toString(16)}`;

/** A request of every method and dialect. */
const rpcSeeds = ({ plain, packed: later, parallel }: Prepared): HttpInput[] => {
  const examples = rpcMethods.map(({ method, example }) => requestTo(plain, ask(method, example.params)));
  const token = { tokenInfo: { feeTokenAddress: `0x${'0'.repeat(36)}f163` } };
  const erc7677 = [
    [plain, operationV06, ENTRY_POINTS.v06],
    [later, operationV07, ENTRY_POINTS.v07],
    [later, packed, ENTRY_POINTS.v07],
    [parallel, { ...operationV07, paymasterSignature: '0x' }, ENTRY_POINTS.v09],
  ] as const;
  return [
    ...examples,
    requestTo(plain, ask('pm_sponsorUserOperation', [operationV06, options])),
    requestTo(later, ask('pm_sponsorUserOperation', [operationV07, options], 'text')),
    requestTo(plain, ask('pm_sponsorUserOperation', [operationV06, { ...options, mode: 'ERC20', ...token }])),
    requestTo(
      plain,
      ask('pm_getFeeQuoteOrData', [
        operationV06,
        { mode: 'ERC20', tokenInfo: { tokenList: [], preferredToken: null } },
      ]),
    ),
    ...erc7677.flatMap(([dapp, op, entryPoint]) => [
      requestTo(dapp, ask('pm_sponsorUserOperation', [op, entryPoint, { sponsorshipPolicyId: 'sp_a' }])),
      requestTo(dapp, ask('pm_getPaymasterStubData', [op, entryPoint, chainText(dapp.chainId), options])),
      requestTo(
        dapp,
        ask('pm_getPaymasterData', [op, entryPoint, chainText(dapp.chainId), { ...options, signingPhase: 'finalize' }]),
      ),
      requestTo(
        dapp,
        ask('zd_sponsorUserOperation', [{ chainId: dapp.chainId, userOp: op, entryPointAddress: entryPoint }]),
      ),
      requestTo(dapp, ask('alchemy_requestPaymasterAndData', [{ policyId: 'p', entryPoint, userOperation: op }])),
    ]),
    requestTo(plain, [
      ask('pm_supportedEntryPoints', []),
      ask('eth_chainId', [], null),
      ask('gasdesk_getAllowance', [{ sender: SENDER }]),
    ]),
    {
      ...requestTo(plain, ask('pm_paymasterBalance', [])),
      path: '/rpc/31337',
      headers: { apiKey: plain.apiKey, 'content-type': 'text/plain' },
    },
    { ...requestTo(plain, ask('eth_chainId', [])), path: `/api/v2/${plain.apiKey}` },
    {
      method: 'OPTIONS',
      path: `/api/v1/31337/${plain.apiKey}`,
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    },
  ];
};

/** Operations with a proof of who the user is. */
const identitySeeds = async ({ people, issuer }: Prepared): Promise<HttpInput[]> => {
  const expiresAt = Math.floor(Date.now() / 1_000) + 3 * 3_600;
  const { paymasterId } = people;
  const voucher = await voucherFor({ paymasterId, sender: SENDER, subject: 'ada', expiresAt });
  const idToken = await tokenOf(issuer, { iss: ISSUER, aud: AUDIENCE, exp: expiresAt, sub: 'ada' });
  const [head = '', payload = ''] = idToken.split('.');
  const decoded = (part: string): string => Buffer.from(part, 'base64url').toString();
  return [
    ...[{ voucher }, { idToken }, { voucher, idToken }].map((proof) =>
      requestTo(people, ask('pm_sponsorUserOperation', [operationV06, { ...options, ...proof }])),
    ),
    // Signed when it is sent, so that what is inside a token is changed, too.
    requestTo(
      people,
      ask('pm_sponsorUserOperation', [
        operationV06,
        { ...options, idToken: { head: decoded(head), payload: decoded(payload), signature: '' } },
      ]),
    ),
  ];
};

interface TokenParts {
  readonly head?: unknown;
  readonly payload?: unknown;
  readonly signature?: unknown;
}

const ALGORITHM = { name: 'ECDSA', hash: 'SHA-256' };

/** Signs a token that is taken apart. One whose signature was changed keeps that. */
const withSignedToken = async (input: HttpInput, { privateKey }: IssuerKey): Promise<HttpInput> => {
  if (input.body === undefined || 'text' in input.body) return input;
  const { params } = Object(input.body.json) as { params?: unknown };
  if (!Array.isArray(params)) return input;
  const [op, given] = params as [unknown, { idToken?: TokenParts } | undefined];
  const { head, payload, signature } = Object(Object(given).idToken) as TokenParts;
  if (typeof head !== 'string' || typeof payload !== 'string' || typeof signature !== 'string') return input;
  const text = [head, payload].map((part) => Buffer.from(part).toString('base64url')).join('.');
  const signed = await crypto.subtle.sign(ALGORITHM, privateKey, Buffer.from(text));
  const idToken = `${text}.${signature === '' ? Buffer.from(signed).toString('base64url') : signature}`;
  return { ...input, body: { json: { ...Object(input.body.json), params: [op, { ...given, idToken }] } } };
};

interface NetworkContext {
  readonly prepared: Prepared;
  readonly connections: Connections;
}

const rpcWay = (
  name: string,
  atATime: number,
  seeds: readonly HttpInput[],
  { prepared, connections }: NetworkContext,
): Way<HttpInput> => {
  const send = sender(connections, prepared.secrets);
  return {
    name,
    atATime,
    atOnce: 8,
    seeds,
    mutate: mutateRequest,
    play: async (input) => send(await withSignedToken(input, prepared.issuer), checkAnswer),
    show: showRequest,
  };
};

export const networkWays = async (context: NetworkContext): Promise<Way[]> => [
  way(rpcWay('JSON-RPC', 100, rpcSeeds(context.prepared), context)),
  way(rpcWay('vouchers and ID tokens', 40, await identitySeeds(context.prepared), context)),
];
