import { kill } from 'node:process';
import type { DeliveryRecord } from '../../actors/webhook/delivery-record.ts';
import type { Call } from '../../gateway/simulator/calls/call-log.ts';
import { auditVideos } from '../support/auditor/audit-videos.ts';
import type { Check } from '../support/auditor/check.ts';
import type { VideoEvidence } from '../support/auditor/video-evidence.ts';
import { openAccounts } from './bank.ts';
import { pause } from './call.ts';
import { chance } from './chance.ts';
import type { StoreKind } from './chaos-store.ts';
import { HookReceiver } from './hook-receiver.ts';
import { CUTS, type Cut, type Links } from './links.ts';
import { isAlive, until } from './nemesis.ts';
import { onStage, type Stage } from './stage.ts';
import { RATES, VideoWork } from './video-work.ts';

/** The named crash points of a video job and of its webhook, in their order. */
export const VIDEO_POINTS = [
  ...(['vjob.accepted', 'vjob.dispatched', 'vjob.submitted', 'vjob.rendered', 'vjob.stored'] as const),
  ...(['vjob.charged', 'hook.sent', 'hook.recorded'] as const),
];

interface VideosOptions {
  readonly store: StoreKind;
  readonly jobs: number;
  readonly inFlight: number;
  /** Crash points that are armed in turn. */
  readonly points: readonly string[];
  /** Every so often a node ends: killed, stopped, drained, cut off from the others, or all of them, in turn. */
  readonly ways: readonly Way[];
  readonly everyMs: number;
  readonly seed: number;
  readonly tell: (line: string) => void;
}

export const VIDEO_WAYS = ['kill', 'stop', 'drain', 'cut', 'all'] as const;
type Way = (typeof VIDEO_WAYS)[number];

interface VideosReport {
  readonly seed: number;
  readonly faults: number;
  /** Crash points at which a node died. */
  readonly reached: readonly string[];
  readonly posts: number;
  /** Jobs that a provider was asked to render, and further creates of these, which it may have known by their key. */
  readonly rendered: number;
  readonly renderedAgain: number;
  readonly checks: readonly Check[];
  readonly problems: readonly string[];
}

const DEPOSIT_USD = '1000';
/** Enough that each node owns some. */
const ACCOUNTS = 9;
/** Short, so that jobs that nobody fetches expire within the run. */
const WINDOW_MS = 15_000;
const SLACK_MS = 5_000;
const QUIET_MS = 120_000;
/**
 * A node that is cut off is voted out and ends. Where another one ends meanwhile, the two that are left tie, and the
 * younger one has to end and to return first.
 */
const CUT_MS_MAX = 240_000;
const SIGNAL = { kill: 'SIGKILL', all: 'SIGKILL', stop: 'SIGSTOP', drain: 'SIGTERM' } as const;

interface VideoStage extends Stage {
  readonly work: VideoWork;
  readonly receiver: HookReceiver;
}

/** Video jobs with webhooks while nodes end at random moments and at crash points; then the audit. */
export async function runVideos(options: VideosOptions): Promise<VideosReport> {
  const random = chance(options.seed);
  const receiver = await HookReceiver.open(random);
  const stage = { name: 'videos', store: options.store, providers: ['sim-v'], isCut: true, overlay: overlay(receiver) };
  try {
    return await onStage(stage, async (opened) => {
      const { cluster } = opened;
      const payers = await openAccounts(cluster, ACCOUNTS, DEPOSIT_USD);
      const work = new VideoWork({ base: cluster.baseUrl, payers, receiver: receiver.origin, chance: random });
      return disturbed({ ...opened, work, receiver }, options, random);
    });
  } finally {
    receiver.close();
  }
}

function overlay({ origin }: HookReceiver): object {
  return {
    videos: { windowMs: WINDOW_MS },
    webhooks: { allowedTargets: [origin], backOffMsMin: 100, backOffMsMax: 2_000 },
  };
}

async function disturbed(stage: VideoStage, options: VideosOptions, random: () => number): Promise<VideosReport> {
  const { work, receiver } = stage;
  const over = new AbortController();
  const reached = new Set<string>();
  const striking = strike(stage, { ...options, reached, random }, over.signal);
  const isEnough = (): boolean => options.points.every((point) => reached.has(point));
  await work.run(options.jobs, options.inFlight, isEnough).finally(() => over.abort());
  const struck = await striking;
  const faults = struck.faults + reached.size;
  options.tell(`${work.ended} jobs ended; ${faults} faults; waiting for windows and webhooks`);
  await pause(WINDOW_MS + SLACK_MS * 2);
  const quiet = await until(() => work.isQuiet(), QUIET_MS);
  await work.lookAgain();
  const { evidence, calls } = await evidenceOf(stage);
  const creates = createsOf(calls);
  const renderedAgain = creates.reduce((sum, count) => sum + count - 1, 0);
  const checks = auditVideos(evidence);
  const idle = checks.filter(({ examined }) => examined === 0).map(({ id }) => `${id} examined nothing`);
  const missed = options.points.filter((point) => !reached.has(point)).map((point) => `${point} was not reached`);
  // A drained node ends its renders, or hands over the provider's own job.
  const isDrained = options.points.length === 0 && options.ways.every((way) => way === 'drain');
  const again = isDrained && renderedAgain > 0 ? [`a drain made ${renderedAgain} renders begin again`] : [];
  return {
    ...{ seed: options.seed, faults, reached: [...reached], posts: receiver.posts.length, checks },
    ...{ rendered: creates.length, renderedAgain },
    problems: [
      ...struck.problems,
      ...(quiet ? [] : ['webhooks are under way at the end']),
      ...idle,
      ...missed,
      ...again,
    ],
  };
}

