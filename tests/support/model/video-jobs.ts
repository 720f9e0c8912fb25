/** Complete events of video jobs for tests, with defaults for all but the essential members. */

import { videoJobAddress } from '../../../actors/terms/ids.ts';
import type { NewVideoJob, VideoBounds } from '../../../actors/video-job/job.ts';
import type { RenderedClip, RenderResult } from '../../../actors/video-job/outcome.ts';
import type { FrozenCandidate, RemoteRender } from '../../../actors/video-job/render-ask.ts';
import { ACCOUNT, KEY, START, settlement } from './words.ts';

export const OWNER = ACCOUNT.slice('account:'.length);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const BOUNDS: VideoBounds = {
  ...{ jobMs: 2 * HOUR, holdSlackMs: HOUR, windowMs: 24 * HOUR, deliveredMs: 10 * MINUTE },
  ...{ downloadMs: HOUR, downloadsMax: 4, retentionMs: 30 * 24 * HOUR },
};

/** The id of the n-th job: ids sort by their number. */
export function jobIdOf(nth: number): string {
  return `vjob_${(START + nth).toString(16).padStart(12, '0')}${nth.toString(16).padStart(20, '0')}`;
}

export function generationOf(nth: number): string {
  return `gen-1700000000-video${nth}`;
}

export function addressOf({ id }: Pick<NewVideoJob, 'id'>): string {
  return videoJobAddress(OWNER, id);
}

export function candidate(nth = 1, more: Partial<FrozenCandidate> = {}): FrozenCandidate {
  return {
    ...{ endpoint: `ep_${nth}`, tag: `sim-${nth}`, provider: { name: `Sim ${nth}`, slug: `sim-${nth}` } },
    ...{ model: 'sim/filmstrip', tariff: `tar_${nth}`, rate: '0.1', bound: '1', options: null },
    target: { dialect: 'video-jobs', baseUrl: 'http://127.0.0.1:9', upstreamId: 'filmstrip' },
    geometry: { size: null, resolution: null, aspectRatio: null },
    admitted: { secondsMax: '10', size: null, audio: null, fps: null },
    ...{ cancellable: true, idempotentCreate: false },
    ...more,
  };
}

export function newJob(nth: number, more: Partial<NewVideoJob> = {}): NewVideoJob {
  const prompt = { sealed: 'YSBsaWdodGhvdXNl' };
  return {
    ...{ id: jobIdOf(nth), account: OWNER, key: KEY, generation: generationOf(nth), model: 'sim/filmstrip' },
    ask: {
      ...{ model: 'sim/filmstrip', prompt, durationSeconds: '10', frames: null, fps: null, size: null },
      ...{ resolution: null, aspectRatio: null, seed: null, generateAudio: null, assets: [] },
    },
    ...{ assets: null, candidates: [candidate()], unrenderable: null, callbackUrl: null },
    hold: {
      ...{ amount: '1', endpoint: 'ep_1', provider: 'Sim 1', tariff: 'tar_1', streamed: false },
      ...{ appTitle: null, appUrl: null, user: null, sessionId: null, metadata: null },
    },
    ...more,
  };
}

export function submitEvent(job: NewVideoJob, bounds: VideoBounds = BOUNDS) {
  return { type: 'job.submit', job, bounds };
}

export function beginEvent(run = 1) {
  return { type: 'render.begin', run };
}

export function remote(more: Partial<RemoteRender> = {}): RemoteRender {
  return { candidate: 0, providerJobId: 'remote-1', createdAt: START, ...more };
}

export function submittedEvent(run = 1, more: Partial<RemoteRender> = {}) {
  return { type: 'render.submitted', run, remote: remote(more) };
}

export function clip(nth = 0, durationSeconds = '10'): RenderedClip {
  return {
    ...{ blob: { id: `clip_${nth}`, bytes: 1_000, head: 'sealed' }, durationSeconds },
    ...{ frames: 240, width: 1280, height: 720, fps: '24', bytes: 1_000, audio: false },
  };
}

/** A render with one clip, charged by its length at 0.1 USD per second. */
export function completed(
  nth: number,
  { cost = '1', seconds = '10', clips = [clip(nth, seconds)] } = {},
): RenderResult {
  const charge = { ...settlement(generationOf(nth), cost), media: { videoSeconds: seconds } };
  return { outcome: 'completed', clips, settlement: charge };
}

export function failed(fault: 'marketplace' | null = null, charge: RenderResult['settlement'] = null): RenderResult {
  const error = { code: 502, message: 'The provider failed', error_type: 'provider_unavailable' } as const;
  return { outcome: 'failed', error, fault, settlement: charge };
}

export function doneEvent(result: RenderResult, attempt = 1) {
  return { type: 'render.done', id: 'render', attempt, result };
}

export function failedEvent(attempt = 1, retriable = true, code = 'error') {
  return { type: 'render.failed', id: 'render', attempt, key: 'k', failure: { code, message: 'no', retriable } };
}

export function openEvent(reader: string, index = 0, node = 'inc-1') {
  return { type: 'clip.open', index, reader, node };
}

export function closeEvent(reader: string, delivered: boolean, index = 0) {
  return { type: 'clip.close', index, reader, delivered };
}
