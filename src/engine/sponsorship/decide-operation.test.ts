import { join } from 'node:path';
import { AbiCoder, computeAddress } from 'ethers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { account, paymaster } from '../../../test/support/store-records.ts';
import { useTempFolders } from '../../../test/support/temp-folder.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { sponsorshipOptions } from '../../shared/schema/sponsorship.ts';
import type { RpcClient } from '../chain/rpc.ts';
import { systemEntropy } from '../base/clock.ts';
import { createLog } from '../base/log.ts';
import { Secret } from '../base/secret.ts';
import { assumedSchedule } from '../../core/gas-schedules/schedules.ts';
import { createBelievedFees } from '../chain/fees/believed-fees.ts';
import { signerKeyName } from '../signer/chain-signer.ts';
import { type SigningThread, createSigningThread } from '../signer/signing-thread.ts';
import { openVault } from '../signer/vault.ts';
import { vaultInFile } from '../store/vault-in-file.ts';
import type { MinedUserOperation } from '../store/settlement-store.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { type SponsorshipDecision, decideOperation } from './decide-operation.ts';
import { createDeposits } from './deposits.ts';
import { createPauseSwitch } from './pause-switch.ts';
import type { SponsorshipRequest } from './request-record.ts';

const CHAIN = 31337;
const CONTRACT = '0x00000000000000000000000000000000000000cc';
const WALLET = '0x00000000000000000000000000000000000000ff';
const KEY = `0x${'11'.repeat(32)}`;
const dapp = paymaster({ fundingWallet: WALLET });
/** Maximum cost of each operation here: gas of 100,000, of which 12,000 are the contract's, at 1 wei. */
const COST = 100_000n;

/** `getNonce(address,uint192)` of the EntryPoint. */
const GET_NONCE = '0x35567e1a';

const sent = (nonce: bigint) => ({
  sender: WALLET,
  nonce: `0x${nonce.toString(16)}`,
  initCode: '0x',
  callData: '0x12345678',
  signature: '0x',
  callGasLimit: '87996',
  verificationGasLimit: '1',
  preVerificationGas: '1',
  maxFeePerGas: '1',
  maxPriorityFeePerGas: '0',
});

const request = (nonce: bigint): SponsorshipRequest => ({
  dapp: dapp,
  apiKey: dapp.apiKey,
  method: 'pm_sponsorUserOperation',
  userOperation: {
    sender: WALLET,
    nonce,
    initCode: '0x',
    callData: '0x12345678',
    callGasLimit: 87_996n,
    verificationGasLimit: 1n,
    preVerificationGas: 1n,
    maxFeePerGas: 1n,
    maxPriorityFeePerGas: 0n,
    signature: '0x',
  },
  options: sponsorshipOptions.parse({ mode: 'SPONSORED' }),
  received: [sent(nonce), { mode: 'SPONSORED' }],
  isBlanked: false,
});

/** The node's answers besides blocks: an account that validates, and a tip. */
const ANSWERS: Record<string, unknown> = { eth_maxPriorityFeePerGas: '0x1', eth_getCode: '0x00', eth_call: '0x' };

const tempFolder = useTempFolders();
let store: Store;
let signingThread: SigningThread;
let balance: bigint;
/** Runs after a balance was read, before the answer reaches the engine. */
let afterRead: (reads: number) => Promise<void>;
let reads: number;
let sponsor: (nonce: bigint) => Promise<SponsorshipDecision>;

