import { type TSchema, type TSchemaOptions, Type } from 'typebox';

/**
 * Building blocks of the request schemas of all dialects. `maybe` marks an optional member whose explicit null counts
 * as absent; other members refuse null. (rule I1)
 */
export const maybe = <T extends TSchema>(schema: T, options: TSchemaOptions = {}) =>
  Type.Optional(Type.Union([schema, Type.Null()], options));

/** One word of a closed list. */
export const oneOf = <T extends string>(...words: T[]) => Type.Unsafe<T>(Type.String({ enum: words }));

export const between = (minimum: number, maximum: number) => Type.Number({ minimum, maximum });

/** Text of one to `maxLength` characters. */
export const named = (maxLength: number) => Type.String({ minLength: 1, maxLength });

/** Any object, kept unchanged: nulls and unknown members inside it belong to the client. */
export const opaque = (options: TSchemaOptions = {}) =>
  Type.Unsafe<Readonly<Record<string, unknown>>>(Type.Object({}, options));

/** Entries of a list of names, where no rule sets a bound. */
export const NAMES_MAX = 100;
/** Characters of ids, slugs, labels: `user`, `session_id`, model ids. (rule I4) */
export const LABEL_CHARACTERS_MAX = 256;
