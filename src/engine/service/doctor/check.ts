import type { ProcedureOutput } from '../../../api/index.ts';

/** One thing that was looked at: sound, sound with advice (`fix` says what), or a fault. */
export type Check = ProcedureOutput<'system.doctor'>['checks'][number];

/** Nothing is to be done. */
export const good = (name: string, detail: string): Check => ({ name, ok: true, detail, fix: '' });

/** It works, and something should be done all the same. */
export const advice = (name: string, detail: string, fix: string): Check => ({ name, ok: true, detail, fix });

/** Something is wrong. */
export const fault = (name: string, detail: string, fix: string): Check => ({ name, ok: false, detail, fix });

/** Runs checks of something. One that fails itself is a finding: the others are told all the same. */
export const isolated = async (
  name: string,
  check: () => Check | undefined | Promise<Check | readonly Check[] | undefined>,
): Promise<readonly Check[]> => {
  try {
    const found = await check();
    return found === undefined ? [] : [found].flat();
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return [
      fault(name, `Not checked. ${detail}`, 'Resolve the other findings first, then run "gasdesk doctor" again.'),
    ];
  }
};

/** Runs a check that tells its success; an expected failure is its fault. */
export const attempt = async (name: string, fix: string, probe: () => Promise<string>): Promise<Check> => {
  try {
    return good(name, await probe());
  } catch (error) {
    return fault(name, error instanceof Error ? error.message : String(error), fix);
  }
};
