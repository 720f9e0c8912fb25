/**
 * Checks a value against a schema and reports the first violation in one line: source, member, actual value, expected
 * value. Never changes the value.
 */
import type { TSchema } from '@sinclair/typebox';
import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value';
import { ConfigError } from './config-error.ts';
import { isRecord } from './lay-over.ts';

const SHOWN_CHARS_MAX = 60;

/** Throws ConfigError naming `source`, the member and the remedy. */
export function check(schema: TSchema, value: unknown, source: string, within = ''): void {
  const error = Value.Errors(schema, value).First();
  if (!error) return;
  throw new ConfigError(`${source}: ${describe(deepest(error), value, within)}`);
}

/** A union reports a generic error; find the error of the alternative that matched deepest. */
function deepest(error: ValueError): ValueError {
  let found = error;
  for (const alternative of error.errors) {
    const first = alternative.First();
    if (!first) continue;
    const inner = deepest(first);
    if (inner.path.length > found.path.length) found = inner;
  }
  return found;
}

function describe(error: ValueError, value: unknown, within: string): string {
  const member = nameOf(error.path, within);
  if (error.type === ValueErrorType.ObjectAdditionalProperties) {
    const parent = at(value, error.path.slice(0, error.path.lastIndexOf('/')));
    const known = Object.keys(propertiesOf(error.schema));
    const near = known.filter((name) => !isRecord(parent) || !Object.hasOwn(parent, name));
    const meant = nearest(error.path.slice(error.path.lastIndexOf('/') + 1), near.length > 0 ? near : known);
    return `unknown member ${member}; ${meant ? `did you mean ${meant}? Otherwise remove it` : `remove it (known here: ${known.join(', ')})`}`;
  }
  if (error.type === ValueErrorType.ObjectRequiredProperty) return `${member} is missing; add it as ${words(error)}`;
  return `${member} is ${shown(error.value)} and must be ${words(error)}`;
}

/** `/nodes/0/grpc` -> `nodes[0].grpc`. */
function nameOf(path: string, within: string): string {
  const name = path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((whole, part) => (/^\d+$/.test(part) ? `${whole}[${part}]` : whole ? `${whole}.${part}` : part), within);
  return name || 'the whole value';
}

function words(error: ValueError): string {
  const { words: own, type } = error.schema as { words?: unknown; type?: unknown };
  if (typeof own === 'string') return own;
  return type === 'object' ? 'an object { ... }' : `of type ${String(type)}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}...` : text;
}

function propertiesOf(schema: TSchema): Record<string, unknown> {
  return isRecord(schema.properties) ? schema.properties : {};
}

function at(value: unknown, path: string): unknown {
  let found = value;
  for (const part of path.split('/').slice(1)) found = (found as Record<string, unknown> | undefined)?.[part];
  return found;
}

/** The known name with the fewest edits, if those are at most a third of its letters. */
function nearest(name: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let fewest = Number.POSITIVE_INFINITY;
  for (const other of known) {
    const letters = distance(name.toLowerCase(), other.toLowerCase());
    if (letters < fewest && letters <= Math.max(1, other.length / 3)) {
      best = other;
      fewest = letters;
    }
  }
  return best;
}

/** Edit distance: letters to insert, remove or replace. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
