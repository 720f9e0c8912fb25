/**
 * The render of a video job: its attempts, made of the job's recorded steps, and its clips. A clip stays sealed: only what
 * was measured of it is shown.
 */
import type { Cluster, Inspection, Json } from '../../../actors/runtime/index.ts';
import { accountAddress, endpointAddress, webhookAddress } from '../../../actors/terms/ids.ts';
import type { ClipRecord } from '../../../actors/video-job/clips.ts';
import type { VideoJobState } from '../../../actors/video-job/job.ts';
import type { FrozenCandidate } from '../../../actors/video-job/render-ask.ts';
import { deliveriesOf } from '../timeline/jobs-of.ts';
import { factsOf, type KindCell, type KindTab, type KindTabView, tableOf } from './kind-tab.ts';

/** Newest steps that are looked through, and of them those that are read whole. */
const STEPS_MAX = 200;
const READ_MAX = 60;

export const videoRender: KindTab = { name: 'Attempts and clips', read };

interface Attempt {
  readonly at: number;
  readonly node: string;
  readonly epoch: number;
  /** Tag of an endpoint, by the candidate that is tried. */
  readonly candidate: number | null;
  readonly endedAt: number | null;
  readonly failure: string | null;
  readonly outcome: 'running' | 'completed' | 'failed' | 'cancelled';
}

async function read(cluster: Cluster, found: Inspection): Promise<KindTabView> {
  const job = found.context as unknown as VideoJobState;
  const [attempts, deliveries] = await Promise.all([
    attemptsOf(cluster, found.address),
    deliveriesOf(cluster.rows, found.address),
  ]);
  const told = deliveries.map(({ account, id }) => webhookAddress(account, id));
  return {
    facts: factsOfJob(job, told),
    tables: [
      tableOf(
        'Attempts to render',
        'No attempt has begun',
        {
          'Began (UTC)': 'time',
          Outcome: 'state',
          Endpoint: 'actor',
          Took: 'duration',
          Node: 'text',
          Epoch: 'number',
          Failure: 'text',
        },
        attempts.map((attempt) => cellsOf(attempt, job.submitted?.candidates ?? [])),
      ),
      clipTable(found),
    ],
  };
}

function factsOfJob({ submitted, run, usage, error, renderedAt }: VideoJobState, told: readonly string[]) {
  return factsOf([
    ['Account', 'actor', submitted && accountAddress(submitted.account)],
    ['Key', 'actor', submitted?.key],
    ['Request', 'generation', submitted?.generation],
    ['Model', 'text', submitted?.model],
    ['Attempt', 'number', run],
    ['May render until (UTC)', 'time', submitted?.deadlineAt],
    ['Rendered (UTC)', 'time', renderedAt],
    ['Charged seconds', 'text', usage?.videoSeconds],
    ['Charged', 'usd', usage?.cost],
    ['Why it failed', 'text', error?.message],
    ...told.map((address) => ['Webhook', 'actor', address] as const),
  ]);
}

function cellsOf(attempt: Attempt, candidates: readonly FrozenCandidate[]): KindCell[] {
  const { at, outcome, candidate, endedAt, node, epoch, failure } = attempt;
  const endpoint = candidate === null ? undefined : candidates[candidate]?.endpoint;
  const took = endedAt === null ? null : endedAt - at;
  return [at, outcome, endpoint === undefined ? null : endpointAddress(endpoint), took, node, epoch, failure];
}

/** The parts of the events of a render that this reads; the job redacts them before. */
interface RenderEvent {
  readonly type: string;
  readonly failure?: { readonly code: string; readonly message: string };
  readonly result?: { readonly outcome: 'completed' | 'failed'; readonly error?: { readonly message: string } };
}

const BEGINS = new Set(['render.begin', 'render.moved']);
const ENDS = new Set([
  'render.failed',
  'render.attempt',
  'render.done',
  'render.done.refused',
  'job.cancel',
  'job.deadline',
]);

/** Oldest first. Steps that are not recorded any more tell when and where, but neither the endpoint nor the failure. */
async function attemptsOf({ operator }: Cluster, address: string): Promise<readonly Attempt[]> {
  const { history } = operator;
  const steps = (await history.list(address, { limit: STEPS_MAX })).filter(
    ({ event }) => BEGINS.has(event) || ENDS.has(event),
  );
  const whole = await Promise.all(
    steps.map(async (step, nth) => ({
      ...step,
      read: step.recorded && nth < READ_MAX ? await history.read(address, step.version) : null,
    })),
  );
  const attempts: Attempt[] = [];
  for (const { at, node, epoch, event: type, read: seen } of whole.reverse()) {
    const event = (seen?.event ?? { type }) as unknown as RenderEvent;
    const running = attempts.at(-1)?.endedAt === null ? attempts.pop() : undefined;
    if (running !== undefined) {
      attempts.push(
        BEGINS.has(type) && type === 'render.begin' ? { ...running, ...lost(at) } : endedBy(running, event, at),
      );
    }
    if (BEGINS.has(type)) {
      const candidate = candidateIn(seen?.after.context);
      attempts.push({ at, node, epoch, candidate, endedAt: null, failure: null, outcome: 'running' });
    }
  }
  return attempts;
}

function candidateIn(context: Json | undefined): number | null {
  return context === undefined ? null : (context as unknown as VideoJobState).candidate;
}

const lost = (endedAt: number) => ({ endedAt, outcome: 'failed', failure: 'its runner ended' }) as const;

function endedBy(attempt: Attempt, { type, failure, result }: RenderEvent, endedAt: number): Attempt {
  switch (type) {
    case 'render.attempt':
      return { ...attempt, ...lost(endedAt) };
    case 'render.moved':
      return { ...attempt, endedAt, outcome: 'failed', failure: 'failed without a charge; the next endpoint is tried' };
    case 'render.failed':
      return {
        ...attempt,
        endedAt,
        outcome: 'failed',
        failure: failure ? `${failure.code}: ${failure.message}` : null,
      };
    case 'render.done':
      return { ...attempt, endedAt, outcome: result?.outcome ?? 'completed', failure: result?.error?.message ?? null };
    case 'render.done.refused':
      return { ...attempt, endedAt, outcome: 'failed', failure: 'the account refused its charge' };
    case 'job.cancel':
      return { ...attempt, endedAt, outcome: 'cancelled', failure: null };
    default:
      return { ...attempt, endedAt, outcome: 'failed', failure: 'its time was over' };
  }
}

const EXPIRES = 'clip.expire ';
const WINDOW = 'job.window';

function clipTable({ rows, timers }: Inspection) {
  const dueAt = (name: string): number | null => timers.find((timer) => timer.name === name)?.dueAt ?? null;
  const clips = (rows.clip ?? []).map(({ body }) => body as unknown as ClipRecord);
  return tableOf(
    'Clips',
    'There is no clip: none was rendered yet, or its time is over',
    {
      Clip: 'number',
      Seconds: 'text',
      Frame: 'text',
      'Frames per second': 'text',
      Sound: 'text',
      Size: 'bytes',
      'First delivered (UTC)': 'time',
      'Expires (UTC)': 'time',
    },
    clips.map(({ index, durationSeconds, width, height, fps, audio, bytes, deliveredAt }) => [
      index,
      durationSeconds,
      `${width} x ${height}`,
      fps,
      audio ? 'yes' : 'no',
      bytes,
      deliveredAt,
      dueAt(`${EXPIRES}${index}`) ?? dueAt(WINDOW),
    ]),
  );
}
