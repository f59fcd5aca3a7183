import { expect } from 'vitest';
import { encodeExecute, encodeFunction } from '../../../test/support/account-call-data.ts';
import { type Advice, withFacts, withOp, withToken } from '../../../test/support/advice.ts';
import { GWEI, SENDER, factsWith, rpcOperationV07With } from '../../../test/support/facts.ts';
import { row, heldRow, ruleTable } from '../../../test/support/rule-table.ts';
import { type Situation, together } from '../../../test/support/situation.ts';
import { MAX_UNITS, paying, usdc } from '../../../test/support/situations.ts';
import type { Address } from '../../shared/schema/hex.ts';
import type { Facts } from '../facts/facts.ts';
import { tokenPayment } from './token-payment.ts';

const STRANGER: Address = `0x${'57'.repeat(20)}`;
const TARGET = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const USER = `0x${'5e'.repeat(20)}`;
const SPENDER = `0x${'9a'.repeat(20)}`;

const token = {
  symbol: 'USDC',
  decimals: 6,
  token: TARGET,
  sender: USER,
  spender: SPENDER,
  neededUnits: '2500000',
  heldUnits: '2499999',
  missingUnits: '1',
  reservedUnits: '0',
};

const holding = (changes: { allowance?: bigint; balance?: bigint }): Situation => {
  const { allowance = 2n * MAX_UNITS, balance = 2n * MAX_UNITS } = changes;
  return paying({ holdings: { allowance: String(allowance), balance: String(balance) } });
};
/** A payment through Pimlico's contract, which can take tokens before the operation runs. */
const prefunding = (balance: string): Situation => ({
  ...paying({ preFund: true, holdings: { ...usdc.holdings, balance } }, 'singleton-0.6'),
  dapp: { version: 'singleton-0.6' },
});
/** A payment through the same contract. The operation itself approves the tokens. */
const approvingItself = (token: Partial<NonNullable<Facts['token']>>): Situation => {
  const spender = factsWith().contract.address;
  const approve = encodeFunction('approve(address,uint256)', ['address', 'uint256'], [spender, 2n * MAX_UNITS]);
  const callData = encodeExecute(usdc.address, 0n, approve);
  const holdings = { ...usdc.holdings, allowance: '0' };
  return { ...paying({ holdings, ...token }, 'singleton-0.6'), dapp: { version: 'singleton-0.6' }, op: { callData } };
};
const approvingInside = (preFund: boolean): Situation => approvingItself({ preFund });
/** The same, where the simulation took no tokens and left the allowance that the approval gives, or none. */
const approvingInVain = (allowance: bigint): Situation =>
  approvingItself({ isTaken: false, left: { ...usdc.holdings, allowance: String(allowance) } });

/**
 * The simulation took the tokens and left this balance and allowance. By default, the allowance is the earlier one
 * minus the charge.
 */
const tried = ({
  allowance = MAX_UNITS,
  balance = 9n * MAX_UNITS,
}: {
  allowance?: bigint;
  balance?: bigint;
}): Situation => paying({ left: { allowance: String(allowance), balance: String(balance) } });
/** The user had approved nothing, and no approval can be decoded from the operation. */
const approvedUnseen = (left: bigint | undefined): Situation =>
  paying({
    holdings: { ...usdc.holdings, allowance: '0' },
    ...(left !== undefined && { left: { allowance: '0', balance: String(left) } }),
  });

/** The simulation took a prefund, and the operation then approved more tokens. */
const approvingAgain: Situation = {
  ...paying(
    {
      preFund: true,
      holdings: { ...usdc.holdings, balance: String(9n * MAX_UNITS) },
      left: { allowance: String(9n * MAX_UNITS), balance: String(8n * MAX_UNITS) },
    },
    'singleton-0.6',
  ),
  dapp: { version: 'singleton-0.6' },
};

/** The user pays a singleton paymaster in a token. One coin is worth this many of its units. */
const coarse =
  (preFund: boolean) =>
  (exchangeRate: string): Situation => ({
    ...paying({ preFund, exchangeRate }, 'singleton-0.6'),
    dapp: { version: 'singleton-0.6' },
  });

