import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { TurnMessage } from '../../terms/turn.ts';
import type { Adapter, TextWriter } from '../adapter.ts';
import { STANDARD_LIST } from '../model-list.ts';
import { ownOptions } from '../own-options.ts';
import { shaper } from '../shaper.ts';
import { EmbeddingsReader } from './reply-reader.ts';

/** Members that the gateway sets; `provider.options` cannot. */
const OURS: ReadonlySet<string> = new Set(['model', 'input', 'encoding_format', 'user']);

/**
 * Writes embeddings requests for one endpoint. The inputs are always a list. Vectors are asked for as decimals, which
 * every provider knows, or encoded where the endpoint declares that: a tenth of the work for both sides.
 */
export function embeddingsWriter(endpoint: Endpoint): TextWriter {
  const { encoding_format: format } = endpoint.descriptors;
  const isEncoded = format?.type === 'enum' && format.values.includes('base64');
  const fixed = { model: endpoint.target.upstreamId, encoding_format: isEncoded ? 'base64' : 'float' };
  const declared = new Set(endpoint.supportedParameters);
  const shape = shaper(endpoint.target.wire ?? {});
  return ({ messages, sampling, user, preferences: { options } }) => {
    const settings = Object.entries(sampling).filter(([name]) => declared.has(name));
    const body: Record<string, unknown> = {
      ...fixed,
      input: messages.map(inputOf),
      ...Object.fromEntries(settings),
      ...(user === undefined ? {} : { user }),
    };
    shape?.(body);
    return JSON.stringify(options === undefined ? body : { ...body, ...ownOptions(options, endpoint, OURS) });
  };
}

function inputOf(message: TurnMessage): string | readonly number[] {
  return (message.role === 'user' ? message.tokens : undefined) ?? message.text ?? '';
}

/** Numbers of all vectors: 1,365 vectors of 1,536 as a list of decimals; encoded ones are one text each. */
const REPLY_TOKENS_MAX = 2 * 1024 * 1024;

/** A provider that answers texts with vectors. Never streamed. */
export const embeddingsAdapter: Adapter = {
  address: () => '/embeddings',
  credential: 'bearer',
  models: STANDARD_LIST,
  takesBudget: false,
  takesTokenIds: true,
  leftOut: ({ user }, { target }) => (user !== undefined && target.wire?.omit?.includes('user') ? ['user'] : []),
  writer: embeddingsWriter,
  reader: (_makeCallId, note, asked) => new EmbeddingsReader(asked, note),
  replyTokensMax: REPLY_TOKENS_MAX,
};
