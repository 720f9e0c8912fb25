/** One stage with two clerks in different shards, each with a filled purse beside it, and held activity calls. */
import type * as uvu from 'uvu';
import { clerkKind } from '../../example-kinds/clerk.ts';
import { purseKind } from '../../example-kinds/purse.ts';
import { type Scene, scenes } from './held-calls.ts';
import { ALL, inShard, type Stage } from './stage.ts';

export const A = inShard('clerk', 0, 'a');
export const FAR = inShard('clerk', 1, 'f');
export const PURSE_AMOUNT = 100;

export interface ClerkScene extends Scene {
  readonly stage: Stage;
}

export const clerkScenes =
  (test: uvu.Test) =>
  (title: string, run: (scene: ClerkScene) => Promise<void>): void =>
    scenes(test)(title, async (scene) => {
      const stage = await scene.stages.open('n1', scene.held.activities, [clerkKind, purseKind]);
      await stage.take(ALL);
      for (const address of [A, FAR]) {
        await stage.body(address, { type: 'open' });
        await stage.body(purseOf(address), { type: 'fill', amount: PURSE_AMOUNT });
      }
      await run({ ...scene, stage });
    });

/** The purse beside a clerk. */
export const purseOf = (address: string): string => address.replace('clerk:', 'purse:');
export const deadLettersOf = async (stage: Stage, address = A) =>
  (await stage.engine.inspect(address))?.deadLetters ?? [];
