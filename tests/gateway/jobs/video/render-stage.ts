/** The handlers of a video job on a fake actor, with simulated providers in this process and bytes in memory. */

import * as assert from 'uvu/assert';
import {
  ActivityFailed,
  type ActivityTask,
  type Cluster,
  type Json,
  openBlob,
  type SealedBlob,
  sealBlob,
  systemClock,
  systemRandom,
} from '../../../../actors/runtime/index.ts';
import { placeOfAssets, placeOfClip } from '../../../../actors/video-job/clips.ts';
import type { AbortResult, RenderResult } from '../../../../actors/video-job/outcome.ts';
import type { AbortInput, BegunRender, RenderInput } from '../../../../actors/video-job/render.ts';
import type { AssetRef, FrozenCandidate, RemoteRender, RenderAsk } from '../../../../actors/video-job/render-ask.ts';
import config from '../../../../cluster.config.ts';
import type { FileServices } from '../../../../gateway/files/file-services.ts';
import type { RenderServices } from '../../../../gateway/jobs/job-services.ts';
import { abortHandler } from '../../../../gateway/jobs/video/abort-handler.ts';
import { renderHandler } from '../../../../gateway/jobs/video/render-handler.ts';
import { sealPrompt } from '../../../../gateway/jobs/video/seal-prompt.ts';
import type { KeptCall } from '../../../../gateway/simulator/simulator.ts';
import { startSimulator } from '../../../../gateway/simulator/simulator.ts';
import type { VideoDirective } from '../../../../gateway/simulator/video/video-request.ts';
import type { RenderLimits } from '../../../../gateway/terms/config/render-limits.ts';
import { type Measures, NO_MEASURES } from '../../../../gateway/terms/measures.ts';
import { MemoryBlobs } from '../../../support/memory-blobs.ts';
import { MemoryKeyStore } from '../../../support/memory-key-store.ts';
import { atOnce, noLiveTraffic } from '../../../support/no-live-traffic.ts';
import { type SentEvent, stage } from '../../inference/stage.ts';

const PARTS = { clock: systemClock, random: systemRandom };
const ACCOUNT = 'acct_1';
export const JOB = `vjob_${'1'.repeat(32)}`;
const ADDRESS = `video-job:${ACCOUNT}/${JOB}`;
const GENERATION = 'gen-1';
const BLOB_BYTES_MAX = 64 * 1_024 * 1_024;

/** As `RenderInput`, with the text of a prompt that `run` seals first. */
type StageInput = Omit<RenderInput, 'ask'> & { readonly ask: StageAsk };
type StageAsk = Omit<RenderAsk, 'prompt'> & { readonly prompt: RenderAsk['prompt'] | string };

export const ASK: StageAsk = {
  ...{ model: 'filmstrip-2026', prompt: 'a fox', durationSeconds: '1', frames: null, fps: null },
  ...{ size: null, resolution: null, aspectRatio: null, seed: null, generateAudio: null, assets: [] },
};

export interface RenderStageOptions {
  readonly renders?: Partial<RenderLimits>;
  readonly pace?: RenderServices['pace'];
  readonly measures?: Measures;
  /** The attempt is not the current one from this report on: `render.begin`, `render.submitted`, `render.moved`. */
  readonly staleFrom?: string;
  /** Called with each report of the runner, before its answer. */
  readonly reported?: (type: string) => void;
}

