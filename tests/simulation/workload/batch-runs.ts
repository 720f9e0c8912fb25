import { release } from '../../../actors/account/account.ts';
import { type LineRecord, repliedOutcome } from '../../../actors/batch/line-record.ts';
import type { LineInput, LineResult } from '../../../actors/batch/lines.ts';
import type { ResultsInput, WrittenResults } from '../../../actors/batch/results.ts';
import { admit } from '../../../actors/key/key.ts';
import type { Json, SealedBlob } from '../../../actors/runtime/index.ts';
import type { ClusterNode } from '../../../actors/runtime/node.ts';
import { ActivityFailed, type ActivityHandler, type ActivityTask } from '../../../actors/runtime/ports/activity.ts';
import type { HoldRequest, Settlement } from '../../../actors/terms/hold.ts';
import { holdAttempt } from '../../../actors/terms/hold.ts';
import { accountAddress, batchAddress, fileId, lineGenerationId, lineId } from '../../../actors/terms/ids.ts';
import { usd } from '../../../actors/terms/usd.ts';
import { charge } from '../../../gateway/pricing/charge.ts';
import { total } from '../../../gateway/pricing/prices.ts';
import type { CallSeen } from '../../support/auditor/evidence.ts';
import type { History } from '../history.ts';
import type { Database } from '../world/database.ts';
import type { Dice } from '../world/dice.ts';
import type { SimulatedProcess } from '../world/node.ts';
import { pause } from './client.ts';
import { endingOf } from './ending.ts';
import { MODEL, OFFERS } from './price-list.ts';

const PROMPT_MAX = 40;
const COMPLETION_MAX = 60;
const CALL_MS_MAX = 2_500;
const ADMIT_MS = 3_000;
const RELEASES_MAX = 40;
const RELEASE_AGAIN_MS = 500;
/** Longer than a run, so that a hold that nothing ends is found. */
const HOLD_MS = 300_000;
/** Sizes of a reply as its batch counts them; the reply itself is short. */
const REPLY_BYTES = [100, 100, 700_000];
const FAILS_SHARE = 0.15;
const PER_MINUTE = 1_000_000;
const ROWS_MAX = 1_000;
const RUNNING = { runningMax: 64, runningPerGroupMax: 8 };

/** The handlers of a batch as a gateway has them, with a simulated provider and results kept as text. */
export class BatchRuns {
  readonly #calls: CallSeen[];
  readonly #history: History;
  readonly #database: Database;
  /** Result lines by file id. */
  readonly #results = new Map<string, string>();
  readonly #open = new Map<CallSeen, SimulatedProcess>();

  constructor(calls: CallSeen[], history: History, database: Database) {
    this.#calls = calls;
    this.#history = history;
    this.#database = database;
  }

  /** A reference that nothing opens: the simulated handlers need no bodies. */
  bodies(batch: string): SealedBlob {
    return { id: `bodies of ${batch}`, bytes: 100, head: '' } as unknown as SealedBlob;
  }

  results(file: string): string | null {
    return this.#results.get(file) ?? null;
  }

