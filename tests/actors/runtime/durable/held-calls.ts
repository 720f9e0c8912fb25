/** Activity handlers whose calls the test completes itself, and a scene with them on stages on a manual clock. */
import type * as uvu from 'uvu';
import type { ActivityRecord } from '../../../../actors/runtime/actor/cascade/activity-record.ts';
import type { Json } from '../../../../actors/runtime/actor/event.ts';
import type { ActivityTask } from '../../../../actors/runtime/ports/activity.ts';
import { bounded } from '../../../support/bounded.ts';
import { WIDE } from '../../../support/wide.ts';
import { HandClock } from './hand-clock.ts';
import { ALL, inShard, type Stage, Stages, until } from './stage.ts';

export const A = inShard('sender', 0, 'a');

/** A call of an activity handler that is still open. */
export interface Call {
  readonly job: ActivityTask;
  readonly signal: AbortSignal;
  resolve(result: Json): void;
  reject(error: Error): void;
}

/** Activity handlers whose calls the test completes itself. */
export class HeldCalls {
  readonly calls: Call[] = [];
  readonly activities = {
    work: {
      ...WIDE,
      run: (job: ActivityTask, signal: AbortSignal) =>
        new Promise<Json>((resolve, reject) => this.calls.push({ job, signal, resolve, reject })),
    },
  };

  /** Waits until so many calls were made. */
  made(count: number): Promise<void> {
    return until(() => this.calls.length === count);
  }

  call(at: number): Call {
    const call = this.calls.at(at);
    if (call === undefined) throw new Error(`there is no call ${at}`);
    return call;
  }
}

export interface Scene {
  readonly clock: HandClock;
  readonly stages: Stages;
  readonly held: HeldCalls;
  open(name: string): Promise<Stage>;
}

export const scenes =
  (test: uvu.Test) =>
  (title: string, run: (scene: Scene) => Promise<void>): void =>
    bounded(test)(title, async () => {
      const clock = new HandClock();
      const stages = new Stages(clock);
      const held = new HeldCalls();
      try {
        await run({ clock, stages, held, open: (name) => stages.open(name, held.activities) });
      } finally {
        await stages.close();
      }
    });

export const receivedBy = async (stage: Stage): Promise<Json[]> =>
  ((await stage.body(A, { type: 'open' })) as string[]).map((text) => JSON.parse(text) as Json);
export const activities = async (stages: Stages) =>
  (await stages.store.rows({ collection: '$activities', limit: 100 })).map(
    ({ body }) => JSON.parse(body) as ActivityRecord,
  );
export const work = (id: string, more: Record<string, Json> = {}) => ({ type: 'work', id, ...more });

/** The first stage, on which the activity `w` runs as the only call. */
export async function working(scene: Scene, more: Record<string, Json> = {}): Promise<Stage> {
  const stage = await first(scene);
  await stage.body(A, work('w', more));
  await scene.held.made(1);
  return stage;
}

export async function first({ open }: Scene): Promise<Stage> {
  const stage = await open('n1');
  await stage.take(ALL);
  await stage.body(A, { type: 'open' });
  return stage;
}
