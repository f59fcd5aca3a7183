import type { Draw } from '../support/draw.ts';
import { checkRpc } from './answers.ts';
import { mutateFraming } from './framing.ts';
import { mutateJson, severalTimes } from './mutate.ts';
import { operationV06 } from './network-ways.ts';
import { type Receiver, httpAnswer, soundAnswer, startNode, startWebhook } from './receivers.ts';
import { type HttpInput, sender } from './requests.ts';
import { Finding, type Way, way } from './way.ts';
import type { Connections } from './wire.ts';
import type { Prepared } from './world.ts';

/** What a server that the desk calls does: it answers the calls of one method in another way, or all calls. */
interface OddAnswer {
  readonly method: string;
  /** JSON that takes the place of the answer, or bytes of a whole HTTP answer. */
  readonly answer: { readonly json: unknown } | { readonly bytes: Buffer };
}

const mutateAnswer = (input: OddAnswer, draw: Draw): OddAnswer => {
  const { answer } = input;
  if ('json' in answer && draw.chance(80))
    return { ...input, answer: { json: severalTimes(answer.json, draw, mutateJson) } };
  const bytes = 'json' in answer ? httpAnswer(JSON.stringify(answer.json) ?? '') : answer.bytes;
  return { ...input, answer: { bytes: severalTimes(bytes, draw, mutateFraming) } };
};

const bytesOfAnswer = ({ answer }: OddAnswer): Buffer =>
  'bytes' in answer ? answer.bytes : httpAnswer(JSON.stringify(answer.json) ?? '');

/** Servers that the desk calls, which answer as the way that plays at the moment says. */
export interface OddServers {
  readonly webhook: Receiver;
  readonly node: Receiver;
  oddWebhook: OddAnswer | undefined;
  oddNode: OddAnswer | undefined;
}

const SOUND = { arePoliciesVerified: true };

export const startOddServers = async (): Promise<OddServers> => {
  const servers: { oddWebhook: OddAnswer | undefined; oddNode: OddAnswer | undefined } = {
    oddWebhook: undefined,
    oddNode: undefined,
  };
  const webhook = await startWebhook(() =>
    servers.oddWebhook === undefined ? httpAnswer(JSON.stringify(SOUND)) : bytesOfAnswer(servers.oddWebhook),
  );
  const node = await startNode((method, sound) =>
    servers.oddNode !== undefined && [method, ''].includes(servers.oddNode.method)
      ? bytesOfAnswer(servers.oddNode)
      : httpAnswer(JSON.stringify(sound)),
  );
  return Object.assign(servers, { webhook, node });
};

interface AnswerContext {
  readonly prepared: Prepared;
  readonly connections: Connections;
  readonly servers: OddServers;
}

const showAnswer = (input: OddAnswer): string =>
  `${input.method}: ${JSON.stringify(bytesOfAnswer(input).toString('latin1'))}`;

let nonce = 0;
const operation = (): object => ({ ...operationV06, nonce: `0x${(nonce += 1).toString(16)}` });

/** A request that a DApp without webhooks is sponsored for. */
export const ordinaryRequest = (): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'pm_sponsorUserOperation',
    params: [operation(), { mode: 'SPONSORED' }],
  });

const webhookWay = ({ prepared, connections, servers }: AnswerContext): Way<OddAnswer> => {
  const send = sender(connections, prepared.secrets);
  const { chainId, apiKey } = prepared.hooked;
  return {
    name: 'answers of webhooks',
    atATime: 40,
    atOnce: 1,
    seeds: [
      { arePoliciesVerified: true, message: 'yes' },
      { arePoliciesVerifed: true },
      { arePoliciesVerified: false, error: ['no'] },
    ].map((json) => ({ method: '', answer: { json } })),
    mutate: mutateAnswer,
    async play(input) {
      servers.oddWebhook = input;
      const json = {
        jsonrpc: '2.0',
        id: 1,
        method: 'pm_sponsorUserOperation',
        params: [operation(), { mode: 'SPONSORED' }],
      };
      const request: HttpInput = {
        method: 'POST',
        path: `/api/v1/${chainId}/${apiKey}`,
        headers: { 'content-type': 'application/json' },
        body: { json },
      };
      await send(request, (answer) => {
        checkRpc(answer);
        const { result } = JSON.parse(answer.body) as { result?: { paymasterAndData: string } };
        const told = bytesOfAnswer(input).toString('latin1');
        if (result !== undefined && result.paymasterAndData !== '0x' && !/"arePoliciesVerifi?ed":\s*true/i.test(told))
          throw new Finding('Sponsored although no webhook agreed');
      });
    },
    show: showAnswer,
  };
};

const NODE_METHODS = [
  ...[
    '',
    'eth_chainId',
    'eth_getBlockByNumber',
    'eth_getBlockByHash',
    'eth_call',
    'eth_getCode',
    'eth_feeHistory',
    'eth_gasPrice',
    'eth_syncing',
  ],
  ...[
    'eth_maxPriorityFeePerGas',
    'eth_estimateGas',
    'eth_config',
    'eth_estimateUserOperationGas',
    'eth_sendUserOperation',
    'eth_getBalance',
  ],
  ...[
    'eth_getUserOperationReceipt',
    'eth_getUserOperationByHash',
    'pimlico_getUserOperationGasPrice',
    'eth_getLogs',
    'eth_getTransactionCount',
  ],
];

const nodeWay = ({ prepared, connections, servers }: AnswerContext): Way<OddAnswer> => {
  const send = sender(connections, prepared.secrets);
  const { chainId, apiKey } = prepared.noded;
  const methods = [
    ['pm_sponsorUserOperation', () => [operation(), { mode: 'SPONSORED' }]],
    ['pm_sponsorUserOperation', () => [operation(), { mode: 'SPONSORED', calculateGasLimits: true }]],
    ['pm_getFeeQuoteOrData', () => [operation(), { mode: 'ERC20', tokenInfo: { tokenList: [] } }]],
    ['pm_paymasterBalance', () => []],
    ['pimlico_getUserOperationGasPrice', () => []],
    ['eth_getUserOperationReceipt', () => [`0x${'ab'.repeat(32)}`]],
    ['eth_sendUserOperation', () => [operation(), '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789']],
  ] as const;
  let turn = 0;
  return {
    name: 'answers of nodes and bundlers',
    atATime: 40,
    atOnce: 1,
    seeds: NODE_METHODS.map((method) => ({
      method,
      answer: { json: { jsonrpc: '2.0', id: 1, result: soundAnswer(method) } },
    })),
    mutate: mutateAnswer,
    async play(input) {
      servers.oddNode = input;
      turn += 1;
      const [method, params] = methods[turn % methods.length] ?? methods[0];
      const json = { jsonrpc: '2.0', id: 1, method, params: params() };
      const request: HttpInput = {
        method: 'POST',
        path: `/api/v1/${chainId}/${apiKey}`,
        headers: { 'content-type': 'application/json' },
        body: { json },
      };
      await send(request, checkRpc);
    },
    show: showAnswer,
  };
};

/** Ways in through what the desk asks others. */
export const answerWays = (context: AnswerContext): Way[] => [way(webhookWay(context)), way(nodeWay(context))];
