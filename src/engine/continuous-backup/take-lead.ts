import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '../../shared/errors.ts';
import type { Clock, Entropy } from '../base/clock.ts';
import { writeDurably } from '../data-folder/write-durably.ts';
import { type Lease, newestLease, takeOwnLease } from './lease.ts';
import { openTarget } from './open-target.ts';
import type { CopyTarget, LeaseTarget, TargetPlace } from './target.ts';

/** File with the name under which a data folder leads. It is in no copy, so that each folder has its own. */
const holderFile = (dir: string): string => join(dir, 'lead-name');

export const saveHolder = (dir: string, holder: string): void => writeDurably(holderFile(dir), holder);

const holderOf = (dir: string, entropy: Pick<Entropy, 'uuid'>): string => {
  const file = holderFile(dir);
  if (!existsSync(file)) saveHolder(dir, entropy.uuid());
  return readFileSync(file, 'utf8');
};

/** The target of a lease. @throws EngineError `CONFIG_INVALID` if desks cannot agree in this target on which of them leads */
export const leaseTarget = (place: TargetPlace): LeaseTarget => {
  const target = place.target === '' ? undefined : openTarget(place);
  if (target?.create !== undefined) return target as LeaseTarget;
  throw new EngineError('CONFIG_INVALID', 'A standby needs a continuous backup to a folder (continuousBackup)');
};

interface LeadOrder {
  readonly target: CopyTarget;
  readonly dir: string;
  readonly clock: Clock;
  readonly entropy: Pick<Entropy, 'uuid'>;
}

const anotherLed = ({ target, dir }: Pick<LeadOrder, 'target' | 'dir'>): EngineError =>
  new EngineError(
    'DATA_FOLDER_UNUSABLE',
    `Another desk has taken the lead in ${target.name}, so this data folder lacks what that desk signed. Start this one as its standby: gasdesk serve --standby ${target.name}`,
    { dir },
  );

/**
 * For a desk whose answers do not wait for the copy. A target that does not answer cannot show another desk, and does not
 * prevent the start.
 * @throws EngineError `DATA_FOLDER_UNUSABLE` if another desk has led in the target since this data folder did
 */
export const requireNoLaterLead = async ({ target, dir, entropy }: Omit<LeadOrder, 'clock'>): Promise<void> => {
  const newest = await newestLease(target).catch(() => undefined);
  if (newest !== undefined && newest.holder !== holderOf(dir, entropy)) throw anotherLed({ target, dir });
};

/** Takes the lead. @throws EngineError `DATA_FOLDER_UNUSABLE` if another desk has led since this data folder did */
export const takeLead = async ({
  target,
  dir,
  clock,
  entropy,
}: LeadOrder & { readonly target: LeaseTarget }): Promise<Lease> => {
  const lease = await takeOwnLease({ target, holder: holderOf(dir, entropy), clock });
  if (lease !== undefined) return lease;
  throw anotherLed({ target, dir });
};
