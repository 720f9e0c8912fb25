/** `troupe video`: submits, follows, shows and downloads video jobs. */
import { ConfigError } from '../../config/config-error.ts';
import { group, local } from '../frame/command.ts';
import { pairs, timeOf } from '../frame/print.ts';
import { downloadClip } from './download-clip.ts';
import { CLIENT, findJob, type JobKind, jobCommands, submitted } from './jobs.ts';
import { withPublicApi } from './public-api.ts';
import { VIDEO, videoBody } from './video-body.ts';

const HELP = `
submit, list and download call the public API with the demo key of the data folder, or with --key KEY and --url URL.
list --all, show and cancel act for the operator on the videos of every account, unless --key or --url is given.

A whole download is the delivery of a clip: it can be fetched for 10 more minutes.`;

/** A video job as the public API shows it: what is not established yet has no member. */
interface ShownVideo {
  readonly id: string;
  readonly status: string;
  readonly generation_id?: string;
  readonly clip_durations_seconds?: readonly number[];
  readonly usage?: { readonly cost: number | null; readonly video_seconds?: number };
  readonly error?: { readonly message: string };
  readonly fault?: string;
  /** This and the time, in Unix seconds, as the operator sees a job. */
  readonly model?: string;
  readonly created_at?: number;
}

/** `expired` follows `completed`; nothing follows the others. */
const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled', 'expired']);

function hasEnded({ status }: ShownVideo): boolean {
  return ENDED.has(status);
}

const kind: JobKind<ShownVideo> = {
  command: 'video',
  words: { id: 'the job id', one: 'video job', many: 'video jobs', status: 'with --all, only jobs with one of these' },
  path: '/videos',
  listsByStatus: false,
  hasEnded,
  /** A render does not tell how far it is: the bar shows the states, and the seconds since the submission. */
  progressOf: (video, passedMs) => ({
    done: hasEnded(video) ? 1 : video.status === 'in_progress' ? 0.5 : 0,
    summary: video.status,
    detail: `${Math.floor(passedMs / 1_000)} s`,
  }),
  look: (api, { id }) => findJob(api, '/videos', id),
  head: ['ID', 'STATUS', 'SECONDS', 'COST'],
  cells: ({ id, status, usage }) => [id, status, usage?.video_seconds ?? '-', costOf(usage) ?? '-'],
  members: membersOf,
  /** The clip is the account's own: to download it takes its key. */
  ownMembers: ({ account, key, model, created_at = 0, ...video }) => ({
    account,
    key: key.replace(/^key:/, ''),
    model,
    created: timeOf(created_at * 1_000),
    ...membersOf(video),
    clip: null,
  }),
};

export const commands = [
  group(
    'video',
    'submit, follow and download videos',
    [
      local('submit', 'submit a video and follow it to its end', {
        arguments: { '[prompt]': 'what the video shows' },
        options: {
          ...CLIENT,
          ...VIDEO,
          '--output <file>': 'download the clip there',
          '--detach': 'do not wait for the end',
        },
        run: async ({ prompt, output: file, ...options }) =>
          submitted(kind, options, await videoBody(prompt, options), async (api, { id }, out) => {
            if (file !== undefined) await downloadClip(api, { id, index: 0, file }, out);
          }),
        print: (ended, { detach }) => (detach ? ended.id : pairs(membersOf(ended))),
      }),
      ...jobCommands(kind),
      local('download', 'download a clip', {
        arguments: { '<id>': 'the job id' },
        options: {
          ...CLIENT,
          '--output <file>': 'the file (default: the id and .mp4)',
          '--index <number>': { meaning: 'which clip, from 0', parse: indexFrom, default: '0' },
        },
        run: async ({ id, index, output: file = `${id}.mp4`, ...options }) => {
          const out = options.json ? null : process.stdout;
          return { file, bytes: await withPublicApi(options, (api) => downloadClip(api, { id, index, file }, out)) };
        },
        print: ({ file, bytes }) => `${file}: ${bytes} bytes`,
      }),
    ],
    HELP,
  ),
];

function indexFrom(text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text);
  throw new ConfigError('--index must be a whole number');
}

/** Null before the charge; `unpriced` where the seconds carry no price. */
function costOf(usage: ShownVideo['usage']): string | null {
  if (usage === undefined) return null;
  return usage.cost === null ? 'unpriced' : `${usage.cost} USD`;
}

function membersOf(video: ShownVideo) {
  return {
    video: video.id,
    status: video.status,
    generation: video.generation_id,
    seconds: video.clip_durations_seconds?.join(', '),
    cost: costOf(video.usage),
    error: video.error?.message,
    fault: video.fault,
    clip: video.status === 'completed' ? `troupe video download ${video.id}` : null,
  };
}
