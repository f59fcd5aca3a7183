import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';

/** Description of one procedure of the service: the only way in, whatever the door (DESIGN, rule 1). */
export interface Procedure<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  readonly summary: string;
  readonly input: Input;
  readonly output: Output;
  /** Expected failures besides `VALIDATION` and `INTERNAL`, which every procedure has. */
  readonly errors: readonly ErrorCode[];
}

/** Declares a procedure, keeping the exact types of its schemas. */
export const procedure = <Input extends z.ZodType, Output extends z.ZodType>(
  declaration: Procedure<Input, Output>,
): Procedure<Input, Output> => declaration;
