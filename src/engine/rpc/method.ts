import type { Service } from '../service/index.ts';

/** Who asks, and what the answer may tell. */
export interface MethodContext {
  readonly service: Service;
  readonly chainId: number;
  readonly apiKey: string;
  /** Whether reasons of refusals are part of answers (setting `showReasons`). */
  readonly showReasons: boolean;
}

/** One JSON-RPC method; its file is named after it. */
export interface RpcMethod {
  readonly method: string;
  /**
   * Reads the params, runs the procedure, renders the result.
   * @throws EngineError
   */
  handle(params: readonly unknown[], context: MethodContext): Promise<unknown>;
}
