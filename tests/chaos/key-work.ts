import { createHash, randomBytes } from 'node:crypto';
import type { CodeTrades, KeyChange, KeyEvidence, KeyUse } from '../support/auditor/key-evidence.ts';
import { type Called, call, jsonOf, pause, post } from './call.ts';
import type { Finding } from './exchange.ts';
import { probe } from './scenario.ts';
import type { Payer, Workload } from './workload.ts';

interface KeyWorkOptions {
  readonly base: string;
  /** A management key of each account whose keys change. */
  readonly managers: readonly Payer[];
  readonly workload: Workload;
}

/** A key that this work made. */
interface Made extends Payer {
  readonly hash: string;
  readonly manager: Payer;
}

type What = KeyChange['what'];

const REST_MS = 400;
const TRIES_MAX = 100;
const TRY_REST_MS = 250;
/** Uses of a key at once: more than nodes, so that each of them gets some. */
const BURST = 6;
/** A dead key is used for this long, in bursts. */
const DEAD_MS = 3_600;
const DEAD_REST_MS = 600;
const PER_MINUTE = 3;
/** About three of the smallest requests. */
const CAP_USD = '0.0001';
const EXPIRES_MS = 2_500;
const TRADES = 6;
const SEARCHED_MAX = 20;

/**
 * Owners create, limit, disable, move and revoke keys while requests run. Each key is used after each change, on new
 * connections, so that every node is asked.
 */
export class KeyWork {
  readonly #options: KeyWorkOptions;
  readonly #changes: KeyChange[] = [];
  readonly #uses: KeyUse[] = [];
  readonly #misused: KeyEvidence['misused'][number][] = [];
  readonly #trades: CodeTrades[] = [];
  readonly #texts: string[] = [];
  readonly #workspaces = new Map<string, string>();
  #running = false;
  #workers: readonly Promise<void>[] = [];

  constructor(options: KeyWorkOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = true;
    this.#workers = this.#options.managers.map((manager, at) => this.#work(manager, at));
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#workers);
  }

  get seen(): Pick<KeyEvidence, 'changes' | 'uses' | 'misused' | 'trades'> {
    return { changes: this.#changes, uses: this.#uses, misused: this.#misused, trades: this.#trades };
  }

  /** The texts of some issued keys. */
  get texts(): readonly string[] {
    return this.#texts.slice(-SEARCHED_MAX);
  }

  /** The lives of keys, one after the other; each manager begins with another one. All are lived at least once. */
  async #work(manager: Payer, at: number): Promise<void> {
    const lives = [
      ...[this.#revoked, this.#limited, this.#switched, this.#capped],
      ...[this.#moved, this.#paced, this.#expiring, this.#traded],
    ];
    const share = Math.ceil(lives.length / this.#options.managers.length);
    for (let turn = 0; this.#running || turn < share; turn++) {
      await lives[(at * share + turn) % lives.length]?.call(this, manager);
      await pause(REST_MS);
    }
  }

  async #revoked(manager: Payer): Promise<void> {
    const key = await this.#create(manager, {});
    if (key === null) return;
    await this.#turn(key, 'ok');
    await this.#misuse(key);
    if (await this.#change(key, 'revoke')) await this.#useDead(key);
  }

  async #switched(manager: Payer): Promise<void> {
    const key = await this.#create(manager, {});
    if (key === null) return;
    await this.#turn(key, 'ok');
    if (!(await this.#change(key, 'disable', { disabled: true }))) return;
    await this.#useDead(key);
    if (await this.#change(key, 'enable', { disabled: false })) await this.#turn(key, 'any');
    await this.#change(key, 'revoke');
  }

  async #expiring(manager: Payer): Promise<void> {
    const expiresAt = Date.now() + EXPIRES_MS;
    const key = await this.#create(manager, { expires_at: new Date(expiresAt).toISOString() });
    if (key === null) return;
    const { account } = manager;
    this.#changes.push({ account, hash: key.hash, what: 'expire', at: expiresAt, endAt: expiresAt, status: 200 });
    await this.#turn(key, 'any');
    await pause(Math.max(0, expiresAt - Date.now()));
    await this.#useDead(key);
  }

  async #limited(manager: Payer): Promise<void> {
    const key = await this.#create(manager, { limit: '1', limit_reset: 'daily' });
    if (key === null) return;
    await this.#turn(key, 'ok');
    if (!(await this.#change(key, 'limit', { limit: '0' }))) return;
    await pause(DEAD_MS - 1_000);
    await this.#burst(key);
    if (await this.#change(key, 'limit', { limit: '1' })) await this.#turn(key, 'ok');
  }

  /** More at once than its limit allows. */
  async #capped(manager: Payer): Promise<void> {
    const key = await this.#create(manager, { limit: CAP_USD });
    if (key === null) return;
    await this.#burst(key);
    await this.#burst(key);
  }

  async #moved(manager: Payer): Promise<void> {
    const [workspace, key] = [await this.#workspace(manager), await this.#create(manager, {})];
    if (workspace === null || key === null) return;
    await this.#change(key, 'move', { workspace_id: workspace });
    await this.#turn(key, 'ok');
    await this.#change(key, 'move', { workspace_id: 'default' });
    await this.#change(key, 'revoke');
  }

  async #paced(manager: Payer): Promise<void> {
    const key = await this.#create(manager, { requests_per_minute: PER_MINUTE });
    if (key === null) return;
    await this.#burst(key);
    await this.#burst(key);
  }

  /** A code that several clients trade at once. */
  async #traded({ key }: Payer): Promise<void> {
    const verifier = randomBytes(32).toString('base64url');
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const asked = {
      code_challenge: challenge,
      code_challenge_method: 'S256',
      callback_url: 'https://app.example.com/',
    };
    const issued = await this.#untilKnown(() => post(this.#options.base, key, '/auth/keys/code', asked));
    const code = issued === null ? undefined : jsonOf<{ data: { id: string } }>(issued)?.data?.id;
    if (code === undefined) return;
    const body = { code, code_verifier: verifier, code_challenge_method: 'S256' };
    const answers = await Promise.all(
      Array.from({ length: TRADES }, () => post(this.#options.base, key, '/auth/keys', body)),
    );
    for (const answer of answers) {
      const text = answer.status === 200 ? jsonOf<{ key: string }>(answer)?.key : undefined;
      if (text !== undefined) this.#texts.push(text);
    }
    this.#trades.push({
      granted: answers.filter(({ status }) => status === 200).length,
      unknown: answers.filter(({ status }) => status === null || status >= 500).length,
      refusals: answers.flatMap(({ status, bytes }) => (status === 400 ? [bytes.toString()] : [])),
    });
  }

  async #create(manager: Payer, body: Readonly<Record<string, unknown>>): Promise<Made | null> {
    const { base } = this.#options;
    const at = Date.now();
    const answer = await post(base, manager.key, '/keys', { name: 'chaos', ...body });
    const made = answer.status === 201 ? jsonOf<{ key: string; data: { hash: string } }>(answer) : null;
    if (made === null) return null;
    const { account } = manager;
    const { hash } = made.data;
    const limit = typeof body.limit === 'string' ? body.limit : null;
    const perMinute = body.requests_per_minute;
    this.#changes.push({
      ...{ account, hash, what: 'create', at, endAt: Date.now(), status: answer.status, limit },
      ...(typeof perMinute === 'number' ? { perMinute } : {}),
    });
    this.#texts.push(made.key);
    return { account, key: made.key, hash, manager };
  }

