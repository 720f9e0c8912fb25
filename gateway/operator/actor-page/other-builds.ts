/** The builds that `operator.builds` of the configuration names, with which operators may take recorded steps again. */
import type { ActorEvent } from '../../../actors/runtime/index.ts';
import { Semaphore, type StoreChoice } from '../../../actors/runtime/index.ts';
import { oneStep, type Replayed } from '../../../actors/runtime/inspect/replay.ts';
import { OperatorFault } from '../http/operator-route.ts';
import { type Bounds, BuildUnfit, stepElsewhere } from '../replay-elsewhere.ts';

/** Of the process of a step. */
const STEP_BOUNDS = { ms: 30_000, heapMiB: 512 } as const;
/** Steps that run or wait; each is a process of its own. */
const WAITING_MAX = 4;

interface StepName {
  readonly address: string;
  readonly version: number;
  /** Taken instead of the recorded one. */
  readonly event?: ActorEvent | undefined;
}

export class OtherBuilds {
  readonly #folders: ReadonlyMap<string, string>;
  readonly #store: StoreChoice;
  readonly #bounds: Bounds;
  readonly #turns = new Semaphore(1);
  #waiting = 0;

  /** `builds`: absolute folders by name. Of the environment only what a process needs to start is passed on. */
  constructor(builds: Readonly<Record<string, string>>, store: StoreChoice, { PATH, HOME }: Bounds['env']) {
    this.#bounds = { ...STEP_BOUNDS, env: { PATH, HOME } };
    this.#folders = new Map(Object.entries(builds));
    this.#store = store;
  }

  get names(): readonly string[] {
    return [...this.#folders.keys()];
  }

  /** Null: the step is not recorded. Throws 404 for another name, 429 while others run, 502 for a build that fails. */
  async again(build: string, name: StepName): Promise<Replayed | null> {
    const folder = this.#folders.get(build);
    if (folder === undefined) throw new OperatorFault(404, 'not_found', `operator.builds names no build ${build}`);
    if (this.#waiting === WAITING_MAX) throw new OperatorFault(429, 'busy', 'other steps are taken again; try again');
    this.#waiting++;
    try {
      return await this.#turns.take(() => this.#step(folder, name));
    } catch (error) {
      if (error instanceof BuildUnfit) throw new OperatorFault(502, 'build_failed', error.message);
      throw error;
    } finally {
      this.#waiting--;
    }
  }

  async #step(folder: string, { address, version, event }: StepName): Promise<Replayed | null> {
    const step = await oneStep(this.#store, address, version);
    if (step === null) return null;
    const { body } = step;
    const taken = event === undefined ? step : { ...step, body: { ...body, event } };
    return stepElsewhere(folder, { address, step: taken }, this.#bounds);
  }
}
