import { WORDS_A_TO_M } from './words-a-to-m.ts';
import { WORDS_N_TO_Z } from './words-n-to-z.ts';

/**
 * What a member means where its schema has no description of its own: one meaning for each name in the whole API. The
 * published document uses it; a test fails for a member without words.
 */
const MEMBER_WORDS: ReadonlyMap<string, string> = new Map(
  `${WORDS_A_TO_M}${WORDS_N_TO_Z}`
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' | ', 2) as [string, string]),
);

/** The schema with a description for every member that has words. Returns a copy; the schema that validates stays. */
export function withWords(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withWords);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [
      name,
      name === 'properties' ? described(value as Readonly<Record<string, object>>) : withWords(value),
    ]),
  );
}

function described(properties: Readonly<Record<string, object>>): object {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const description = MEMBER_WORDS.get(name);
      const known = description === undefined || 'description' in schema ? {} : { description };
      return [name, { ...(withWords(schema) as object), ...known }];
    }),
  );
}
