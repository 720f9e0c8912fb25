import type { GatewayError } from '../../terms/gateway-error.ts';
import type { FinishReason, TurnEvent } from '../../terms/turn-event.ts';
import type { Usage } from '../../terms/usage.ts';
import { type Closing, KEEP_ALIVE, type ReplyFrames, type ReplyHead } from '../reply/reply-dialect.ts';
import { honouredNames, numberText } from '../reply/usage-text.ts';
import { EventWriter } from './held-events.ts';
import { OutputItems, type WantedOutput } from './output-items.ts';
import { pathOf } from './path-of.ts';
import { endOf, idStem, type ResponseState, responseText } from './response-object.ts';

/** What a reply takes from its request. */
export interface ReplyRequest extends WantedOutput {
  /** The members that the response repeats, as JSON text with a comma before each. */
  readonly repeated: () => string;
}

/** Below the timers of clients, the shortest of which is five minutes. */
export const SILENCE_MS = 120_000;

/**
 * Writes one responses stream: the response as it begins, its items, and the whole response at the end, which waits for
 * the charge. A failure is an `error` event and the failed response. The whole reply of this dialect is the last
 * response of the same stream. (rule I88, rule I89)
 */
export class ResponsesFrames implements ReplyFrames {
  readonly #head: ReplyHead;
  readonly #repeated: () => string;
  readonly #writer = new EventWriter();
  readonly #output: OutputItems;
  #repeatedText: string | null = null;
  #begun = false;
  #failed = false;
  #finish: FinishReason | null = null;

  /** `head` may name another model until the turn runs. */
  constructor(head: ReplyHead, request: ReplyRequest) {
    this.#head = head;
    this.#repeated = request.repeated;
    this.#output = new OutputItems(this.#writer, idStem(head), request);
  }

  of(events: readonly TurnEvent[]): string {
    let frames = this.#begin();
    for (const event of events) {
      if (event.type === 'finish') frames += this.#end(event.reason);
      else if (event.type === 'error') frames += this.#fail(event.error);
      else frames += this.#output.add(event);
    }
    return frames;
  }

  end(closing: Closing | null): string {
    if (this.#failed) return '';
    const frames = this.#begin() + (this.#finish === null ? this.#end('stop') : '');
    const { status } = endOf(this.#finish ?? 'stop');
    const response = this.response(closing, closing?.honoured);
    return frames + this.#writer.write(`response.${status}`, `,"response":${response}`);
  }

  /** After a long silence the response so far: some clients reset their timers on data alone. (rule I92) */
  keepAlive(silentMs: number): string {
    if (silentMs < SILENCE_MS || this.#failed || this.#finish !== null) return KEEP_ALIVE;
    const begun = this.#begin();
    return begun === '' ? this.#lifecycle('in_progress') : begun;
  }

  /** The whole response at its end, as JSON. */
  response(closing: Closing | null, honoured?: Readonly<Record<string, boolean>>): string {
    return this.#text({
      ...endOf(this.#finish ?? 'stop'),
      output: this.#output.items('incomplete'),
      usage: usageText(closing),
      ...(honoured === undefined ? {} : { honoured: honouredNames(honoured, pathOf) }),
    });
  }

  #begin(): string {
    if (this.#begun) return '';
    this.#begun = true;
    return this.#lifecycle('created') + this.#lifecycle('in_progress');
  }

  #lifecycle(moment: 'created' | 'in_progress'): string {
    const response = this.#text({ status: 'in_progress', output: this.#output.items('in_progress') });
    return this.#writer.write(`response.${moment}`, `,"response":${response}`);
  }

  #end(reason: FinishReason): string {
    this.#finish = reason;
    return this.#output.finish(reason);
  }

  #fail(error: GatewayError): string {
    this.#failed = true;
    const output = this.#output.items('incomplete');
    const message = JSON.stringify(error.message);
    return (
      this.#writer.write('error', `,"code":null,"message":${message},"param":null`) +
      this.#writer.write('response.failed', `,"response":${this.#text({ status: 'failed', error, output })}`)
    );
  }

  #text(state: ResponseState): string {
    this.#repeatedText ??= this.#repeated();
    return responseText(this.#head, this.#repeatedText, state);
  }
}

const COUNTS = ['input_tokens', 'output_tokens', 'total_tokens'] as const;

/**
 * The `usage` object as JSON text. It states three counts: one that was not reported is 0 and named in
 * `heimdall.unreported`, which is absent when all were. The two details are 0 where they were not reported, since
 * strict clients require a number. `closing: null`: no charge is recorded, so no count and no cost is stated.
 * (rule I74)
 */
function usageText(closing: Pick<Closing, 'usage' | 'cost'> | null): string {
  const usage: Usage = closing?.usage ?? {};
  const { promptTokens: input, completionTokens: output, cachedTokens = 0, reasoningTokens = 0 } = usage;
  const counts = [input, output, input === undefined || output === undefined ? undefined : input + output];
  const unreported = COUNTS.filter((_, at) => counts[at] === undefined);
  const [inputCount = 0, outputCount = 0, total = 0] = counts;
  const written = (usage.cacheWriteTokens ?? 0) + (usage.cacheWrite1hTokens ?? 0);
  const cacheWrite = written === 0 ? '' : `,"cache_write_tokens":${written}`;
  const extension = unreported.length === 0 ? '' : `,"heimdall":{"unreported":${JSON.stringify(unreported)}}`;
  const cost = closing === null ? '' : `,"cost":${numberText(closing.cost)}`;
  return (
    `{"input_tokens":${inputCount},"input_tokens_details":{"cached_tokens":${cachedTokens}${cacheWrite}}` +
    `,"output_tokens":${outputCount},"output_tokens_details":{"reasoning_tokens":${reasoningTokens}}` +
    `,"total_tokens":${total}${cost}${extension}}`
  );
}
