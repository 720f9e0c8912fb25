import type { Answer } from '../answer/answer.ts';
import type { ChatRequest } from '../answer/chat-request.ts';
import type { Wire } from '../answer/wire.ts';
import { chatWire } from './chat-wire.ts';

interface RerankRequest {
  readonly model?: string;
  readonly query?: string;
  readonly documents?: readonly Document[];
  readonly top_n?: number;
}

type Document = string | { readonly text?: string; readonly image?: string };

const DOCUMENTS_PER_SEARCH = 100;

/** Rankings in the form of Jina, as a provider answers them: their tokens are counted. A directive stands in the query. */
export const rerankDialect = dialectOf(({ usage }) => {
  const { prompt_tokens } = usage ?? {};
  return prompt_tokens === undefined ? {} : { usage: { total_tokens: prompt_tokens } };
});

/** `/v2/rerank` of Cohere: searches are counted. */
export const cohereRerank = dialectOf((answer, { documents = [] }) => {
  const search_units = Math.ceil(documents.length / DOCUMENTS_PER_SEARCH);
  return answer.usage === null ? {} : { meta: { billed_units: { search_units } } };
});

function dialectOf(counted: (answer: Answer, request: RerankRequest) => object) {
  return {
    read: (body: unknown): ChatRequest => chatOf(body as RerankRequest),
    wire: (body: unknown): Wire => ({
      ...chatWire,
      whole: (answer) => {
        const results = ranked(body as RerankRequest);
        return JSON.stringify({ id: answer.id, results, ...counted(answer, body as RerankRequest) });
      },
      usage: (prompt, _completion, total) => `{"prompt_tokens":${prompt},"total_tokens":${total}}`,
    }),
  };
}

/** The query stands last, where directives are looked for. */
function chatOf({ model = '', query = '', documents = [] }: RerankRequest): ChatRequest {
  const contents = [...documents.map(textOf), query];
  return { model, messages: contents.map((content) => ({ role: 'user', content })) };
}

function ranked({ query = '', documents = [], top_n: most }: RerankRequest): readonly object[] {
  const asked = wordsOf(query);
  const results = documents.map((document, index) => {
    return { index, relevance_score: relevance(asked, wordsOf(textOf(document))) };
  });
  return results.sort((a, b) => b.relevance_score - a.relevance_score).slice(0, most ?? documents.length);
}

/** The share of the query's words that a document has, lowered by its other words: 0 to 1. */
function relevance(asked: ReadonlySet<string>, words: ReadonlySet<string>): number {
  const shared = [...asked].filter((word) => words.has(word)).length;
  return shared === 0 ? 0 : shared / Math.sqrt(asked.size * words.size);
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? []);
}

function textOf(document: Document): string {
  return typeof document === 'string' ? document : (document.text ?? '');
}
