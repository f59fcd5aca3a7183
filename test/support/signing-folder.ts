import { Wallet } from 'ethers';
import { loadConfig } from '../../src/engine/config/config.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { createEngine } from '../../src/engine/index.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { Secret } from '../../src/engine/base/secret.ts';

export const CHAIN = 31337;
/** Environment of a `serve` on {@link signingFolder}. */
export const SIGNING_ENV = { GASDESK_PASSPHRASE: 'correct horse', GASDESK_LOG_LEVEL: 'error' };

/**
 * Makes a desk that signs without a chain: the contract is attached unverified, and the client gives the gas. It has
 * one DApp, limited to `threshold` operations a year. @returns its API key
 */
export const signingFolder = async (dir: string, threshold: number): Promise<string> => {
  const engine = await createEngine({
    folder: openDataFolder(dir),
    config: loadConfig({}),
    log: createLog({ level: 'silent' }),
    passphrase: new Secret(SIGNING_ENV.GASDESK_PASSPHRASE),
    scrypt: { N: 2, r: 1, p: 1 },
  });
  try {
    const { service } = engine;
    await service.call('signers.create', { chainId: CHAIN });
    const address = `0x${'ab'.repeat(20)}`;
    await service.call('paymasterContracts.use', { chainId: CHAIN, version: '1.1.0', address });
    const [account] = await service.call('accounts.list', {});
    const { paymasterId, apiKey } = await service.call('paymasters.create', {
      accountId: account?.accountId,
      name: 'Game',
      type: 'HYBRID',
      chainId: CHAIN,
      version: '1.1.0',
    });
    const wallet = Wallet.createRandom();
    const { fundingMessage } = await service.call('paymasters.fundingMessage', { paymasterId });
    const signature = await wallet.signMessage(fundingMessage);
    const proof = { type: 'paymasterFundingId', signature, address: wallet.address };
    await service.call('paymasters.setFundingWallet', { paymasterId, ...proof });
    const policyData = { type: 'PAYMASTER', thresholdType: 'COUNT', threshold };
    const rule = {
      name: 'A few a year',
      policyType: 'PAYMASTER_SA_LIMIT',
      policyData: { ...policyData, cycleDuration: { value: 365, unit: 'day' } },
    };
    await service.call('rules.create', { paymasterId, rule });
    return apiKey;
  } finally {
    await engine.stop();
  }
};

/** An operation that the desk of {@link signingFolder} sponsors. */
export const signableOperation = (nonce: number) => ({
  sender: `0x${'11'.repeat(20)}`,
  nonce: String(nonce),
  callData: '0x',
  callGasLimit: '100000',
  verificationGasLimit: '100000',
  preVerificationGas: '50000',
  maxFeePerGas: '1000000000',
  maxPriorityFeePerGas: '1',
});
