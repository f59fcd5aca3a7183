import { candidePaymaster } from './candide.mjs';

const pay = (paymaster, { account, op, token, bundlerUrl }) =>
  token
    ? paymaster.createTokenPaymasterUserOperation(account, op, token, bundlerUrl)
    : paymaster.createSponsorPaymasterUserOperation(op, bundlerUrl);

export default { CandidePaymaster: candidePaymaster(pay) };
