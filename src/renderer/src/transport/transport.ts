import { type InjectionKey, inject } from 'vue';
import type { ProcedureInput, ProcedureName, ProcedureOutput } from '../../../shared/contract/index.ts';
import type { DecisionRecord } from '../../../shared/schema/decision.ts';

/** Decisions from one connection, until it is lost. */
export interface DecisionSource {
  /** Seq of the last decision seen. */
  readonly after: number;
  /** Aborted when nobody listens any more. */
  readonly signal: AbortSignal;
  /** The connection stands. */
  readonly onConnected: () => void;
  readonly onDecision: (decision: DecisionRecord) => void;
  /** Everything up to this seq was told, so that a new connection may begin behind it. */
  readonly onPosition: (seq: number) => void;
}

/** The way from a page to the engine, whatever carries it. */
export interface Transport {
  /** Calls a procedure. @throws EngineError, or what the connection throws when there is none */
  call<Name extends ProcedureName>(name: Name, input: ProcedureInput<Name>): Promise<ProcedureOutput<Name>>;
  /** Tells decisions until the connection ends, which rejects or resolves. {@link followDecisions} reconnects. */
  decisions(source: DecisionSource): Promise<void>;
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
