import { join } from 'node:path';
import type { ProcedureInput, ProcedureName, ProcedureOutput } from '../../src/api/index.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import { loadConfig } from '../../src/engine/config/config.ts';
// An engine loads these when it first needs them, which takes real time.
import '../../src/engine/identity/verify-id-token.ts';
import '../../src/engine/metrics/metrics.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { type Engine, createEngine } from '../../src/engine/index.ts';
import { Disk, type DiskFaults, type Ending, type Moment, copyFolder } from './disk.ts';
import type { Draw } from '../support/draw.ts';
import { type ProcessClock, type VirtualTime, settle, settled } from './time.ts';
import { removeFolder } from './folders.ts';
import { type Internet, ProcessNetwork } from './wires.ts';

const PASSPHRASE = 'correct horse battery staple';
/** Time after which an engine that stops, or has been cut off, has nothing left to do, ms. */
const END_MS = 3_600_000;

interface Process {
  readonly dir: string;
  readonly engine: Engine;
  readonly clock: ProcessClock;
  readonly network: ProcessNetwork;
  readonly disk: Disk;
}

export interface DeskOptions {
  readonly dir: string;
  readonly draw: Draw;
  readonly time: VirtualTime;
  readonly internet: Internet;
  readonly disk: DiskFaults;
  /** Called with every line of an engine's own log. */
  readonly note?: (line: string) => void;
}

/** A desk whose engine stops, dies and starts again, on the files that are then left. */
export class SimulatedDesk {
  readonly #options: DeskOptions;
  readonly #log: string[] = [];
  #process: Process | undefined;
  #starts = 0;

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  /** The newest lines of the engine's own log. */
  get log(): readonly string[] {
    return this.#log.slice(-40);
  }

  get isUp(): boolean {
    return this.#process !== undefined && !this.#process.disk.hasEnded;
  }

  get #running(): Process {
    if (this.#process === undefined) throw new Error('No engine runs');
    return this.#process;
  }

  get database(): string {
    return join(this.#running.dir, 'gasdesk.db');
  }

  #folder(nth: number): string {
    return join(this.#options.dir, `start ${nth}`);
  }

  /**
   * Starts an engine on the files that the one before has left.
   *
   * @throws EngineError of a disk without room; another start can then be tried
   */
  async start(): Promise<void> {
    const { draw, time, internet, disk: faults, note } = this.#options;
    const dir = this.#folder(this.#starts + 1);
    const part = draw.part(`start ${this.#starts} at ${time.now}`);
    const clock = time.clock();
    const write = (line: string): void => {
      this.#log.push(line);
      note?.(line);
    };
    const network = new ProcessNetwork(internet, clock);
    const folder = openDataFolder(dir);
    const disk = new Disk(folder.dir, part.part('disk'), faults, (ms) => time.sleep(ms));
    let engine: Engine | undefined;
    try {
      const creating = createEngine({
        folder,
        config: loadConfig({ flags: { port: 0, rateLimitPerKey: 0, rateLimitPerSender: 0, rateLimitPerIp: 0 } }),
        log: createLog({ level: 'info', clock, write }),
        passphrase: new Secret(PASSPHRASE),
        scrypt: { N: 2, r: 1, p: 1 },
        clock,
        entropy: { bytes: (count) => part.bytes(count), uuid: () => uuidOf(part.bytes(16)) },
        network,
        freeBytes: () => Promise.resolve(faults.full > 0 ? 0n : 2n ** 40n),
      });
      engine = await settled(creating);
      await settled(engine.serve());
    } catch (error) {
      disk.close();
      if (engine !== undefined) await settled(engine.stop());
      throw error;
    }
    this.#starts += 1;
    this.#process = { dir: folder.dir, engine, clock, network, disk };
    await settle();
  }

  call<Name extends ProcedureName>(name: Name, input: ProcedureInput<Name>): Promise<ProcedureOutput<Name>> {
    return this.#running.engine.service.call(name, input as never) as Promise<ProcedureOutput<Name>>;
  }

  get service(): Engine['service'] {
    return this.#running.engine.service;
  }

  /** Sends a request over HTTP. Undefined if no answer came. */
  async request(method: 'GET' | 'POST', path: string, body?: unknown): ReturnType<ProcessNetwork['request']> {
    return this.#process?.network.request(method, path, body === undefined ? '' : JSON.stringify(body));
  }

  /** Ends the engine without warning, at a moment: from then on, no one hears of it. */
  crash(ending: Ending, moment: Moment): void {
    const { disk, network } = this.#running;
    disk.end(ending, moment, () => network.cut());
  }

  /** Removes what a dead engine has left in this process, except for its files. */
  async bury(): Promise<void> {
    if (this.#process === undefined) return;
    const dead = this.#take();
    dead.disk.leaveIn(this.#folder(this.#starts + 1));
    await this.#end(dead, dead.clock.leave());
  }

  /** Stops the engine as its operator does. Another one can then start. */
  async stop(): Promise<void> {
    const stopping = this.#take();
    await this.#end(stopping, this.#options.time, this.#folder(this.#starts + 1));
  }

  /** Ends a simulation, whatever state the desk is in. */
  async abandon(): Promise<void> {
    if (this.#process === undefined) return;
    const { network, clock } = this.#process;
    network.cut();
    const left = this.#take();
    await this.#end(left, clock.leave());
  }

  #take(): Process {
    const taken = this.#running;
    this.#process = undefined;
    taken.disk.close();
    return taken;
  }

  /** Stops an engine, and removes its folder after its files are copied. */
  async #end({ engine, dir }: Process, time: VirtualTime, copy?: string): Promise<void> {
    let isOver = false;
    const over = engine.stop().finally(() => (isOver = true));
    over.catch(() => undefined);
    // The machine may sleep meanwhile.
    const end = time.awake + END_MS;
    do await settle();
    while (!isOver && time.awake < end && time.step(time.now + END_MS));
    if (!isOver) throw new Error('The engine does not stop');
    // A dead engine may fail to stop: its connections are cut.
    if (copy !== undefined) {
      await over;
      copyFolder(dir, copy);
    }
    removeFolder(dir);
  }
}

const uuidOf = (bytes: Uint8Array): string => {
  const hex = Buffer.from(bytes).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
};
