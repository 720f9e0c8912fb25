import type { TSchema } from '@sinclair/typebox';
import { isOf, shapeOf } from './shape.ts';

/**
 * What is wrong with a body that its compiled check refused, as one sentence that names the member and its bound:
 * `top_p must be greater than 0`. One pass over schema and value, following of a union only the variant that the value
 * means to be: the validator's own list of errors visits every variant of every union again and takes a second for a
 * hostile body of a few megabytes, measured, where this takes milliseconds. (spec: inference, Errors 2; reliability E7)
 */
export function validationError(schema: TSchema, body: unknown): string {
  const flaw = find(schema, body);
  if (flaw === null) return 'The request body does not have the expected shape';
  const member = memberOf(flaw.path.reverse());
  return `${member === '' ? 'The request body' : member} ${flaw.rule}`;
}

const MEMBER_CHARACTERS_MAX = 200;
/** Characters shown of a word that is not on a closed list. */
const WORD_CHARACTERS_MAX = 64;

interface SchemaViolation {
  readonly rule: string;
  /** Names and positions, innermost first. */
  readonly path: string[];
}

type Members = Readonly<Record<string, TSchema>>;
type Held = Readonly<Record<string, unknown>>;

function flawed(rule: string, ...path: string[]): SchemaViolation {
  return { rule, path };
}

/** The first flaw of a value; null where there is none. */
function find(schema: TSchema, value: unknown): SchemaViolation | null {
  if (Array.isArray(schema.anyOf)) return inUnion(schema, schema.anyOf as TSchema[], value);
  if ('const' in schema) return value === schema.const ? null : flawed(choice([schema.const], value));
  if (!isOf(schema, value)) return flawed(`must be ${shapeOf(schema)}`);
  switch (schema.type) {
    case 'object':
      return schema.patternProperties
        ? inMap(schema.patternProperties as Members, value as Held)
        : inObject(schema, value as Held);
    case 'array':
      return inArray(schema, value as readonly unknown[]);
    case 'string':
      return inText(schema, value as string);
    case 'number':
    case 'integer':
      return inNumber(schema, value as number);
    default:
      return null;
  }
}

function inUnion(union: TSchema, variants: readonly TSchema[], value: unknown): SchemaViolation | null {
  const fitting = variants.filter((variant) => isOf(variant, value));
  const [first, second] = fitting;
  if (!first) return flawed(`must be ${shapeOf(union)}`);
  if (!second) return find(first, value);
  const tag = tagOf(first);
  if (tag === null) return find(first, value);
  const given = (value as Held)[tag];
  const meant = fitting.find((variant) => tagged(variant, tag)?.const === given);
  if (meant) return find(meant, value);
  if (given === undefined) return flawed('is required', tag);
  const words = fitting.map((variant) => tagged(variant, tag)?.const).filter((word) => word !== undefined);
  return flawed(choice(words, given), tag);
}

/** The member that tells the variants of a union apart: the one that holds a fixed word. */
function tagOf(variant: TSchema): string | null {
  const members = Object.entries((variant.properties ?? {}) as Members);
  return members.find(([, member]) => 'const' in member)?.[0] ?? null;
}

function tagged(variant: TSchema, tag: string): TSchema | undefined {
  return (variant.properties as Members | undefined)?.[tag];
}

function inObject(schema: TSchema, value: Held): SchemaViolation | null {
  const required: readonly string[] = schema.required ?? [];
  const properties = schema.properties as Members;
  for (const name in properties) {
    const held = value[name];
    if (held === undefined) {
      if (required.includes(name)) return flawed('is required', name);
      continue;
    }
    const flaw = within(find(properties[name] as TSchema, held), name);
    if (flaw) return flaw;
  }
  return null;
}

function inMap(patterns: Members, value: Held): SchemaViolation | null {
  const [entry] = Object.values(patterns);
  for (const name of Object.keys(value)) {
    const flaw = within(find(entry as TSchema, value[name]), name);
    if (flaw) return flaw;
  }
  return null;
}

function inArray(schema: TSchema, value: readonly unknown[]): SchemaViolation | null {
  const { minItems = 0, maxItems = Infinity } = schema;
  if (value.length < minItems) return flawed(`must have at least ${minItems} item`);
  if (value.length > maxItems) return flawed(`must have at most ${maxItems} items`);
  for (let at = 0; at < value.length; at++) {
    const flaw = within(find(schema.items as TSchema, value[at]), String(at));
    if (flaw) return flaw;
  }
  return null;
}

function within(flaw: SchemaViolation | null, name: string): SchemaViolation | null {
  flaw?.path.push(name);
  return flaw;
}

/** Lengths before patterns: no expression sees a text beyond its bound. */
function inText(schema: TSchema, value: string): SchemaViolation | null {
  const { minLength = 0, maxLength = Infinity } = schema;
  if (value.length < minLength) return flawed('must not be empty');
  if (value.length > maxLength) return flawed(`must have at most ${maxLength} characters`);
  if (Array.isArray(schema.enum)) return schema.enum.includes(value) ? null : flawed(choice(schema.enum, value));
  if (schema.pattern === undefined || new RegExp(schema.pattern).test(value)) return null;
  return flawed(`must match ${schema.pattern}`);
}

function inNumber(schema: TSchema, value: number): SchemaViolation | null {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity } = schema;
  if (minimum === maximum && value !== minimum) return flawed(`must be ${minimum}`);
  if (value < minimum) return flawed(`must be at least ${minimum}`);
  if (value <= exclusiveMinimum) return flawed(`must be greater than ${exclusiveMinimum}`);
  return value > maximum ? flawed(`must be at most ${maximum}`) : null;
}

function choice(words: readonly unknown[], given: unknown): string {
  const list = words.map((word) => JSON.stringify(word)).join(', ');
  const rule = words.length === 1 ? `must be ${list}` : `must be one of ${list}`;
  return typeof given === 'string' ? `${rule}, not ${JSON.stringify(given.slice(0, WORD_CHARACTERS_MAX))}` : rule;
}

/** `messages`, `2`, `content` as `messages[2].content`. */
function memberOf(path: readonly string[]): string {
  const member = path
    .map((segment, at) => (/^\d{1,9}$/.test(segment) ? `[${segment}]` : at === 0 ? segment : `.${segment}`))
    .join('');
  return member.slice(0, MEMBER_CHARACTERS_MAX);
}
