import { type Static, Type } from 'typebox';
import { LABEL_CHARACTERS_MAX, maybe, named } from '../request/members.ts';
import { parameterMembers } from '../request/parameter-members.ts';
import { sharedMembers } from '../request/shared-members.ts';

/** Documents of one request. (rule I150) */
const DOCUMENTS_MAX = 2_048;
const QUERY_CHARACTERS_MAX = 65_536;

const { model, models, user, provider, route } = sharedMembers;

const text = Type.String({ minLength: 1 });
const document = Type.Object(
  {
    text: maybe(text, 'What the model compares with the query.'),
    image: maybe(text, 'A picture: an https:, http: or base64 data: URL.'),
  },
  { description: 'A text, a picture, or both.' },
);

/**
 * The request for a ranking, in the forms of OpenRouter, Cohere and Jina. Unknown members are allowed and ignored.
 * (rule I150)
 */
export const rerankRequest = Type.Object({
  model,
  models,
  user,
  provider,
  route,
  query: Type.With(named(QUERY_CHARACTERS_MAX), { description: 'What the documents are to answer.' }),
  documents: Type.Array(Type.Union([text, document]), {
    minItems: 1,
    maxItems: DOCUMENTS_MAX,
    description: 'The documents, at most 2,048: texts, or objects with `text` or `image`.',
  }),
  top_n: maybe(Type.Integer({ minimum: 1 }), 'How many of the best documents the answer has; all if absent.'),
  return_documents: maybe(Type.Boolean(), 'false: the answer has places and scores alone.'),
  session_id: maybe(
    Type.String({ maxLength: LABEL_CHARACTERS_MAX }),
    'Names a conversation, at most 256 characters: its requests prefer one endpoint.',
  ),
  ...parameterMembers('rerank'),
  stream: maybe(Type.Literal(false), 'Absent or false: a ranking is answered whole.'),
});

export type RerankRequest = Static<typeof rerankRequest>;
export type RerankDocument = RerankRequest['documents'][number];
