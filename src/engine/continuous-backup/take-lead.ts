import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '../../shared/errors.ts';
import type { Clock, Entropy } from '../base/clock.ts';
import { writeDurably } from '../data-folder/write-durably.ts';
import { type Lease, newestLease, takeOwnLease } from './lease.ts';
import { openTarget } from './open-target.ts';
import type { CopyTarget, TargetPlace } from './target.ts';

/** File with the name under which a data folder leads. It is in no copy, so that each folder has its own. */
const holderFile = (dir: string): string => join(dir, 'lead-name');

export const saveHolder = (dir: string, holder: string): void => writeDurably(holderFile(dir), holder);

const holderOf = (dir: string, entropy: Pick<Entropy, 'uuid'>): string => {
  const file = holderFile(dir);
  if (!existsSync(file)) saveHolder(dir, entropy.uuid());
  return readFileSync(file, 'utf8');
};

/**
 * Opens the target of a lease, and tries whether it creates an object only once.
 *
 * @throws EngineError `CONFIG_INVALID` if desks cannot agree in this target on which of them leads; `BACKUP_FAILED`
 */
export const leaseTarget = async (
  place: TargetPlace,
  entropy: Pick<Entropy, 'uuid'>,
  stop?: AbortSignal,
): Promise<CopyTarget> => {
  if (place.target === '')
    throw new EngineError('CONFIG_INVALID', 'A standby needs a continuous backup (continuousBackup)');
  const target = openTarget(place, stop);
  const name = `trial/${entropy.uuid()}`;
  const isCreated = await target.create(name, Buffer.from('first'));
  const isReplaced = await target.create(name, Buffer.from('second'));
  await target.remove([name]);
  if (isCreated && !isReplaced) return target;
  throw new EngineError(
    'CONFIG_INVALID',
    `${target.name} creates an object that exists (it ignores If-None-Match), so two desks could lead. Use another store, or a folder`,
  );
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
export const takeLead = async ({ target, dir, clock, entropy }: LeadOrder): Promise<Lease> => {
  const lease = await takeOwnLease({ target, holder: holderOf(dir, entropy), clock });
  if (lease !== undefined) return lease;
  throw anotherLed({ target, dir });
};
