import {
  ActivityFailed,
  type ActivityTask,
  type Json,
  openBlob,
  type SealedBlob,
  sealBlob,
  systemRandom,
} from '../../../../actors/runtime/index.ts';
import { placeOfAssets, placeOfClip } from '../../../../actors/video-job/clips.ts';
import type { AbortResult, RenderResult } from '../../../../actors/video-job/outcome.ts';
import type { AbortInput, BegunRender, RenderInput } from '../../../../actors/video-job/render.ts';
import type { AssetRef, FrozenCandidate, RemoteRender, RenderAsk } from '../../../../actors/video-job/render-ask.ts';
import { abortHandler } from '../../../../gateway/jobs/video/abort-handler.ts';
import { renderHandler } from '../../../../gateway/jobs/video/render-handler.ts';
import { sealPrompt } from '../../../../gateway/jobs/video/seal-prompt.ts';
import type { KeptCall } from '../../../../gateway/simulator/simulator.ts';
import { startSimulator } from '../../../../gateway/simulator/simulator.ts';
import type { VideoDirective } from '../../../../gateway/simulator/video/video-request.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { pieces } from '../../../support/pieces.ts';
import { type SentEvent, type StageOptions, stage } from '../../stage.ts';

const ACCOUNT = 'acct_1';
export const JOB = `vjob_${'1'.repeat(32)}`;
const ADDRESS = `video-job:${ACCOUNT}/${JOB}`;
const GENERATION = 'gen-1';

/** As `RenderInput`, with the text of a prompt that `run` seals first. */
type SceneInput = Omit<RenderInput, 'ask'> & { readonly ask: SceneAsk };
type SceneAsk = Omit<RenderAsk, 'prompt'> & { readonly prompt: RenderAsk['prompt'] | string };

export const ASK: SceneAsk = {
  ...{ model: 'filmstrip-2026', prompt: 'a fox', durationSeconds: '1', frames: null, fps: null },
  ...{ size: null, resolution: null, aspectRatio: null, seed: null, generateAudio: null, assets: [] },
};

export interface RenderSceneOptions extends Pick<StageOptions, 'renders' | 'pace' | 'measures'> {
  /** The attempt is not the current one from this report on: `render.begin`, `render.submitted`, `render.moved`. */
  readonly staleFrom?: string;
  /** Called with each report of the runner, before its answer. */
  readonly reported?: (type: string) => void;
}

/** Open for one test. */
async function openRenderScene(options: RenderSceneOptions = {}) {
  const simulator = await startSimulator({ name: 'sim-v', keep: true });
  const state: { begun: BegunRender } = { begun: { candidate: 0, remote: null } };
  const on = stage({
    ...options,
    answers: (sent) => {
      options.reported?.(sent.event.type);
      return answerTo(sent, state, options.staleFrom);
    },
  });
  const { keys, blobs, jobs } = on;
  const { files, renders } = jobs;
  const render = renderHandler(() => jobs, renders);
  const abort = abortHandler(() => jobs, renders);
  /** Seals this as the prompt of the job. */
  const seal = (text: string) => sealPrompt(files, { account: ACCOUNT, job: JOB }, text);
  const sealed = async ({ prompt, ...ask }: SceneAsk): Promise<RenderAsk> => ({
    ...ask,
    prompt: typeof prompt === 'string' ? await seal(prompt) : prompt,
  });
  const run = async (staged: SceneInput, { attempt = 1, signal = new AbortController().signal } = {}) => {
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
    ...on,
    simulator,
    state,
    run,
    /** True while only the open call of the runner knows the render. */
    isDirect: () => render.patience?.applies(ADDRESS, 'render'),
    candidate: (more: Partial<FrozenCandidate> = {}): FrozenCandidate => candidateAt(simulator.baseUrl, more),
    input: (directive: VideoDirective | null, more: Partial<SceneInput> = {}): SceneInput => ({
      ...{ job: JOB, account: ACCOUNT, generation: GENERATION, key: 'key:acct_1/key_1', assets: null },
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
    sealAssets: async (assets: readonly Buffer[]): Promise<SealedBlob> => {
      const blob = await blobs.put(pieces.of(...assets));
      return sealBlob(await keys.current(), placeOfAssets(ACCOUNT, JOB), blob, systemRandom);
    },
    sealPrompt: seal,
    /** The bytes of a stored clip. */
    clipOf: async (result: RenderResult): Promise<Buffer> => {
      if (result.outcome !== 'completed') throw new Error(JSON.stringify(result.error));
      const [clip] = result.clips;
      if (clip === undefined) throw new Error('no clip');
      return pieces.gather(blobs.read(await openBlob(keys, placeOfClip(ACCOUNT, JOB, 0), clip.blob)));
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

export type RenderScene = Awaited<ReturnType<typeof openRenderScene>>;

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

export function asset(kind: AssetRef['kind'], role: string, offset: number, length: number): AssetRef {
  return { kind, role, mediaType: kind === 'image' ? 'image/png' : `${kind}/mp4`, offset, length };
}

/** A scene for one test. */
export async function on(work: (on: RenderScene) => Promise<void>, options: RenderSceneOptions = {}): Promise<void> {
  const opened = await openRenderScene(options);
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

export const activityFailure = (work: Promise<unknown>): Promise<ActivityFailed> => failureOf(work, ActivityFailed);

export const SYNC = (baseUrl: string) => ({ dialect: 'video-sync', baseUrl, upstreamId: 'flipbook-2026' }) as const;
