import { createHash, randomBytes } from 'node:crypto';
import type { DeliveryRecord } from '../../actors/webhook/delivery-record.ts';
import type {
  ContentSeen,
  VideoCancel,
  VideoDocument,
  VideoEvidence,
  VideoPoll,
  VideoSubmission,
} from '../support/auditor/video-evidence.ts';
import { ENDED } from '../support/auditor/videos-joined.ts';
import { limit } from '../support/pace.ts';
import { type Called, call, jsonOf, pause } from './call.ts';
import type { Payer } from './workload.ts';

interface VideoWorkOptions {
  readonly base: string;
  readonly payers: readonly Payer[];
  /** Origin of the receiver of webhooks. */
  readonly receiver: string;
  /** Uniform in [0, 1). */
  readonly chance: () => number;
}

/** An asynchronous model and a synchronous one. */
const MODELS = [
  { model: 'sim/filmstrip', resolution: '480p', duration: 2 },
  { model: 'sim/flipbook', size: '720x720', duration: 2 },
] as const;
/** USD per second that their documents declare for this. */
export const RATES: Readonly<Record<string, string>> = { 'sim/filmstrip': '0.01', 'sim/flipbook': '0.004' };
/** A run that still waits for a fault ends after so many times its jobs. */
const JOBS_FACTOR_MAX = 5;
const RENDER_MS_MAX = 3_000;
const FAILED_SHARE = 0.1;
const CANCELLED_SHARE = 0.1;
const SILENT_SHARE = 0.2;
/** Of the completed jobs: fetched whole, in part, or only looked at. */
const WHOLE_SHARE = 0.4;
const PART_SHARE = 0.7;
const POLL_MS = 150;
const TRIES_MAX = 200;
const END_MS = 300_000;
const PAGE = 100;

/** Submits video jobs, follows each to its end, fetches some clips, and records every answer. */
export class VideoWork {
  readonly #options: VideoWorkOptions;
  readonly #run = randomBytes(3).toString('hex');
  readonly #submissions: VideoSubmission[] = [];
  readonly #polls: VideoPoll[] = [];
  readonly #contents: ContentSeen[] = [];
  readonly #cancels: VideoCancel[] = [];
  #names = 0;

  constructor(options: VideoWorkOptions) {
    this.#options = options;
  }

  /** Runs the lives of at least so many jobs, `inFlight` at a time, and more until it is enough. */
  async run(jobs: number, inFlight: number, isEnough: () => boolean): Promise<void> {
    const { payers } = this.#options;
    let begun = 0;
    const goesOn = (): boolean => begun < jobs || (!isEnough() && begun < jobs * JOBS_FACTOR_MAX);
    const work = async (): Promise<void> => {
      while (goesOn()) await this.#one(payers[begun++ % payers.length] as Payer);
    };
    await Promise.all(Array.from({ length: inFlight }, work));
  }

