import { type InjectionKey, inject } from 'vue';
import type { ProcedureInput, ProcedureName, ProcedureOutput } from '../../../api/index.ts';
import type { EngineAnswer } from '../../../shared/console-bridge.ts';
import { EngineError } from '../../../shared/errors.ts';
import type { FeedPage } from '../../../shared/schema/decision.ts';

export interface FeedSource {
  /** Position up to which everything was seen; undefined: begin now. */
  readonly after: number | undefined;
  /** Aborted when the listener stops. */
  readonly signal: AbortSignal;
  /** The first page, which may be empty, arrives as soon as the connection stands. */
  readonly onPage: (page: FeedPage) => void;
}

/** The connection from a page to the engine, over any medium. */
export interface Transport {
  /** @throws EngineError, or the connection's error if it is lost */
  call<Name extends ProcedureName>(name: Name, input: ProcedureInput<Name>): Promise<ProcedureOutput<Name>>;
  /** Delivers the feed until the connection ends, which rejects or resolves. {@link followFeed} reconnects. */
  feed(source: FeedSource): Promise<void>;
  copy(text: string): Promise<void>;
  /** Opens the report of a filter for printing; `html` is the report that the caller already has. */
  print(filter: ProcedureInput<'decisions.report'>, html: string): Promise<void>;
}

/** The application provides its transport under this key. */
export const transportKey: InjectionKey<Transport> = Symbol('transport');

/** The transport of the application; call only where `inject` works. */
export const useTransport = (): Transport => {
  const transport = inject(transportKey);
  if (transport === undefined) throw new Error('The application provides no transport');
  return transport;
};

/** Unwraps an answer. @throws EngineError as the engine reported it */
export const outputOf = <Name extends ProcedureName>(answer: EngineAnswer): ProcedureOutput<Name> => {
  if (!answer.ok) throw new EngineError(answer.code, answer.message, answer.data);
  return answer.output as ProcedureOutput<Name>;
};