  /** Repeats the change until its outcome is known; false if it never was. */
  async #change({ account, hash, manager }: Made, what: What, body?: object): Promise<boolean> {
    const { base } = this.#options;
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const at = Date.now();
      const init = body === undefined ? { method: 'DELETE' } : { method: 'PATCH', body: JSON.stringify(body) };
      const headers = { 'content-type': 'application/json' };
      const answer = await call(base, manager.key, `/keys/${hash}`, { ...init, headers });
      // A revoked key is unknown to a repeat.
      const isDone = answer.status === 200 || (tries > 0 && what === 'revoke' && answer.status === 404);
      const status = isDone ? 200 : answer.status;
      const limit = (body as { limit?: string } | undefined)?.limit;
      const limited = limit === undefined ? {} : { limit };
      this.#changes.push({ account, hash, what, at, endAt: Date.now(), status, ...limited });
      if (isDone) return true;
      if (!isRepeatable(answer)) throw new Error(`${what} of a key: ${answer.status} ${answer.bytes}`);
      await pause(TRY_REST_MS);
    }
    return false;
  }

  async #workspace({ account, key }: Payer): Promise<string | null> {
    const known = this.#workspaces.get(account);
    if (known !== undefined) return known;
    const name = { name: 'chaos', slug: `chaos-${randomBytes(3).toString('hex')}` };
    const answer = await post(this.#options.base, key, '/workspaces', name);
    const made = answer.status === 201 ? (jsonOf<{ data: { id: string } }>(answer)?.data.id ?? null) : null;
    if (made !== null) this.#workspaces.set(account, made);
    return made;
  }

  async #useDead(key: Made): Promise<void> {
    for (const until = Date.now() + DEAD_MS; Date.now() < until; await pause(DEAD_REST_MS)) {
      await Promise.all([this.#turn(key, 'any'), this.#turn(key, 'any'), this.#read(key), this.#read(key)]);
    }
  }

  async #burst(key: Made): Promise<void> {
    await Promise.all(Array.from({ length: BURST }, () => this.#turn(key, 'any')));
  }

  async #turn(key: Made, expects: 'ok' | 'any'): Promise<void> {
    const { workload } = this.#options;
    const at = Date.now();
    const finding = await workload.send({ ...probe(workload.nonce()), expects }, key);
    this.#uses.push({ hash: key.hash, way: 'turn', at, endAt: Date.now(), status: statusOf(finding), refusal: null });
  }

  async #read(key: Made): Promise<void> {
    const at = Date.now();
    const { status, bytes } = await call(this.#options.base, key.key, '/key');
    const refusal = status === 200 || status === null ? null : bytes.toString();
    this.#uses.push({ hash: key.hash, way: 'read', at, endAt: Date.now(), status, refusal });
  }

  /** The right keys at the wrong routes. */
  async #misuse({ key, manager }: Made): Promise<void> {
    const { base } = this.#options;
    const chat = { model: 'sim/fast', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] };
    const asked = [
      ['inference key, GET /keys', call(base, key, '/keys')],
      ['inference key, POST /keys', post(base, key, '/keys', { name: 'x' })],
      ['management key, POST /chat/completions', post(base, manager.key, '/chat/completions', chat)],
      ['management key, GET /credits', call(base, manager.key, '/credits')],
    ] as const;
    for (const [what, answer] of asked) this.#misused.push({ what, status: (await answer).status });
  }

  async #untilKnown(send: () => Promise<Called>): Promise<Called | null> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const answer = await send();
      if (!isRepeatable(answer)) return answer;
      await pause(TRY_REST_MS);
    }
    return null;
  }
}

function isRepeatable({ status }: Called): boolean {
  return status === null || status >= 500 || status === 429;
}

function statusOf(finding: Finding): number | null {
  if (finding.type === 'ok') return 200;
  return finding.type === 'fail' ? finding.status : null;
}