  get ended(): number {
    return new Set(this.#polls.filter(({ document }) => ENDED.has(document.status)).map(({ id }) => id)).size;
  }

  /** Looks at every job once more: some have expired since. */
  async lookAgain(): Promise<void> {
    for (const { id, account } of this.#submissions) {
      if (id === null) continue;
      const payer = this.#options.payers.find((each) => each.account === `account:${account}`) as Payer;
      while ((await this.#poll(payer, id)) === null) await pause(POLL_MS);
      if (this.#polls.at(-1)?.document.status === 'expired') await this.#content(payer, id, 'whole');
    }
  }

  /** What the API shows at the end. Call it while the cluster runs. */
  async seen(): Promise<Pick<VideoEvidence, 'submissions' | 'polls' | 'contents' | 'cancels' | 'listed' | 'secrets'>> {
    const { payers } = this.#options;
    const listed = await Promise.all(payers.map((payer) => this.#list(payer)));
    const secrets = await Promise.all(payers.flatMap((payer) => [this.#secret(payer), this.#secret(payer)]));
    return {
      ...{ submissions: this.#submissions, polls: this.#polls, contents: this.#contents, cancels: this.#cancels },
      ...{ listed: listed.flat(), secrets: secrets.flat() },
    };
  }

  /** True once no delivery of any account waits or runs. */
  async isQuiet(): Promise<boolean> {
    const { base, payers } = this.#options;
    const pages = await Promise.all(
      payers.map(({ key }) => call(base, key, `/webhooks/deliveries?limit=${PAGE}`).then(jsonOf<DeliveryPage>)),
    );
    return pages.every((page) => page?.data.every(({ status }) => status === 'delivered' || status === 'failed'));
  }

  async #one(payer: Payer): Promise<void> {
    const { chance } = this.#options;
    const { id } = await this.#submit(payer);
    if (id === null) return;
    const cancelling = chance() < CANCELLED_SHARE ? this.#cancel(payer, id, chance() * RENDER_MS_MAX) : null;
    await this.#content(payer, id, 'whole');
    const status = await this.#follow(payer, id);
    await cancelling;
    const fate = chance();
    if (status !== 'completed') await this.#content(payer, id, 'head');
    else if (fate < WHOLE_SHARE) for (let nth = 0; nth < 2; nth++) await this.#content(payer, id, 'whole');
    else if (fate < PART_SHARE) await this.#content(payer, id, 'part');
    else await this.#content(payer, id, 'head');
  }

  /** One job: the same Idempotency-Key until the answer is known. */
  async #submit({ account, key }: Payer): Promise<VideoSubmission> {
    const { base, chance, receiver } = this.#options;
    const name = `${this.#run}-v${++this.#names}`;
    const asked = MODELS[this.#names % MODELS.length] ?? MODELS[0];
    const isFailing = chance() < FAILED_SHARE;
    const callback = chance() >= SILENT_SHARE;
    const directive = {
      ...{ id: name, render_ms: Math.floor(chance() * RENDER_MS_MAX) },
      ...(isFailing ? { fail: 'content_policy' } : {}),
    };
    const body = JSON.stringify({
      ...{ ...asked, prompt: `A fox. @sim ${JSON.stringify(directive)}` },
      ...(callback ? { callback_url: `${receiver}/hook` } : {}),
    });
    const headers = { 'content-type': 'application/json', 'idempotency-key': name };
    const at = Date.now();
    let answer = await call(base, key, '/videos', { method: 'POST', headers, body });
    for (let tries = 1; isRepeatable(answer) && tries < TRIES_MAX; tries++) {
      await pause(POLL_MS);
      answer = await call(base, key, '/videos', { method: 'POST', headers, body });
    }
    const id = answer.status === 202 ? (jsonOf<VideoDocument>(answer)?.id ?? null) : null;
    const submission: VideoSubmission = {
      ...{ account: account.slice('account:'.length), name, at, endAt: Date.now(), status: answer.status, id },
      model: asked.model,
      ...{ callback, expects: isFailing ? 'failed' : 'completed' },
    };
    this.#submissions.push(submission);
    if (id === null) throw new Error(`${name}: ${answer.status} ${answer.bytes.toString().slice(0, 300)}`);
    return submission;
  }

  async #follow(payer: Payer, id: string): Promise<string | null> {
    for (const leftMs = limit(END_MS); leftMs() > 0; await pause(POLL_MS)) {
      const poll = await this.#poll(payer, id);
      if (poll !== null && ENDED.has(poll.document.status)) return poll.document.status;
    }
    return null;
  }

  async #poll({ key }: Payer, id: string): Promise<VideoPoll | null> {
    const at = Date.now();
    const answer = await call(this.#options.base, key, `/videos/${id}`);
    const document = answer.status === 200 ? jsonOf<VideoDocument>(answer) : null;
    if (document === null) return null;
    const cost = /"cost":\s*([0-9.eE+-]+)/.exec(answer.bytes.toString())?.[1] ?? null;
    const poll = { id, at, endAt: Date.now(), document, cost };
    this.#polls.push(poll);
    return poll;
  }

  async #content({ key }: Payer, id: string, way: ContentSeen['way']): Promise<void> {
    const at = Date.now();
    const init = way === 'head' ? { method: 'HEAD' } : way === 'part' ? { headers: { range: 'bytes=9-99' } } : {};
    const { status, bytes } = await call(this.#options.base, key, `/videos/${id}/content?index=0`, init);
    const isWhole = way === 'whole' && status === 200;
    const digest = isWhole ? createHash('sha256').update(bytes).digest('hex') : null;
    const length = status === 200 || status === 206 ? bytes.length : 0;
    this.#contents.push({ id, way, at, endAt: Date.now(), status, bytes: length, digest });
  }

  async #cancel({ key }: Payer, id: string, afterMs: number): Promise<void> {
    await pause(afterMs);
    const at = Date.now();
    const { status } = await call(this.#options.base, key, `/videos/${id}/cancel`, { method: 'POST' });
    this.#cancels.push({ id, at, endAt: Date.now(), status });
  }

  async #list({ account, key }: Payer): Promise<VideoEvidence['listed']> {
    const ids: string[] = [];
    for (let after = ''; ; ) {
      const answer = await call(this.#options.base, key, `/videos?limit=${PAGE}${after}`);
      const page = jsonOf<{ data: readonly { id: string }[]; has_more: boolean; last_id: string }>(answer);
      if (answer.status !== 200 || page === null) throw new Error(`GET /videos answered ${answer.status}`);
      ids.push(...page.data.map(({ id }) => id));
      if (!page.has_more) return ids.map((id) => ({ account: account.slice('account:'.length), id }));
      after = `&after=${page.last_id}`;
    }
  }

  /** None for an account whose jobs named no callback. */
  async #secret({ account, key }: Payer): Promise<VideoEvidence['secrets']> {
    const answer = await call(this.#options.base, key, '/webhooks/secret');
    const secret = answer.status === 200 ? jsonOf<{ secret: string }>(answer)?.secret : undefined;
    return secret === undefined ? [] : [{ account: account.slice('account:'.length), secret }];
  }
}

interface DeliveryPage {
  readonly data: readonly Pick<DeliveryRecord, 'status'>[];
}

function isRepeatable({ status }: Called): boolean {
  return status === null || status >= 500 || status === 429 || status === 409;
}
