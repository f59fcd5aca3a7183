import type { Caller } from '../../src/api/index.ts';
import type { Hex } from '../../src/shared/schema/hex.ts';
import { registerDapp } from '../bench/desk.ts';
import type { Traffic } from '../bench/drive.ts';
import { GAME, gameItems } from '../bench/operations.ts';
import { encodeExecute } from '../support/account-call-data.ts';

/** Without a node, so that the desk alone sets the pace. What was signed counts as spent once it has expired. */
const CHAIN_ID = 11155111;
const USERS = 1_000;
/** The shortest that a desk signs for: the log is to hold what became of it. */
const EXPIRY_SECONDS = 30;

const call = (method: 'mint' | 'burn'): Hex =>
  encodeExecute(GAME, 0n, gameItems.encodeFunctionData(method, [1n]) as Hex);
const MINT = call('mint');
const BURN = call('burn');

const OPTIONS = { mode: 'SPONSORED', calculateGasLimits: false, expiryDuration: EXPIRY_SECONDS };

/** A DApp to ask: where, and how much its user may be given. */
interface BulkDapp {
  readonly paymasterId: string;
  readonly path: string;
  readonly countRule: string;
}

/** Sets up a DApp whose users ask for more than any chain would take, with limits of every kind. */
export const prepareBulk = async (desk: Caller, webhookUrl: string): Promise<readonly BulkDapp[]> => {
  await desk('signers.create', { chainId: CHAIN_ID });
  await desk('paymasterContracts.use', { chainId: CHAIN_ID, version: '1.1.0', address: `0x${'00'.repeat(19)}f1` });
  const accountId = (await desk('accounts.list', {}))[0]?.accountId ?? '';
  const dapps = [];
  for (const name of ['Bulk', 'Bulk with webhooks']) {
    const { paymasterId, apiKey } = await registerDapp(desk, accountId, name, CHAIN_ID);
    const game = { name: 'Game Items', address: GAME, abi: gameItems.formatJson(), whitelistedMethods: ['mint'] };
    await desk('contracts.create', { paymasterId, ...game });
    const limit = (thresholdType: 'COUNT' | 'NATIVE_ASSET', type: 'PAYMASTER' | 'SMART_ACCOUNT', threshold: number) =>
      desk('rules.create', {
        paymasterId,
        rule: {
          name: `${type} ${thresholdType}`,
          policyType: 'PAYMASTER_SA_LIMIT',
          policyData: { type, thresholdType, threshold, cycleDuration: { value: 1, unit: 'hour' } },
        },
      });
    const { _id: countRule } = await limit('COUNT', 'SMART_ACCOUNT', 60);
    await limit('NATIVE_ASSET', 'PAYMASTER', 5_000);
    dapps.push({ paymasterId, countRule, path: `/api/v1/${CHAIN_ID}/${apiKey}` });
  }
  const paymasterId = dapps[1]?.paymasterId ?? '';
  await desk('webhooks.create', { paymasterId, webhookUrl, requestType: 'POST' });
  const rule = { name: 'asks', policyType: 'WEBHOOK' as const, policyData: { url: webhookUrl, failOpen: true } };
  await desk('rules.create', { paymasterId, rule });
  await desk('chains.set', { chainId: CHAIN_ID, breaker: { amountWei: String(10n ** 24n), seconds: 3_600 } });
  return dapps;
};

/** Requests of users who mint, and now and then burn, which is not sponsored; one in ten is of the DApp with webhooks. */
export const bulkTraffic = (url: string, [bulk, asking]: readonly BulkDapp[]): Traffic => {
  const { host } = new URL(url);
  let sent = 0;
  return {
    next() {
      sent += 1;
      const op = {
        sender: `0x${(0xb0b0_0000 + (sent % USERS)).toString(16).padStart(40, '0')}`,
        nonce: `0x${sent.toString(16)}`,
        initCode: '0x',
        callData: sent % 7 === 0 ? BURN : MINT,
        callGasLimit: '0x30d40',
        verificationGasLimit: '0x7a120',
        preVerificationGas: '0xea60',
        maxFeePerGas: '0x3b9aca00',
        maxPriorityFeePerGas: '0x3b9aca00',
        paymasterAndData: '0x',
        signature: `0x${'c3'.repeat(65)}`,
      };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'pm_sponsorUserOperation', params: [op, OPTIONS] });
      const path = (sent % 10 === 0 ? asking : bulk)?.path ?? '';
      return (
        `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`
      );
    },
    accepts: (answer) => answer.startsWith('HTTP/1.1 200'),
  };
};
