import { assign } from 'xstate';
import { emitOn, type Kind } from '../../../actors/runtime/index.ts';
import { removeOver } from '../../../actors/video-job/clips.ts';
import type { VideoJobState } from '../../../actors/video-job/job.ts';
import type { AbortDone, RenderDone } from '../../../actors/video-job/outcome.ts';
import { settle } from '../../../actors/video-job/outcome.ts';
import { type AnnouncedStatus, announce } from '../../../actors/video-job/shown.ts';
import { videoJobMachine } from '../../../actors/video-job/video-job.machine.ts';
import { videoJobKind } from '../../../actors/video-job/video-job.ts';
import { webhookMachine } from '../../../actors/webhook/webhook.machine.ts';
import { webhookKind } from '../../../actors/webhook/webhook.ts';
import type { Mutation } from '../mutation.ts';

type Replaced = (sound: readonly Kind[]) => readonly Kind[];
type OfVideo = Parameters<typeof videoJobMachine.provide>[0];
type OfWebhook = Parameters<typeof webhookMachine.provide>[0];

function videoWith(replaced: OfVideo): Replaced {
  const changed: Kind = { ...videoJobKind, machine: videoJobMachine.provide(replaced) };
  return (sound) => sound.map((kind) => (kind.name === changed.name ? changed : kind));
}

function webhookWith(replaced: OfWebhook): Replaced {
  const changed: Kind = { ...webhookKind, machine: webhookMachine.provide(replaced) };
  return (sound) => sound.map((kind) => (kind.name === changed.name ? changed : kind));
}

const NOTHING = emitOn('*', () => []);

/** Deliberate bugs of video jobs, their clips and their webhooks. */
export const VIDEO_MUTATIONS: readonly Mutation[] = [
  {
    name: 'render completed without its charge',
    caughtBy: 6,
    kinds: videoWith({ actions: { settle: NOTHING } }),
  },
  {
    name: 'render charged beside the rate of its submission',
    caughtBy: 1,
    isLong: true,
    kinds: videoWith({
      actions: {
        settle: emitOn(['render.done', 'abort.done'], (state: VideoJobState, event: RenderDone | AbortDone) => {
          const { settlement } = event.result;
          if (settlement === null) return [];
          const cheap = { settlement: { ...settlement, cost: '0.000001' } };
          return settle(state, { ...event, type: 'abort.done', result: cheap });
        }),
      },
    }),
  },
  {
    name: 'failed render keeps its hold',
    caughtBy: 1,
    isLong: true,
    kinds: videoWith({ actions: { releaseFailed: NOTHING } }),
  },
  {
    name: 'clip removed under a download',
    caughtBy: 81,
    kinds: videoWith({
      actions: {
        removeOver: emitOn('*', (state: VideoJobState, event) =>
          removeOver(state, { ...event, rows: { ...event.rows, readers: [] } }),
        ),
      },
    }),
  },
  {
    name: 'clip kept past its time',
    caughtBy: 1,
    isLong: true,
    kinds: videoWith({ actions: { removeOver: NOTHING } }),
  },
  {
    name: 'job expires although it was fetched',
    caughtBy: 6,
    kinds: videoWith({ guards: { isFetched: () => false } }),
  },
  {
    name: 'job that nobody fetched never expires',
    caughtBy: 3,
    isLong: true,
    kinds: videoWith({ guards: { isFetched: () => true } }),
  },
  {
    name: 'completed job announced to nobody',
    caughtBy: 1,
    isLong: true,
    kinds: videoWith({
      actions: {
        announce: emitOn('*', (state: VideoJobState, event, announced: { readonly status: AnnouncedStatus }) =>
          announced.status === 'completed' ? [] : announce(state, event, announced),
        ),
      },
    }),
  },
  {
    name: 'webhook posted on after its 2xx',
    caughtBy: 6,
    kinds: webhookWith({ guards: { isAccepted: () => false } }),
  },
  {
    name: 'webhook tried a ninth time',
    caughtBy: 5,
    isLong: true,
    kinds: webhookWith({ guards: { isLast: ({ context }) => context.attempts.length > 8 } }),
  },
  {
    name: 'interrupted attempt of a webhook not counted',
    caughtBy: 1,
    isLong: true,
    kinds: webhookWith({
      actions: { interruptAttempt: assign(({ context }) => ({ attempts: context.attempts.slice(0, -1) })) },
    }),
  },
];
