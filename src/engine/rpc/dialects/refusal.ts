import { z } from 'zod';
import { EngineError } from '../../../shared/errors.ts';

/** Why an operation is not sponsored, for clients (behaviour 2.5). */
export const reason = z.strictObject({
  code: z.string(),
  rule: z.string().describe('The deciding rule'),
  message: z.string(),
  hint: z.string().describe('The smallest change that lets the operation pass'),
});

/** The answer in ERC-7677 and in Pimlico's dialect if an operation is not sponsored (behaviour 2.5). */
export const refusal = (why: z.output<typeof reason>, showReasons: boolean): EngineError =>
  showReasons
    ? new EngineError('NOT_SPONSORED', `Not sponsored: ${why.message} ${why.hint}`, { ...why })
    : new EngineError('NOT_SPONSORED');
