import type { Authority } from '../../shared/schema/gas-schedule.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { isV06 } from '../../shared/schema/user-operation.ts';
import type { GasSchedule } from './gas-schedule.ts';

/**
 * What a bundle costs more because of the operation's EIP-7702 authorisation, in gas; 0 without one.
 *
 * @param schedule of the chain
 * @param op the operation
 * @param authority the state of the sender's account before; if unknown, the account is taken not to exist
 */
export const authorizationGas = (schedule: GasSchedule, op: UserOperation, authority: Authority = 'new'): bigint => {
  if (isV06(op) || op.eip7702Auth === undefined) return 0n;
  const { each, newDelegate, newAccount } = schedule.authorization;
  if (authority === 'delegated') return each;
  return authority === 'existing' ? each + newDelegate : each + newDelegate + newAccount;
};
