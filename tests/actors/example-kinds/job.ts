/**
 * A job proves that work ends once: an activity, repeated by one timer and abandoned by another, or that other timer alone. A
 * row counts the ends of each.
 */
import { assign, setup } from 'xstate';
import {
  type ActorEvent,
  type Effect,
  emit,
  type Json,
  type Repeats,
  type Stamped,
} from '../../../actors/runtime/index.ts';
import { testKind } from './test-kind.ts';

interface JobState {
  readonly ended: number;
}

export interface Work {
  readonly id: string;
  readonly state: 'running' | 'done' | 'failed' | 'lapsed' | 'cancelled';
  readonly dueAt: number;
  /** How many ends the actor received. The first one counts: when it came, its attempt, and why it failed. */
  readonly ends: number;
  readonly endedAt: number | null;
  readonly attempt: number | null;
  readonly result: Json;
  readonly failure: string | null;
  /** The attempts of the activity: those the actor requested and those reported to it. */
  readonly attempts: readonly number[];
}

type JobEvent = ActorEvent & Stamped;

const DEADLINE_MS = 20_000;
const REPEAT_MS = 700;
const ATTEMPTS_MAX = 4;
const found = (event: JobEvent): Work | null => (event.rows.work?.[0]?.body as unknown as Work) ?? null;
const put = (work: Work): Effect => ({ type: 'put', collection: 'work', id: work.id, body: work as unknown as Json });

const performed = (event: JobEvent, id: string, repeats?: Repeats): Effect => {
  const work = { type: 'perform', name: 'task', id, input: { id }, deadlineAt: event.at + DEADLINE_MS } as const;
  return repeats === undefined ? work : { ...work, repeats };
};
const again = (id: string): string => `${id} again`;

/** The row of an activity that continues with this attempt. */
function goingOn(event: JobEvent, attempt: number): readonly Effect[] {
  const work = found(event);
  return work === null ? [] : [put({ ...work, attempts: [...work.attempts, attempt] })];
}

/** The row after an end. What is ended or cancelled must receive no other. */
function ended(event: JobEvent, more: Partial<Work>): readonly Effect[] {
  const work = found(event);
  if (work === null) return [];
  const first = work.state === 'running' ? { ...more, endedAt: event.at } : {};
  return [put({ ...work, ...first, ends: work.ends + 1 })];
}

/** Ends the activity and its next repetition. */
const abandon = (id: string): readonly Effect[] => [
  { type: 'cancel', name: again(id) },
  { type: 'cancel', perform: id },
];

const jobMachine = setup({
  types: {} as { context: JobState; events: JobEvent },
  guards: {
    isKnown: ({ event }) => found(event) !== null,
    isRunning: ({ event }) => found(event)?.state === 'running',
    isRepeated: ({ event }) =>
      (event.failure as { retriable: boolean }).retriable && Number(event.attempt) < ATTEMPTS_MAX,
  },
  actions: {
    count: assign({ ended: ({ context }) => context.ended + 1 }),
    begin: emit<JobState, JobEvent>(({ event }) => {
      const id = String(event.id);
      const dueAt = event.at + Number(event.inMs);
      const attempts = event.waits === true ? [] : [1];
      const outcome = { ends: 0, endedAt: null, attempt: null, result: null, failure: null };
      return [
        put({ id, state: 'running', dueAt, ...outcome, attempts }),
        ...attempts.map(() => performed(event, id)),
        { type: 'schedule', name: id, at: dueAt, event: { type: 'job.lapse', id } },
        { type: 'reply', body: { begun: true } },
      ];
    }),
    // The chart itself decides when to repeat.
    repeatLater: emit<JobState, JobEvent>(({ event: { id, at, key, attempt, failure } }) => ({
      type: 'schedule',
      name: again(String(id)),
      at: at + REPEAT_MS,
      event: { type: 'job.again', id: String(id), repeats: { key, attempt, failure } as unknown as Json },
    })),
    repeat: emit<JobState, JobEvent>(({ event }) => {
      const repeats = event.repeats as unknown as Repeats;
      return [...goingOn(event, repeats.attempt + 1), performed(event, String(event.id), repeats)];
    }),
    learn: emit<JobState, JobEvent>(({ event }) => goingOn(event, Number(event.attempt))),
    done: emit<JobState, JobEvent>(({ event }) => [
      ...ended(event, { state: 'done', attempt: Number(event.attempt), result: event.result ?? null }),
      { type: 'cancel', name: String(event.id) },
    ]),
    failed: emit<JobState, JobEvent>(({ event }) => [
      ...ended(event, {
        state: 'failed',
        attempt: Number(event.attempt),
        failure: (event.failure as { code: string }).code,
      }),
      { type: 'cancel', name: String(event.id) },
    ]),
    lapse: emit<JobState, JobEvent>(({ event }) => [
      ...ended(event, { state: 'lapsed' }),
      ...abandon(String(event.id)),
    ]),
    cancel: emit<JobState, JobEvent>(({ event }) => {
      const work = found(event);
      if (work === null) return [];
      return [put({ ...work, state: 'cancelled' }), { type: 'cancel', name: work.id }, ...abandon(work.id)];
    }),
    answer: emit<JobState, JobEvent>(({ event }) => ({ type: 'reply', body: { begun: found(event) !== null } })),
  },
}).createMachine({
  id: 'job',
  initial: 'open',
  context: { ended: 0 },
  options: { maxIterations: 100 },
  states: {
    open: {
      on: {
        'job.begin': [{ guard: 'isKnown', actions: 'answer' }, { actions: 'begin' }],
        'task.done': { actions: ['count', 'done'] },
        'task.failed': [{ guard: 'isRepeated', actions: 'repeatLater' }, { actions: ['count', 'failed'] }],
        'task.attempt': { actions: 'learn' },
        'job.again': [{ guard: 'isRunning', actions: 'repeat' }, {}],
        'job.lapse': { actions: ['count', 'lapse'] },
        'job.cancel': [{ guard: 'isRunning', actions: ['cancel', 'answer'] }, { actions: 'answer' }],
      },
    },
  },
});

export const jobKind = testKind({
  name: 'job',
  machine: jobMachine,
  creates: ['job.begin'],
  activities: ['task'],
  collections: { work: { sort: () => 0 } },
  rows: (event) => [{ as: 'work', collection: 'work', id: String(event.id), mayBeStored: true }],
});
