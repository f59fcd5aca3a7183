import { type InjectionKey, inject } from 'vue';
import type { ProcedureInput, ProcedureName, ProcedureOutput } from '../../../api/index.ts';
import type { EngineAnswer } from '../../../shared/console-bridge.ts';
import { EngineError } from '../../../shared/errors.ts';
import type { FeedPage } from '../../../shared/schema/decision.ts';

export interface FeedSource {
  /** Position up to which everything has been seen; undefined for only new pages. */
  readonly after: number | undefined;
  /** Aborted when the listener stops. */
  readonly signal: AbortSignal;
  /** The first page, which may be empty, arrives as soon as the connection is established. */
  readonly onPage: (page: FeedPage) => void;
}

/** A page's connection to the engine, over any medium. */
export interface Transport {
  /** @throws EngineError, or the connection's error if it is lost */
  call<Name extends ProcedureName>(name: Name, input: ProcedureInput<Name>): Promise<ProcedureOutput<Name>>;
  /**
   * Delivers the feed until the connection ends, when the promise resolves or rejects. {@link followFeed} reconnects.
   */
  feed(source: FeedSource): Promise<void>;
  copy(text: string): Promise<void>;
  /** Opens the report for a filter, for printing. `html` is the report that the caller already has. */
  print(filter: ProcedureInput<'decisions.report'>, html: string): Promise<void>;
}

/** Key under which the application provides its transport. */
export const transportKey: InjectionKey<Transport> = Symbol('transport');

/** The application's transport. Call it only where `inject` works. */
export const useTransport = (): Transport => {
  const transport = inject(transportKey);
  if (transport === undefined) throw new Error('The application provides no transport');
  return transport;
};

/** Returns the output in an answer. @throws EngineError as reported by the engine */
export const outputOf = <Name extends ProcedureName>(answer: EngineAnswer): ProcedureOutput<Name> => {
  if (!answer.ok) throw new EngineError(answer.code, answer.message, answer.data);
  return answer.output as ProcedureOutput<Name>;
};
