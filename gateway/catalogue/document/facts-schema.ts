/** What a models document states of a model beside its serving: family, tags, and a reading of its weights' repository. */
import { Type } from 'typebox';

const TEXT_CHARS_MAX = 256;
const ENTRIES_MAX = 64;
const EVALUATIONS_MAX = 128;
const UNIX_SECONDS_MAX = 1e11;

const closed = { additionalProperties: false } as const;
const text = Type.String({ minLength: 1, maxLength: TEXT_CHARS_MAX, description: 'text of 1 to 256 characters' });
const instant = Type.Integer({ minimum: 0, maximum: UNIX_SECONDS_MAX, description: 'Unix seconds' });
const count = Type.Integer({ minimum: 0, description: 'a whole number, 0 or more' });

function texts(description: string) {
  return Type.Array(text, { maxItems: ENTRIES_MAX, description });
}

export const familySchema = Type.Object(
  {
    id: Type.String({
      pattern: '^[a-z0-9][a-z0-9._-]{0,63}$',
      description: 'lower case letters, digits, dots, dashes and underscores, 1 to 64',
    }),
    name: text,
    hugging_face_id: Type.Optional(text),
  },
  { ...closed, description: 'a family, such as {"id": "aurora-2", "name": "Aurora 2"}' },
);

export const tagsSchema = Type.Array(
  Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,31}$', description: 'lower case letters, digits and dashes, 1 to 32' }),
  { maxItems: ENTRIES_MAX, description: 'a list of tags' },
);

const evaluation = Type.Object(
  {
    dataset: text,
    metric: Type.Optional(text),
    score: Type.Number({ description: 'a number' }),
    source: Type.Optional(text),
  },
  { ...closed, description: 'an evaluation, such as {"dataset": "mmlu", "score": 71.2}' },
);

/** (rule C4) A fact that the repository does not state is left out. */
export const modelHubSchema = Type.Object(
  {
    id: Type.Optional(text),
    read_at: instant,
    availability: Type.Optional(text),
    languages: Type.Optional(texts('a list of languages')),
    papers: Type.Optional(texts('a list of papers')),
    datasets: Type.Optional(texts('a list of datasets')),
    weights_revision: Type.Optional(text),
    weights_updated_at: Type.Optional(instant),
    downloads: Type.Optional(count),
    likes: Type.Optional(count),
    evaluations: Type.Optional(
      Type.Array(evaluation, { maxItems: EVALUATIONS_MAX, description: 'a list of evaluations' }),
    ),
  },
  { ...closed, description: 'a reading of the repository, such as {"read_at": 1764547200, "downloads": 12}' },
);
