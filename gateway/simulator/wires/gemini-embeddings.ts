import type { ChatRequest } from '../answer/chat-request.ts';
import type { Wire } from '../answer/wire.ts';
import { embeddingsDialect } from './embeddings.ts';
import { geminiWire } from './gemini-wire.ts';

interface BatchRequest {
  readonly requests?: readonly {
    readonly model?: string;
    readonly content?: { readonly parts?: readonly { readonly text?: string }[] };
    readonly outputDimensionality?: number;
  }[];
}

/** `batchEmbedContents`: the vectors and the count of the form of OpenAI, under names of its own. */
export const geminiEmbed = {
  wire: (body: unknown): Wire => {
    const { whole } = embeddingsDialect.wire(batchOf(body));
    return {
      ...geminiWire,
      whole: (answer) => {
        const { data, usage } = JSON.parse(whole(answer)) as {
          readonly data: readonly { readonly embedding: unknown }[];
          readonly usage?: { readonly prompt_tokens?: number };
        };
        const embeddings = data.map(({ embedding }) => ({ values: embedding }));
        return JSON.stringify({ embeddings, usageMetadata: { promptTokenCount: usage?.prompt_tokens } });
      },
    };
  },
  read: (body: unknown): ChatRequest => embeddingsDialect.read(batchOf(body)),
};

/** Throws where a request names no model: the provider demands it in each. */
function batchOf(body: unknown): object {
  const { requests = [] } = body as BatchRequest;
  const [first] = requests;
  if (first === undefined || !requests.every(({ model }) => model?.startsWith('models/'))) {
    throw new Error('* BatchEmbedContentsRequest.requests: model is required');
  }
  return {
    model: decodeURIComponent((first.model ?? '').slice('models/'.length)),
    input: requests.map(({ content }) => content?.parts?.[0]?.text ?? ''),
    ...(first.outputDimensionality === undefined ? {} : { dimensions: first.outputDimensionality }),
  };
}