interface Striking extends VideosOptions {
  readonly reached: Set<string>;
  readonly random: () => number;
}

/** Ends nodes until the signal, spares the last one, and arms a crash point in each next process. */
async function strike(
  { view, crashPoints, links }: Stage,
  { ways, points, everyMs, tell, reached, random }: Striking,
  signal: AbortSignal,
): Promise<{ readonly faults: number; readonly problems: readonly string[] }> {
  const problems: string[] = [];
  const armed = new Map<string, { readonly point: string; readonly pid: number | null }>();
  let faults = 0;
  for (; !signal.aborted; await pause(everyMs)) {
    const { nodes } = await view.owners();
    const up = [...nodes.values()].filter(({ state, pid }) => state === 'up' && isAlive(pid));
    for (const [name, { point, pid }] of armed) {
      const now = up.find((node) => node.name === name);
      // The process that had the point is gone although nobody struck it: it died there.
      if (pid === null && now !== undefined) armed.set(name, { point, pid: now.pid });
      else if (pid !== null && !isAlive(pid)) {
        reached.add(point);
        armed.delete(name);
        tell(`died at ${point}: ${name}`);
      }
    }
    const free = up.filter(({ name }) => !armed.has(name));
    if (up.length < 2 || free.length === 0) continue;
    const way = ways[faults % ways.length] as Way;
    const victims = way === 'all' ? free : [free[Math.floor(random() * free.length)]];
    for (const victim of victims) {
      if (victim === undefined) continue;
      const point = points.find((each) => !reached.has(each) && ![...armed.values()].some((one) => one.point === each));
      if (point !== undefined) {
        crashPoints.arm(victim.name, point, 1);
        armed.set(victim.name, { point, pid: null });
      }
      if (way !== 'cut') kill(victim.pid, SIGNAL[way]);
      else if (!(await cutOff(links, victim, faults))) problems.push(`the cut of ${victim.name} did not end it`);
    }
    faults++;
    tell(`${way}: ${victims.map((victim) => victim?.name).join(', ')}`);
  }
  return { faults, problems };
}

/** Cuts a node off, in one direction or both, until it has ended; false if it did not. */
async function cutOff(
  links: Links | null,
  { name, pid }: { readonly name: string; readonly pid: number },
  nth: number,
): Promise<boolean> {
  links?.cut(name, CUTS[nth % CUTS.length] as Cut);
  const ended = await until(async () => !isAlive(pid), CUT_MS_MAX);
  links?.heal();
  return ended;
}

/** The creates of each job. */
function createsOf(calls: readonly Call[]): readonly number[] {
  const counts = new Map<string, number>();
  for (const { id, video } of calls) {
    if (id === null || video?.route !== 'create') continue;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return [...counts.values()];
}

async function evidenceOf({
  view,
  work,
  receiver,
  drained,
}: VideoStage): Promise<{ readonly evidence: VideoEvidence; readonly calls: readonly Call[] }> {
  const seen = await work.seen();
  const calls = await drained();
  const { entries } = await view.dump();
  const deliveries = await view.rows<DeliveryRecord>('delivery');
  const clips = await view.rows<{ readonly address: string }>('clip');
  await view.close();
  const evidence = {
    ...{ ...seen, posts: receiver.posts, deliveries },
    clips: new Set(clips.map(({ address }) => address.slice(address.indexOf('/') + 1))),
    charges: entries.flatMap(({ type, generation, amount }) =>
      type === 'charge' && generation !== null ? [{ generation, amount }] : [],
    ),
    ...{ rates: RATES, windowMs: WINDOW_MS, slackMs: SLACK_MS },
  };
  return { evidence, calls };
}

/** As printed on the command line; the last line says whether the run is clean. */
export function renderVideos(report: VideosReport): string {
  const { seed, faults, reached, posts, rendered, renderedAgain, checks, problems } = report;
  const broken = checks.filter((check) => check.violations.length > 0);
  return [
    `seed ${seed}: ${faults} faults, crash points reached: ${reached.join(', ') || 'none'}; ${posts} posts`,
    `${rendered} jobs rendered, ${renderedAgain} creates repeated`,
    `examined ${checks.map(({ id, examined }) => `${id} ${examined}`).join(', ')}`,
    ...broken.flatMap((check) => [
      `BROKEN ${check.id} ${check.title}`,
      ...check.violations.map((line) => `         ${line}`),
    ]),
    ...problems.map((problem) => `FAILED: ${problem}`),
    broken.length + problems.length === 0 ? 'clean' : 'not clean',
  ].join('\n');
}
