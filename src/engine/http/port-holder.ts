/** A program that says nothing for so long is not asked who it is any further. */
const PROBE_MS = 1_000;

/**
 * Who listens where a desk wants to, in words: another Gasdesk describes itself.
 *
 * @param address host and port
 */
export const portHolder = async (address: string): Promise<string> => {
  try {
    const response = await fetch(`http://${address}/openapi.json`, { signal: AbortSignal.timeout(PROBE_MS) });
    const { info } = (await response.json()) as { info?: { title?: unknown } };
    if (info?.title === 'Gasdesk') return 'another Gasdesk with another data folder';
  } catch {
    // Whatever it is, it is none of ours.
  }
  return 'another program';
};
