import { Type } from 'typebox';
import { count, replyHead, usageSchema } from '../reply/reply-members.ts';
import { described, listOf, objectOf } from '../request/members.ts';

const { id, model, provider } = replyHead;

/** The published schema of a ranking. (rule I152) */
export const rerankReply = Type.Object({
  id,
  model,
  provider,
  results: listOf('The best documents, the best one first.', {
    index: described(count, 'Place of the document in the request.'),
    relevance_score: Type.Number({ description: 'How well it answers the query, in the scale of the model.' }),
    document: Type.Optional(
      Type.Object(
        {
          text: Type.Optional(Type.String({ description: 'As the request has it.' })),
          image: Type.Optional(Type.String({ description: 'The URL that the request has.' })),
        },
        { description: 'The document; absent where return_documents is false.' },
      ),
    ),
  }),
  meta: objectOf('What was charged, under the names of Cohere; empty where the charge is recorded later.', {
    billed_units: Type.Optional(
      objectOf('One of the two, as the endpoint is priced.', {
        search_units: Type.Optional(described(count, 'Queries, each with up to 100 documents.')),
        input_tokens: Type.Optional(described(count, 'Those of the query and the documents.')),
      }),
    ),
  }),
  usage: Type.Optional(
    Type.Object(
      {
        search_units: Type.Optional(described(count, 'Searches that were charged, where the endpoint prices them.')),
        total_tokens: described(count, 'Tokens of the query and the documents.'),
        cost: usageSchema.properties.cost,
      },
      { description: 'What was charged. Absent where the charge is recorded later.' },
    ),
  ),
});
