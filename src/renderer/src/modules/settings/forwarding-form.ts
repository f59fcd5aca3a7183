import type { Chain } from '../../desk/types.ts';

export type Forwarding = NonNullable<Chain['forwardBundler']> | 'off';

/** What Gasdesk may pass on to the bundler of a chain. */
export const forwardings: { value: Forwarding; label: string }[] = [
  { value: 'off', label: 'Nothing' },
  { value: 'own', label: 'Only operations that Gasdesk signed' },
  { value: 'all', label: 'Any operation' },
];

const FOR_CLIENTS = 'for clients that have one URL for both';

/** The effect of the setting, as a sentence. */
export const forwardingSentence = (which: Forwarding, { bundler }: Pick<Chain, 'bundler'>): string => {
  if (which === 'off') return 'A DApp that sends a bundler method to Gasdesk gets an error that says where to send it.';
  const sends =
    which === 'own' ? 'It sends only operations that Gasdesk has signed for the DApp.' : 'It sends any operation.';
  const missing = bundler === null ? ' The chain has no bundler yet: save its URL above.' : '';
  return `Gasdesk passes bundler methods that DApps send to it on to the bundler of the chain, ${FOR_CLIENTS}. ${sends} The setting rateLimitForwarded limits the requests.${missing}`;
};
