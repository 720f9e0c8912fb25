import { Readable } from 'node:stream';
import { failedOutcome, type LineOutcome, REPLY_BYTES_MAX, repliedOutcome } from '../../../actors/batch/line-record.ts';
import type { LineResult } from '../../../actors/batch/lines.ts';
import { IN_FLIGHT_MAX, type LineInput, MONEY_HELD } from '../../../actors/batch/lines.ts';
import {
  ActivityFailed,
  type ActivityHandler,
  type ActivityTask,
  type Json,
  type SealingKey,
  sealBlob,
  sealValue,
} from '../../../actors/runtime/index.ts';
import { accountAddress, lineGenerationId } from '../../../actors/terms/ids.ts';
import { wholeReply } from '../../dialects/reply/whole-reply.ts';
import { byteFailure } from '../../files/byte-failure.ts';
import type { FileServices } from '../../files/file-services.ts';
import { type EndedTurn, endTurn } from '../../inference/end-turn.ts';
import type { RunningTurn } from '../../inference/running-turn.ts';
import { startTurn, type TurnArrival } from '../../inference/start-turn.ts';
import type { TurnRequest } from '../../inference/turn-request.ts';
import { oneOf } from '../../json/read-in-shares.ts';
import { lengthOf, writeInShares } from '../../json/write-in-shares.ts';
import { loopWork } from '../../overload/loop-work.ts';
import type { Attribution } from '../../terms/caller.ts';
import type { GatewayError } from '../../terms/gateway-error.ts';
import { gatewayErrorOf } from '../../terms/gateway-error.ts';
import type { LineServices } from '../job-services.ts';
import { type LineProvider, lineErrorOf, readLineBody } from './line-body.ts';
import { placeOfReply, readSealed } from './read-sealed.ts';
import { placeOfBodies } from './seal-submission.ts';

/** Lines that run on one node at once; accounts take turns. */
const LINES_RUNNING_MAX = 256;
/** Bytes of the bodies of all lines that run on one node: at least that of one body. */
const BODY_BYTES_MAX = 128 * 1024 * 1024;
/** A sealed reply up to this size is kept in the row of its line, a larger one as a blob. */
const ROW_REPLY_BYTES_MAX = 16 * 1024;
/** How often a line looks for room. */
const ROOM_LOOK_MS = 50;
const REPLY_KEY_MS = 1_000;
const BODY_LOST = 'The body of this request can no longer be opened: its key is destroyed';

/**
 * The activity `line`: runs one line of a batch exactly as its live route runs the body, and resolves with the outcome
 * and the charge, which the batch records in one commit. A refusal of the turn is an outcome; a failure of the cluster,
 * the store or the key store is none, and the chart repeats the attempt. (rule B13, rule B21)
 */
export function lineHandler(services: () => LineServices): ActivityHandler {
  const node: NodeState = { replyKey: new ReplyKey(), bodyBytes: 0 };
  return {
    runningMax: LINES_RUNNING_MAX,
    runningPerGroupMax: IN_FLIGHT_MAX,
    run: async (task, signal) => (await new LineRun(services(), node, task, signal).run()) as unknown as Json,
  };
}

/** What the lines of one node share. */
interface NodeState {
  readonly replyKey: ReplyKey;
  /** Bytes of the bodies of lines under way. */
  bodyBytes: number;
}

/**
 * The key that seals the replies of this node, asked for again after a second: reading it costs a line 0.2 ms. Each line
 * reads the key of its body beside it, so an unreachable key store is noticed at once.
 */
class ReplyKey {
  #known: SealingKey | null = null;
  #knownAt = 0;

  async current({ bytes, clock }: FileServices): Promise<SealingKey> {
    const now = clock.monotonic();
    if (this.#known === null || now - this.#knownAt > REPLY_KEY_MS) {
      this.#known = await bytes.keys.current();
      this.#knownAt = now;
    }
    return this.#known;
  }
}

