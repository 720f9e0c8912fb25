/** `troupe video`: submits, follows, shows and downloads video jobs through the public API, as any client does. */
import type { Command } from 'commander';
import { systemClock, systemRandom } from '../../../../actors/runtime/index.ts';
import { ConfigError } from '../../config/config-error.ts';
import { pairs, print, table, timeOf } from '../frame/print.ts';
import { progressFor } from '../frame/progress.ts';
import { type AllOptions, isOperator, moreLine, requireOperator, withAllOptions } from './all-jobs.ts';
import { downloadClip } from './download-clip.ts';
import { allVideos, cancelAnyVideo, type OperatorVideo, videoOf } from './operator-videos.ts';
import { type ClientOptions, type PublicApi, pause, withPublicApi } from './public-api.ts';
import { hasEnded, progressOf, type ShownVideo } from './shown-video.ts';
import { type VideoOptions, videoBody } from './video-body.ts';

/** A look costs one request of the key's rate. */
const LOOK_EVERY_MS = 2_000;

const HELP = `
submit, list and download call the public API with the demo key of the data folder, or with --key KEY and --url URL.
list --all, show and cancel act for the operator on the videos of every account, unless --key or --url is given.

A whole download is the delivery of a clip: it can be fetched for 10 more minutes.`;

type SubmitOptions = ClientOptions & VideoOptions & { readonly output?: string; readonly detach?: boolean };

export function addVideo(program: Command): void {
  const video = program.command('video').description('submit, follow and download videos').addHelpText('after', HELP);
  const command = (name: string): Command =>
    video
      .command(name)
      .option('--key <key>', 'an API key (default: the demo key of the data folder)')
      .option('--url <url>', 'the base address of the API (default: that of the data folder)');
  command('submit')
    .argument('[prompt]', 'what the video shows')
    .option('--model <model>', 'the model')
    .option('--duration <seconds>', 'its length')
    .option('--resolution <tier>', 'such as 720p')
    .option('--aspect-ratio <ratio>', 'such as 16:9')
    .option('--size <size>', 'WIDTHxHEIGHT, instead of resolution and aspect ratio')
    .option('--seed <number>', 'the seed')
    .option('--audio', 'with a soundtrack')
    .option('--no-audio', 'silent')
    .option('--first-frame <file>', 'an image that it begins with')
    .option('--last-frame <file>', 'an image that it ends with')
    .option('--callback-url <url>', 'a webhook for the outcome')
    .option('--body <file>', 'a body as POST /videos takes it; the options are laid over it')
    .option('--output <file>', 'download the clip there')
    .option('--detach', 'do not wait for the end')
    .description('submit a video and follow it to its end')
    .action((prompt: string | undefined, _: unknown, made: Command) => submit(prompt, submitOptions(made)));
  withAllOptions(command('list'))
    .option('--status <status...>', 'with --all, only jobs with one of these')
    .description('list the newest video jobs of a key, or of every account')
    .action((_: unknown, made: Command) => list(made.optsWithGlobals()));
  command('show')
    .argument('<id>', 'the job id')
    .description('show one video job')
    .action((id: string, _: unknown, made: Command) => show(id, made.optsWithGlobals()));
  command('cancel')
    .argument('<id>', 'the job id')
    .description('cancel a video job')
    .action((id: string, _: unknown, made: Command) => cancel(id, made.optsWithGlobals()));
  command('download')
    .argument('<id>', 'the job id')
    .option('--output <file>', 'the file (default: the id and .mp4)')
    .option('--index <number>', 'which clip, from 0', '0')
    .description('download a clip')
    .action((id: string, _: unknown, made: Command) => download(id, made.optsWithGlobals()));
}

/** `--no-audio` alone makes commander default `audio` to true; only what was given counts. */
function submitOptions(made: Command): SubmitOptions {
  const { audio, ...options } = made.optsWithGlobals() as SubmitOptions;
  const isGiven = made.getOptionValueSource('audio') === 'cli';
  return isGiven && audio !== undefined ? { ...options, audio } : options;
}