const holds = (allowance: bigint, balance: bigint): Situation =>
  paying({ holdings: { allowance: String(allowance), balance: String(balance) } });

const sending = (denied: Situation): Advice => ({
  denied,
  says: /Send at least .* \((?<units>\d+) units?\) to (?<sender>0x\w{40})/,
  change: ({ units = '', sender }, world) => {
    expect(sender).toBe(SENDER);
    const { allowance = '', balance = '' } = world.facts.token?.holdings ?? {};
    return withToken(world, { holdings: { allowance, balance: String(BigInt(balance) + BigInt(units)) } });
  },
});
const approving = (denied: Situation): Advice => ({
  denied,
  says: /Approve (?<spender>0x\w{40}) for at least .* \((?<units>\d+) units?\) on the token (?<token>0x\w{40})/,
  change: ({ spender, units = '', token }, world) => {
    expect([spender, token]).toEqual([world.facts.contract.address, world.facts.token?.address]);
    return withToken(world, { holdings: { allowance: units, balance: world.facts.token?.holdings?.balance ?? '' } });
  },
});
/** The same operation, paid for in another of the chain's tokens. */
const inAnotherToken = (denied: Situation): Advice => ({
  denied,
  says: /Pay in (?:another token|a token with more decimals)/,
  change: (_, world) => withToken(world, { ...usdc, address: `0x${'da'.repeat(20)}` }),
});
/** A payment through Pimlico's v0.7 contract, whose prefund is less than the maximum charge. */
const prefundingV07 = (token: Partial<NonNullable<Facts['token']>>): Situation => ({
  facts: {
    ...paying({ preFund: true, ...token }, 'singleton-0.7').facts,
    op: rpcOperationV07With({ paymasterPostOpGasLimit: 50_000n }),
    gasUsed: { validation: '50000', call: '100000' },
  },
  dapp: { version: 'singleton-0.7' },
});
/** The operation's own calls send tokens to someone else before the charge. */
const givingAway = (units: bigint): Situation => {
  const transfer = encodeFunction('transfer(address,uint256)', ['address', 'uint256'], [STRANGER, units]);
  return { op: { callData: encodeExecute(usdc.address, 0n, transfer) } };
};

