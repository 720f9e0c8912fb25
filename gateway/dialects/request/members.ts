import { type TProperties, type TSchema, Type } from 'typebox';

/**
 * Building blocks of the schemas of the API. A member's words, published as its description, are given where the member
 * is declared. `maybe` marks an optional member whose explicit null counts as absent; other members refuse null.
 * (rule I1)
 */
export const maybe = <T extends TSchema>(schema: T, description?: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], wordsOf(description)));

/** A member of an answer that is null where nothing is known. */
export const orNull = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], wordsOf(description));

/** The same schema with the words of one member that has it. */
export const described = <T extends TSchema>(schema: T, description: string): T =>
  Type.With(schema, { description }) as T;

export const objectOf = <T extends TProperties>(description: string, members: T) =>
  Type.Object(members, { description });

export const listOf = <T extends TProperties>(description: string, members: T) =>
  Type.Array(Type.Object(members), { description });

const wordsOf = (description?: string) => (description === undefined ? {} : { description });

/** One word of a closed list. */
export const oneOf = <T extends string>(...words: T[]) => Type.Unsafe<T>(Type.String({ enum: words }));

export const between = (minimum: number, maximum: number) => Type.Number({ minimum, maximum });

/** Text of one to `maxLength` characters. */
export const named = (maxLength: number) => Type.String({ minLength: 1, maxLength });

/** Any object, kept unchanged: nulls and unknown members inside it belong to the client. */
export const opaque = (description?: string) =>
  Type.Unsafe<Readonly<Record<string, unknown>>>(Type.Object({}, wordsOf(description)));

/** Entries of a list of names, where no rule sets a bound. */
export const NAMES_MAX = 100;
/** Characters of ids, slugs, labels: `user`, `session_id`, model ids. (rule I4) */
export const LABEL_CHARACTERS_MAX = 256;
