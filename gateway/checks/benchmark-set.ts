import { readFile } from 'node:fs/promises';
import { type Static, Type } from 'typebox';
import { Errors } from 'typebox/value';
import { checkOf } from '../json/schema-check.ts';

const BYTES_MAX = 8 * 1024 * 1024;
const QUESTIONS_MAX = 1_000;
const closed = { additionalProperties: false } as const;

const schema = Type.Object(
  {
    /** Published with the score; a changed set gets a new name. */
    name: Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,63}$' }),
    grader: Type.Union([Type.Literal('exact'), Type.Literal('number'), Type.Literal('choice')]),
    questions: Type.Array(
      Type.Object(
        {
          prompt: Type.String({ minLength: 1, maxLength: 32_768 }),
          answer: Type.String({ minLength: 1, maxLength: 1_024 }),
        },
        closed,
      ),
      { minItems: 1, maxItems: QUESTIONS_MAX },
    ),
  },
  closed,
);
const fits = checkOf(schema);

/** A data set: questions with the expected answers, and the program that grades them. */
export type BenchmarkSet = Static<typeof schema>;

/** Reads a data set from a JSON file. Throws an Error that names the file and the member. */
export async function readBenchmarkSet(path: string): Promise<BenchmarkSet> {
  const bytes = await readFile(path);
  if (bytes.length > BYTES_MAX) throw new Error(`${path}: is longer than ${BYTES_MAX} bytes`);
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new Error(`${path}: is not valid JSON`);
  }
  if (fits(value)) return value;
  const [wrong] = Errors(schema, value);
  throw new Error(`${path}: ${wrong?.instancePath ?? ''} ${wrong?.message ?? 'is not a data set'}`);
}
