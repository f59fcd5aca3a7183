import { BiconomyPaymaster } from '@biconomy/paymaster';
import { getPaymasterAndData } from './biconomy.mjs';

export default { BiconomyPaymaster: getPaymasterAndData((paymasterUrl) => new BiconomyPaymaster({ paymasterUrl })) };
