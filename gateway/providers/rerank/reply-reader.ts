import type { Turn } from '../../terms/turn.ts';
import type { Rank, TurnEvent } from '../../terms/turn-event.ts';
import type { Usage } from '../../terms/usage.ts';
import type { FrameKind, ReplyReader } from '../adapter.ts';
import { errorIn, inBandFailure } from '../in-band-failure.ts';
import { membersOf } from '../parsed.ts';
import { tokenCount } from '../prompt-usage.ts';
import { ProviderFailure } from '../provider-failure.ts';
import type { RefusalNote } from '../refused.ts';

type Members = Readonly<Record<string, unknown>>;

const UPSTREAM_ID_CHARACTERS_MAX = 256;

/**
 * Reads a ranking: as many documents as were asked for, each of them once, with a finite score, in `results` or `data`.
 * Anything else is garbage: a rank at the wrong place would be shown with another text and never be noticed. Providers
 * report tokens in `usage`, or the searches that they bill in `meta.billed_units`.
 */
export class RankingReader implements ReplyReader {
  finished = false;
  /** A ranking is no tokens. */
  usage: Usage = { completionTokens: 0 };
  upstreamId: string | null = null;
  readonly #asked: Turn | undefined;
  readonly #note: RefusalNote | undefined;

  constructor(asked: Turn | undefined, note?: RefusalNote) {
    this.#asked = asked;
    this.#note = note;
  }

  readFrame(): FrameKind {
    throw new ProviderFailure('garbage', 'a ranking is a stream');
  }

  readWhole(answer: Members, events: TurnEvent[]): void {
    const error = errorIn(answer);
    if (error !== null) throw inBandFailure(error, this.#note);
    if (typeof answer.id === 'string' && answer.id !== '') {
      this.upstreamId = answer.id.slice(0, UPSTREAM_ID_CHARACTERS_MAX);
    }
    const { messages = [], ranking } = this.#asked ?? {};
    const ranks = ranksIn(answer.results ?? answer.data, messages.length);
    const most = ranking?.most ?? ranks.length;
    if (ranks.length < most) throw garbage(`${ranks.length} ranks of ${most}`);
    this.usage = usageOf(answer);
    this.finished = true;
    events.push({ type: 'ranking', ranks: ranks.slice(0, most) }, { type: 'finish', reason: 'stop', native: null });
  }
}

/** The best document first, whatever the order of the provider; equal ones as it has them. */
function ranksIn(results: unknown, documents: number): readonly Rank[] {
  if (!Array.isArray(results)) throw garbage('the results are not a list');
  if (results.length > documents) throw garbage(`${results.length} ranks for ${documents} documents`);
  const seen = new Set<number>();
  const ranks = (results as readonly unknown[]).map((result) => {
    const { index, relevance_score: score } = membersOf(result);
    if (!Number.isInteger(index) || (index as number) < 0 || (index as number) >= documents) {
      throw garbage('an index is no place of a document');
    }
    if (!Number.isFinite(score)) throw garbage('a score is no finite number');
    seen.add(index as number);
    return { index: index as number, score: score as number };
  });
  if (seen.size < ranks.length) throw garbage('an index is repeated');
  return ranks.sort((a, b) => b.score - a.score);
}

function usageOf({ usage, meta }: Members): Usage {
  const { prompt_tokens, total_tokens } = membersOf(usage);
  const { search_units, input_tokens } = membersOf(membersOf(meta).billed_units);
  const promptTokens = tokenCount(total_tokens ?? prompt_tokens ?? input_tokens);
  const searches = tokenCount(search_units);
  return {
    completionTokens: 0,
    ...(promptTokens === undefined ? {} : { promptTokens }),
    ...(searches === undefined ? {} : { searches }),
  };
}

function garbage(message: string): ProviderFailure {
  return new ProviderFailure('garbage', message);
}
