/** The choice for a chain id (EIP-155) that was typed; undefined if the text is no chain id. */
export const typedChain = (typed: string): { value: number; label: string } | undefined => {
  const chainId = /^\d{1,15}$/.test(typed.trim()) ? Number(typed) : 0;
  return chainId > 0 ? { value: chainId, label: `Chain ${chainId}` } : undefined;
};
