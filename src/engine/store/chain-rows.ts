import type { FeeToken } from '../../shared/schema/fee-token.ts';
import type { ChainSettings, PaymasterContract } from './registry-store.ts';

export interface ChainRow extends Omit<ChainSettings, 'breaker' | 'price'> {
  price: string | null;
  breakerWei: string | null;
  breakerSeconds: number | null;
  breakerOff: number;
}

export interface ContractRow extends Omit<PaymasterContract, 'checked'> {
  checked: number;
}

export interface FeeTokenRow extends Omit<FeeToken, 'rate' | 'preFund'> {
  rate: string;
  preFund: number;
}

export const CHAIN = `SELECT chain_id AS "chainId", name, symbol, rpc, bundler, treasury, breaker_wei AS "breakerWei",
  breaker_seconds AS "breakerSeconds", breaker_off AS "breakerOff", unreachable_budget_wei AS "unreachableBudgetWei",
  max_operation_cost_wei AS "maxOperationCostWei", price FROM chain`;
export const SIGNER = 'SELECT chain_id AS "chainId", address FROM signer';
export const CONTRACT = 'SELECT chain_id AS "chainId", version, address, checked FROM paymaster_contract';
export const FEE_TOKEN = `SELECT chain_id AS "chainId", address, symbol, decimals, premium, rate, pre_fund AS "preFund",
  logo_url AS "logoUrl" FROM fee_token`;

const breakerOf = ({
  breakerWei,
  breakerSeconds,
  breakerOff,
}: Pick<ChainRow, 'breakerWei' | 'breakerSeconds' | 'breakerOff'>): ChainSettings['breaker'] => {
  if (breakerWei !== null && breakerSeconds !== null) {
    return Object.freeze({ amountWei: breakerWei, seconds: breakerSeconds });
  }
  return breakerOff === 1 ? null : 'default';
};

export const toChain = ({ breakerWei, breakerSeconds, breakerOff, price, ...row }: ChainRow): ChainSettings => ({
  ...row,
  price: price === null ? null : (JSON.parse(price) as ChainSettings['price']),
  breaker: breakerOf({ breakerWei, breakerSeconds, breakerOff }),
});

export const ofChain = ({ breaker, price, ...value }: ChainSettings): ChainRow => {
  const set = breaker === 'default' ? null : breaker;
  return {
    ...value,
    breakerWei: set?.amountWei ?? null,
    breakerSeconds: set?.seconds ?? null,
    breakerOff: Number(breaker === null),
    price: price && JSON.stringify(price),
  };
};

export const toContract = (row: ContractRow): PaymasterContract => ({ ...row, checked: row.checked === 1 });

export const toFeeToken = (row: FeeTokenRow): FeeToken => ({
  ...row,
  rate: JSON.parse(row.rate) as FeeToken['rate'],
  preFund: row.preFund === 1,
});

export const ofFeeToken = (token: FeeToken): FeeTokenRow => ({
  ...token,
  rate: JSON.stringify(token.rate),
  preFund: Number(token.preFund),
});
