import { createAccount, creditDeposit } from '../../../actors/account/account.ts';
import { cancelBatch, findBatch, submitBatch } from '../../../actors/batch/batch.ts';
import type { NewBatch } from '../../../actors/batch/batch-state.ts';
import { createKey } from '../../../actors/key/key.ts';
import type { ActivityHandler } from '../../../actors/runtime/ports/activity.ts';
import { batchId } from '../../../actors/terms/ids.ts';
import type { BatchCancel, BatchEvidence, BatchPoll, Submission } from '../../support/auditor/batch-evidence.ts';
import { TERMINAL } from '../../support/auditor/batches-joined.ts';
import type { CallSeen } from '../../support/auditor/evidence.ts';
import type { HistoryEntry } from '../../support/auditor/history.ts';
import { TESTER } from '../../support/tester.ts';
import type { History } from '../history.ts';
import type { Database } from '../world/database.ts';
import type { Dice } from '../world/dice.ts';
import type { SimulatedProcess } from '../world/node.ts';
import { BatchRuns } from './batch-runs.ts';
import type { Client } from './client.ts';
import { endingOf } from './ending.ts';
import { MODEL } from './price-list.ts';

const SETUP_MS = 30_000;
const ASK_MS_MAX = 4_000;
const DEPOSIT = '20';
const LINES_MAX = 10;
/** Some windows close while their lines run. */
const WINDOWS_MS = [15_000, 600_000];
const CANCELLED_SHARE = 0.12;
const BAD_SHARE = 0.1;
const BATCHES_MAX = 12;
/** A process that was paused or cut off learns only later that its run was cancelled. (rule V24) */
const ZOMBIE_MS = 120_000;
const REFUSED = { type: 'invalid_request', code: 400, message: 'messages is required', param: 'messages' } as const;
/** The small one has room for two replies in flight, and is full after a few large ones. */
const RESULTS_BYTES_MAX = [32 * 1024 * 1024, 2.5 * 1024 * 1024];
const BOUNDS = {
  resultsLifetimeMs: 600_000,
  retentionMs: 3_600_000,
  lineMs: 60_000,
};

interface Made extends Submission {
  readonly batch: string;
  readonly windowMs: number;
}

/** Batches of one account: submitted, looked up and cancelled on any node, their lines run by simulated handlers. */
export class Batches {
  readonly account = 'account:acct_batches';
  readonly #key = 'key:acct_batches/key_0';
  readonly #made: Made[] = [];
  readonly #polls: BatchPoll[] = [];
  readonly #cancels: BatchCancel[] = [];
  readonly #history: History;
  readonly #database: Database;
  readonly #runs: BatchRuns;
  /** The clients' history, in which each line is one request. */
  readonly #requests: HistoryEntry[];

  constructor(shared: { history: HistoryEntry[]; calls: CallSeen[] }, history: History, database: Database) {
    this.#requests = shared.history;
    this.#history = history;
    this.#database = database;
    this.#runs = new BatchRuns(shared.calls, history, database);
  }