beforeEach(async () => {
  const dir = tempFolder();
  const clock = new ManualClock();
  store = openSqliteStore(join(dir, 'gasdesk.db'), { clock, log: createLog({ level: 'silent' }) });
  const vault = openVault(vaultInFile(join(dir, 'vault.json')), {
    entropy: systemEntropy,
    scrypt: { N: 2, r: 8, p: 1 },
  });
  await vault.create({ passphrase: new Secret('x') });
  await vault.set(signerKeyName(CHAIN), new Secret(KEY));
  await store.createAccount(account);
  await store.createDapp(dapp);
  await store.saveSigner({ chainId: CHAIN, address: computeAddress(KEY) as Address });
  await store.savePaymasterContract({ chainId: CHAIN, version: '1.1.0', address: CONTRACT, checked: true });

  balance = 0n;
  reads = 0;
  afterRead = async () => undefined;
  const node: RpcClient = {
    url: 'http://127.0.0.1:1',
    send: async (method) => ANSWERS[method] ?? { number: '0x1' },
    async call(_to, data) {
      if (data.startsWith(GET_NONCE)) return AbiCoder.defaultAbiCoder().encode(['uint256'], [0n]) as Hex;
      const read = balance;
      await afterRead((reads += 1));
      return AbiCoder.defaultAbiCoder().encode(['uint256'], [read]) as Hex;
    },
  };
  const none = async (): Promise<undefined> => undefined;
  const reached = {
    urls: async () => ({}),
    rpc: async () => node,
    bundler: none,
    chainIdAt: none,
    close: () => undefined,
  };
  const chains = { ...reached, gasSchedule: async () => assumedSchedule };
  const noRate = () => Promise.reject(new Error('there are none'));
  const rates = { rateOf: noRate, coinPrice: noRate, coinPriceNow: () => undefined };
  const webhooks = { deliver: () => Promise.reject(new Error('there are none')), close: () => undefined };
  const noKeys = () => Promise.reject(new Error('there are none'));
  const keySets = { keysAt: noKeys, renewedKeysAt: noKeys, close: () => undefined };
  const config = { outstandingSharePercent: 25, blankWebhookData: false };
  const fees = createBelievedFees({ store, clock, log: createLog({ level: 'silent' }) });
  const deposits = createDeposits(store, clock);
  const pause = await createPauseSwitch(store, createLog({ level: 'silent' }));
  signingThread = createSigningThread({ log: createLog({ level: 'silent' }), clock });
  const outside = { chains, webhooks, keySets, clock, rates, fees, deposits, config, entropy: systemEntropy };
  sponsor = (nonce) => decideOperation({ store, vault, pause, signingThread, ...outside }, request(nonce));
});
afterEach(async () => {
  await signingThread.end();
  await store.close();
});

/** The chain mines an operation and charges its cost; settlement sees it. */
const mine = async ({ decisionId }: SponsorshipDecision, block: number): Promise<void> => {
  const decision = await store.findDecision(decisionId);
  balance -= COST;
  const mined: MinedUserOperation = {
    userOpHash: decision!.userOpHash as Hex,
    entryPoint: decision!.entryPoint as Hex,
    paymaster: decision!.paymasterAndData.slice(0, 42) as Hex,
    sender: decision!.sender as Hex,
    nonce: BigInt(decision!.nonce),
    success: true,
    actualGasCost: COST,
    actualGasUsed: COST,
    blockNumber: block,
    blockHash: '0x',
    transactionHash: '0x',
  };
  await store.applySettlements({ chainId: CHAIN, fromBlock: block, toBlock: block, cursor: block, mined: [mined] });
};

describe('a balance that was read before an operation was mined', () => {
  test('is not held against a promise that is over by then: the same wei would be spent twice', async () => {
    balance = COST;
    const first = await sponsor(1n);
    expect(first.reason).toBeUndefined();
    afterRead = async (count) => {
      if (count === 2) await mine(first, 1);
    };
    // The balance that it read is spent, and no reservation is left.
    expect((await sponsor(2n)).reason?.code).toBe('GAS_TANK_EMPTY');
    expect(reads).toBe(3);
    expect(await store.listDecisions({ limit: 9 })).toHaveLength(2);
  });

  test('is read again as often as something was mined meanwhile, and then the operation is decided', async () => {
    balance = 9n * COST;
    const earlier = [await sponsor(1n), await sponsor(2n), await sponsor(3n)];
    reads = 0;
    afterRead = async (count) => {
      const next = earlier[count - 1];
      if (next) await mine(next, count);
    };
    expect((await sponsor(4n)).reason).toBeUndefined();
    expect(reads).toBe(4);
    const [newest] = await store.listDecisions({ limit: 1 });
    const decision = await store.findDecision(newest!.id);
    expect(decision?.trace.at(-1)?.evidence).toEqual({
      balanceWei: String(6n * COST),
      reservedWei: '0',
      requiredWei: String(COST),
    });
  });
});

test('a rule that only a newer Gasdesk knows is not passed over: nothing is signed until it is paused', async () => {
  balance = 9n * COST;
  const rule = { ruleId: 'r', paymasterId: dapp.paymasterId, name: 'Senders', active: true, cycle: 0 };
  await store.createRule({ ...rule, policyType: 'SENDER_LIST', policyData: {} });
  await expect(sponsor(1n)).rejects.toMatchObject({
    code: 'PAYMASTER_NOT_READY',
    message: expect.stringContaining('SENDER_LIST'),
  });
  await store.setRuleActive(dapp.paymasterId, 'r', false);
  expect((await sponsor(2n)).reason).toBeUndefined();
});
