import type { z } from 'zod';
import type { ErrorCode } from '../../shared/errors.ts';
import type { Service } from '../service/index.ts';

/** Who asks, and what the answer may tell. */
export interface MethodContext {
  readonly service: Service;
  readonly chainId: number;
  readonly apiKey: string;
  /** Whether reasons of refusals are part of answers (setting `showReasons`). */
  readonly showReasons: boolean;
}

/** A parameter of a method, by its position. */
export interface MethodParam {
  readonly name: string;
  readonly summary: string;
  readonly schema: z.ZodType;
  /** True where clients may leave it out. */
  readonly optional?: true;
}

/** A request and its answer as they are on the wire. */
export interface MethodExample {
  readonly params: readonly unknown[];
  readonly result: unknown;
}

/** One JSON-RPC method: how it is described, and what it does. Its file is named after it. */
export interface RpcMethod {
  readonly method: string;
  /** What it is for, in one line. */
  readonly summary: string;
  readonly params: readonly MethodParam[];
  /** The result as it is on the wire. */
  readonly result: z.ZodType;
  readonly example: MethodExample;
  /** Expected failures besides those that every method has: see {@link commonErrors}. */
  readonly errors: readonly ErrorCode[];
  /**
   * Reads the params, runs the procedure, renders the result.
   * @throws EngineError
   */
  handle(params: readonly unknown[], context: MethodContext): Promise<unknown>;
}

/** What any request may be answered with, whatever its method. */
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
