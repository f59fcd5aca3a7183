/** How long to wait for a program to identify itself, in ms. A busy Gasdesk may need more than a second. */
const PROBE_MS = 5_000;

/**
 * Describes the program that listens on the desired address, such as another Gasdesk.
 *
 * @param address host and port
 */
export const portHolder = async (address: string): Promise<string> => {
  try {
    const response = await fetch(`http://${address}/openapi.json`, { signal: AbortSignal.timeout(PROBE_MS) });
    const { info } = (await response.json()) as { info?: { title?: unknown } };
    if (info?.title === 'Gasdesk') return 'another Gasdesk with another data folder';
  } catch {
    // The other program is not a Gasdesk.
  }
  return 'another program';
};
