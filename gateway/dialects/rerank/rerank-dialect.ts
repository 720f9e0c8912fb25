import type { Rank, TurnEvent } from '../../terms/turn-event.ts';
import type { Dialect } from '../reply/dialect.ts';
import { standardEnvelope } from '../reply/error-envelope.ts';
import { type Closing, JSON_REPLY, type ReplyDialect, type ReplyHead } from '../reply/reply-dialect.ts';
import { numberText } from '../reply/usage-text.ts';
import { membersOf } from '../request/read-members.ts';
import { parse } from './parse.ts';
import { type RerankDocument, rerankRequest } from './request-schema.ts';

/** Rankings: documents in the order in which they answer a query. Never streamed. (rule I150) */
export const rerankDialect: Dialect = {
  members: membersOf(rerankRequest),
  parse: (body, session) => {
    const { turn, documents } = parse(body, session);
    return { turn, reply: replyDialect(documents) };
  },
  errorEnvelope: () => standardEnvelope,
};

function replyDialect(documents: readonly RerankDocument[] | null): ReplyDialect {
  return {
    type: JSON_REPLY,
    whole: (head, events, closing) => render(head, events, closing, documents),
    frames: () => {
      throw new Error('a ranking has no stream: parse refuses stream: true');
    },
    processing: '',
    keepAlive: '',
    pathOf,
  };
}

const DOCUMENT = /^messages\[(\d{1,6})\]/;

/** The documents are the messages of the turn. */
function pathOf(path: string): string | null {
  const [, nth] = DOCUMENT.exec(path) ?? [];
  if (nth !== undefined) return `documents[${nth}]`;
  if (path.startsWith('messages')) return 'documents';
  return Object.hasOwn(rerankRequest.properties, path) ? path : null;
}

/** A ranking as JSON text, with the exact charge. (rule I152) */
function render(
  { id, model, provider }: ReplyHead,
  events: readonly TurnEvent[],
  closing: Closing | null,
  documents: readonly RerankDocument[] | null,
): string {
  const ranks = events.flatMap((event) => (event.type === 'ranking' ? event.ranks : []));
  const results = ranks.map((rank) => resultOf(rank, documents?.[rank.index]));
  const meta = closing === null ? {} : { billed_units: billedUnits(closing) };
  const whole = JSON.stringify({ id, model, provider, results, meta });
  return closing === null ? whole : `${whole.slice(0, -1)},"usage":${usageText(closing)}}`;
}

/** Under the names of Cohere, whose clients demand `meta`. */
function billedUnits({ searches, ...closing }: Closing): object {
  return searches === undefined ? { input_tokens: tokensOf(closing) } : { search_units: searches };
}

function tokensOf({ usage, promptCounted = 0 }: Pick<Closing, 'usage' | 'promptCounted'>): number {
  return usage.promptTokens ?? promptCounted;
}

function resultOf({ index, score }: Rank, document: RerankDocument | undefined): object {
  const shown = typeof document === 'string' ? { text: document } : document;
  return { index, relevance_score: score, ...(shown === undefined ? {} : { document: shown }) };
}

function usageText({ searches, cost, ...closing }: Closing): string {
  const units = searches === undefined ? '' : `"search_units":${searches},`;
  return `{${units}"total_tokens":${tokensOf(closing)},"cost":${numberText(cost)}}`;
}
