import type {
  DecisionWithFix,
  PlaygroundScene,
  PlaygroundState,
  SentVoucher,
  SwitchName,
} from '../demo/playground-scene.ts';
import type { Address } from '../shared/schema/hex.ts';
import type { UserOperationV06 } from '../shared/schema/user-operation.ts';

const fetchJson = async <Answer>(path: string, body?: unknown): Promise<Answer> => {
  const response = await fetch(path, {
    ...(body !== undefined && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  const answer = (await response.json()) as Answer & { message?: string };
  if (!response.ok) throw new Error(answer.message ?? `The playground answered ${response.status}`);
  return answer;
};

const asHex = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? `0x${value.toString(16)}` : value;

interface BundlerAnswer {
  readonly result?: string;
  readonly error?: { readonly message: string };
}

/**
 * Calls the demo's process, which serves this page. Every call throws an Error if it fails, or if the process has
 * ended.
 */
export const host = {
  scene: () => fetchJson<PlaygroundScene>('scene'),
  state: () => fetchJson<PlaygroundState>('state'),
  flip: (name: SwitchName, on: boolean) => fetchJson<PlaygroundState>('switches', { name, on }),
  setTraffic: (on: boolean) => fetchJson<PlaygroundState>('traffic', { on }),
  forward: (seconds: number) => fetchJson<PlaygroundState>('clock', { seconds }),
  giveTokens: (to: Address) => fetchJson<PlaygroundState>('faucet', { to }),
  /** Asks the DApp's backend to vouch for the user. */
  voucher: (subject: string, sender: Address) => fetchJson<SentVoucher>('voucher', { subject, sender }),
  reset: () => fetchJson<PlaygroundState>('reset', {}),
  /** The newest decision of a sender, or of all. */
  newestDecision: async (sender?: Address) =>
    (await fetchJson<{ id: string | null }>(`newest-decision${sender === undefined ? '' : `?sender=${sender}`}`)).id,
  decision: (decisionId: string) => fetchJson<DecisionWithFix>(`decision?id=${decisionId}`),
  /** Changes, as the operator would, what denied an operation. */
  fix: (decisionId: string) => fetchJson<PlaygroundState>('fix', { decisionId }),
  /** Sends an operation to the bundler. Resolves with its hash when it is mined. */
  async submit(op: UserOperationV06, entryPoint: Address): Promise<string> {
    const params = JSON.parse(JSON.stringify([op, entryPoint], asHex)) as unknown;
    const request = { jsonrpc: '2.0', id: 1, method: 'eth_sendUserOperation', params };
    const { result, error } = await fetchJson<BundlerAnswer>('bundler', request);
    if (result === undefined) throw new Error(error?.message ?? 'The bundler does not answer');
    return result;
  },
};
