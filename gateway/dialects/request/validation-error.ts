import type { TSchema } from '@sinclair/typebox';

/**
 * Describes why a compiled check refused a body, as one sentence that names the member and its bound:
 * `top_p must be greater than 0`. One pass over schema and value, following only the variant of a union that the value
 * is tagged as. The validator's own error list revisits every variant of every union and takes a second for a hostile
 * body of a few megabytes, where this takes milliseconds (measured). (spec: inference, Errors 2; reliability E7)
 */
export function validationError(schema: TSchema, body: unknown): string {
  const found = find(schema, body);
  if (found === null) return 'The request body does not have the expected shape';
  const member = memberOf(found.path.reverse());
  return `${member === '' ? 'The request body' : member} ${found.rule}`;
}

const MEMBER_CHARACTERS_MAX = 200;
/** Characters shown of a word that is not on a closed list. */
const WORD_CHARACTERS_MAX = 64;

interface SchemaViolation {
  readonly rule: string;
  /** Names and positions, innermost first. */
  readonly path: string[];
}

type Schemas = Readonly<Record<string, TSchema>>;
type Values = Readonly<Record<string, unknown>>;

function violation(rule: string, ...path: string[]): SchemaViolation {
  return { rule, path };
}

/** The first violation in a value; null for a valid one. */
function find(schema: TSchema, value: unknown): SchemaViolation | null {
  if (Array.isArray(schema.anyOf)) return inUnion(schema, schema.anyOf as TSchema[], value);
  if ('const' in schema) return value === schema.const ? null : violation(choice([schema.const], value));
  if (!isOf(schema, value)) return violation(`must be ${shapeOf(schema)}`);
  switch (schema.type) {
    case 'object':
      return schema.patternProperties
        ? inMap(schema.patternProperties as Schemas, value as Values)
        : inObject(schema, value as Values);
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
  if (!first) return violation(`must be ${shapeOf(union)}`);
  if (!second) return find(first, value);
  const tag = tagOf(first);
  // Lists of different entries have no tag; what any of them allows is no violation.
  if (tag === null) return fitting.some((variant) => find(variant, value) === null) ? null : find(first, value);
  const given = (value as Values)[tag];
  const meant = fitting.find((variant) =>
    given == null ? isOptional(variant, tag) : constantOf(tagged(variant, tag)) === given,
  );
  if (meant) return find(meant, value);
  if (given === undefined) return violation('is required', tag);
  const words = fitting.map((variant) => constantOf(tagged(variant, tag))).filter((word) => word !== undefined);
  return violation(choice(words, given), tag);
}

/** The member that distinguishes the variants of a union: the one with a constant. */
function tagOf(variant: TSchema): string | null {
  const members = Object.entries((variant.properties ?? {}) as Schemas);
  return members.find(([, member]) => 'const' in member)?.[0] ?? null;
}

function tagged(variant: TSchema, tag: string): TSchema | undefined {
  return (variant.properties as Schemas | undefined)?.[tag];
}

/** The constant of a member, also where null may be sent instead. */
function constantOf(member: TSchema | undefined): unknown {
  if (member === undefined || 'const' in member) return member?.const;
  return ((member.anyOf ?? []) as TSchema[]).find((each) => 'const' in each)?.const;
}

/** True for the variant that is meant where its tag is absent or null. */
function isOptional(variant: TSchema, tag: string): boolean {
  return tagged(variant, tag) !== undefined && !variant.required?.includes(tag);
}

function inObject(schema: TSchema, value: Values): SchemaViolation | null {
  const required: readonly string[] = schema.required ?? [];
  const properties = schema.properties as Schemas;
  for (const name in properties) {
    const held = value[name];
    if (held === undefined) {
      if (required.includes(name)) return violation('is required', name);
      continue;
    }
    const found = within(find(properties[name] as TSchema, held), name);
    if (found) return found;
  }
  return null;
}

function inMap(patterns: Schemas, value: Values): SchemaViolation | null {
  const [entry] = Object.values(patterns);
  for (const name of Object.keys(value)) {
    const found = within(find(entry as TSchema, value[name]), name);
    if (found) return found;
  }
  return null;
}

function inArray(schema: TSchema, value: readonly unknown[]): SchemaViolation | null {
  const { minItems = 0, maxItems = Infinity } = schema;
  if (value.length < minItems) return violation(`must have at least ${minItems} item`);
  if (value.length > maxItems) return violation(`must have at most ${maxItems} items`);
  for (let at = 0; at < value.length; at++) {
    const found = within(find(schema.items as TSchema, value[at]), String(at));
    if (found) return found;
  }
  return null;
}

function within(found: SchemaViolation | null, name: string): SchemaViolation | null {
  found?.path.push(name);
  return found;
}

/** Checks lengths before patterns, so that no expression runs on a text beyond its bound. */
function inText(schema: TSchema, value: string): SchemaViolation | null {
  const { minLength = 0, maxLength = Infinity } = schema;
  if (value.length < minLength) return violation('must not be empty');
  if (value.length > maxLength) return violation(`must have at most ${maxLength} characters`);
  if (Array.isArray(schema.enum)) return schema.enum.includes(value) ? null : violation(choice(schema.enum, value));
  if (schema.pattern === undefined || new RegExp(schema.pattern).test(value)) return null;
  return violation(`must match ${schema.pattern}`);
}

function inNumber(schema: TSchema, value: number): SchemaViolation | null {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity } = schema;
  if (minimum === maximum && value !== minimum) return violation(`must be ${minimum}`);
  if (value < minimum) return violation(`must be at least ${minimum}`);
  if (value <= exclusiveMinimum) return violation(`must be greater than ${exclusiveMinimum}`);
  return value > maximum ? violation(`must be at most ${maximum}`) : null;
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

/** True when a value has the JSON type of a schema, whatever its content. */
function isOf(schema: TSchema, value: unknown): boolean {
  if (Array.isArray(schema.anyOf)) return (schema.anyOf as TSchema[]).some((variant) => isOf(variant, value));
  switch (schema.type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    default:
      return typeof value === schema.type;
  }
}

/** The type of a schema in words: `a string or an array`. Null is left out, since it counts as absent. */
function shapeOf(schema: TSchema): string {
  if (Array.isArray(schema.anyOf)) {
    const shapes = (schema.anyOf as TSchema[]).filter((each) => each.type !== 'null').map(shapeOf);
    return [...new Set(shapes)].join(' or ');
  }
  if (Array.isArray(schema.enum)) {
    const words = schema.enum.map((word: unknown) => JSON.stringify(word)).join(', ');
    return schema.enum.length === 1 ? words : `one of ${words}`;
  }
  const article = /^[aio]/.test(String(schema.type)) ? 'an' : 'a';
  return `${article} ${schema.type}`;
}
