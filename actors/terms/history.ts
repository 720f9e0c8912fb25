/** Which steps of the marketplace's actors are recorded without a request. */
import type { ActorEvent, History } from '../runtime/index.ts';
import { USUAL_RETENTION } from './retention.ts';

const DAYS = USUAL_RETENTION.history;

/** Of jobs, files and other actors that take few steps: a batch of 500 lines takes 1,000. */
export const EVERY_STEP: History = { always: true, days: DAYS, stepsMax: 1_000 };

/** Of an actor that every request steps: all but the events of requests, which are recorded on request only. */
export function allBut(events: readonly string[]): History {
  const hot = new Set(events);
  return { always: ({ type }: ActorEvent) => !hot.has(type), days: DAYS, stepsMax: 1_000 };
}
