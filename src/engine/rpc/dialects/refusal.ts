import { z } from 'zod';
import { EngineError } from '../../../shared/errors.ts';

/** Why an operation is not sponsored, for clients (behaviour 2.5). */
export const reason = z.strictObject({
  code: z.string(),
  rule: z.string().describe('The deciding rule'),
  message: z.string(),
  hint: z.string().describe('The smallest change that lets the operation pass'),
});

/** Answer of ERC-7677 and Pimlico's dialect for an operation that is not sponsored (behaviour 2.5). */
export const refusal = (why: z.output<typeof reason>, showReasons: boolean): EngineError =>
  showReasons
    ? new EngineError('NOT_SPONSORED', `Not sponsored: ${why.message} ${why.hint}`, { ...why })
    : new EngineError('NOT_SPONSORED');