class LineRun {
  readonly #services: LineServices;
  readonly #node: NodeState;
  readonly #task: ActivityTask;
  readonly #signal: AbortSignal;
  readonly #input: LineInput;
  readonly #generation: string;

  constructor(services: LineServices, node: NodeState, task: ActivityTask, signal: AbortSignal) {
    this.#services = services;
    this.#node = node;
    this.#task = task;
    this.#signal = signal;
    this.#input = task.input as unknown as LineInput;
    this.#generation = lineGenerationId(this.#input.batch, this.#input.index);
  }

  async run(): Promise<LineResult> {
    this.#services.crashpoint('line.dispatched');
    await this.#awaitTurn();
    await this.#takeRoom();
    try {
      return await this.#turn();
    } catch (thrown) {
      if (this.#signal.aborted) throw this.#signal.reason;
      return { outcome: this.#failed(errorOf(thrown), null), settlement: null };
    } finally {
      this.#node.bodyBytes -= this.#input.length;
    }
  }

  async #turn(): Promise<LineResult> {
    const text = await this.#readBody();
    if (text === null) return { outcome: this.#lost(BODY_LOST, null), settlement: null };
    // Before the call: while the key store is out of reach nothing is sent.
    const key = await this.#node.replyKey.current(this.#services.files);
    return this.#end(await this.#start(text), key);
  }

  /** Waits for its turn. Rejects once the completion window is closed: the line was not sent. */
  async #awaitTurn(): Promise<void> {
    const { account, expiresAt } = this.#input;
    const { files, pace } = this.#services;
    const waitMs = expiresAt - files.cluster.now();
    if (waitMs <= 0 || !(await pace.enter(account, { signal: this.#signal, waitMs }))) throw windowClosed();
  }

  /** Waits until the node has room for the body, and takes it. Rejects as `#awaitTurn` does. */
  async #takeRoom(): Promise<void> {
    const { clock, cluster } = this.#services.files;
    for (;;) {
      if (this.#signal.aborted) throw this.#signal.reason;
      if (cluster.now() >= this.#input.expiresAt) throw windowClosed();
      const bodyBytes = this.#node.bodyBytes + this.#input.length;
      if (bodyBytes <= BODY_BYTES_MAX) {
        this.#node.bodyBytes = bodyBytes;
        return;
      }
      await new Promise<void>((resolve) => void clock.after(ROOM_LOOK_MS, resolve));
    }
  }

  /** Null: the key is destroyed, or the bytes are damaged; the line is not sent. (rule B19) */
  async #readBody(): Promise<Buffer | null> {
    const { account, batch, bodies, offset, length } = this.#input;
    const { bytes } = this.#services.files;
    if (bodies === null) throw new Error('a line without bodies');
    const range = { from: offset, to: offset + length };
    return readSealed(bytes, placeOfBodies(account, batch), bodies, range);
  }

  async #start(text: Buffer): Promise<RunningTurn> {
    const { files, limits } = this.#services;
    const { account, key, workspace, endpoint, model, attribution } = this.#input;
    const provider = this.#input.provider as LineProvider | null;
    const startedAt = files.clock.monotonic();
    const loop = files.background.of(account);
    const { dialect, body } = await readLineBody(text, { endpoint, model, provider }, { limits, loop });
    const arrival: TurnArrival = {
      bytes: text.length,
      generation: this.#generation,
      runAttempt: this.#task.attempt,
      // With the submission: lines spend nothing of the key's rate.
      isCounted: true,
      caller: { account: accountAddress(account), key, kind: 'inference', ...(workspace == null ? {} : { workspace }) },
      acceptedIn: workspace,
      attribution: attribution as unknown as Attribution,
      startedAt,
      signal: this.#signal,
      crashPoint: this.#crashPoint,
    };
    return startTurn(this.#services.inference, arrival, { dialect, body, session: null });
  }

  /** The crash points of a turn under the names of a line's. */
  readonly #crashPoint: TurnRequest['crashPoint'] = (name) => {
    const own = LINE_POINTS[name];
    if (own !== null) this.#services.crashpoint(own);
  };

  /** Ends the turn with its settlement uncommitted: the batch commits it with the outcome. */
  async #end(running: RunningTurn, key: SealingKey): Promise<LineResult> {
    const ended = await endTurn(this.#services.inference, running, 'later');
    if (ended.settlement === null) {
      throw new ActivityFailed('undelivered', 'the turn ended before its reply was delivered', true);
    }
    const outcome = await this.#outcomeOf(running, ended, key);
    this.#services.crashpoint('line.sealed');
    return { outcome, settlement: ended.settlement };
  }

  async #outcomeOf(running: RunningTurn, ended: EndedTurn, key: SealingKey): Promise<LineOutcome> {
    const charged = this.#generation;
    if (ended.error !== null) return this.#failed(ended.error, charged);
    const { head, request } = running;
    const { clock, random } = this.#services.files;
    const body = await writeInShares(wholeReply(request.reply, head, ended, random.bytes), loopWork(clock));
    const length = lengthOf(body);
    if (length <= REPLY_BYTES_MAX) return this.#replied(body, length, key);
    const message = `The reply has ${length} bytes; a line of a batch keeps at most ${REPLY_BYTES_MAX}`;
    return this.#lost(message, charged);
  }

  #lost(message: string, charged: string | null): LineOutcome {
    return failedOutcome(this.#input.customId, { type: 'server', code: 500, message, param: null }, charged);
  }

  async #replied(body: readonly Buffer[], length: number, key: SealingKey): Promise<LineOutcome> {
    const { bytes, random } = this.#services.files;
    const { account, batch, index, customId } = this.#input;
    const place = placeOfReply(account, batch, index);
    const statusCode = 200;
    if (length <= ROW_REPLY_BYTES_MAX) {
      const value = sealValue(key, place, oneOf(body), random).toString('base64');
      return repliedOutcome(customId, { statusCode, body: { value } }, length);
    }
    const blob = await bytes.blobs.put(Readable.from(body));
    return repliedOutcome(customId, { statusCode, body: { blob: sealBlob(key, place, blob, random) } }, length);
  }

  #failed(error: GatewayError, charged: string | null): LineOutcome {
    if (error.detail !== null) {
      const record = { generation: this.#generation, status: error.status, detail: error.detail };
      this.#services.log({ level: 'warn', message: 'a line of a batch failed', ...record });
    }
    return failedOutcome(this.#input.customId, lineErrorOf(error), charged);
  }
}

/** The line was not sent. */
function windowClosed(): ActivityFailed {
  return new ActivityFailed('window-closed', 'the completion window of the batch is closed', true);
}

/**
 * The refusal of a turn; throws what is no outcome: the cluster, a store or the key store cannot be reached now, or other
 * requests, such as lines of the same batch, hold the money that this one needs.
 */
function errorOf(thrown: unknown): GatewayError {
  if (thrown instanceof ActivityFailed) throw thrown;
  const error = gatewayErrorOf(byteFailure(thrown));
  if (isRepeatable(error)) throw new ActivityFailed('unavailable', error.detail ?? error.message, true);
  if (isHeldBack(error)) throw new ActivityFailed(MONEY_HELD, error.message, true);
  return error;
}

/** The request would be admitted once the others have ended and given back what they did not spend. */
function isHeldBack({ status, metadata }: GatewayError): boolean {
  return status === 402 && metadata.held !== undefined;
}

/** Only failures of the service itself advise to repeat. (rule B21) */
function isRepeatable({ headers }: GatewayError): boolean {
  return headers['x-should-retry'] === 'true';
}

const LINE_POINTS = {
  'hold.committed': 'line.held',
  'upstream.sent': 'line.sent',
  'upstream.firstbyte': 'line.firstbyte',
  'settle.committed': null,
} as const;
