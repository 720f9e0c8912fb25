import type { TSchema } from '@sinclair/typebox';
import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value';

/** An error of a document and its location. */
export interface ValidationError {
  /** Names and indexes from the outside in; for a missing member the path of its parent. */
  readonly path: readonly string[];
  /** Begins with the member, such as `data[0].name is missing`. */
  readonly message: string;
}

const SHOWN_CHARS_MAX = 60;

/** The errors of a value, one per member, in its order, at most `max`; none when it fits its schema. */
export function validationErrors(schema: TSchema, value: unknown, max: number): readonly ValidationError[] {
  const errors = new Map<string, ValidationError>();
  for (const error of Value.Errors(schema, value)) {
    for (const inner of innermost(error)) {
      // A missing member is reported a second time, as one of the wrong type.
      if (!errors.has(inner.path)) errors.set(inner.path, described(inner, value));
    }
    if (errors.size >= max) break;
  }
  return [...errors.values()].slice(0, max);
}

/** A path in the notation `data[0].pricing[1]`. */
export function memberOf(path: readonly string[]): string {
  const name = path.reduce((whole, part) => (/^\d+$/.test(part) ? `${whole}[${part}]` : `${whole}.${part}`), '');
  return name.replace(/^\./, '') || 'the document';
}

/** For a union of shapes: the errors inside the shape whose `type` matches, if any. */
function innermost(error: ValueError): readonly ValueError[] {
  if (error.type !== ValueErrorType.Union) return [error];
  for (const alternative of error.errors) {
    const errors = [...alternative];
    // In a union of plain values there is no `type`, and every alternative reports the value itself.
    const isOther = errors.some(({ path }) => path === `${error.path}/type` || path === error.path);
    if (errors.length > 0 && !isOther) return errors.flatMap(innermost);
  }
  return [error];
}

function described(error: ValueError, value: unknown): ValidationError {
  const path = partsOf(error.path);
  const member = memberOf(path);
  if (error.type === ValueErrorType.ObjectRequiredProperty) {
    return { path: path.slice(0, -1), message: `${member} is missing; add it as ${wordsOf(error.schema)}` };
  }
  if (error.type === ValueErrorType.ObjectAdditionalProperties) {
    if (error.schema.patternProperties) return { path, message: `${member}: the name is invalid; begin with a letter` };
    const known = Object.keys((error.schema.properties as object | undefined) ?? {}).join(', ');
    return { path, message: `${member} is an unknown member; remove it (known here: ${known})` };
  }
  const lacking = unknownType(error, value);
  if (lacking !== null) return { path: [...path, 'type'], message: `${member}.type ${lacking}` };
  return { path, message: `${member} is ${shown(error.value)} and must be ${wordsOf(error.schema)}` };
}

/** For a union of shapes without a match: whether its `type` is missing or unknown. */
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
