import { Interface } from 'ethers';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { encodeExecute } from '../support/account-call-data.ts';
import type { Traffic } from './drive.ts';

/** The chain of the benched DApp: it has no RPC URL, so only the desk itself is measured. */
export const CHAIN_ID = 31337;
/** A contract that the operations call. */
export const GAME: Address = '0x00000000000000000000000000000000000000a1';
/** Its methods. */
export const gameItems = new Interface(['function mint(uint256 amount)', 'function burn(uint256 amount)']);

/** How many users send operations, in turn. */
const USERS = 1000;
const SENDER_MARK = 'SENDER';
const NONCE_MARK = 'NONCE';

const OPERATION = {
  sender: SENDER_MARK,
  nonce: NONCE_MARK,
  initCode: '0x',
  callData: encodeExecute(GAME, 0n, gameItems.encodeFunctionData('mint', [1n]) as Hex),
  callGasLimit: '0x30d40',
  verificationGasLimit: '0x7a120',
  preVerificationGas: '0xea60',
  maxFeePerGas: '0x3b9aca00',
  maxPriorityFeePerGas: '0x3b9aca00',
  paymasterAndData: '0x',
  signature: `0x${'c3'.repeat(65)}`,
};

const OPTIONS = {
  mode: 'SPONSORED',
  calculateGasLimits: false,
  expiryDuration: 300,
  sponsorshipInfo: { webhookData: {}, smartAccountInfo: { name: 'BICONOMY', version: '2.0.0' } },
};

const BODY = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'pm_sponsorUserOperation', params: [OPERATION, OPTIONS] });

/** The users. */
export const senders = Array.from(
  { length: USERS },
  (_, index) => `0x${(0xb0b0_0000 + index).toString(16).padStart(40, '0')}`,
);

/**
 * Requests of `pm_sponsorUserOperation` whose operations all differ: the users take turns, nonces grow. Each must be
 * sponsored.
 */
export const sponsorTraffic = (url: string, path: string): Traffic => {
  const { host } = new URL(url);
  const [head = '', middle = '', tail = ''] = BODY.split(new RegExp(`${SENDER_MARK}|${NONCE_MARK}`));
  let sent = 0;
  return {
    next() {
      const sender = senders[sent % USERS] ?? '';
      const body = `${head}${sender}${middle}0x${sent.toString(16)}${tail}`;
      sent += 1;
      return (
        `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`
      );
    },
    accepts: (answer) => answer.includes('"paymasterAndData":"0x0'),
  };
};
