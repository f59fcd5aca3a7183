import type { Clock, Entropy } from '../base/clock.ts';
import type { Config } from '../config/config.ts';
import type { Deliverer } from '../webhooks/deliver.ts';
import type { PauseSwitch } from './pause-switch.ts';
import type { PayerContext } from './payer.ts';

/** What deciding works with. */
export interface DecisionContext extends PayerContext {
  readonly webhooks: Deliverer;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly pause: PauseSwitch;
  /** The settings in force. */
  readonly config: Pick<Config, 'outstandingSharePercent' | 'blankWebhookData'>;
}
