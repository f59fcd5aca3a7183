import type { Service } from '../engine/service/index.ts';

export type DeskState = 'sponsoring' | 'paused' | 'locked' | 'error';

export interface DeskControl {
  /** Never rejects: if the engine does not answer, the state is `error`. */
  state(): Promise<DeskState>;
  readonly pause: () => Promise<unknown>;
  readonly resume: () => Promise<unknown>;
}

export const deskControl = (service: Service): DeskControl => ({
  pause: () => service.call('system.pause', { reason: 'Paused from the tray' }),
  resume: () => service.call('system.resume', {}),
  async state() {
    try {
      const { paused, vault } = await service.call('system.info', {});
      if (paused !== null) return 'paused';
      return vault === 'unlocked' ? 'sponsoring' : 'locked';
    } catch {
      return 'error';
    }
  },
});
