import { candidePaymaster } from './candide.mjs';

const pay = async (paymaster, { account, op, token, bundlerUrl }) =>
  token
    ? paymaster.createTokenPaymasterUserOperation(account, op, token, bundlerUrl)
    : (await paymaster.createSponsorPaymasterUserOperation(account, op, bundlerUrl))[0];

export default { CandidePaymaster: candidePaymaster(pay) };
