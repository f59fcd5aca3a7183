import { alchemyGasAndPaymasterAndDataMiddleware, alchemyGasManagerMiddleware } from '@account-kit/infra';
import { PAYMASTER_METHODS, sendWith } from './aa-sdk.mjs';

const policyTokenOf = ({ token }) => token && { address: token, maxTokenAmount: 10n ** 9n };

const gasManager = (task) =>
  sendWith(task, PAYMASTER_METHODS, () => alchemyGasManagerMiddleware(['any', 'other'], policyTokenOf(task), 'data'));

const gasAndPaymaster = (task) =>
  sendWith(task, ['alchemy_requestGasAndPaymasterAndData'], (transport) =>
    alchemyGasAndPaymasterAndDataMiddleware({ policyId: 'any', policyToken: policyTokenOf(task), transport }),
  );

export default { alchemyGasManagerMiddleware: gasManager, alchemyGasAndPaymasterAndDataMiddleware: gasAndPaymaster };
