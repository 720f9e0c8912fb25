/**
 * Steps a diary by chance on one engine after another, each taking the shards of the one before, and keeps what each step
 * left, as the actor itself answered. Then the whole history is rebuilt from the store and compared.
 */
import * as assert from 'uvu/assert';
import type { ActorEvent, Json } from '../../../../../actors/runtime/actor/event.ts';
import { canonicalText } from '../../../../../actors/runtime/actor/history/patch.ts';
import { textHash } from '../../../../../actors/runtime/collections/text-hash.ts';
import { rebuiltSteps } from '../../../../../actors/runtime/durable/history.ts';
import type { Store } from '../../../../../actors/runtime/ports/store.ts';
import { seededFraction } from '../../../../../actors/runtime/stores/sqlite/lock.ts';
import { ALL, openStage } from '../stage.ts';
import { diaryKind } from './diary.ts';

export const DIARY = 'diary:d1';
const IN_FLIGHT = 32;
const LIST_MAX = 24;

interface DiaryRun {
  readonly steps: number;
  /** Engines, one after the other. */
  readonly owners: number;
  readonly seed: number;
}

/** Resolves with the hashes of the states that recorded steps left, in order. */
export async function runDiary(store: Store, { steps, owners, seed }: DiaryRun): Promise<readonly number[]> {
  const fraction = seededFraction(seed);
  const live: number[] = [];
  let [state, size] = ['day', 0];
  for (let owner = 0; owner < owners; owner++) {
    const stage = await openStage({ store, name: `n${owner + 1}`, kinds: [diaryKind], adopt: false });
    await stage.take(ALL);
    for (let done = 0; done < steps / owners; done += IN_FLIGHT) {
      const events = Array.from({ length: IN_FLIGHT }, () => {
        const event = size === 0 && live.length === 0 ? page(fraction) : anyEvent(fraction, size);
        size = Math.max(0, size + (SIZES[event.type] ?? 0));
        return event;
      });
      const left = await Promise.all(events.map((event) => stage.body(DIARY, event)));
      events.forEach(({ type }, i) => {
        if (type === 'diary.turn') state = state === 'day' ? 'night' : 'day';
        if (type !== 'diary.look') live.push(hashOf(state, left[i] as Json));
      });
    }
    await stage.close();
  }
  return live;
}

/** Fails at the first step whose rebuilt state is not the one that the actor answered. */
export async function rebuildsTo(store: Store, live: readonly number[]): Promise<void> {
  let at = 0;
  for await (const { version, after } of rebuiltSteps(store, DIARY)) {
    assert.is(hashOf(after.value as string, after.context), live[at++], `the state of version ${version}`);
  }
  assert.is(at, live.length, 'every step is recorded');
}

function hashOf(state: string, context: Json): number {
  return textHash(canonicalText({ state, context }));
}

const SIZES: Readonly<Record<string, number>> = { 'diary.append': 1, 'diary.quote': 1, 'diary.shift': -1 };

function page(fraction: () => number): ActorEvent {
  return { type: 'diary.page', name: `p${Math.floor(fraction() * 12)}`, body: anyBody(fraction) };
}

function anyEvent(fraction: () => number, size: number): ActorEvent {
  const name = `p${Math.floor(fraction() * 12)}`;
  const events: readonly ActorEvent[] = [
    { type: 'diary.tear', name },
    { type: size < LIST_MAX ? 'diary.append' : 'diary.shift', body: anyBody(fraction) },
    { type: size > 0 ? 'diary.shift' : 'diary.look' },
    { type: 'diary.edit', index: Math.floor(fraction() * Math.max(1, size)), body: anyBody(fraction) },
    { type: size < LIST_MAX ? 'diary.quote' : 'diary.shift', name },
    { type: 'diary.look' },
    { type: 'diary.turn' },
    { type: 'diary.lock', secret: `s-${Math.floor(fraction() * 1e9)}` },
  ];
  return fraction() < 0.3 ? page(fraction) : (events[Math.floor(fraction() * events.length)] as ActorEvent);
}

function anyBody(fraction: () => number): Json {
  const bodies: readonly Json[] = [
    null,
    fraction(),
    'a "text"\u0001 of é',
    [],
    {},
    { deep: { n: fraction(), of: [1, { two: 2 }] } },
  ];
  return bodies[Math.floor(fraction() * bodies.length)] as Json;
}
