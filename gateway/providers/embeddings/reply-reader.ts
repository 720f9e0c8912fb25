import { floatsIn } from '../../terms/exact-decimal.ts';
import type { Turn } from '../../terms/turn.ts';
import type { TurnEvent, Vector } from '../../terms/turn-event.ts';
import type { Usage } from '../../terms/usage.ts';
import type { FrameKind, ReplyReader } from '../adapter.ts';
import { errorIn, inBandFailure } from '../in-band-failure.ts';
import { tokenCount } from '../prompt-usage.ts';
import { ProviderFailure } from '../provider-failure.ts';
import type { RefusalNote } from '../refused.ts';

type Members = Readonly<Record<string, unknown>>;

const UPSTREAM_ID_CHARACTERS_MAX = 256;
const NO_ANSWER: Usage = { completionTokens: 0 };

/**
 * Reads an embeddings answer: one vector for each input, all of one width, which is the requested one if any is. Anything
 * else is garbage: a vector at the wrong place would be stored under another text and never be noticed.
 */
export class EmbeddingsReader implements ReplyReader {
  finished = false;
  /** Vectors are no tokens. */
  usage: Usage = NO_ANSWER;
  upstreamId: string | null = null;
  readonly #asked: Turn | undefined;
  readonly #note: RefusalNote | undefined;

  constructor(asked: Turn | undefined, note?: RefusalNote) {
    this.#asked = asked;
    this.#note = note;
  }

  readFrame(): FrameKind {
    throw new ProviderFailure('garbage', 'an embeddings answer is a stream');
  }

  readWhole(answer: Members, events: TurnEvent[]): void {
    const error = errorIn(answer);
    if (error !== null) throw inBandFailure(error, this.#note);
    if (typeof answer.id === 'string' && answer.id !== '') {
      this.upstreamId = answer.id.slice(0, UPSTREAM_ID_CHARACTERS_MAX);
    }
    const vectors = inOrder(answer.data, this.#asked?.messages.length ?? 0);
    const width = (this.#asked?.sampling.dimensions as number | undefined) ?? vectors[0]?.length;
    if (vectors.some((vector) => vector.length !== width)) throw garbage('a vector has another width');
    this.usage = usageOf(answer.usage);
    this.finished = true;
    events.push({ type: 'embeddings', vectors }, { type: 'finish', reason: 'stop', native: null });
  }
}

/** An entry without an index stands at its place. */
function inOrder(data: unknown, count: number): readonly Vector[] {
  if (!Array.isArray(data)) throw garbage('data is not a list');
  if (data.length !== count) throw garbage(`${data.length} vectors for ${count} inputs`);
  const vectors = new Map<number, Vector>();
  for (const [nth, entry] of (data as readonly (Members | null)[]).entries()) {
    const at = entry?.index ?? nth;
    if (!Number.isInteger(at) || (at as number) < 0 || (at as number) >= count || vectors.has(at as number)) {
      throw garbage('an index is missing or repeated');
    }
    vectors.set(at as number, readVector(entry?.embedding));
  }
  return Array.from({ length: count }, (_, at) => vectors.get(at) as Vector);
}

/** Servers that count no answer report the prompt as the total. */
function usageOf(usage: unknown): Usage {
  if (typeof usage !== 'object' || usage === null) return NO_ANSWER;
  const { prompt_tokens, input_tokens, total_tokens } = usage as Members;
  const promptTokens = tokenCount(prompt_tokens ?? input_tokens ?? total_tokens);
  return promptTokens === undefined ? NO_ANSWER : { promptTokens, completionTokens: 0 };
}

function garbage(message: string): ProviderFailure {
  return new ProviderFailure('garbage', message);
}

const WIDTH_MAX = 65_536;

/** One vector as a list of numbers or as base64 of little-endian 32-bit floats, all of them finite. */
function readVector(written: unknown): Vector {
  const vector = typeof written === 'string' ? floatsIn(written) : written;
  if (!Array.isArray(vector) && !(vector instanceof Float32Array))
    throw broken('is neither a list nor a text of numbers');
  if (vector.length === 0 || vector.length > WIDTH_MAX) throw broken('is empty or too wide');
  for (let at = 0; at < vector.length; at++) {
    if (!Number.isFinite(vector[at])) throw broken('has an entry that is no finite number');
  }
  return vector;
}

function broken(what: string): ProviderFailure {
  return new ProviderFailure('garbage', `a vector ${what}`);
}
