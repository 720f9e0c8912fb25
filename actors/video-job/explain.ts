import type { Json, View } from '../runtime/index.ts';
import type { VideoJobState } from './job.ts';

/** For `why`: what a video job waits for. The runtime adds the runner and attempt of a running activity. */
export function explainVideoJob({ state, context, openRows, now }: View): readonly string[] {
  const job = context as unknown as VideoJobState;
  if (job.submitted === null) return ['The job is being submitted.'];
  const downloads = openRows.reader?.length ?? 0;
  const reading = downloads === 0 ? [] : [`${downloads} downloads of its clips are under way.`];
  return [...progressOf(state, job, now), ...reading];
}

function progressOf(state: string, job: VideoJobState, now: number): readonly string[] {
  const { run, waits, error, endedAt, submitted } = job;
  const deadline = time(submitted?.deadlineAt);
  switch (state) {
    case 'pending':
      if (waits === null) return [`The job waits for attempt ${run} to begin, until ${deadline}.`, endpointOf(job)];
      return [`The job waits ${secondsTo(waits.until, now)} s for attempt ${run}: ${waits.why}.`, endpointOf(job)];
    case 'in_progress':
      return [`Attempt ${run} renders, until ${deadline}.`, endpointOf(job)];
    case 'cancelling':
      return ['The job is cancelled once its provider has answered the request to abort.', endpointOf(job)];
    case 'failed':
      return [
        `The job failed at ${time(endedAt)}: ${error?.message}.`,
        ...attemptsOf(job),
        chargeOf(job),
        ...leftRunning(job),
      ];
    default:
      return [`The job is ${state} since ${time(endedAt)}.`, chargeOf(job), ...leftRunning(job)];
  }
}

/** Of an ended job whose render a provider accepted too late. */
function leftRunning({ submitted, remote }: VideoJobState): readonly string[] {
  if (remote === null) return [];
  const tag = submitted?.candidates[remote.candidate]?.tag;
  return [`Its endpoint ${tag} accepted the render at ${time(remote.createdAt)}, and is asked to abort it.`];
}

function endpointOf({ submitted, candidate, remote }: VideoJobState): string {
  const candidates = submitted?.candidates ?? [];
  const tag = candidates[remote?.candidate ?? candidate]?.tag;
  const nth = `candidate ${(remote?.candidate ?? candidate) + 1} of ${candidates.length}`;
  if (remote === null) return `Its endpoint is ${tag} (${nth}), which has not accepted a render that is known here.`;
  return `Its endpoint ${tag} (${nth}) accepted the render at ${time(remote.createdAt)}; a later attempt polls it.`;
}

function attemptsOf({ attempts = [], submitted }: VideoJobState): readonly string[] {
  if (attempts.length === 0) return ['No call to a provider is recorded.'];
  return attempts.map(({ endpoint, provider, outcome, reason, status, latencyMs }, nth) => {
    const tag = submitted?.candidates.find((each) => each.endpoint === endpoint)?.tag ?? provider;
    const cause = `${reason === undefined ? '' : `: ${reason}`}${status === null ? '' : ` (${status})`}`;
    return `Call ${nth + 1}: ${tag} ${outcome}${cause} after ${latencyMs} ms.`;
  });
}

function chargeOf({ usage }: VideoJobState): string {
  if (usage === null) return 'Nothing was charged.';
  return `${usage.videoSeconds} s were charged: ${usage.cost === null ? 'unpriced' : `${usage.cost} USD`}.`;
}

function time(at: number | null | undefined): string {
  return new Date(at ?? 0).toISOString();
}

function secondsTo(until: number, now: number): number {
  return Math.max(0, Math.ceil((until - now) / 1_000));
}

/** Without what the caller wrote, and without its URL, which may carry a secret. */
export function redactVideoJob(context: Json): Json {
  const job = context as unknown as VideoJobState;
  if (job.submitted === null) return context;
  const { ask, callbackUrl, hold } = job.submitted;
  const submitted = {
    ...job.submitted,
    ask: { ...ask, prompt: ask.prompt === null ? null : '[redacted]' },
    hold: { ...hold, metadata: hold.metadata === null ? null : '[redacted]' },
    callbackUrl: callbackUrl === null ? null : '[redacted]',
    candidates: job.submitted.candidates.map((candidate) => ({ ...candidate, options: null })),
  };
  return { ...job, submitted } as unknown as Json;
}