  handlers(process: SimulatedProcess, dice: Dice): Readonly<Record<string, ActivityHandler>> {
    const run = (task: ActivityTask, signal: AbortSignal): Promise<Json> => this.#line(process, dice, task, signal);
    return { line: { ...RUNNING, run }, results: { ...RUNNING, run: (task) => this.#write(process, dice, task) } };
  }

  async #line(process: SimulatedProcess, dice: Dice, task: ActivityTask, signal: AbortSignal): Promise<Json> {
    const input = task.input as unknown as LineInput;
    const node = nodeOf(process);
    const request = requestOf(input, task.attempt, node, this.#database.now());
    const withinMs = ADMIT_MS;
    const admission = await endingOf(admit(node, input.key, request, { perMinute: PER_MINUTE, withinMs }));
    const admitted = admission.type === 'ok' && admission.body.admitted;
    // The line may have ended meanwhile: then nothing else ends a hold that is granted after it.
    if (signal.aborted || admission.type === 'unknown') void this.#release(process, input, request);
    if (signal.aborted) throw signal.reason;
    if (!admitted) throw new ActivityFailed('unavailable', 'the line was not admitted', true);
    if (task.attempt > 1) this.#history.saw('line of a batch sent again');
    const usage = await this.#call(process, dice, request, signal);
    if (signal.aborted) throw signal.reason;
    if (usage === null) throw new ActivityFailed('unavailable', 'the provider failed', true);
    const settlement = settlementOf(request, usage);
    const body = `{"usage":{"cost":${usd(settlement.cost)}}}`;
    const outcome = repliedOutcome(input.customId, { statusCode: 200, body: { value: body } }, dice.pick(REPLY_BYTES));
    return { outcome, settlement } satisfies LineResult as unknown as Json;
  }

  /** Repeats until the account acknowledges it or the process ends, as the gateway does. */
  async #release(process: SimulatedProcess, { account }: LineInput, request: HoldRequest): Promise<void> {
    const { generation, attempt } = request;
    const ended = { generation, attempt, reason: 'its line was given up', status: null, attempts: [] };
    for (let tries = 0; tries < RELEASES_MAX; tries++) {
      const answer = release(nodeOf(process), accountAddress(account), ended, ADMIT_MS);
      if ((await endingOf(answer)).type === 'ok') return;
      await pause(process, RELEASE_AGAIN_MS);
    }
  }

  async #call(
    process: SimulatedProcess,
    dice: Dice,
    { user, attempt }: HoldRequest,
    signal: AbortSignal,
  ): Promise<Usage | null> {
    this.#endDead();
    const call: CallSeen = {
      ...{ provider: OFFERS[0].slug, call: this.#calls.length + 1, id: user, model: MODEL, stream: false },
      ...{ startAt: this.#database.now(), firstByteAt: null, endAt: null, abortAt: null, outcome: 'open' },
      ...{ status: null, chunks: 0, usage: null, holdAttempt: attempt },
    };
    this.#calls.push(call);
    this.#open.set(call, process);
    const abort = (): void => this.#abort(call);
    signal.addEventListener('abort', abort);
    await pause(process, dice.between(5, CALL_MS_MAX));
    signal.removeEventListener('abort', abort);
    this.#open.delete(call);
    if (signal.aborted) return null;
    call.endAt = this.#database.now();
    if (dice.happens(FAILS_SHARE)) {
      Object.assign(call, { outcome: 'status', status: 500 });
      return null;
    }
    const usage = { prompt_tokens: dice.whole(0, PROMPT_MAX), completion_tokens: dice.whole(0, COMPLETION_MAX) };
    Object.assign(call, { outcome: 'served', status: 200, chunks: 1, usage });
    return usage;
  }

  /** The calls of a process end with it. */
  #endDead(): void {
    for (const [call, process] of this.#open) {
      if (process.running) continue;
      this.#abort(call);
      this.#open.delete(call);
    }
  }

  #abort(call: CallSeen): void {
    Object.assign(call, { outcome: 'aborted', abortAt: this.#database.now() });
  }

  async #write(process: SimulatedProcess, dice: Dice, task: ActivityTask): Promise<Json> {
    const { batch, account, unsentAs } = task.input as unknown as ResultsInput;
    const query = { collection: 'line', address: batchAddress(account, batch), limit: ROWS_MAX } as const;
    const rows = await nodeOf(process).rows.rows(query);
    const lines = rows.map(({ body }) => resultLine(batch, JSON.parse(body) as LineRecord, unsentAs));
    const id = fileId(dice, this.#database.now());
    this.#results.set(id, lines.join('\n'));
    const blob = { id: `results of ${batch}`, bytes: 100, head: '' } as unknown as SealedBlob;
    return { id, blob, lost: 0 } satisfies WrittenResults as unknown as Json;
  }
}

interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

function nodeOf({ node, name }: SimulatedProcess): ClusterNode {
  if (node === null) throw new Error(`${name} runs an activity before it has joined`);
  return node;
}

function requestOf({ batch, index, customId }: LineInput, run: number, node: ClusterNode, now: number): HoldRequest {
  const [{ endpoint, name, tariff }] = OFFERS;
  return {
    ...{ generation: lineGenerationId(batch, index), attempt: holdAttempt(run, 1) },
    ...{ amount: total(tariff, PROMPT_MAX, COMPLETION_MAX), gateway: node.self.incarnation, deadlineAt: now + HOLD_MS },
    ...{ model: MODEL, endpoint, provider: name, tariff: tariff.id, streamed: false, appTitle: null, appUrl: null },
    ...{ user: customId, sessionId: null, metadata: null, repeat: run > 1, counted: true },
  };
}

function settlementOf({ generation, attempt }: HoldRequest, usage: Usage): Settlement {
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = usage;
  const counts = { promptTokens, completionTokens };
  const { cost, unpriced } = charge(OFFERS[0].tariff, counts, { at: 0, promptTokens, media: {} });
  return {
    ...{ generation, attempt, cost, unpriced, promptTokens, completionTokens },
    ...{
      cachedTokens: null,
      reasoningTokens: null,
      estimated: false,
      finishReason: 'stop',
      nativeFinishReason: 'stop',
    },
    ...{ upstreamId: null, cancelled: false, latencyMs: 1, generationMs: 1, attempts: [] },
  };
}

function resultLine(batch: string, { index, customId, outcome }: LineRecord, unsentAs: string | null): string {
  const ids = `"id":"${lineId(batch, index)}","custom_id":"${customId}"`;
  const failed = (error: object): string => `{${ids},"response":null,"error":${JSON.stringify(error)}}`;
  if (outcome === null) return failed({ type: unsentAs, message: '', code: null, request_id: null });
  if ('error' in outcome) {
    const { type, message, code, requestId } = outcome.error;
    return failed({ type, message, code, request_id: requestId });
  }
  const { statusCode, body } = outcome.reply;
  const text = 'value' in body ? body.value : '';
  const request = lineGenerationId(batch, index);
  return `{${ids},"response":{"status_code":${statusCode},"request_id":"${request}","body":${text}},"error":null}`;
}
