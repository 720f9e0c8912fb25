import { wholeReply } from '../../dialects/reply/whole-reply.ts';
import { headerText } from '../../http/write-answer.ts';
import { endTurn } from '../../inference/end-turn.ts';
import type { RunningTurn } from '../../inference/running-turn.ts';
import type { CallerAbort } from '../../inference/turn-request.ts';
import { LOOP_TURN_BYTES, loopShare } from '../../overload/loop-work.ts';
import { CallerLeft, GatewayError, unavailable } from '../../terms/gateway-error.ts';
import type { TurnEvent, Vector } from '../../terms/turn-event.ts';
import { generationHeaders, turnHeaders } from '../generation-headers.ts';
import type { RequestContext } from '../request-context.ts';
import type { AnswerParts } from './answer-parts.ts';

/**
 * A turn answered as one document, in any dialect. The charge is recorded before the first byte is sent. If that cannot
 * be done now, the reply goes out without `usage` and the charge follows in the background. (rule I45, rule I54)
 */
export class WholeAnswer {
  readonly #parts: AnswerParts;
  readonly #context: RequestContext;
  readonly #signal: CallerAbort;
  /** What ended the turn early: the client left, or the node drains. */
  #endedBy: 'caller' | 'node' | null = null;

  constructor(parts: AnswerParts, context: RequestContext, signal: CallerAbort) {
    this.#parts = parts;
    this.#context = context;
    this.#signal = signal;
  }

  /** No-op: a whole answer writes only at the end. */
  accept(): void {}

  /** Sends the reply of a turn that is being started; rejects with the refusal. */
  async send(starting: Promise<RunningTurn>): Promise<null> {
    const { inference, turns, crashPoint } = this.#parts;
    const { response } = this.#context;
    response.on('close', this.#left);
    const closeTurn = turns.open(this.#cut);
    let running: RunningTurn | null = null;
    try {
      running = await starting;
      const ended = await endTurn(inference, running);
      this.#context.end.turn = ended;
      this.#context.end.callerLeft = this.#endedBy === 'caller';
      const { events, error, receipt, charge, closing } = ended;
      if (charge === 'unrecorded') turns.settledLater++;
      if (error !== null) throw error;
      const { head, request } = running;
      const headers = generationHeaders(head.id).concat(turnHeaders(request, running, receipt));
      headers.push('x-provider-name', headerText(head.provider));
      headers.push('content-type', request.reply.type);
      if (crashPoint) response.once('finish', () => crashPoint('reply.sent'));
      // Writing a large answer takes as long as parsing a large body.
      const characters = charactersOf(events);
      const isLarge = characters > LOOP_TURN_BYTES;
      const pieces = isLarge ? request.reply.pieces?.(head, events, closing) : undefined;
      if (isLarge && pieces === undefined) await loopShare(inference.clock, characters);
      const reply =
        pieces === undefined
          ? wholeReply(request.reply, head, { events, closing }, this.#parts.random.bytes)
          : await this.#gathered(pieces);
      const writing = this.#parts.largeAnswers.write(response, headers, reply);
      if (writing !== null) await writing;
      return null;
    } catch (thrown) {
      throw running === null ? this.#reasonOf(thrown) : thrown;
    } finally {
      closeTurn();
    }
  }

  /** Joins small pieces, because each share takes a turn of the event loop. Stops for a client that has left. */
  async #gathered(pieces: Iterable<string>): Promise<readonly string[]> {
    const made: string[] = [];
    let text = '';
    for (const piece of pieces) {
      text += piece;
      if (text.length < GATHERED_CHARACTERS) continue;
      if (this.#context.response.destroyed) return made;
      made.push(text);
      await loopShare(this.#parts.inference.clock, text.length);
      text = '';
    }
    return made.concat(text);
  }

  /** Why the turn did not start, as a public error. */
  #reasonOf(thrown: unknown): unknown {
    if (this.#endedBy === 'caller') return new CallerLeft();
    if (this.#endedBy === 'node') return unavailable('the node is restarting');
    if (thrown instanceof GatewayError) this.#parts.authentication.remember(this.#context, thrown);
    return thrown;
  }

  readonly #left = (): void => {
    this.#endedBy ??= 'caller';
    this.#signal.abort();
  };

  readonly #cut = (): void => {
    this.#endedBy ??= 'node';
    this.#signal.abort();
  };
}

/** Characters of a large answer that are made in one turn: decimals of vectors take 2 ms for them. */
const GATHERED_CHARACTERS = 64 * 1_024;

/** Of one number in a vector, as decimals. */
const NUMBER_CHARACTERS = 20;

function numbersOf(vectors: readonly Vector[]): number {
  return vectors.reduce((sum, { length }) => sum + length, 0);
}

/** Characters that are rendered in one go: those that make an answer large, but for pictures and speech kept as bytes. */
function charactersOf(events: readonly TurnEvent[]): number {
  let characters = 0;
  for (const event of events) {
    if (event.type === 'image') characters += typeof event.url === 'string' ? event.url.length : 0;
    else if (event.type === 'audio-delta') characters += typeof event.data === 'string' ? event.data.length : 0;
    else if (event.type === 'embeddings') characters += NUMBER_CHARACTERS * numbersOf(event.vectors);
    else if ('text' in event) characters += event.text.length;
    else if (event.type === 'tool-delta') characters += event.arguments.length;
  }
  return characters;
}
