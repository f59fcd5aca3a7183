import { FunctionFragment } from 'ethers';
import { expect } from 'vitest';
import {
  BATCH,
  MULTI_SEND,
  SINGLE,
  ZERO_ADDRESS,
  encodeArguments,
  encodeExecute,
  encodeExecute7579,
  encodeFunction,
  encodeMultiSend,
  encodeSafe,
  packTransaction,
} from '../../../test/support/account-call-data.ts';
import { type Advice, type World, withPolicy, withOp, trusting } from '../../../test/support/advice.ts';
import { SENDER, rpcOperationV07With } from '../../../test/support/facts.ts';
import { row, ruleTable } from '../../../test/support/rule-table.ts';
import type { Situation } from '../../../test/support/situation.ts';
import { safeCreated, ITEMS, call, items, makingBy } from '../../../test/support/situations.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { PolicyContract } from '../policy/policy.ts';
import { contracts } from './contracts.ts';

const STRANGER: Address = `0x${'57'.repeat(20)}`;
const TARGET = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const place = { call: 1, calls: 2 };
const detail = { detail: 'The array at byte 68 ends outside the data.' };
const [MINT, BURN] = [call('mint'), call('burn')];
const MINTING = encodeExecute(ITEMS, 0n, MINT);

/** An operation with this callData, for a DApp that sponsors `mint` on one contract. */
const calling = (callData: Hex): Situation => ({ policy: { contracts: [items()] }, op: { callData } });
const executing = (target: Address, data: Hex): Situation => calling(encodeExecute(target, 0n, data));
const executingRow = (denied: Hex, signed: Hex) => row(calling, denied, signed);

const PREFIX = '8dd7712f';
const prefixed = (prefix: string): Hex => `0x${prefix}${MINTING.slice(2)}`;
/** The same with the `executeUserOp` prefix, for EntryPoint v0.7. */
const prefixing = (prefix: string): Situation => {
  const callData = prefixed(prefix);
  return { ...calling(callData), dapp: { version: 'verifying-0.7' }, facts: { op: rpcOperationV07With({ callData }) } };
};

const batch = (target: Address): Hex =>
  encodeExecute7579(BATCH, encodeArguments(['(address,uint256,bytes)[]'], [[[target, 0n, MINT]]]));
/** The same batch, declared with a length of one word. */
const HIDING = `${batch(ITEMS).slice(0, 138)}${'20'.padStart(64, '0')}${batch(ITEMS).slice(202)}` as Hex;
const single = (target: Address): Hex => encodeExecute7579(SINGLE, `${target}${'00'.repeat(32)}${MINT.slice(2)}`);
const nested = (depth: number): Hex => {
  let data = encodeMultiSend(packTransaction(0, ITEMS, MINT));
  for (let level = 1; level < depth; level += 1) data = encodeMultiSend(packTransaction(1, MULTI_SEND, data));
  return encodeSafe(MULTI_SEND, data, 1);
};
const transactions = (count: number): Hex =>
  encodeSafe(MULTI_SEND, encodeMultiSend(...Array.from({ length: count }, () => packTransaction(0, ITEMS, MINT))), 1);

/** An operation whose account is a Safe that makes this call in its set-up. */
const settingUp = (target: Address, data = MINT): Situation =>
  makingBy(safeCreated(MULTI_SEND, encodeMultiSend(packTransaction(0, target, data))));

/** The same calls in another encoding, as the hint recommends. */
const encoded = (denied: Hex, says: RegExp, callData: Hex): Advice => ({
  denied: calling(denied),
  says,
  change: (_, world) => withOp(world, { callData }),
});
const withContract = (world: World, name: string, changes: Partial<PolicyContract>): World =>
  withPolicy(world, {
    contracts: world.policy.contracts.map((one) => (one.name === name ? { ...one, ...changes } : one)),
  });

