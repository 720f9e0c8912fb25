import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { MediaPart, TurnMessage } from '../../terms/turn.ts';
import type { Adapter, TextWriter } from '../adapter.ts';
import { STANDARD_LIST } from '../model-list.ts';
import { ownOptions } from '../own-options.ts';
import { shaper } from '../shaper.ts';
import { RankingReader } from './reply-reader.ts';

/** Members that the gateway sets; `provider.options` cannot. */
const OURS: ReadonlySet<string> = new Set(['model', 'query', 'documents', 'top_n', 'return_documents']);

/** How one document is written. Throws `ProviderFailure` for one that the wire has no form for. */
type DocumentWriter = (message: TurnMessage, nth: number) => unknown;

/** Writes requests for rankings, which differ in how a document is written and in `fixed` members. */
export function rankingWriter(
  endpoint: Endpoint,
  documentOf: DocumentWriter,
  fixed: Readonly<Record<string, unknown>>,
): TextWriter {
  const declared = new Set(endpoint.supportedParameters);
  const shape = shaper(endpoint.target.wire ?? {});
  return ({ messages, ranking, sampling, preferences: { options } }) => {
    const settings = Object.entries(sampling).filter(([name]) => declared.has(name));
    const body: Record<string, unknown> = {
      model: endpoint.target.upstreamId,
      query: ranking?.query ?? '',
      documents: messages.map(documentOf),
      top_n: ranking?.most ?? messages.length,
      ...fixed,
      ...Object.fromEntries(settings),
    };
    shape?.(body);
    return JSON.stringify(options === undefined ? body : { ...body, ...ownOptions(options, endpoint, OURS) });
  };
}

/** A document that is a text alone, or the objects of Jina: `{text}` and `{image}` with an address or base64. */
function documentOf(message: TurnMessage): unknown {
  const { text } = message;
  const picture = pictureIn(message);
  if (picture === undefined) return text ?? '';
  const { source } = picture;
  const image = source.kind === 'url' ? source.url : source.kind === 'data' ? source.base64 : '';
  return text ? { text, image } : { image };
}

/** The picture of a document; undefined for a text. */
export function pictureIn(message: TurnMessage): MediaPart | undefined {
  if (message.role === 'assistant') return undefined;
  return message.parts?.find((part): part is MediaPart => part.type === 'image');
}

/** A provider that ranks documents, in the form of Jina, which most servers speak. Never streamed. */
export const rerankAdapter: Adapter = {
  address: () => '/rerank',
  credential: 'bearer',
  models: STANDARD_LIST,
  takesBudget: false,
  leftOut: ({ user }) => (user === undefined ? [] : ['user']),
  writer: (endpoint) => rankingWriter(endpoint, documentOf, { return_documents: false }),
  reader: (_makeCallId, note, asked) => new RankingReader(asked, note),
};
