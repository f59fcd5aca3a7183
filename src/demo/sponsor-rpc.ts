export interface RpcReply {
  status: number;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

export interface SponsorAddress {
  /** URL of Gasdesk. */
  readonly url: string;
  readonly chainId: number;
  readonly apiKey: string;
}

export interface Reason {
  readonly code: string;
  readonly rule: string;
  readonly message: string;
  readonly hint: string;
}

/** Sends `pm_sponsorUserOperation` over HTTP, like any client. */
export const requestSponsorship = async (
  { url, chainId, apiKey }: SponsorAddress,
  params: readonly unknown[],
): Promise<RpcReply> => {
  const response = await fetch(`${url}/api/v1/${chainId}/${apiKey}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'pm_sponsorUserOperation', params }),
  });
  return { status: response.status, ...((await response.json()) as Omit<RpcReply, 'status'>) };
};

/** Options for a sponsored operation whose gas Gasdesk estimates. */
export const SPONSORED_OPTIONS = { mode: 'SPONSORED', calculateGasLimits: true, expiryDuration: 300 };

/** Gas for an operation whose gas cannot be estimated, because it cannot succeed. */
export const GIVEN_GAS = {
  fields: { callGasLimit: '200000', verificationGasLimit: '500000', preVerificationGas: '60000' },
  options: { calculateGasLimits: false },
};

/**
 * Why an operation is not sponsored; undefined if it is sponsored, or for any other error. A denial is a result. In
 * token mode it is an error, because with `0x` the user would pay in the native coin.
 */
export const reasonOf = ({ status, result, error }: RpcReply): Reason | undefined => {
  if (error !== undefined) return error.code === -32050 ? (error.data as Reason) : undefined;
  const { paymasterAndData, reason } = result as { paymasterAndData: string; reason?: Reason };
  return status === 200 && paymasterAndData === '0x' ? reason : undefined;
};
