import { EngineError } from '../../shared/errors.ts';
import type { Address } from '../../shared/schema/hex.ts';
import type { PaymentToken } from '../../core/token-mode/payment-terms.ts';
import { type RpcClient, RpcError, nodeRefusal } from '../chain/rpc.ts';
import { readToken } from './erc20.ts';

interface HoldingsQuestion {
  readonly chainId: number;
  readonly sender: Address;
  /** The paymaster contract that takes the tokens. */
  readonly spender: Address;
  readonly token: PaymentToken;
  readonly treasury: Address;
  /** Units taken before the operation runs. The treasury refunds what is not used. */
  readonly prefundUnits: bigint | undefined;
}

/** Amounts in the token's smallest unit. */
export interface TokenHoldings {
  readonly allowance: bigint;
  readonly balance: bigint;
}

const readUnits = async (rpc: RpcClient, token: Address, reading: 'balanceOf' | 'allowance', of: Address[]) => {
  const answer = await readToken(rpc, token, reading, ...of);
  return 'value' in answer ? (answer.value as bigint) : undefined;
};

/** Requires that a prefund can be refunded, because otherwise the user would lose its unused part. */
const requireRefundable = async (
  rpc: RpcClient,
  { prefundUnits, token, spender, treasury }: HoldingsQuestion,
): Promise<void> => {
  if (prefundUnits === undefined) return;
  const allowed = await readUnits(rpc, token.address, 'allowance', [treasury, spender]);
  if (allowed !== undefined && allowed >= prefundUnits) return;
  const fix = `Approve ${spender} on the token ${token.address} from the treasury, or run "gasdesk fee-token set" with --no-pre-fund.`;
  const message = `The treasury ${treasury} has not approved the paymaster to return ${token.symbol} of a prefund.`;
  throw new EngineError('PAYMASTER_NOT_READY', `${message} ${fix}`, { missing: 'treasuryAllowance', fix });
};

/**
 * Reads a user's balance of a token, and the paymaster's allowance. Null if the token cannot be read.
 *
 * @throws EngineError `CHAIN_UNREACHABLE`, also if the node returns an error (the contracts themselves check nothing);
 * `PAYMASTER_NOT_READY` if a prefund could not be refunded
 */
export const readTokenHoldings = async (rpc: RpcClient, question: HoldingsQuestion): Promise<TokenHoldings | null> => {
  const { chainId, sender, spender, token } = question;
  try {
    const [allowance, balance] = await Promise.all([
      readUnits(rpc, token.address, 'allowance', [sender, spender]),
      readUnits(rpc, token.address, 'balanceOf', [sender]),
      requireRefundable(rpc, question),
    ]);
    return allowance === undefined || balance === undefined ? null : { allowance, balance };
  } catch (error) {
    throw error instanceof RpcError ? nodeRefusal(chainId, error) : error;
  }
};
