/** Instructions to the operator for solving a problem, as sentences. Each command is written only here. */
export const fixes = {
  unlockVault: 'Start the service with GASDESK_PASSPHRASE or --passphrase-file.',
  setRpc: (chainId: number): string => `Run "gasdesk chain set ${chainId} --rpc URL".`,
  createSigner: (chainId: number): string => `Run "gasdesk signer create --chain ${chainId}".`,
  importSigner: (chainId: number): string => `Run "gasdesk signer import --chain ${chainId} --private-key-file FILE".`,
  attachContract: (chainId: number, version: string): string =>
    `Attach the right contract with "gasdesk contract use --chain ${chainId} --version ${version} --address 0x…".`,
};
