import type { JsonRpcProvider } from 'ethers';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { accountFunctions } from '../../src/core/calls/account-functions.ts';
import { decodeCalls } from '../../src/core/calls/decode-calls.ts';
import type { DecodedCall } from '../../src/core/calls/decoding.ts';
import type { Hex } from '../../src/shared/schema/hex.ts';
import { ACCEPTING, acceptingCode, anyCallData, honestCallData } from '../support/account-call-arbitrary.ts';
import { ZERO_ADDRESS } from '../support/account-call-data.ts';
import { firstOf, sized } from '../support/combinations.ts';
import { useLocalChain } from '../support/local-chain.ts';
import { type NpmAccount, accountImplementations, deployAccount } from '../support/npm-accounts.ts';
import { tracedAccountCalls } from '../support/traced-account-calls.ts';

const chain = useLocalChain();

const acceptCalls = async (provider: JsonRpcProvider): Promise<void> => {
  for (const address of ACCEPTING) await provider.send('anvil_setCode', [address, acceptingCode]);
};

/** Of the MultiSend contract, which is no account. */
const MULTI_SEND_SELECTOR = '0x8d80ff0a';
const selectors = [...accountFunctions.keys(), MULTI_SEND_SELECTOR];

const decode = (callData: Hex, { account, entryPointVersion }: NpmAccount) =>
  decodeCalls(callData, { sender: account, entryPointVersion });

/** Calls to address zero without data, as ERC-7821 accounts make them: to themselves. They only move the account's ether to it. */
const plain = (calls: DecodedCall[], traced: DecodedCall[], { account }: NpmAccount): DecodedCall[] =>
  calls.map((call, index) => {
    const toItself = call.target === ZERO_ADDRESS && call.data === '0x' && traced[index]?.target === account;
    return toItself ? { ...call, target: account } : call;
  });

describe.each(firstOf(accountImplementations, 3))('$name', (implementation) => {
  let made: NpmAccount;
  beforeAll(async () => {
    await acceptCalls(chain().provider);
    made = await deployAccount(implementation, chain().provider);
  });

  it('makes the calls that the desk reads, if its client sends them', async () => {
    await fc.assert(
      fc.asyncProperty(honestCallData(implementation.forms), async (callData) => {
        const traced = await tracedAccountCalls(chain().provider, made, callData);
        expect(traced).toBeDefined();
        expect(decode(callData, made)).toEqual({ outcome: 'decoded', calls: traced, via: [] });
      }),
      { numRuns: sized(200, 20) },
    );
  });

  it('makes no call that the desk does not read', async () => {
    await fc.assert(
      fc.asyncProperty(anyCallData(selectors, made.account), async (callData) => {
        const decoding = decode(callData, made);
        if (decoding.outcome === 'undecodable') return;
        const traced = await tracedAccountCalls(chain().provider, made, callData);
        if (traced !== undefined && traced.length > 0) expect(plain(decoding.calls, traced, made)).toEqual(traced);
      }),
      { numRuns: sized(2000, 60) },
    );
  });
});
