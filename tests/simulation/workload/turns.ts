import { release, settle } from '../../../actors/account/account.ts';
import { admit, raise } from '../../../actors/key/key.ts';
import type {
  Admission,
  AttemptRecord,
  Generation,
  HoldRequest,
  Idempotency,
  Settled,
  Settlement,
} from '../../../actors/terms/hold.ts';
import { holdAttempt } from '../../../actors/terms/hold.ts';
import { generationId } from '../../../actors/terms/ids.ts';
import type { Refusal, RefusedAnswer } from '../../../actors/terms/refusal.ts';
import { charge } from '../../../gateway/pricing/charge.ts';
import { total } from '../../../gateway/pricing/prices.ts';
import { amount } from '../../support/auditor/amount.ts';
import type { CallSeen } from '../../support/auditor/evidence.ts';
import type { HistoryEntry } from '../../support/auditor/history.ts';
import type { History } from '../history.ts';
import type { Database } from '../world/database.ts';
import type { Bank, KeyMade } from './bank.ts';
import { type Client, pause } from './client.ts';
import { type Ending, endingOf } from './ending.ts';
import { type Line, Lines } from './lines.ts';
import { MODEL, OFFERS, type Offer } from './price-list.ts';
import { Repeats } from './repeats.ts';

const ADMIT_MS_MIN = 300;
const ADMIT_MS_MAX = 4_000;
const SETTLE_MS = 2_000;
const RETRY_MS = 250;
const RETRIES_MAX = 400;
const PER_MINUTE = 1_000_000;
const PROMPT_MAX = 40;
const COMPLETION_MAX = 60;
/** One client in this many disconnects during its answer. */
const LEAVES_ONE_IN = 9;
/** One request in this many is a line: its generation outlives the run and is run again if a run ends without an outcome. */
const LINES_ONE_IN = 3;
const LINE_LAPSES_MS_MIN = 1_000;
const LINE_LAPSES_MS_MAX = 12_000;
const CALL_MS_MAX = 2_500;
const LINE_CALL_MS_MAX = 5_000;

/** The state of one request on this gateway. */
interface Turn {
  readonly op: number;
  readonly nonce: string;
  readonly key: KeyMade;
  readonly generation: string;
  readonly promptBound: number;
  readonly completionMax: number;
  readonly deadlineAt: number;
  /** Attempt of the run, from 1; only lines have later ones. */
  readonly run: number;
  readonly line: Line<Turn> | null;
  readonly idempotency: Idempotency | null;
}

interface Answered {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Completion usage was not reported: the client disconnected and the call was aborted. */
  readonly cut?: true;
}

/** Paid requests: admitted, sent to a provider, charged or released, as a gateway does it. */
export class Turns {
  readonly history: HistoryEntry[] = [];
  readonly calls: CallSeen[] = [];
  readonly releases: { readonly generation: string; readonly at: number; readonly stored: string }[] = [];
  readonly #history: History;
  readonly #database: Database;
  readonly #bank: Bank;
  readonly #lines: Lines<Turn>;
  readonly #repeats = new Repeats();
  #ops = 0;

  constructor(bank: Bank, history: History, database: Database) {
    this.#bank = bank;
    this.#history = history;
    this.#database = database;
    this.#lines = new Lines(database);
  }

  /** Runs a line that another node left without an outcome, or else a new request. */
  act(client: Client): Promise<void> {
    const line = this.#lines.take(client);
    const turn =
      line === null ? this.#begin(client, client.dice.pick(this.#bank.keys)) : this.#beginAgain(client, line);
    return this.#run(client, turn);
  }