export default ruleTable(contracts, {
  UNKNOWN_SELECTOR: {
    rows: [executingRow('0xdeadbeef', MINTING)],
    advices: [
      {
        denied: calling('0xdeadbeef'),
        says: /call its (?<method>execute) or executeBatch/,
        change: ({ method }, world) => {
          const [types, values] = [
            ['address', 'uint256', 'bytes'],
            [ITEMS, 0n, MINT],
          ];
          return withOp(world, { callData: encodeFunction(`${String(method)}(${types.join(',')})`, types, values) });
        },
      },
    ],
    words: { evidence: detail, names: [detail.detail] },
  },
  MALFORMED_CALL_DATA: {
    rows: [executingRow(MINTING.slice(0, -64) as Hex, MINTING)],
    advices: [encoded(MINTING.slice(0, -64) as Hex, /Encode the callData with the ABI/, MINTING)],
    words: { evidence: detail, names: [detail.detail] },
  },
  NESTED_EXECUTE_USER_OP: {
    rows: [row(prefixing, PREFIX.repeat(2), PREFIX)],
    advices: [
      {
        denied: prefixing(PREFIX.repeat(2)),
        says: /behind (?<count>one) executeUserOp prefix only/,
        change: (_, world) => withOp(world, { callData: prefixed(PREFIX) }),
      },
    ],
    words: { evidence: detail, names: [detail.detail] },
  },
  HIDDEN_CALLS: {
    rows: [executingRow(HIDING, batch(ITEMS))],
    advices: [encoded(HIDING, /every call inside its declared bytes/, batch(ITEMS))],
    words: { evidence: detail, names: [detail.detail] },
  },
  UNKNOWN_EXECUTION_MODE: {
    rows: [executingRow(batch(ITEMS).replace('0xe9ae5c5301', '0xe9ae5c5302') as Hex, batch(ITEMS))],
    advices: [
      encoded(batch(ITEMS).replace('0xe9ae5c5301', '0xe9ae5c5302') as Hex, /a plain execute or executeBatch/, MINTING),
    ],
    words: { evidence: detail, names: [detail.detail] },
  },
  AMBIGUOUS_TARGET: {
    rows: [executingRow(single(ZERO_ADDRESS), single(ITEMS))],
    advices: [encoded(single(ZERO_ADDRESS), /Name the target of every call/, single(ITEMS))],
    words: { evidence: detail, names: [detail.detail] },
  },
  NESTED_TOO_DEEP: {
    rows: [executingRow(nested(5), nested(4))],
    advices: [encoded(nested(5), /one flat batch/, nested(1))],
    words: { evidence: detail, names: [detail.detail] },
  },
  TOO_MANY_CALLS: {
    rows: [executingRow(transactions(1001), transactions(1000))],
    advices: [
      {
        denied: calling(transactions(1001)),
        says: /user operations of at most (?<most>\d+) calls/,
        change: ({ most }, world) => withOp(world, { callData: transactions(Number(most)) }),
      },
    ],
    words: { evidence: detail, names: [detail.detail] },
  },
  DELEGATECALL_NOT_ALLOWED: {
    rows: [
      executingRow(encodeSafe(ITEMS, MINT, 1), encodeSafe(ITEMS, MINT, 0)),
      row((trusted: Address[]) => makingBy(safeCreated(STRANGER, MINT), trusted), [], [STRANGER]),
    ],
    advices: [
      {
        denied: calling(encodeSafe(ITEMS, MINT, 1)),
        says: /Call (?<target>0x\w{40}) with a plain call/,
        change: ({ target }, world) => withOp(world, { callData: encodeSafe(target as Address, MINT, 0) }),
      },
      trusting(makingBy(safeCreated(STRANGER, MINT))),
    ],
    words: { evidence: { target: TARGET, ...place }, names: [TARGET] },
  },
  SELF_CALL_NOT_ALLOWED: {
    rows: [row((target: Address) => executing(target, MINT), SENDER, ITEMS)],
    advices: [
      {
        denied: executing(SENDER, MINTING),
        says: /Leave the call to (?<target>0x\w{40}) out, or put what it calls into the batch directly/,
        change: ({ target }, world) => {
          expect(target).toBe(SENDER);
          return withOp(world, { callData: MINTING });
        },
      },
    ],
    words: { evidence: { target: TARGET, ...place }, names: [TARGET] },
  },
  CONTRACT_NOT_REGISTERED: {
    rows: [
      row((target: Address) => executing(target, MINT), STRANGER, ITEMS),
      // Approvals during the account's creation count like any other call.
      row((target: Address) => settingUp(target), STRANGER, ITEMS),
    ],
    advices: [
      {
        denied: executing(STRANGER, MINT),
        says: /Register (?<address>0x\w{40}) with the methods to sponsor/,
        change: ({ address }, world) =>
          withPolicy(world, { contracts: [...world.policy.contracts, items({ address: address as Address })] }),
      },
      {
        denied: executing(STRANGER, MINT),
        says: /leave this call out/,
        change: (_, world) => withOp(world, { callData: '0x' }),
      },
    ],
    words: { evidence: { target: TARGET, ...place }, names: [TARGET] },
  },
  CONTRACT_PAUSED: {
    rows: [
      row((active: boolean) => ({ ...calling(MINTING), policy: { contracts: [items({ active })] } }), false, true),
    ],
    advices: [
      {
        denied: { ...calling(MINTING), policy: { contracts: [items({ active: false })] } },
        says: /Resume the rule "(?<name>.+)"/,
        change: ({ name = '' }, world) => withContract(world, name, { active: true }),
      },
    ],
    words: { evidence: { target: TARGET, contract: 'Game Items', ...place }, names: [TARGET, 'Game Items'] },
  },
  METHOD_NOT_WHITELISTED: {
    rows: [
      row((data: Hex) => executing(ITEMS, data), BURN, MINT),
      row((data: Hex) => settingUp(ITEMS, data), BURN, MINT),
    ],
    advices: [
      {
        denied: executing(ITEMS, BURN),
        says: /Add (?<method>\w+\(.*?\)) on (?<address>0x\w{40}) to the contract's whitelisted methods/,
        change: ({ method = '', address }, world) => {
          expect(address).toBe(ITEMS);
          return withContract(world, 'Items', { whitelistedMethods: ['mint(uint256)', method] });
        },
      },
    ],
    words: {
      evidence: { target: TARGET, contract: 'Game Items', selector: '0x42966c68', method: 'burn(uint256)', ...place },
      names: [TARGET, 'Game Items', 'burn(uint256)'],
    },
  },
  METHOD_NOT_IN_ABI: {
    rows: [row((data: Hex) => executing(ITEMS, data), call('steal'), MINT)],
    advices: [
      {
        denied: executing(ITEMS, call('steal')),
        says: /register (?<address>0x\w{40}) again with an ABI that contains the method (?<selector>0x\w{8})/,
        change: ({ address, selector }, world) => {
          const fragment = FunctionFragment.from('function steal(uint256)');
          expect([address, selector]).toEqual([ITEMS, fragment.selector]);
          const methods = ['steal(uint256)'];
          return withContract(world, 'Items', {
            abi: `[${fragment.format('json')}]`,
            methods,
            whitelistedMethods: methods,
          });
        },
      },
    ],
    words: {
      evidence: { target: TARGET, contract: 'Game Items', selector: '0x42966c68', ...place },
      names: [TARGET, 'Game Items', '0x42966c68', 'ABI'],
    },
  },
  PLAIN_TRANSFER: {
    rows: [row((data: Hex) => executing(ITEMS, data), '0x', MINT)],
    advices: [
      {
        denied: executing(STRANGER, '0x'),
        says: /Leave the plain transfer to (?<target>0x\w{40}) out/,
        change: ({ target }, world) => {
          expect(target).toBe(STRANGER);
          return withOp(world, { callData: MINTING });
        },
      },
    ],
    words: { evidence: { target: TARGET, valueWei: '1000000000000000001', ...place }, names: [TARGET] },
  },
});
