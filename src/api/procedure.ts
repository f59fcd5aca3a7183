import { z } from 'zod';
import type { ErrorCode } from '../shared/errors.ts';

/** One procedure of the service. Every interface calls the service through its procedures. */
export interface Procedure<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  readonly summary: string;
  readonly input: Input;
  readonly output: Output;
  /** Expected errors in addition to `VALIDATION` and `INTERNAL`, which every procedure can return. */
  readonly errors: readonly ErrorCode[];
}

const nothing = z.strictObject({});
const noAnswer = z.null();

/**
 * Declares a procedure, keeping the exact types of its schemas. Without a schema, its input or output is empty; without
 * `errors`, it has no errors of its own.
 */
export const procedure = <Input extends z.ZodType = typeof nothing, Output extends z.ZodType = typeof noAnswer>(
  declaration: Pick<Procedure, 'summary'> & Partial<Procedure<Input, Output>>,
): Procedure<Input, Output> =>
  ({ input: nothing, output: noAnswer, errors: [], ...declaration }) as unknown as Procedure<Input, Output>;
