import type { TSchema } from 'typebox';
import { type SchemaNode, type SchemaViolation, schemaViolations } from '../../json/schema-violations.ts';
import { nearestIds } from './nearest-ids.ts';

/** An error of a document and its location. */
export interface ValidationError {
  /** Names and indexes from the outside in; for a missing member the path of its parent. */
  readonly path: readonly string[];
  /** Begins with the member, such as `data[0].name is missing`. */
  readonly message: string;
}

const SHOWN_CHARS_MAX = 60;

/**
 * The errors of a document or a configuration that a person wrote, in the order of its schema, at most `max`; none when
 * it fits. A description in the schema completes the sentence "must be ...".
 */
export function validationErrors(schema: TSchema, value: unknown, max: number): readonly ValidationError[] {
  return schemaViolations(schema, value, max).map(described);
}

/** A path in the notation `data[0].pricing[1]`. */
export function memberOf(path: readonly string[]): string {
  const name = path.reduce((whole, part) => (/^\d+$/.test(part) ? `${whole}[${part}]` : `${whole}.${part}`), '');
  return name.replace(/^\./, '') || 'the document';
}

function described({ kind, path, schema, value }: SchemaViolation): ValidationError {
  const member = memberOf(path);
  if (kind === 'missing')
    return { path: path.slice(0, -1), message: `${member} is missing; add it as ${wordsOf(schema)}` };
  if (kind === 'unknown') return { path, message: `${member}${unknownName(schema, path.at(-1) ?? '')}` };
  return { path, message: `${member} is ${shown(value)} and must be ${wordsOf(schema)}` };
}

function unknownName({ patternProperties, properties = {} }: SchemaNode, name: string): string {
  if (patternProperties) return ': the name is invalid; begin with a letter';
  const known = Object.keys(properties);
  const [nearest] = nearestIds(name, known);
  const remedy = nearest
    ? `did you mean ${nearest}? Otherwise remove it`
    : `remove it (known here: ${known.join(', ')})`;
  return ` is an unknown member; ${remedy}`;
}

function wordsOf({ description, enum: words, const: only, type }: SchemaNode): string {
  if (description !== undefined) return description;
  if (words) return words.length === 1 ? JSON.stringify(words[0]) : `one of ${words.join(', ')}`;
  if (only !== undefined) return JSON.stringify(only);
  return type === 'object' ? 'an object { ... }' : `of type ${type}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}...` : text;
}

/** Validation errors without their lines; `models-document.ts`, which has the text, converts them to `BrokenDocument`. */
export class InvalidDocument extends Error implements ValidationError {
  override readonly name = 'InvalidDocument';
  readonly path: readonly string[];
  /** Every error that was found, this one first. */
  readonly faults: readonly ValidationError[];

  constructor(path: readonly (string | number)[], message: string, others: readonly ValidationError[] = []) {
    super(message);
    this.path = path.map(String);
    this.faults = [{ path: this.path, message }, ...others];
  }
}

/** One error for all of them; there must be at least one. */
export function invalidDocument([first, ...others]: readonly ValidationError[]): InvalidDocument {
  return new InvalidDocument(first?.path ?? [], first?.message ?? 'the document does not fit its schema', others);
}
