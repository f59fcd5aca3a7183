import { EngineError } from '../../shared/errors.ts';
import type { Address } from '../../shared/schema/hex.ts';
import type { PaymentToken } from '../../core/token-mode/payment-terms.ts';
import { type RpcClient, RpcError, nodeRefusal } from '../chain/rpc.ts';
import { readToken } from './erc20.ts';

/** Whose tokens are looked at, and who is to take them. */
interface HoldingsQuestion {
  readonly chainId: number;
  /** The account that pays. */
  readonly sender: Address;
  /** The paymaster contract, which takes the tokens. */
  readonly spender: Address;
  readonly token: PaymentToken;
  /** Who receives the tokens. */
  readonly treasury: Address;
  /** Units that are taken before the operation runs, and of which the treasury gives back what is left. */
  readonly prefundUnits: bigint | undefined;
}

/** What there is to take from, in the token's smallest units. */
export interface TokenHoldings {
  readonly allowance: bigint;
  readonly balance: bigint;
}

const readUnits = async (rpc: RpcClient, token: Address, reading: 'balanceOf' | 'allowance', of: Address[]) => {
  const answer = await readToken(rpc, token, reading, ...of);
  return 'value' in answer ? (answer.value as bigint) : undefined;
};

/** Nothing may be taken up front that could not be given back: the rest of it would be lost to the user. */
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
 * Reads what users have of a token, and what of it the paymaster may take. Null where the token cannot be read.
 *
 * @throws EngineError `CHAIN_UNREACHABLE`, also where the node refuses, for the contracts do not look themselves;
 *   `PAYMASTER_NOT_READY` if what is taken up front could not be given back
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
