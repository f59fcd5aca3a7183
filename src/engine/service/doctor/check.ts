import type { ProcedureOutput } from '../../../api/index.ts';

/** The result of one check: success, success with advice (in `fix`), or an error. */
export type Check = ProcedureOutput<'system.doctor'>['checks'][number];

export const good = (name: string, detail: string): Check => ({ name, ok: true, detail, fix: '' });

/** A success, but the operator should do something. */
export const advice = (name: string, detail: string, fix: string): Check => ({ name, ok: true, detail, fix });

export const failed = (name: string, detail: string, fix: string): Check => ({ name, ok: false, detail, fix });

/** Runs checks. If they throw, the error becomes a result, so that other checks still run. */
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
      failed(name, `Not checked. ${detail}`, 'Resolve the other findings first, then run "gasdesk doctor" again.'),
    ];
  }
};

/** Runs a check that returns its success message. An expected error becomes the result. */
export const attempt = async (name: string, fix: string, probe: () => Promise<string>): Promise<Check> => {
  try {
    return good(name, await probe());
  } catch (error) {
    return failed(name, error instanceof Error ? error.message : String(error), fix);
  }
};
