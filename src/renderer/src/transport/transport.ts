import { type InjectionKey, inject } from 'vue';
import type { ProcedureInput, ProcedureName, ProcedureOutput } from '../../../shared/contract/index.ts';

/** The way from a page to the engine, whatever carries it. */
export interface Transport {
  /** Calls a procedure. @throws EngineError */
  call<Name extends ProcedureName>(name: Name, input: ProcedureInput<Name>): Promise<ProcedureOutput<Name>>;
  /** Puts text on the clipboard. */
  copy(text: string): Promise<void>;
}

/** Under this key the application provides its transport. */
export const transportKey: InjectionKey<Transport> = Symbol('transport');

/** The transport of the application; to be called where `inject` may be. */
export const useTransport = (): Transport => {
  const transport = inject(transportKey);
  if (transport === undefined) throw new Error('The application provides no transport');
  return transport;
};
