import { randomBytes } from 'node:crypto';
import type { BatchCancel, BatchEvidence, BatchPoll, LineSent, Submission } from '../support/auditor/batch-evidence.ts';
import { TERMINAL } from '../support/auditor/batches-joined.ts';
import { limit } from '../support/pace.ts';
import { call, jsonOf, pause, post } from './call.ts';
import type { Payer } from './workload.ts';

interface BatchWorkOptions {
  readonly base: string;
  readonly payers: readonly Payer[];
  readonly stranger: Payer;
  /** Uniform in [0, 1). */
  readonly chance: () => number;
}

const LINES = { least: 4, most: 24 } as const;
/** Accounts with two batches at a time. */
const WAITING = 3;
const POLL_MS = 150;
const REST_MS = 200;
/** One batch in this many is cancelled. */
const CANCELLED_ONE_IN = 5;
const CANCEL_MS_MAX = 800;
/** Lines of 2 s each: the batch still runs when it is cancelled. */
const CANCELLED = { tokens: 40, tps: 20 } as const;
const BAD_SHARE = 0.08;
const SLOW_SHARE = 0.4;
const HUGE_SHARE = 0.01;
/** Each with its log probabilities, about 400 bytes. */
const HUGE_TOKENS = 6_000;
const SUBMIT_TRIES_MAX = 100;
const END_MS = 600_000;
const DAY_MS = 86_400_000;
const PAGE = 100;
const UNKNOWN = `batch_${'0'.repeat(32)}`;
/** The live route's refusal of a body without messages. */
const REFUSED = { type: 'invalid_request', code: 400 } as const;

interface BatchObject {
  readonly id: string;
  readonly status: string;
  readonly request_counts: BatchPoll['counts'];
  readonly finalized_at: number | null;
  readonly results: string | null;
}

/** Submits batches and follows each to its end; cancels some; records every outcome. */
export class BatchWork {
  readonly #options: BatchWorkOptions;
  readonly #submissions: Submission[] = [];
  readonly #polls: BatchPoll[] = [];
  readonly #cancels: BatchCancel[] = [];
  readonly #strangers: BatchEvidence['strangers'][number][] = [];
  readonly #run = randomBytes(3).toString('hex');
  #names = 0;
  #running = false;
  #workers: readonly Promise<void>[] = [];
  #working: readonly Payer[] = [];

  constructor(options: BatchWorkOptions) {
    this.#options = options;
  }

  /** Accounts that submit batches. */
  get working(): readonly Payer[] {
    return this.#working;
  }

  /** One batch of each account at a time, and two of the first, so that one waits for the other; at most `workers`. */
  start(workers: number): void {
    const { payers } = this.#options;
    const working = payers.flatMap((payer, at) => (at < WAITING ? [payer, payer] : [payer])).slice(0, workers);
    this.#running = true;
    this.#working = working;
    this.#workers = working.map((payer) => this.#work(payer));
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#workers);
  }

