import type { RpcMethod } from './method.ts';
import { alchemyRequestGasAndPaymasterAndData } from './methods/alchemy_requestGasAndPaymasterAndData.ts';
import { alchemyRequestPaymasterAndData } from './methods/alchemy_requestPaymasterAndData.ts';
import { biconomyGetGasFeeValues } from './methods/biconomy_getGasFeeValues.ts';
import { ethChainId } from './methods/eth_chainId.ts';
import { ethEstimateUserOperationGas } from './methods/eth_estimateUserOperationGas.ts';
import { ethGetUserOperationByHash } from './methods/eth_getUserOperationByHash.ts';
import { ethGetUserOperationReceipt } from './methods/eth_getUserOperationReceipt.ts';
import { ethSendUserOperation } from './methods/eth_sendUserOperation.ts';
import { ethSupportedEntryPoints } from './methods/eth_supportedEntryPoints.ts';
import { gasdeskGetAllowance } from './methods/gasdesk_getAllowance.ts';
import { gasdeskGetSponsorship } from './methods/gasdesk_getSponsorship.ts';
import { netVersion } from './methods/net_version.ts';
import { pimlicoGetTokenQuotes } from './methods/pimlico_getTokenQuotes.ts';
import { pimlicoGetUserOperationGasPrice } from './methods/pimlico_getUserOperationGasPrice.ts';
import { pmAccounts } from './methods/pm_accounts.ts';
import { pmChainId } from './methods/pm_chainId.ts';
import { pmClientVersion } from './methods/pm_clientVersion.ts';
import { pmValidateSponsorshipPolicies } from './methods/pm_validateSponsorshipPolicies.ts';
import { stackupGetERC20TokenQuotes } from './methods/stackup_getERC20TokenQuotes.ts';
import { web3ClientVersion } from './methods/web3_clientVersion.ts';
import { zdGetUserOperationGasPrice } from './methods/zd_getUserOperationGasPrice.ts';
import { zdPmAccounts } from './methods/zd_pm_accounts.ts';
import { zdSponsorUserOperation } from './methods/zd_sponsorUserOperation.ts';
import { pmGetFeeQuoteOrData } from './methods/pm_getFeeQuoteOrData.ts';
import { pmGetFeeQuotes } from './methods/pm_getFeeQuotes.ts';
import { pmGetPaymasterData } from './methods/pm_getPaymasterData.ts';
import { pmGetPaymasterStubData } from './methods/pm_getPaymasterStubData.ts';
import { pmPaymasterBalance } from './methods/pm_paymasterBalance.ts';
import { pmSponsorUserOperation } from './methods/pm_sponsorUserOperation.ts';
import { pmSupportedERC20Tokens } from './methods/pm_supportedERC20Tokens.ts';
import { pmSupportedEntryPoint } from './methods/pm_supportedEntryPoint.ts';
import { pmSupportedEntryPoints } from './methods/pm_supportedEntryPoints.ts';

/** All methods. To add one, write its file in `methods/` and add a line here. */
export const rpcMethods: readonly RpcMethod[] = [
  alchemyRequestGasAndPaymasterAndData,
  alchemyRequestPaymasterAndData,
  biconomyGetGasFeeValues,
  ethChainId,
  ethEstimateUserOperationGas,
  ethGetUserOperationByHash,
  ethGetUserOperationReceipt,
  ethSendUserOperation,
  ethSupportedEntryPoints,
  gasdeskGetAllowance,
  gasdeskGetSponsorship,
  netVersion,
  pimlicoGetTokenQuotes,
  pimlicoGetUserOperationGasPrice,
  pmAccounts,
  pmChainId,
  pmClientVersion,
  pmValidateSponsorshipPolicies,
  stackupGetERC20TokenQuotes,
  web3ClientVersion,
  zdGetUserOperationGasPrice,
  zdPmAccounts,
  zdSponsorUserOperation,
  pmGetFeeQuoteOrData,
  pmGetFeeQuotes,
  pmGetPaymasterData,
  pmGetPaymasterStubData,
  pmPaymasterBalance,
  pmSponsorUserOperation,
  pmSupportedERC20Tokens,
  pmSupportedEntryPoint,
  pmSupportedEntryPoints,
];
