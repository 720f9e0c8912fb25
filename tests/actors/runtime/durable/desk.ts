/** A cluster port with activity handlers that the test completes itself. */
import type * as uvu from 'uvu';
import type { ActivityRecord } from '../../../../actors/runtime/actor/activity-record.ts';
import type { Json } from '../../../../actors/runtime/actor/event.ts';
import type { ActivityTask } from '../../../../actors/runtime/ports/activity.ts';
import { bounded } from '../../../support/bounded.ts';
import { WIDE } from '../../../support/wide.ts';
import { HandClock } from './hand-clock.ts';
import { type House, inShard, Town } from './town.ts';

export const A = inShard('postman', 0, 'a');
export const ALL = [0, 1, 2, 3, 4, 5, 6, 7];

/** A call of an activity handler that is still open. */
export interface Call {
  readonly job: ActivityTask;
  readonly signal: AbortSignal;
  resolve(result: Json): void;
  reject(error: Error): void;
}

/** Activity handlers whose calls the test completes itself. */
export class Desk {
  readonly calls: Call[] = [];
  readonly activities = {
    work: {
      ...WIDE,
      run: (job: ActivityTask, signal: AbortSignal) =>
        new Promise<Json>((resolve, reject) => this.calls.push({ job, signal, resolve, reject })),
    },
  };
  call(at: number): Call {
    const call = this.calls.at(at);
    if (call === undefined) throw new Error(`there is no call ${at}`);
    return call;
  }
}

export interface Scene {
  readonly clock: HandClock;
  readonly town: Town;
  readonly desk: Desk;
  build(name: string): Promise<House>;
}

export const scenes =
  (test: uvu.Test) =>
  (title: string, run: (scene: Scene) => Promise<void>): void =>
    bounded(test, 10_000)(title, async () => {
      const clock = new HandClock();
      const town = new Town(clock);
      const desk = new Desk();
      try {
        await run({ clock, town, desk, build: (name) => town.build(name, desk.activities) });
      } finally {
        await town.close();
      }
    });

export const heardBy = async (house: House): Promise<Json[]> =>
  ((await house.body(A, { type: 'open' })) as string[]).map((text) => JSON.parse(text) as Json);
export const intents = async (town: Town) =>
  (await town.store.rows({ collection: '$intents', limit: 100 })).map(({ body }) => JSON.parse(body) as ActivityRecord);
export const work = (id: string, more: Record<string, Json> = {}) => ({ type: 'work', id, ...more });

export async function first({ build }: Scene): Promise<House> {
  const house = await build('n1');
  await house.take(ALL);
  await house.body(A, { type: 'open' });
  return house;
}
