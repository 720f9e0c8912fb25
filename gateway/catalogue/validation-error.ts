import type { TSchema } from '@sinclair/typebox';
import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value';

/** Where something is wrong in a document, and what: for the person who mends it. */
export interface ValidationError {
  /** Names and places from the outside in; of a missing member that of its parent. */
  readonly path: readonly string[];
  /** Begins with the member, such as `data[0].name is missing`. */
  readonly message: string;
}

const SHOWN_CHARS_MAX = 60;

/** The first thing wrong with a value; null when it fits its schema. */
export function validationError(schema: TSchema, value: unknown): ValidationError | null {
  const error = Value.Errors(schema, value).First();
  return error ? told(meant(error), value) : null;
}

/** `data[0].pricing[1]`, as people write it. */
export function memberOf(path: readonly string[]): string {
  const name = path.reduce((whole, part) => (/^\d+$/.test(part) ? `${whole}[${part}]` : `${whole}.${part}`), '');
  return name.replace(/^\./, '') || 'the document';
}

/** Of a choice between shapes the error inside the one that was meant: the one whose `type` fits, else none. */
function meant(error: ValueError): ValueError {
  if (error.type !== ValueErrorType.Union) return error;
  for (const alternative of error.errors) {
    const errors = [...alternative];
    const [first] = errors;
    // A choice between plain values has no `type`, and every alternative complains at the value itself.
    if (!first || errors.some(({ path }) => path === `${error.path}/type` || path === error.path)) continue;
    return meant(first);
  }
  return error;
}

function told(error: ValueError, value: unknown): ValidationError {
  const path = partsOf(error.path);
  const member = memberOf(path);
  if (error.type === ValueErrorType.ObjectRequiredProperty) {
    return { path: path.slice(0, -1), message: `${member} is missing; add it as ${wordsOf(error.schema)}` };
  }
  if (error.type === ValueErrorType.ObjectAdditionalProperties) {
    if (error.schema.patternProperties) return { path, message: `${member}: such a name is none; begin with a letter` };
    const known = Object.keys((error.schema.properties as object | undefined) ?? {}).join(', ');
    return { path, message: `${member} is no member here; remove it (known here: ${known})` };
  }
  const lacking = unknownType(error, value);
  if (lacking !== null) return { path: [...path, 'type'], message: `${member}.type ${lacking}` };
  return { path, message: `${member} is ${shown(error.value)} and must be ${wordsOf(error.schema)}` };
}

/** A choice between shapes that fails as a whole: its `type` is missing or none of them. */
function unknownType(error: ValueError, value: unknown): string | null {
  const shapes = (error.schema.anyOf ?? []) as readonly TSchema[];
  const types = shapes.flatMap(({ properties }) =>
    properties?.type?.const === undefined ? [] : properties.type.const,
  );
  if (error.type !== ValueErrorType.Union || types.length === 0) return null;
  const given = at(value, partsOf(error.path));
  if (typeof given !== 'object' || given === null) return null;
  const { type } = given as { readonly type?: unknown };
  return `${type === undefined ? 'is missing' : `is ${shown(type)}`} and must be one of ${types.join(', ')}`;
}

function wordsOf({ description, type }: TSchema): string {
  return typeof description === 'string' ? description : `of type ${String(type)}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}...` : text;
}

function partsOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function at(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const part of path) found = (found as Record<string, unknown> | null | undefined)?.[part];
  return found;
}