  /** The evidence, with the lists of all accounts. Call it after `stop`, while the cluster runs. */
  async evidence(): Promise<BatchEvidence> {
    const { payers } = this.#options;
    const listed = await Promise.all(payers.map((payer) => this.#list(payer)));
    return {
      ...{ submissions: this.#submissions, polls: this.#polls, cancels: this.#cancels, strangers: this.#strangers },
      ...{ listed: listed.flat(), revoked: [], lostKeys: new Map(), windowMs: DAY_MS },
    };
  }

  /**
   * Submits one batch, again until it is accepted, and follows it to its end with the key of the reader. Returns its id;
   * null if it was lost.
   */
  async one(
    payer: Payer,
    count: number,
    { directive, reader }: { readonly directive: object; readonly reader: Payer },
  ): Promise<string | null> {
    for (let tries = 0; tries < SUBMIT_TRIES_MAX; tries++) {
      const { id } = await this.#submit(payer, count, directive);
      if (id !== null) {
        await this.#follow(reader, id);
        return id;
      }
      await pause(REST_MS);
    }
    return null;
  }

  async #work(payer: Payer): Promise<void> {
    const { chance } = this.#options;
    while (this.#running) {
      const some = LINES.least + Math.floor(chance() * (LINES.most - LINES.least));
      const cancelled = (this.#names + 1) % CANCELLED_ONE_IN === 2;
      const { id } = await (cancelled ? this.#submit(payer, LINES.most, CANCELLED) : this.#submit(payer, some, null));
      if (id !== null) {
        const cancelling = cancelled ? this.#cancel(payer, id, chance() * CANCEL_MS_MAX) : null;
        await this.#follow(payer, id);
        await cancelling;
        await this.#lookAround(payer, id);
      }
      await pause(REST_MS);
    }
  }

  async #submit(payer: Payer, count: number, directive: object | null): Promise<Submission> {
    const name = `${this.#run}-b${++this.#names}`;
    const lines = Array.from({ length: count }, (_, at) => this.#line(`${name}-${at}`, directive));
    const requests = lines.map(({ sent, body }) => ({ custom_id: sent.customId, body }));
    const at = Date.now();
    const answer = await post(this.#options.base, payer.key, '/batches', {
      endpoint: '/v1/chat/completions',
      requests,
    });
    const body = jsonOf<{ id?: string; error?: { metadata?: { limit?: number; active?: number } } }>(answer);
    const { limit, active } = body?.error?.metadata ?? {};
    const submission: Submission = {
      ...{ account: payer.account, key: payer.key, name, at, endAt: Date.now(), status: answer.status },
      id: answer.status === 202 ? (body?.id ?? null) : null,
      queue: limit === undefined || active === undefined ? null : { limit, active },
      lines: lines.map(({ sent }) => sent),
    };
    this.#submissions.push(submission);
    return submission;
  }

  #line(customId: string, directive: object | null): { readonly sent: LineSent; readonly body: object } {
    const { chance } = this.#options;
    if (directive === null && chance() < HUGE_SHARE) return huge(customId);
    const slow = directive === null && chance() < SLOW_SHARE;
    const shape = directive ?? (slow ? { tokens: 10, tps: 40 } : {});
    const content = `Say something. @sim ${JSON.stringify({ id: customId, ...shape })}`;
    const body = { model: slow ? 'sim/slow' : 'sim/fast', user: customId, max_tokens: 100 };
    if (directive === null && chance() < BAD_SHARE) return { sent: { customId, refused: REFUSED }, body };
    return { sent: { customId, refused: null }, body: { ...body, messages: [{ role: 'user', content }] } };
  }

  async #follow(payer: Payer, id: string): Promise<void> {
    for (const leftMs = limit(END_MS); leftMs() > 0; await pause(POLL_MS)) {
      const poll = await this.#poll(payer, id);
      if (poll !== null && TERMINAL.has(poll.status)) return;
    }
  }

  async #poll(payer: Payer, id: string): Promise<BatchPoll | null> {
    const at = Date.now();
    const answer = await call(this.#options.base, payer.key, `/batches/${id}`);
    const batch = answer.status === 200 ? jsonOf<BatchObject>(answer) : null;
    if (batch === null) return null;
    const { status, request_counts: counts, finalized_at: finalizedAt, results } = batch;
    const poll = { id, at, endAt: Date.now(), status, counts, finalizedAt, results };
    this.#polls.push(poll);
    return poll;
  }

  async #cancel(payer: Payer, id: string, afterMs: number): Promise<void> {
    await pause(afterMs);
    for (let times = 0; times < 2; times++) {
      const at = Date.now();
      const answer = await post(this.#options.base, payer.key, `/batches/${id}/cancel`, {});
      const batch = answer.status === 200 ? (jsonOf<BatchObject>(answer)?.status ?? null) : null;
      this.#cancels.push({ id, at, endAt: Date.now(), status: answer.status, batch });
    }
  }

  /** A stranger's and malformed look-ups, and the cancel of an ended batch. */
  async #lookAround(payer: Payer, id: string): Promise<void> {
    const { base, stranger } = this.#options;
    for (const each of [id, UNKNOWN, 'batch_1']) {
      const { status, bytes } = await call(base, stranger.key, `/batches/${each}`);
      this.#strangers.push({ id: each, status, body: bytes.toString() });
    }
    await this.#cancel(payer, id, 0);
  }

  async #list({ account, key }: Payer): Promise<BatchEvidence['listed']> {
    const ids: string[] = [];
    for (let after = ''; ; ) {
      const answer = await call(this.#options.base, key, `/batches?limit=${PAGE}${after}`);
      const page = jsonOf<{ data: readonly { id: string }[]; has_more: boolean; last_id: string }>(answer);
      if (answer.status !== 200 || page === null) throw new Error(`GET /batches answered ${answer.status}`);
      ids.push(...page.data.map(({ id }) => id));
      if (!page.has_more) return ids.map((id) => ({ account, id }));
      after = `&after=${page.last_id}`;
    }
  }
}

/** A line whose reply is larger than a batch keeps. */
function huge(customId: string): { readonly sent: LineSent; readonly body: object } {
  const content = `Say much. @sim ${JSON.stringify({ id: customId, tokens: HUGE_TOKENS })}`;
  const body = {
    ...{ model: 'sim/structured', user: customId, max_tokens: HUGE_TOKENS, messages: [{ role: 'user', content }] },
    ...{ logprobs: true, top_logprobs: 3 },
  };
  return { sent: { customId, refused: null, huge: true }, body };
}
