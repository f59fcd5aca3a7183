import { type InjectionKey, inject } from 'vue';
import type { ProcedureInput, ProcedureName, ProcedureOutput } from '../../../api/index.ts';
import type { EngineAnswer } from '../../../shared/console-bridge.ts';
import { EngineError } from '../../../shared/errors.ts';
import type { FeedPage } from '../../../shared/schema/decision.ts';

/** The feed over one connection, until it is lost. */
export interface FeedSource {
  /** Position of the feed up to which everything was seen; undefined: begin now. */
  readonly after: number | undefined;
  /** Aborted when nobody listens any more. */
  readonly signal: AbortSignal;
  /** The first page, which may be empty, comes as soon as the connection stands. */
  readonly onPage: (page: FeedPage) => void;
}

/** The way from a page to the engine, whatever carries it. */
export interface Transport {
  /** Calls a procedure. @throws EngineError, or what the connection throws when there is none */
  call<Name extends ProcedureName>(name: Name, input: ProcedureInput<Name>): Promise<ProcedureOutput<Name>>;
  /** Tells the feed until the connection ends, which rejects or resolves. {@link followFeed} reconnects. */
  feed(source: FeedSource): Promise<void>;
  /** Puts text on the clipboard. */
  copy(text: string): Promise<void>;
  /** Opens a report where it can be printed: that of the filter, which the caller has had made already, as `html`. */
  print(filter: ProcedureInput<'decisions.report'>, html: string): Promise<void>;
}

/** Under this key the application provides its transport. */
export const transportKey: InjectionKey<Transport> = Symbol('transport');

/** The transport of the application; to be called where `inject` may be. */
export const useTransport = (): Transport => {
  const transport = inject(transportKey);
  if (transport === undefined) throw new Error('The application provides no transport');
  return transport;
};

/** What a procedure answered. @throws EngineError as the engine told it */
export const outputOf = <Name extends ProcedureName>(answer: EngineAnswer): ProcedureOutput<Name> => {
  if (!answer.ok) throw new EngineError(answer.code, answer.message, answer.data);
  return answer.output as ProcedureOutput<Name>;
};
