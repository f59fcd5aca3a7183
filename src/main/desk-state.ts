import type { Service } from '../engine/service/index.ts';
import { isProcedureName } from '../shared/contract/index.ts';

/** What the desk does, in one word. */
export type DeskState = 'sponsoring' | 'paused' | 'locked' | 'fault';

/** The desk as the tray needs it. */
export interface DeskControl {
  /** Never rejects: a desk that does not answer is `fault`. */
  state(): Promise<DeskState>;
  /** Stops and starts all sponsorship; undefined where the engine cannot. */
  readonly pause: (() => Promise<unknown>) | undefined;
  readonly resume: (() => Promise<unknown>) | undefined;
}

/** The procedure of this name, where the engine has it. */
const procedureOf = (service: Service, name: string, input: object): (() => Promise<unknown>) | undefined =>
  isProcedureName(name) ? () => service.call(name, input) : undefined;

/** The desk behind the service. */
export const deskControl = (service: Service): DeskControl => ({
  pause: procedureOf(service, 'system.pause', { reason: 'Paused from the tray' }),
  resume: procedureOf(service, 'system.resume', {}),
  async state() {
    try {
      const info: { vault: string; paused?: unknown } = await service.call('system.info', {});
      if (info.paused !== undefined && info.paused !== null) return 'paused';
      return info.vault === 'unlocked' ? 'sponsoring' : 'locked';
    } catch {
      return 'fault';
    }
  },
});
