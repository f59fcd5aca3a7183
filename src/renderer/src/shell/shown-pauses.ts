import type { ProcedureOutput } from '../../../api/index.ts';
import { CHAIN_BREAKER_REASON } from '../../../shared/words/breaker.ts';

type PausedDapp = ProcedureOutput<'system.info'>['pausedDapps'][number];

/** A pause of one DApp, or of all DApps that a chain's breaker paused together. */
export interface ShownPause {
  readonly dapps: readonly [PausedDapp, ...PausedDapp[]];
  /** Their names, or their number. */
  readonly names: string;
}

/** Maximum number of DApps that are named. */
const MOST_NAMES = 3;
const list = new Intl.ListFormat('en');

const groupOf = ({ paymasterId, since, reason }: PausedDapp): string =>
  reason?.startsWith(CHAIN_BREAKER_REASON) === true ? `${since} ${reason}` : paymasterId;

/** The pauses of DApps, as they are shown at the top of each page: DApps that were paused by one breaker are shown together. */
export const shownPauses = (paused: readonly PausedDapp[]): readonly ShownPause[] =>
  [...Map.groupBy(paused, groupOf).values()].map((group) => {
    const dapps = group as [PausedDapp, ...PausedDapp[]];
    const names = dapps.length > MOST_NAMES ? `${dapps.length} DApps` : list.format(dapps.map(({ name }) => name));
    return { dapps, names };
  });
