/** One stage with two clerks in different shards, each with a filled purse beside it, and held activity calls. */
import type * as uvu from 'uvu';
import { bounded } from '../../../support/bounded.ts';
import { clerkKind } from '../../example-kinds/clerk.ts';
import { purseKind } from '../../example-kinds/purse.ts';
import { HandClock } from './hand-clock.ts';
import { HeldCalls } from './held-calls.ts';
import { ALL, inShard, type Stage, Stages } from './stage.ts';

export const A = inShard('clerk', 0, 'a');
export const FAR = inShard('clerk', 1, 'f');
export const PURSE_AMOUNT = 100;

export interface ClerkScene {
  readonly clock: HandClock;
  readonly stages: Stages;
  readonly held: HeldCalls;
  readonly stage: Stage;
}

export const clerkScenes =
  (test: uvu.Test) =>
  (title: string, run: (scene: ClerkScene) => Promise<void>): void =>
    bounded(test)(title, async () => {
      const clock = new HandClock();
      const stages = new Stages(clock);
      const held = new HeldCalls();
      try {
        const stage = await stages.open('n1', held.activities, [clerkKind, purseKind]);
        await stage.take(ALL);
        for (const address of [A, FAR]) {
          await stage.body(address, { type: 'open' });
          await stage.body(purseOf(address), { type: 'fill', amount: PURSE_AMOUNT });
        }
        await run({ clock, stages, held, stage });
      } finally {
        await stages.close();
      }
    });

/** The purse beside a clerk. */
export const purseOf = (address: string): string => address.replace('clerk:', 'purse:');
export const deadLettersOf = async (stage: Stage, address = A) =>
  (await stage.engine.inspect(address))?.deadLetters ?? [];