async function submit(prompt: string | undefined, options: SubmitOptions): Promise<void> {
  const { output, detach, json } = options;
  const body = JSON.stringify(await videoBody(prompt, options));
  // Repeats after a lost answer return the same job.
  const headers = ['idempotency-key', Buffer.from(systemRandom.bytes(16)).toString('hex')];
  const ended = await withPublicApi(options, async (api) => {
    const made = await api.json<ShownVideo>({ method: 'POST', path: '/videos', body, headers });
    if (detach) return made;
    const out = json ? null : process.stdout;
    out?.write(`${made.id}\n`);
    const video = await follow(api, made, out);
    if (video.status === 'completed' && output !== undefined) {
      await downloadClip(api, { id: video.id, index: 0, file: output }, out);
    }
    return video;
  });
  print(options, ended, () => (detach ? ended.id : pairs(membersOf(ended))));
  if (hasEnded(ended) && ended.status !== 'completed') process.exitCode = 1;
}

/** Looks until the job has ended. `out` receives the progress: a bar in a terminal, lines elsewhere. */
async function follow(api: PublicApi, made: ShownVideo, out: NodeJS.WriteStream | null): Promise<ShownVideo> {
  const progress = progressFor(out);
  const from = systemClock.monotonic();
  const show = (video: ShownVideo): void => {
    out?.write(progress.show(progressOf(video, systemClock.monotonic() - from)));
  };
  let video = made;
  show(video);
  while (!hasEnded(video)) {
    await pause(LOOK_EVERY_MS);
    video = await find(api, made.id);
    show(video);
  }
  out?.write(progress.end());
  return video;
}

async function list(options: ClientOptions & AllOptions): Promise<void> {
  if (options.all) return listAll(options);
  const { limit, after, status } = options;
  if (status !== undefined) throw new ConfigError('--status needs --all');
  const query = new URLSearchParams({
    ...(limit === undefined ? {} : { limit }),
    ...(after === undefined ? {} : { after }),
  });
  const page = await withPublicApi(options, (api) =>
    api.json<{ readonly data: readonly ShownVideo[] }>({ method: 'GET', path: `/videos?${query}` }),
  );
  print(options, page, () => table(HEAD, page.data.map(cells)));
}

async function listAll(options: ClientOptions & AllOptions): Promise<void> {
  requireOperator(options);
  const page = await allVideos(options);
  print(options, page, () => {
    const rows = page.data.map((video) => [
      ...cells(video),
      String(timeOf(video.created_at * 1_000)),
      video.model,
      video.account,
    ]);
    const shown = table([...HEAD, 'CREATED', 'MODEL', 'ACCOUNT'], rows);
    return `${shown}${page.has_more ? moreLine('troupe video list --all', page) : ''}`;
  });
}

const HEAD = ['ID', 'STATUS', 'SECONDS', 'COST'] as const;

function cells({ id, status, usage }: ShownVideo): readonly string[] {
  return [id, status, String(usage?.video_seconds ?? '-'), costOf(usage) ?? '-'];
}

async function show(id: string, options: ClientOptions): Promise<void> {
  if (isOperator(options)) return printAny(options, await videoOf(id, options));
  const video = await withPublicApi(options, (api) => find(api, id));
  print(options, video, () => pairs(membersOf(video)));
}

async function cancel(id: string, options: ClientOptions): Promise<void> {
  if (isOperator(options)) return printAny(options, await cancelAnyVideo(id, options));
  const path = `/videos/${encodeURIComponent(id)}/cancel`;
  const video = await withPublicApi(options, (api) => api.json<ShownVideo>({ method: 'POST', path }));
  print(options, video, () => pairs(membersOf(video)));
}

/** The clip is the account's own: to download it takes its key. */
function printAny(options: ClientOptions, video: OperatorVideo): void {
  const { account, key, model, created_at } = video;
  const own = { account, key: key.replace(/^key:/, ''), model, created: timeOf(created_at * 1_000) };
  print(options, video, () => pairs({ ...own, ...membersOf(video), clip: null }));
}

async function download(
  id: string,
  options: ClientOptions & { readonly output?: string; readonly index: string },
): Promise<void> {
  if (!/^\d{1,3}$/.test(options.index)) throw new ConfigError('--index must be a whole number');
  const clip = { id, index: Number(options.index), file: options.output ?? `${id}.mp4` };
  const out = options.json ? null : process.stdout;
  const bytes = await withPublicApi(options, (api) => downloadClip(api, clip, out));
  print(options, { file: clip.file, bytes }, () => `${clip.file}: ${bytes} bytes`);
}

function find(api: PublicApi, id: string): Promise<ShownVideo> {
  return api.json<ShownVideo>({ method: 'GET', path: `/videos/${encodeURIComponent(id)}` });
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