  /** Setup, before any fault. */
  async open(client: Client): Promise<void> {
    await createAccount(client.node, this.account, 'batches', SETUP_MS);
    await creditDeposit(client.node, this.account, { id: 'dep_batches', amount: DEPOSIT, by: TESTER }, SETUP_MS);
    const made = { name: 'k', kind: 'inference', limit: null, limitWindow: null, expiresAt: null, by: TESTER } as const;
    const digest = 'b'.repeat(64);
    const handle = digest;
    await createKey(client.node, this.#key, { digest, handle, label: 'sk', perMinute: null, ...made }, SETUP_MS);
  }

  get deposit(): { readonly account: string; readonly amount: string } {
    return { account: this.account, amount: DEPOSIT };
  }

  handlers(process: SimulatedProcess, dice: Dice): Readonly<Record<string, ActivityHandler>> {
    return this.#runs.handlers(process, dice);
  }

  async act(client: Client): Promise<void> {
    const { dice } = client;
    const known = this.#made.filter(({ id }) => id !== null);
    if (this.#made.length < BATCHES_MAX && dice.happens(0.15)) return this.#submit(client);
    if (known.length === 0) return;
    const { batch } = dice.pick(known);
    if (dice.happens(CANCELLED_SHARE)) await this.#cancel(client, batch);
    else await this.look(client, batch);
  }

  async #submit(client: Client): Promise<void> {
    const { dice } = client;
    const batch = batchId(dice, this.#database.now());
    const name = `batch${this.#made.length + 1}`;
    const windowMs = dice.pick(WINDOWS_MS);
    const lines = Array.from({ length: dice.whole(1, LINES_MAX) }, (_, nth) => {
      const bad = nth > 0 && dice.happens(BAD_SHARE);
      return { customId: `${name}-${nth}`, refused: bad ? REFUSED : null };
    });
    const at = this.#database.now();
    const resultsBytesMax = dice.pick(RESULTS_BYTES_MAX);
    const fills = resultsBytesMax !== RESULTS_BYTES_MAX[0];
    const made: Made = { ...this.#submission(name, at, lines), batch, windowMs, fills };
    const slot = this.#made.push(made) - 1;
    for (const { customId } of lines) this.#invoke(customId);
    this.#history.note('batch', { batch, lines: lines.length, windowMs, client: client.name });
    const options = { bounds: { ...BOUNDS, resultsBytesMax }, withinMs: dice.between(300, ASK_MS_MAX) };
    const ending = await endingOf(submitBatch(client.node, this.#newBatch(made), options));
    this.#history.note(`batch ${ending.type}`, { batch });
    const status = ending.type === 'ok' ? 202 : ending.type === 'fail' ? 503 : null;
    const id = ending.type === 'ok' ? batch : null;
    this.#made[slot] = { ...made, endAt: this.#database.now(), status, id };
  }

  #submission(name: string, at: number, lines: Submission['lines']): Submission {
    const unknown = { at, endAt: Number.POSITIVE_INFINITY, status: null, id: null, queue: null } as const;
    return { ...{ account: this.account, key: this.#key, name, lines }, ...unknown };
  }

  #newBatch({ batch, windowMs, lines }: Made): NewBatch {
    return {
      ...{ id: batch, account: this.account.slice('account:'.length), key: this.#key, windowMs, model: MODEL },
      ...{ endpoint: '/v1/chat/completions', provider: null, attribution: null, bodies: this.#runs.bodies(batch) },
      workspace: null,
      lines: lines.map(({ customId, refused }, nth) =>
        refused === null ? { customId, offset: nth, length: 1 } : { customId, refused: REFUSED },
      ),
    };
  }

  /** One look-up of a batch; true once it has ended. Call it inside a process. */
  async look({ node }: Pick<Client, 'node'>, batch: string): Promise<boolean> {
    const at = this.#database.now();
    const found = await findBatch(node, this.account.slice('account:'.length), batch).catch(() => null);
    if (found === null) return false;
    const { id, status, counts, finalizedAt, resultsFileId } = found;
    const results = resultsFileId === null ? null : this.#runs.results(resultsFileId);
    this.#polls.push({ id, at, endAt: this.#database.now(), status, counts, finalizedAt, results });
    if (status === 'expired') this.#history.saw('batch expired');
    if (results?.includes('"results_full"')) this.#history.saw('results of a batch full');
    return TERMINAL.has(status);
  }

  async #cancel(client: Client, id: string): Promise<void> {
    const at = this.#database.now();
    const withinMs = client.dice.between(300, ASK_MS_MAX);
    const ending = await endingOf(cancelBatch(client.node, this.account.slice('account:'.length), id, withinMs));
    const answer = ending.type === 'ok' ? ending.body : null;
    const refused = answer !== null && 'refusal' in answer;
    const status = answer === null ? null : refused ? answer.refusal.status : 200;
    const batch = answer === null || refused ? null : answer.status;
    if (status === 200) this.#history.saw('batch cancelled');
    this.#cancels.push({ id, at, endAt: this.#database.now(), status, batch });
  }

  #invoke(nonce: string): void {
    const at = this.#database.scheduler.now;
    this.#requests.push({
      ...{ type: 'invoke', op: this.#requests.length + 1_000_000, at, wallAt: this.#database.now(), nonce },
      ...{ account: this.account, key: this.#key, model: MODEL, stream: false, expects: 'any' },
    });
  }

  /** True when every stored batch has ended. */
  get ended(): boolean {
    return this.#stored().every(({ status }) => TERMINAL.has(status));
  }

  #stored(): readonly { readonly id: string; readonly status: string }[] {
    const rows = this.#database.tables.query({ collection: 'batch', limit: 1_000 });
    return rows.map(({ body }) => JSON.parse(body) as { id: string; status: string });
  }

  /** The last look at every acknowledged batch, once the run is quiet. */
  async conclude(client: Client): Promise<boolean> {
    const seen = await Promise.all(this.#made.map(({ id }) => id === null || this.look(client, id)));
    return seen.every(Boolean);
  }

  get evidence(): BatchEvidence {
    return {
      submissions: this.#made,
      ...{ polls: this.#polls, cancels: this.#cancels, strangers: [], revoked: [], lostKeys: new Map() },
      listed: this.#stored().map(({ id }) => ({ account: this.account, id })),
      windowMs: Math.min(...WINDOWS_MS),
      zombieMs: ZOMBIE_MS,
    };
  }
}