export default ruleTable(tokenPayment, {
  TOKEN_ALLOWANCE_SHORT: {
    rows: [
      row((allowance: bigint) => holding({ allowance }), MAX_UNITS - 1n, MAX_UNITS),
      heldRow('user', MAX_UNITS, paying()),
      row(approvingInside, true, false),
      // The simulation succeeded, but the approvals in the calls cannot be decoded. Tokens reserved for other
      // operations are then not available.
      heldRow('user', MAX_UNITS, tried({ allowance: MAX_UNITS })),
      row<bigint | undefined>(approvedUnseen, undefined, 0n),
      // The tokens for 245,000 gas are taken before the operation's own approval.
      heldRow('user', 2n * MAX_UNITS - 735_000n, approvingAgain),
    ],
    advices: [
      approving(holds(MAX_UNITS - 1n, 9n * MAX_UNITS)),
      approving(together(holds(2n * MAX_UNITS, 9n * MAX_UNITS), { held: { user: 3n * MAX_UNITS } })),
      // The contract takes 930,000 of the 990,000 units before the operation runs.
      ...['0', '929999', '930000', '989999'].map((allowance) =>
        approving(prefundingV07({ holdings: { allowance, balance: String(9n * MAX_UNITS) } })),
      ),
    ],
    words: {
      evidence: { ...token, prefund: false },
      names: ['2.5 USDC (2500000 units)', '0.000001 USDC (1 unit)', TARGET, SPENDER, USER, 'in the batch'],
    },
  },
  TOKEN_BALANCE_SHORT: {
    rows: [
      row((balance: bigint) => holding({ balance }), MAX_UNITS - 1n, MAX_UNITS),
      // The contract takes all of this before the operation runs: 200,000 gas for the operation itself, 25,000 around
      // its call and 20,000 after it.
      row(prefunding, '734999', '735000'),
      heldRow('user', MAX_UNITS, tried({ allowance: 9n * MAX_UNITS, balance: MAX_UNITS })),
    ],
    advices: [
      sending(holds(9n * MAX_UNITS, MAX_UNITS - 1n)),
      ...['929999', '989999'].map((balance) =>
        sending(prefundingV07({ holdings: { allowance: String(9n * MAX_UNITS), balance } })),
      ),
      // The reservations are higher than the user's remaining tokens.
      sending(together(holds(9n * MAX_UNITS, 1n), { held: { user: MAX_UNITS } })),
      sending(together(holds(9n * MAX_UNITS, MAX_UNITS), givingAway(3n * MAX_UNITS))),
    ],
    words: {
      evidence: { ...token, reservedUnits: '3' },
      names: ['2.5 USDC (2500000 units)', '0.000001 USDC (1 unit)', USER, '0.000003 USDC (3 units) reserved'],
    },
  },
  TOKEN_CALL_OUT_OF_GAS: {
    rows: [row((isTaken: boolean) => paying({ isTaken, ...(!isTaken && { callGasUsed: '81000' }) }), false, true)],
    advices: [
      {
        denied: paying({ isTaken: false, callGasUsed: '120000' }),
        says: /raise callGasLimit well above (?<gas>\d+)/,
        change: ({ gas = '' }, world) => {
          const { callGasUsed: _none, ...token }: NonNullable<Facts['token']> = world.facts.token ?? usdc;
          const raised = withOp(world, { callGasLimit: (BigInt(gas) * 64n) / 63n + 5_000n });
          return withFacts(raised, { token: { ...token, isTaken: true } });
        },
      },
    ],
    words: {
      evidence: { ...token, callGasLimit: '74916', callGasUsed: '76123' },
      names: ['USDC', USER, '74916', '76123 gas'],
    },
  },
  TOKEN_CALLS_REVERT: {
    rows: [{ denied: approvingInVain(0n), signed: approvingItself({}) }],
    advices: [
      {
        denied: approvingInVain(0n),
        says: /Correct the call or the deployment that fails/,
        change: (_, world) => withToken(world, { isTaken: true }),
      },
    ],
    words: { evidence: token, names: ['USDC', USER, SPENDER] },
  },
  TOKEN_TRANSFER_REFUSED: {
    rows: [
      row((isTaken: boolean) => paying({ isTaken }), false, true),
      { denied: approvingInVain(2n * MAX_UNITS), signed: approvingItself({}) },
    ],
    advices: [inAnotherToken(paying({ isTaken: false }))],
    words: { evidence: token, names: ['USDC', TARGET] },
  },
  TOKEN_TOO_COARSE: {
    // At these rates, 345,000 gas at 1 gwei cost slightly less and slightly more than one unit. The base fee may fall
    // to an eighth before the operation is mined, and 50,000 gas of preVerificationGas are charged in any case.
    sparesDrafts: true,
    rows: [
      row((exchangeRate: string) => paying({ exchangeRate }), '159999', '160000'),
      // A singleton charges 45,000 gas more for postOp, or 20,000 if it has taken a prefund.
      row(coarse(false), '84210', '84211'),
      row(coarse(true), '114285', '114286'),
      row(
        (tip: bigint) =>
          together(paying({ exchangeRate: '80000' }), {
            op: { maxFeePerGas: 9n * GWEI, maxPriorityFeePerGas: tip },
            chain: { suggestedTipWei: String(GWEI) },
          }),
        GWEI / 8n - 1n,
        GWEI / 8n,
      ),
      row(
        (wei: bigint) => together(paying({ exchangeRate: '160000' }), { chain: { baseFeeWei: String(wei) } }),
        GWEI - 8n,
        GWEI,
      ),
    ],
    advices: [inAnotherToken(paying({ exchangeRate: '1', decimals: 0 }))],
    words: { evidence: { ...token, gasPriceWei: '12' }, names: ['USDC', TARGET, '12 wei per gas'] },
  },
  TOKEN_UNREADABLE: {
    rows: [row<typeof usdc.holdings | null>((holdings) => paying({ holdings }), null, usdc.holdings)],
    advices: [inAnotherToken(paying({ holdings: null }))],
    words: { evidence: token, names: ['USDC', TARGET] },
  },
});
