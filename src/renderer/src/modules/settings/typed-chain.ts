/** The choice of a chain whose id somebody types (EIP-155); undefined while it is none. */
export const typedChain = (typed: string): { value: number; label: string } | undefined => {
  const chainId = /^\d{1,15}$/.test(typed.trim()) ? Number(typed) : 0;
  return chainId > 0 ? { value: chainId, label: `Chain ${chainId}` } : undefined;
};
