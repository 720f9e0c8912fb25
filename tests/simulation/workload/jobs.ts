import type { Json } from '../../../actors/runtime/index.ts';
import { ActivityFailed, type ActivityHandler, type ActivityTask } from '../../../actors/runtime/ports/activity.ts';
import type { Clock } from '../../../actors/runtime/ports/clock.ts';
import type { Work } from '../../actors/example-kinds/job.ts';
import type { ActivityCall, JobRequested, JobStored } from '../../support/auditor/runtime-evidence.ts';
import type { History } from '../history.ts';
import type { Database } from '../world/database.ts';
import type { Dice } from '../world/dice.ts';
import type { Client } from './client.ts';
import { endingOf } from './ending.ts';

const ASK_MS_MIN = 300;
const ASK_MS_MAX = 3_000;
const WORK_MS_MAX = 3_000;
const LAPSE_MS_MIN = 200;
const LAPSE_MS_MAX = 30_000;
/** Low enough that activities queue. */
const BOUNDS = { runningMax: 3, runningPerGroupMax: 2 };

/** Activities: requested from actors, run by the owning process, slow and sometimes failing. */
export class Jobs {
  readonly asked: JobRequested[] = [];
  readonly calls: ActivityCall[] = [];
  readonly #addresses: readonly string[];
  readonly #history: History;
  readonly #database: Database;

  constructor(count: number, history: History, database: Database) {
    this.#addresses = Array.from({ length: count }, (_, i) => `job:desk${i}`);
    this.#history = history;
    this.#database = database;
  }

  async act(client: Client): Promise<void> {
    const { dice } = client;
    const id = `work-${this.asked.length + 1}`;
    const asked: JobRequested = { address: dice.pick(this.#addresses), id, outcome: 'unknown' };
    this.asked.push(asked);
    const inMs = dice.whole(LAPSE_MS_MIN, LAPSE_MS_MAX);
    this.#history.note('job', { ...asked, inMs, client: client.name });
    const event = { type: 'job.begin', id, inMs };
    const withinMs = dice.between(ASK_MS_MIN, ASK_MS_MAX);
    const ending = await endingOf(client.node.ask(asked.address, event, { withinMs }));
    asked.outcome = ending.type;
    this.#history.note(`job ${ending.type}`, { id, ...ending });
  }

  /** The activity handler of one process. */
  handler(process: { readonly name: string; readonly clock: Clock }, dice: Dice): ActivityHandler {
    return { ...BOUNDS, run: (job, signal) => this.#run(process, dice, job, signal) };
  }

  async #run(
    { name, clock }: { readonly name: string; readonly clock: Clock },
    dice: Dice,
    { address, id, key, attempt }: ActivityTask,
    signal: AbortSignal,
  ): Promise<Json> {
    const call: ActivityCall = {
      ...{ address, id, key, attempt, node: name, at: this.#database.scheduler.now, outcome: 'open', result: null },
    };
    this.calls.push(call);
    this.#history.note('perform', { ...call });
    if (attempt > 1) this.#history.saw('activity restarted');
    const result = `${id} by attempt ${attempt}, call ${this.calls.length}`;
    await new Promise<void>((resolve) => clock.after(dice.between(1, WORK_MS_MAX), resolve));
    if (signal.aborted) this.#history.saw('work aborted');
    if (dice.happens(0.15)) {
      call.outcome = 'failed';
      throw new ActivityFailed('broken', 'the simulated work failed', dice.happens(0.7));
    }
    call.outcome = 'done';
    call.result = result;
    this.#history.note('performed', { ...call });
    return result;
  }

  /** True when every activity has ended. */
  get idle(): boolean {
    return this.stored().every((work) => work.state !== 'running');
  }

  stored(): readonly JobStored[] {
    return this.#addresses.flatMap((address) =>
      this.#database.tables.query({ collection: 'work', address, limit: 1_000 }).map((row) => {
        const { id, state, ends, attempt, result, failure, attempts } = JSON.parse(row.body) as Work;
        return {
          address,
          id,
          state,
          ends,
          attempt,
          result: result === null ? null : String(result),
          failure,
          attempts,
        };
      }),
    );
  }
}