  async #run(client: Client, turn: Turn): Promise<void> {
    const { dice } = client;
    const first = OFFERS[0];
    const admission = await endingOf(
      admit(client.node, turn.key.address, this.#request(client, turn, first, 1), {
        perMinute: PER_MINUTE,
        withinMs: dice.between(ADMIT_MS_MIN, ADMIT_MS_MAX),
      }),
    );
    if (!this.#isAdmitted(client, turn, admission, 1)) return;
    const answered = await this.#call(client, turn, first, 1);
    if (answered !== null) return this.#charge(client, turn, first, 1, answered);
    await this.#fallBack(client, turn);
  }

  /** The first provider failed: the hold moves to the second provider or is released. */
  async #fallBack(client: Client, turn: Turn): Promise<void> {
    const { dice } = client;
    const [first, second] = OFFERS;
    if (dice.happens(0.3)) {
      this.#fail(turn, 502);
      return this.#letGo(client, turn, 1);
    }
    const withinMs = dice.between(ADMIT_MS_MIN, ADMIT_MS_MAX);
    const moved = await endingOf(
      raise(client.node, turn.key.address, this.#request(client, turn, second, 2), withinMs),
    );
    if (!this.#isAdmitted(client, turn, moved, 2)) return;
    this.#history.saw('hold moved to a more expensive endpoint');
    if (dice.happens(0.3)) await this.#settleStale(client, turn, first);
    const answered = await this.#call(client, turn, second, 2);
    if (answered !== null) return this.#charge(client, turn, second, 2, answered);
    this.#fail(turn, 502);
    await this.#letGo(client, turn, 2);
  }

  #begin(client: Client, picked: KeyMade): Turn {
    const { name, dice } = client;
    const op = ++this.#ops;
    const nonce = `n${op}`;
    const earlier = isLine(op) ? null : this.#repeats.earlier(op);
    const key = earlier?.key ?? picked;
    const idempotency = earlier?.idempotency ?? (isLine(op) ? null : this.#repeats.own(op, nonce, key));
    const plain: Turn = {
      ...{ op, nonce, key, generation: generationId(dice, this.#database.now()) },
      promptBound: dice.whole(1, PROMPT_MAX),
      completionMax: dice.whole(1, COMPLETION_MAX),
      deadlineAt: deadlineOf(client),
      ...{ run: 1, line: null, idempotency },
    };
    const turn = isLine(op) ? this.#asLine(client, plain) : plain;
    this.history.push({
      ...{ type: 'invoke', op, at: this.#database.scheduler.now, wallAt: this.#database.now(), nonce },
      ...{ account: key.account, key: key.address, model: MODEL, stream: false, expects: 'any' },
    });
    this.#history.note('turn', { nonce, generation: turn.generation, key: key.address, client: name });
    return turn;
  }

  #asLine(client: Client, plain: Turn): Turn {
    const line: Line<Turn> = { turn: plain, ...this.#runOf(client), run: 1, over: false };
    line.turn = { ...plain, line };
    this.#lines.add(line);
    return line.turn;
  }

  /** The next run of a line, under the same generation; later actions of the previous run are refused. */
  #beginAgain(client: Client, line: Line<Turn>): Turn {
    const run = line.run + 1;
    Object.assign(line, this.#runOf(client), { run });
    line.turn = { ...line.turn, run, deadlineAt: deadlineOf(client) };
    const { nonce, generation } = line.turn;
    this.#history.note('turn again', { nonce, generation, run, client: client.name });
    return line.turn;
  }

  #runOf(runner: Client): { readonly runner: Client; readonly lapsesAt: number } {
    const lapsesAt = this.#database.scheduler.now + runner.dice.between(LINE_LAPSES_MS_MIN, LINE_LAPSES_MS_MAX);
    return { runner, lapsesAt };
  }

  /** `hold` counts the holds of this run, from 1. A line is marked as possibly sent by an earlier run. */
  #request({ node }: Client, turn: Turn, offer: Offer, hold: number): HoldRequest {
    const { generation, nonce, promptBound, completionMax, deadlineAt, idempotency } = turn;
    return {
      ...(idempotency === null ? {} : { idempotency }),
      ...{ generation, attempt: holdAttempt(turn.run, hold), amount: total(offer.tariff, promptBound, completionMax) },
      ...{ gateway: node.self.incarnation, deadlineAt, model: MODEL, endpoint: offer.endpoint, provider: offer.name },
      ...{ tariff: offer.tariff.id, streamed: false, appTitle: null, appUrl: null, user: nonce, sessionId: null },
      ...{ metadata: null, repeat: turn.line !== null },
    };
  }

  /** The result of an admission; a request that is not admitted has been answered and leaves no hold. */
  #isAdmitted(client: Client, turn: Turn, ending: Ending<Admission>, hold: number): boolean {
    if (ending.type === 'ok' && ending.body.admitted) {
      const { idempotency, nonce } = turn;
      if (hold === 1 && idempotency !== null && idempotency.key !== nonce) {
        this.#history.saw('repeat admitted after a release');
      }
      return true;
    }
    if (ending.type === 'ok' && !ending.body.admitted) {
      const { refusal } = ending.body;
      this.#noteRefusal(turn, refusal);
      // A request whose provider was called before its move was refused failed upstream, not for lack of money.
      this.#failUnadmitted(turn, hold, hold > 1 ? 502 : refusal.status);
    } else {
      this.#failUnadmitted(turn, hold, 503);
    }
    // A refused move leaves the first hold; an unanswered admit may have been granted.
    if (hold > 1 || ending.type === 'unknown') void this.#letGo(client, turn, hold);
    return false;
  }

  /** A later run that was not admitted cannot determine the outcome of the earlier run, which may have been charged. */
  #failUnadmitted(turn: Turn, hold: number, status: number): void {
    const { generation, run } = turn;
    if (run === 1 || hold > 1) this.#fail(turn, status);
    else this.#end(turn, { type: 'unknown', generation, reason: 'a later run was not admitted' });
  }

  #noteRefusal({ key, line, idempotency }: Turn, { status, metadata }: Refusal): void {
    if (status === 409 && idempotency !== null) {
      this.#history.saw(`repeat of a ${metadata?.generation_status ?? 'superseded'} request refused`);
    }
    if (status === 409 && line !== null) this.#history.saw('open of a charged or newer generation refused');
    if (status === 429) this.#history.saw('429 by rate');
    if (status === 401) this.#history.saw('401 of a disabled key');
    if (status === 403) this.#history.saw('management key refused');
    if (status !== 402) return;
    const { scope, required } = metadata as { scope: string; required: string };
    this.#history.saw(`402 by ${scope === 'key' ? 'key limit' : 'account balance'}`);
    if (scope === 'key') return;
    const balance = this.#bank.storedBalance(key.account);
    if (amount(balance) >= amount(required)) this.#history.saw('hold refused by a race');
  }

  /** One call at a provider; null when it failed. */
  async #call(client: Client, turn: Turn, offer: Offer, hold: number): Promise<Answered | null> {
    const { dice } = client;
    const call: CallSeen = {
      ...{ provider: offer.slug, call: this.calls.length + 1, id: turn.nonce, model: MODEL, stream: false },
      ...{ startAt: this.#database.now(), firstByteAt: null, endAt: null, abortAt: null, outcome: 'open' },
      ...{ status: null, chunks: 0, usage: null, holdAttempt: holdAttempt(turn.run, hold) },
    };
    this.calls.push(call);
    await pause(client, dice.between(5, turn.line === null ? CALL_MS_MAX : LINE_CALL_MS_MAX));
    call.endAt = this.#database.now();
    if (dice.happens(0.3)) {
      Object.assign(call, { outcome: 'status', status: 500 });
      return null;
    }
    // Sometimes more than the hold covers.
    const promptTokens = dice.happens(0.03) ? turn.promptBound + 5 : dice.whole(0, turn.promptBound);
    const completionTokens = dice.whole(0, turn.completionMax);
    const usage = { prompt_tokens: promptTokens, completion_tokens: completionTokens };
    if (leaves(turn) && turn.op % 2 === 0) {
      Object.assign(call, { outcome: 'aborted', abortAt: call.endAt, status: 200, chunks: 1 });
      return { promptTokens, completionTokens: Math.min(1, completionTokens), cut: true };
    }
    Object.assign(call, { outcome: 'served', status: 200, chunks: 1, usage });
    return { promptTokens, completionTokens };
  }

  async #charge(client: Client, turn: Turn, offer: Offer, hold: number, answered: Answered): Promise<void> {
    const settlement = this.#settlement(turn, offer, hold, answered);
    const left = leaves(turn);
    if (left) this.#leave(turn);
    const first = await endingOf(settle(client.node, turn.key.account, settlement, SETTLE_MS));
    const recorded = first.type === 'ok' ? this.#recorded(turn, settlement, first.body) : null;
    if (!left) {
      this.#end(turn, {
        ...{ type: 'ok', generation: turn.generation, cost: recorded?.cost ?? null, provider: offer.name },
        ...{ textIntact: true, endings: 1 },
      });
    }
    if (first.type !== 'ok')
      await this.#insist(client, turn, async () => {
        this.#recorded(turn, settlement, await settle(client.node, turn.key.account, settlement, SETTLE_MS));
      });
  }

  #recorded(turn: Turn, settlement: Settlement, answer: Settled | RefusedAnswer): Settled | null {
    this.#history.note('settled', { nonce: turn.nonce, answer });
    if ('refusal' in answer) {
      if (isSuperseded(turn)) this.#history.saw('settle of an older run refused');
      if (turn.idempotency !== null) this.#history.saw('settle refused: a repeat had claimed its key');
      return null;
    }
    if (answer.late) this.#history.saw('settled after its release');
    if (answer.overshoot !== undefined) this.#history.saw('charged above its hold');
    else if (answer.cost === settlement.cost) this.#history.saw('settle < hold');
    return answer;
  }

  /** An abandoned call returns late: its attempt no longer holds the money. */
  async #settleStale(client: Client, turn: Turn, offer: Offer): Promise<void> {
    const stale = this.#settlement(turn, offer, 1, { promptTokens: 1, completionTokens: 1 });
    const ending = await endingOf(settle(client.node, turn.key.account, stale, SETTLE_MS));
    this.#history.note('stale settle', { nonce: turn.nonce, ending });
    if (ending.type === 'ok' && 'refusal' in ending.body) this.#history.saw('settle of an old attempt refused');
  }

  #settlement(turn: Turn, offer: Offer, hold: number, answered: Answered): Settlement {
    const { promptTokens, completionTokens, cut = false } = answered;
    const { cost, unpriced } = charge(
      offer.tariff,
      { promptTokens, completionTokens },
      { at: 0, promptTokens, media: {} },
    );
    const attempts: readonly AttemptRecord[] = [];
    return {
      ...{
        generation: turn.generation,
        attempt: holdAttempt(turn.run, hold),
        cost,
        unpriced,
        promptTokens,
        completionTokens,
      },
      ...(turn.idempotency === null ? {} : { idempotencyKey: turn.idempotency.key }),
      ...{ cachedTokens: null, reasoningTokens: null, estimated: cut, finishReason: 'stop' },
      ...(cut ? { unmeasured: ['completion'] } : {}),
      ...{
        nativeFinishReason: 'stop',
        upstreamId: null,
        cancelled: leaves(turn),
        latencyMs: 1,
        generationMs: 1,
        attempts,
      },
    };
  }

  async #letGo(client: Client, turn: Turn, hold: number): Promise<void> {
    const { generation } = turn;
    const attempt = holdAttempt(turn.run, hold);
    const ended = { generation, attempt, reason: 'no provider answered', status: 502, attempts: [] };
    await this.#insist(client, turn, async () => {
      const answer = await release(client.node, turn.key.account, ended, SETTLE_MS);
      this.#history.note('released', { nonce: turn.nonce, answer });
      if ('refusal' in answer) {
        if (isSuperseded(turn)) this.#history.saw('release of an older run refused');
        return;
      }
      const row = this.#database.tables.row({ address: turn.key.account, collection: 'generation', id: generation });
      const { status, attempt: newest } = row === null ? ABSENT : (JSON.parse(row.body) as Generation);
      const stored = newest > attempt ? 'held by a newer attempt' : status;
      this.releases.push({ generation, at: this.#database.scheduler.now, stored });
    });
  }

  /** Repeats until the account acknowledges it or this process ends. */
  async #insist(client: Client, turn: Turn, send: () => Promise<void>): Promise<void> {
    for (let tries = 0; tries < RETRIES_MAX; tries++) {
      const ending = await endingOf(send());
      if (ending.type === 'ok') return;
      this.#history.note('again', { nonce: turn.nonce, code: ending.code });
      await pause(client, RETRY_MS);
    }
  }

  #leave(turn: Turn): void {
    this.#history.saw('client disconnected mid-stream');
    this.#end(turn, { type: 'unknown', generation: turn.generation, reason: 'the client disconnected', left: true });
  }

  #fail(turn: Turn, status: number): void {
    const { generation } = turn;
    this.#end(turn, { type: 'fail', status, errorType: null, generation, delivered: false, endings: 0 });
  }

  /** A run that a later run replaced no longer determines the outcome. */
  #end(turn: Turn, outcome: Outcome): void {
    if (isSuperseded(turn)) return;
    if (turn.line !== null) turn.line.over = true;
    this.history.push({ op: turn.op, at: this.#database.scheduler.now, ...outcome } as HistoryEntry);
    this.#history.note('turn end', { nonce: turn.nonce, outcome });
  }
}

/** Store time, ms; sometimes so early that the hold expires before its turn ends. */
function deadlineOf({ dice, node }: Client): number {
  const short = dice.happens(0.12);
  return node.now() + (short ? dice.whole(50, 1_500) : dice.whole(12_000, 25_000));
}

function isLine(op: number): boolean {
  return op % LINES_ONE_IN === 0;
}

function isSuperseded({ run, line }: Turn): boolean {
  return line !== null && line.run !== run;
}

/** Chosen by the number of the request, independently of which reply is awaited. A line (`LINES_ONE_IN`) has no client. */
function leaves({ op }: Turn): boolean {
  return op % LEAVES_ONE_IN === 1;
}

const ABSENT = { status: 'absent', attempt: 0 };

type Bare<T> = T extends unknown ? Omit<T, 'op' | 'at'> : never;
type Outcome = Bare<Exclude<HistoryEntry, { type: 'invoke' }>>;
