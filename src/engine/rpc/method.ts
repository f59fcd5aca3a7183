import type { z } from 'zod';
import type { ErrorCode } from '../../shared/errors.ts';
import type { Soon } from '../base/soon.ts';
import type { Decided, Service } from '../service/index.ts';

export interface MethodContext {
  readonly service: Service;
  readonly chainId: number;
  readonly apiKey: string;
  /** Whether answers contain the reasons of refusals (setting `showReasons`). */
  readonly showReasons: boolean;
  /** Receives the decision that the request led to. */
  readonly decided: (decision: Decided) => void;
}

export interface MethodParam {
  readonly name: string;
  readonly summary: string;
  readonly schema: z.ZodType;
  readonly optional?: true;
}

/** An example of a request and its answer, as they are sent. */
export interface MethodExample {
  readonly params: readonly unknown[];
  readonly result: unknown;
}

/** One JSON-RPC method: its description and its code. Its file is named after it. */
export interface RpcMethod {
  readonly method: string;
  /** A description in one line. */
  readonly summary: string;
  readonly params: readonly MethodParam[];
  /** Schema of the result as it is sent. */
  readonly result: z.ZodType;
  readonly example: MethodExample;
  /** Expected errors in addition to {@link commonErrors}. */
  readonly errors: readonly ErrorCode[];
  /** True if the method is passed on to a bundler. */
  readonly isForwarded?: true;
  /** Validates the params, runs the procedure and returns the result as it is sent. @throws EngineError */
  handle(params: readonly unknown[], context: MethodContext): Soon<unknown>;
}

/** Errors that any request can cause, whatever its method. */
export const commonErrors: readonly ErrorCode[] = [
  'PARSE_ERROR',
  'INVALID_REQUEST',
  'VALIDATION',
  'INTERNAL',
  'UNKNOWN_API_KEY',
  'RATE_LIMITED',
  'STORAGE_FAILED',
  'STORE_UNAVAILABLE',
  'LOG_ROLLED_BACK',
];
