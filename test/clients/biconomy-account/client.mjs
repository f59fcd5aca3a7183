import { Paymaster } from '@biconomy/account';
import { getPaymasterAndData } from './biconomy.mjs';

export default { Paymaster: getPaymasterAndData((paymasterUrl) => new Paymaster({ paymasterUrl })) };