/** Open for one test. */
async function openRenderStage(options: RenderStageOptions = {}) {
  const simulator = await startSimulator({ name: 'sim-v', keep: true });
  const state: { begun: BegunRender } = { begun: { candidate: 0, remote: null } };
  const { measures = NO_MEASURES } = options;
  const on = stage({
    measures,
    answers: (sent) => {
      options.reported?.(sent.event.type);
      return answerTo(sent, state, options.staleFrom);
    },
  });
  const keys = new MemoryKeyStore(PARTS);
  const blobs = new MemoryBlobs({ ...PARTS, bytesMax: BLOB_BYTES_MAX });
  const cluster = on.services.cluster as Cluster;
  const bytes = { keys, blobs };
  const background = noLiveTraffic(systemClock);
  const files: FileServices = { cluster, bytes, background, ...PARTS, limits: config.files, askMs: 1_000 };
  const renders = { ...config.renders, pollMsMin: 5, pollMsMax: 20, tryAgainMs: 1, ...options.renders };
  const { outbound, targets, outcomes, log, config: configured } = on.services;
  const jobs: RenderServices = {
    ...{ files, outbound, targets, outcomes, measures, renders, log, upstream: configured.upstream },
    pace: options.pace ?? atOnce,
    crashpoint: (name) => on.crashpoints.push(name),
  };
  const render = renderHandler(() => jobs, renders);
  const abort = abortHandler(() => jobs, renders);
  /** Seals this as the prompt of the job. */
  const seal = (text: string) => sealPrompt(files, { account: ACCOUNT, job: JOB }, text);
  const sealed = async ({ prompt, ...ask }: StageAsk): Promise<RenderAsk> => ({
    ...ask,
    prompt: typeof prompt === 'string' ? await seal(prompt) : prompt,
  });
  const run = async (staged: StageInput, { attempt = 1, signal = new AbortController().signal } = {}) => {
    const input: RenderInput = { ...staged, ask: await sealed(staged.ask) };
    const task = {
      address: ADDRESS,
      id: 'render',
      name: 'render',
      key: 'k',
      attempt,
      deadlineAt: 0,
    };
    return (await render.run({ ...task, input } as unknown as ActivityTask, signal)) as unknown as RenderResult;
  };
  return {
    ...{ ...on, keys, blobs, jobs, simulator, state, run },
    /** True while only the open call of the runner knows the render. */
    isDirect: () => render.patience?.applies(ADDRESS, 'render'),
    candidate: (more: Partial<FrozenCandidate> = {}): FrozenCandidate => candidateAt(simulator.baseUrl, more),
    input: (directive: VideoDirective | null, more: Partial<StageInput> = {}): StageInput => ({
      ...{ job: JOB, account: ACCOUNT, generation: GENERATION, assets: null },
      ...{ createdAt: Date.now(), deadlineAt: Date.now() + 3_600_000 },
      ask:
        directive === null ? ASK : { ...ASK, prompt: `a fox @sim ${JSON.stringify({ render_ms: 0, ...directive })}` },
      candidates: [candidateAt(simulator.baseUrl)],
      ...more,
    }),
    abort: async (remote: RemoteRender, candidate: FrozenCandidate, charged = true): Promise<AbortResult> => {
      const input: AbortInput = { job: JOB, account: ACCOUNT, generation: GENERATION, candidate, remote, charged };
      const task = { address: 'a', id: 'abort', name: 'abort', key: 'k', attempt: 1, deadlineAt: 0, input };
      const signal = new AbortController().signal;
      return (await abort.run(task as unknown as ActivityTask, signal)) as unknown as AbortResult;
    },
    /** Seals these as the assets of the job. */
    sealAssets: async (pieces: readonly Buffer[]): Promise<SealedBlob> => {
      const blob = await blobs.put(each(pieces));
      return sealBlob(await keys.current(), placeOfAssets(ACCOUNT, JOB), blob, systemRandom);
    },
    sealPrompt: seal,
    /** The bytes of a stored clip. */
    clipOf: async (result: RenderResult): Promise<Buffer> => {
      if (result.outcome !== 'completed') throw new Error(JSON.stringify(result.error));
      const [clip] = result.clips;
      if (clip === undefined) throw new Error('no clip');
      const pieces: Uint8Array[] = [];
      const blob = await openBlob(keys, placeOfClip(ACCOUNT, JOB, 0), clip.blob);
      for await (const piece of blobs.read(blob)) pieces.push(piece);
      return Buffer.concat(pieces);
    },
    /** The calls of one route that the provider received. */
    calls: (route: string): readonly KeptCall[] => simulator.calls.filter(({ video }) => video?.route === route),
    /** The reports of the runner to the job, by type. */
    reports: (): readonly string[] => on.asks.map(({ event }) => event.type),
    end: async () => {
      await on.end();
      await simulator.close();
    },
  };
}

export type RenderStage = Awaited<ReturnType<typeof openRenderStage>>;

function candidateAt(baseUrl: string, more: Partial<FrozenCandidate> = {}): FrozenCandidate {
  return {
    ...{ endpoint: 'ep_1', tag: 'sim-v', provider: { name: 'Sim V', slug: 'sim-v' }, model: 'sim/filmstrip' },
    ...{ tariff: 'tar_1', rate: '0.05', bound: '0.5', options: null },
    target: { dialect: 'video-jobs', baseUrl, upstreamId: 'filmstrip-2026' },
    geometry: { size: { width: 320, height: 240 }, resolution: null, aspectRatio: null },
    admitted: { secondsMax: '10', size: { width: 320, height: 240 }, audio: null, fps: null },
    ...{ cancellable: true, idempotentCreate: false },
    ...more,
  };
}

function answerTo({ event }: SentEvent, state: { begun: BegunRender }, staleFrom: string | undefined): Json {
  if (event.type === staleFrom) return { refusal: { status: 409, type: 'conflict', message: 'Another attempt' } };
  return state.begun as unknown as Json;
}

async function* each(pieces: readonly Buffer[]): AsyncIterable<Uint8Array> {
  yield* pieces;
}

export function asset(kind: AssetRef['kind'], role: string, offset: number, length: number): AssetRef {
  return { kind, role, mediaType: kind === 'image' ? 'image/png' : `${kind}/mp4`, offset, length };
}

/** A stage for one test. */
export async function on(work: (on: RenderStage) => Promise<void>, options: RenderStageOptions = {}): Promise<void> {
  const opened = await openRenderStage(options);
  try {
    await work(opened);
  } finally {
    await opened.end();
  }
}

export function failedOf(result: RenderResult) {
  if (result.outcome !== 'failed') throw new Error('the render is completed');
  return result;
}

export function completedOf(result: RenderResult) {
  if (result.outcome !== 'completed') throw new Error(JSON.stringify(result));
  return result;
}

export async function thrownBy(work: Promise<unknown>): Promise<ActivityFailed> {
  const thrown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  assert.instance(thrown, ActivityFailed);
  return thrown as ActivityFailed;
}

export const SYNC = (baseUrl: string) => ({ dialect: 'video-sync', baseUrl, upstreamId: 'flipbook-2026' }) as const;
