import { createHash } from 'node:crypto';
import { createAccount, creditDeposit } from '../../../actors/account/account.ts';
import { createKey } from '../../../actors/key/key.ts';
import { isAlive } from '../../../actors/runtime/cluster/membership/member.ts';
import { openBlob } from '../../../actors/runtime/index.ts';
import type { ActivityHandler } from '../../../actors/runtime/ports/activity.ts';
import { BlobCorrupt, BlobMissing } from '../../../actors/runtime/ports/blobs.ts';
import { accountAddress, generationId, keyAddress, videoJobId } from '../../../actors/terms/ids.ts';
import { placeOfClip } from '../../../actors/video-job/clips.ts';
import type { NewVideoJob, VideoBounds } from '../../../actors/video-job/job.ts';
import type { JobRecord } from '../../../actors/video-job/job-record.ts';
import { jobDocument } from '../../../actors/video-job/job-record.ts';
import {
  cancelVideo,
  closeClip,
  findVideoJob,
  openClip,
  showClip,
  submitVideo,
} from '../../../actors/video-job/video-job.ts';
import { sealPrompt } from '../../../gateway/jobs/video/seal-prompt.ts';
import { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import type {
  ContentSeen,
  VideoCancel,
  VideoDocument,
  VideoEvidence,
  VideoPoll,
  VideoSubmission,
} from '../../support/auditor/video-evidence.ts';
import { ENDED } from '../../support/auditor/videos-joined.ts';
import * as made from '../../support/model/video-jobs.ts';
import { TESTER } from '../../support/tester.ts';
import type { History } from '../history.ts';
import type { Database } from '../world/database.ts';
import type { Dice } from '../world/dice.ts';
import type { SimulatedProcess } from '../world/node.ts';
import { type Client, pause } from './client.ts';
import { endingOf } from './ending.ts';
import { Hooks } from './hooks.ts';
import { type Fate, VideoRuns } from './video-runs.ts';

const ACCOUNT = 'acct_videos';
const KEY = keyAddress(ACCOUNT, 'key_0');
const SETUP_MS = 30_000;
const ASK_MS_MAX = 4_000;
const JOBS_MAX = 14;
/** The rest is delivered. */
const FATES: readonly (readonly [Fate, number])[] = [
  ['refused', 0.12],
  ['unkept', 0.05],
  ['endless', 0.03],
];
const CALLBACK_SHARE = 0.7;
const READ_MS_MAX = 3_000;
/** Clips can be read for seconds, so most downloads are of the newest jobs. */
const RECENT = 4;
const RECENT_SHARE = 0.7;
const SLACK_MS = 100;
const MODELS = ['sim/filmstrip', 'sim/flipbook'] as const;
const RATES = { 'sim/filmstrip': '0.01234567890123456789012', 'sim/flipbook': '0.0045' } as const;
/** Shorter than the product's, so that all of it passes within a run and its recovery. */
const BOUNDS: VideoBounds = {
  ...made.BOUNDS,
  ...{ jobMs: 25_000, holdSlackMs: 60_000, windowMs: 9_000, deliveredMs: 4_000, downloadMs: 8_000, downloadsMax: 16 },
};

/** Video jobs of one account: submitted, looked up, fetched and cancelled on any node, with simulated providers. */
export class Videos {
  readonly hooks: Hooks;
  readonly #submissions: VideoSubmission[] = [];
  /** The ids that the submissions chose, whatever was answered. */
  readonly #chosen: string[] = [];
  readonly #polls: VideoPoll[] = [];
  readonly #contents: ContentSeen[] = [];
  readonly #cancels: VideoCancel[] = [];
  readonly #history: History;
  readonly #database: Database;
  readonly #runs: VideoRuns;
  #readers = 0;

  constructor(history: History, database: Database) {
    this.#history = history;
    this.#database = database;
    this.#runs = new VideoRuns(history, database);
    this.hooks = new Hooks(ACCOUNT, history, database);
  }

  /** Setup, before any fault. */
  async open({ node }: Client): Promise<void> {
    await createAccount(node, accountAddress(ACCOUNT), 'videos', SETUP_MS);
    await creditDeposit(node, accountAddress(ACCOUNT), { id: 'dep_videos', amount: '20', by: TESTER }, SETUP_MS);
    const key = { name: 'k', kind: 'inference', limit: null, limitWindow: null, expiresAt: null, by: TESTER } as const;
    const digest = 'c'.repeat(64);
    await createKey(node, KEY, { digest, handle: digest, label: 'sk', perMinute: null, ...key }, SETUP_MS);
  }

  handlers(process: SimulatedProcess, dice: Dice): Readonly<Record<string, ActivityHandler>> {
    return { ...this.#runs.handlers(process, dice), deliver: this.hooks.handler(process, dice) };
  }

  async act(client: Client): Promise<void> {
    const { dice } = client;
    const known = this.#submissions.flatMap(({ id }) => (id === null ? [] : [id]));
    if (this.#submissions.length < JOBS_MAX && dice.happens(0.3)) return this.#submit(client);
    if (known.length === 0) return;
    const id = dice.pick(dice.happens(RECENT_SHARE) ? known.slice(-RECENT) : known);
    const share = dice.fraction();
    if (share < 0.08) return this.#cancel(client, id);
    if (share < 0.3) return this.look(client, id);
    await this.#fetch(client, id, share < 0.8 ? 'whole' : share < 0.85 ? 'part' : 'head');
  }

  async #submit(client: Client): Promise<void> {
    const { dice } = client;
    const at = this.#database.now();
    const name = `video${this.#submissions.length + 1}`;
    const model = dice.pick(MODELS);
    const fate = fateOf(dice);
    const callback = dice.happens(CALLBACK_SHARE);
    const id = videoJobId(dice, at);
    const asked: VideoSubmission = {
      ...{ account: ACCOUNT, name, model, at, endAt: Number.POSITIVE_INFINITY, status: null, id: null, callback },
      expects: fate === 'delivered' ? 'completed' : 'failed',
    };
    this.#chosen.push(id);
    const slot = this.#submissions.push(asked) - 1;
    this.#history.note('video', { id, name, model, fate, callback, client: client.name });
    this.#runs.expect({ job: id, prompt: name, fate });
    const status = await this.#statusOf(this.#submitted(client, { id, model, name, callback }));
    this.#history.note('video submitted', { id, status });
    const accepted = status === 202 ? id : null;
    this.#submissions[slot] = { ...asked, endAt: this.#database.now(), status, id: accepted };
  }

  async #submitted(
    { node, dice, bytes }: Client,
    { id, model, name, callback }: { id: string; model: keyof typeof RATES; name: string; callback: boolean },
  ): Promise<number> {
    if (bytes === null) throw new Error('the process has no byte stores');
    const prompt = await sealPrompt({ bytes, random: dice }, { account: ACCOUNT, job: id }, name);
    const base = made.newJob(1);
    const target = {
      ...made.candidate().target,
      dialect: model === 'sim/flipbook' ? ('video-sync' as const) : ('video-jobs' as const),
    };
    const cancellable = dice.happens(0.7);
    const job: NewVideoJob = {
      ...base,
      ...{ id, account: ACCOUNT, key: KEY, generation: generationId(dice, this.#database.now()), model },
      ask: { ...base.ask, model, prompt },
      candidates: [made.candidate(1, { model, rate: RATES[model], target, cancellable })],
      callbackUrl: callback ? this.hooks.urlFor(dice) : null,
    };
    await submitVideo(node, job, { bounds: BOUNDS, withinMs: dice.between(300, ASK_MS_MAX) });
    return 202;
  }

  /** One look-up of a job. Call it inside a process. */
  async look({ node }: Pick<Client, 'node'>, id: string): Promise<void> {
    const at = this.#database.now();
    const record = await findVideoJob(node, ACCOUNT, id).catch(() => null);
    if (record === null) return;
    const text = jobDocument(record);
    const document = JSON.parse(text) as VideoDocument;
    const cost = /"cost":([0-9.e-]+)/.exec(text)?.[1] ?? null;
    this.#polls.push({ id, at, endAt: this.#database.now(), document, cost });
    if (document.status === 'expired') this.#history.saw('video expired');
    if (document.error?.error_type === 'timeout') this.#history.saw('video ended by its deadline');
  }

  async #cancel(client: Client, id: string): Promise<void> {
    const at = this.#database.now();
    const slot = this.#cancels.push({ id, at, endAt: Number.POSITIVE_INFINITY, status: null }) - 1;
    const answer = cancelVideo(client.node, { account: ACCOUNT, id }, client.dice.between(300, ASK_MS_MAX));
    const status = await this.#statusOf(answer.then((body) => ('refusal' in body ? body.refusal.status : 200)));
    if (status === 200) this.#history.saw('video cancelled');
    this.#cancels[slot] = { id, at, endAt: this.#database.now(), status };
  }

  /** Nothing is known of a download whose process ends meanwhile. */
  async #fetch(client: Client, id: string, way: ContentSeen['way']): Promise<void> {
    const at = this.#database.now();
    const asked: ContentSeen = {
      ...{ id, way, at, endAt: Number.POSITIVE_INFINITY, status: null, bytes: 0, digest: null },
    };
    const slot = this.#contents.push(asked) - 1;
    let read: Pick<ContentSeen, 'bytes' | 'digest'> = { bytes: 0, digest: null };
    const status = await this.#statusOf(
      way === 'head'
        ? this.#head(client, id)
        : this.#download(client, id, way).then((seen) => {
            read = seen;
            return seen.status;
          }),
    );
    if (status === 410) this.#history.saw('clip gone');
    this.#contents[slot] = { ...asked, ...read, endAt: this.#database.now(), status };
  }

  async #head({ node, dice }: Client, id: string): Promise<number> {
    const shown = await showClip(node, { account: ACCOUNT, id }, 0, dice.between(300, ASK_MS_MAX));
    return 'refusal' in shown ? shown.refusal.status : 200;
  }

  /** As the edge does: opened before the first byte, closed after the last; cut at its time limit. */
  async #download(
    client: Client,
    id: string,
    way: ContentSeen['way'],
  ): Promise<Pick<ContentSeen, 'bytes' | 'digest'> & { readonly status: number | null }> {
    const { node, dice, bytes } = client;
    if (bytes === null) throw new Error('the process has no byte stores');
    const name = { account: ACCOUNT, id };
    const reader = `${client.name} ${++this.#readers}`;
    const opened = await openClip(node, name, { index: 0, reader, withinMs: dice.between(300, ASK_MS_MAX) });
    if ('refusal' in opened) return { status: opened.refusal.status, bytes: 0, digest: null };
    const { clip, until } = opened;
    const hash = createHash('sha256');
    let count = 0;
    let status: number | null = way === 'whole' ? 200 : 206;
    try {
      const blob = await openBlob(bytes.keys, placeOfClip(ACCOUNT, id, 0), clip.blob);
      await pause(client, dice.between(0, READ_MS_MAX));
      for await (const piece of bytes.blobs.read(blob, {
        from: way === 'whole' ? 0 : clip.bytes - 1,
        to: clip.bytes,
      })) {
        if (node.now() >= until) break;
        hash.update(piece);
        count += piece.length;
        await pause(client, dice.between(0, READ_MS_MAX));
      }
    } catch (thrown) {
      // A clip that is removed under a download in its time: no fault of the world does that, except the verdict that the
      // reader's node is dead. That node reads on until it learns of it, and the clip does not wait for it.
      const isLost = thrown instanceof BlobMissing || thrown instanceof BlobCorrupt;
      status = isLost && node.now() < until - SLACK_MS && this.#isMember(node.self.incarnation) ? 404 : null;
      this.#history.note('download failed', { id, reader, error: String(thrown) });
    }
    const delivered = way === 'whole' && status === 200 && count === clip.bytes;
    if (delivered && clip.deliveredAt !== null) this.#history.saw('clip read after its delivery');
    if (!delivered && way === 'whole' && status === 200) status = null;
    const withinMs = dice.between(300, ASK_MS_MAX);
    await endingOf(closeClip(node, name, { index: 0, reader, delivered, withinMs }));
    return { status, bytes: count, digest: delivered ? hash.digest('hex') : null };
  }

  /** False once the node was declared dead or has left, whether it knows of it or not. */
  #isMember(incarnation: string): boolean {
    return this.#database.tables.allNodes().some((row) => row.incarnation === incarnation && isAlive(row));
  }

  /** The status that the edge would answer; null if the request may have taken effect. */
  async #statusOf(work: Promise<number | null>): Promise<number | null> {
    const ending = await endingOf(
      work.catch((thrown: unknown) => {
        if (thrown instanceof GatewayError) return thrown.status;
        throw thrown;
      }),
    );
    if (ending.type === 'ok') return ending.body;
    return ending.type === 'fail' ? 503 : null;
  }

  /** What has not ended yet; null once every job, clip and webhook has. */
  get running(): string | null {
    const now = this.#database.now();
    const open = this.#stored().find(
      ({ status, renderedAt }) =>
        !ENDED.has(status) || (status === 'completed' && now < (renderedAt ?? 0) + BOUNDS.windowMs + SLACK_MS),
    );
    if (open !== undefined) return `video ${open.id} ${open.status}`;
    const [clip] = this.#database.tables.query({ collection: 'clip', limit: 1 });
    if (clip !== undefined) return `clip of ${clip.address}`;
    return this.hooks.running;
  }

  /** The submissions; one without an answer has the id of the job that was recorded all the same. */
  #recorded(): readonly VideoSubmission[] {
    const stored = new Set(this.#stored().map(({ id }) => id));
    return this.#submissions.map((submission, nth) => {
      const chosen = this.#chosen[nth] ?? '';
      return submission.id === null && stored.has(chosen) ? { ...submission, id: chosen } : submission;
    });
  }

  #stored(): readonly JobRecord[] {
    return this.#database.tables.query({ collection: 'job', limit: 1_000 }).map(({ body }) => JSON.parse(body));
  }

  /** The last look at every acknowledged job, once the run is quiet; fetches what is gone. */
  async conclude(client: Client): Promise<void> {
    for (const { id } of this.#recorded()) {
      if (id === null) continue;
      await this.look(client, id);
      await this.#fetch(client, id, 'whole');
    }
    await this.hooks.readSecret(client);
  }

  get evidence(): VideoEvidence {
    const { tables } = this.#database;
    const clips = tables.query({ collection: 'clip', limit: 1_000 });
    const ledger = tables.query({ collection: 'ledger', address: accountAddress(ACCOUNT), limit: 1_000 });
    return {
      ...{ submissions: this.#recorded(), polls: this.#polls, contents: this.#contents, cancels: this.#cancels },
      listed: this.#stored().map(({ id }) => ({ account: ACCOUNT, id })),
      clips: new Set(clips.map(({ address }) => address.slice(address.indexOf('/') + 1))),
      charges: ledger.flatMap(({ body }) => {
        const { type, amount, ref } = JSON.parse(body) as { type: string; amount: string; ref: string };
        return type === 'charge' ? [{ generation: ref, amount }] : [];
      }),
      ...this.hooks.evidence,
      ...{ rates: RATES, windowMs: BOUNDS.windowMs, slackMs: SLACK_MS, jobMs: BOUNDS.jobMs },
    };
  }
}

function fateOf(dice: Dice): Fate {
  let share = dice.fraction();
  for (const [fate, part] of FATES) {
    if (share < part) return fate;
    share -= part;
  }
  return 'delivered';
}
