import type { TSchema } from 'typebox';

/** What the walk reads of a JSON Schema: the keywords that our own schemas use. */
export interface SchemaNode {
  readonly type?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly SchemaNode[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, SchemaNode>>;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: boolean;
  readonly required?: readonly string[];
  readonly maxProperties?: number;
  readonly items?: SchemaNode;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
}

/** A member that does not fit its schema. */
export interface SchemaViolation {
  readonly kind: 'missing' | 'unknown' | 'value';
  /** Names and positions, from the outside in. */
  readonly path: readonly string[];
  /** The schema that the member breaks; of an unknown member, that of the object around it. */
  readonly schema: SchemaNode;
  readonly value: unknown;
  /** Completes a sentence that begins with the member: `must be at least 1`. */
  readonly rule: string;
}

/** Characters shown of a word that is not on a closed list. */
const WORD_CHARACTERS_MAX = 64;

/**
 * Why a value does not fit a schema, at most `max` violations in the order of the schema; none for a valid value. One
 * pass over both, following only the variant of a union that the value is tagged as. The validator's own list of errors
 * revisits every variant of every union and takes a second for a hostile body of a few megabytes, where this takes
 * milliseconds (measured). (rule E10)
 */
export function schemaViolations(schema: TSchema, value: unknown, max: number): readonly SchemaViolation[] {
  const walk = new Walk(max);
  walk.visit(schema, value);
  return walk.found.map(({ path, ...violation }) => ({ ...violation, path: path.reverse() }));
}

interface Found extends Omit<SchemaViolation, 'path'> {
  /** Names and positions, from the inside out: each object and list adds its own on the way back. */
  readonly path: string[];
}

class Walk {
  readonly found: Found[] = [];
  readonly #max: number;
  #defs: Readonly<Record<string, SchemaNode>> = {};

  constructor(max: number) {
    this.#max = max;
  }

  visit(given: SchemaNode, value: unknown): void {
    if (given.$defs) this.#defs = given.$defs;
    const schema = this.#resolved(given);
    if (schema.anyOf) this.#inUnion(schema, schema.anyOf, value);
    else if ('const' in schema) {
      if (value !== schema.const) this.#refuse(schema, value, choice([schema.const], value));
    } else if (!this.#isOf(schema, value)) this.#refuse(schema, value, `must be ${shapeOf(schema)}`);
    else this.#inside(schema, value);
  }

  #inside(schema: SchemaNode, value: unknown): void {
    if (schema.type === 'object') {
      const members = value as Readonly<Record<string, unknown>>;
      if (schema.patternProperties) this.#inMap(schema, schema.patternProperties, members);
      else this.#inObject(schema, schema.properties ?? {}, members);
    } else if (schema.type === 'array') this.#inArray(schema, value as readonly unknown[]);
    else {
      const rule = typeof value === 'string' ? ruleOfText(schema, value) : ruleOfNumber(schema, value as number);
      if (rule !== null) this.#refuse(schema, value, rule);
    }
  }

  #inUnion(union: SchemaNode, variants: readonly SchemaNode[], value: unknown): void {
    const fitting = variants.map((variant) => this.#resolved(variant)).filter((variant) => this.#isOf(variant, value));
    const [first, second] = fitting;
    const tag = first && second ? tagOf(first) : null;
    if (!first) this.#refuse(union, value, `must be ${shapeOf(union)}`);
    else if (!second) this.#inVariant(union, first, value);
    else if (tag !== null) this.#inTagged(fitting, tag, value as Readonly<Record<string, unknown>>);
    // Lists of different entries have no tag; what any of them allows is no violation.
    else if (!fitting.some((variant) => this.#fits(variant, value))) this.#inVariant(union, first, value);
  }

  /** What a union says of itself describes the whole value better than one of its variants does. */
  #inVariant(union: SchemaNode, variant: SchemaNode, value: unknown): void {
    const before = this.found.length;
    this.visit(variant, value);
    const own = this.found[before];
    if (union.description && own?.path.length === 0) this.found[before] = { ...own, schema: union };
  }

  #inTagged(fitting: readonly SchemaNode[], tag: string, value: Readonly<Record<string, unknown>>): void {
    const given = value[tag];
    const meant = fitting.find((variant) =>
      given == null ? isOptional(variant, tag) : constantOf(variant.properties?.[tag]) === given,
    );
    if (meant) {
      this.visit(meant, value);
      return;
    }
    const words = fitting.map((variant) => constantOf(variant.properties?.[tag])).filter((word) => word !== undefined);
    const before = this.found.length;
    if (given === undefined) this.#refuse({ enum: words }, given, 'is required', 'missing');
    else this.#refuse({ enum: words }, given, choice(words, given));
    this.#under(before, tag);
  }

  #inObject(
    schema: SchemaNode,
    properties: Readonly<Record<string, SchemaNode>>,
    value: Readonly<Record<string, unknown>>,
  ) {
    for (const name in properties) {
      if (this.#isFull) return;
      const member = properties[name] as SchemaNode;
      const held = value[name];
      const before = this.found.length;
      if (held !== undefined) this.visit(member, held);
      else if (schema.required?.includes(name))
        this.#refuse(this.#resolved(member), undefined, 'is required', 'missing');
      this.#under(before, name);
    }
    if (schema.additionalProperties !== false) return;
    for (const name of Object.keys(value)) {
      if (this.#isFull) return;
      if (!Object.hasOwn(properties, name)) this.#refuseName(schema, value, name);
    }
  }

  #inMap(schema: SchemaNode, patterns: Readonly<Record<string, SchemaNode>>, value: Readonly<Record<string, unknown>>) {
    const [[pattern, entry] = ['', {}]] = Object.entries(patterns);
    const names = Object.keys(value);
    const { maxProperties = Number.POSITIVE_INFINITY, additionalProperties } = schema;
    if (names.length > maxProperties) this.#refuse(schema, value, `must have at most ${maxProperties} members`);
    const allowed = new RegExp(pattern);
    for (const name of names) {
      if (this.#isFull) return;
      const before = this.found.length;
      if (additionalProperties === false && !allowed.test(name)) this.#refuseName(schema, value, name);
      else {
        this.visit(entry, value[name]);
        this.#under(before, name);
      }
    }
  }

  #inArray(schema: SchemaNode, value: readonly unknown[]): void {
    const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items = {} } = schema;
    if (value.length < minItems) this.#refuse(schema, value, `must have at least ${minItems} item`);
    if (value.length > maxItems) this.#refuse(schema, value, `must have at most ${maxItems} items`);
    if (value.length < minItems || value.length > maxItems) return;
    for (let at = 0; at < value.length && !this.#isFull; at++) {
      const before = this.found.length;
      this.visit(items, value[at]);
      this.#under(before, String(at));
    }
  }

  #refuse(schema: SchemaNode, value: unknown, rule: string, kind: SchemaViolation['kind'] = 'value'): void {
    if (!this.#isFull) this.found.push({ kind, path: [], schema, value, rule });
  }

  #refuseName(schema: SchemaNode, value: Readonly<Record<string, unknown>>, name: string): void {
    this.#refuse(schema, value[name], 'is an unknown member', 'unknown');
    this.#under(this.found.length - 1, name);
  }

  /** Everything found since `before` lies under this name. */
  #under(before: number, name: string): void {
    for (let at = before; at < this.found.length; at++) this.found[at]?.path.push(name);
  }

  #fits(schema: SchemaNode, value: unknown): boolean {
    const walk = new Walk(1);
    walk.#defs = this.#defs;
    walk.visit(schema, value);
    return walk.found.length === 0;
  }

  get #isFull(): boolean {
    return this.found.length >= this.#max;
  }

  #resolved(schema: SchemaNode): SchemaNode {
    return schema.$ref === undefined ? schema : (this.#defs[schema.$ref] ?? {});
  }

  /** True when a value has the JSON type of a schema, whatever its content. */
  #isOf(given: SchemaNode, value: unknown): boolean {
    const schema = this.#resolved(given);
    if (schema.anyOf) return schema.anyOf.some((variant) => this.#isOf(variant, value));
    switch (schema.type) {
      case undefined:
        return true;
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
}

/** The member that distinguishes the variants of a union: the one with a constant. */
function tagOf(variant: SchemaNode): string | null {
  return Object.entries(variant.properties ?? {}).find(([, member]) => 'const' in member)?.[0] ?? null;
}

/** The constant of a member, also where null may be sent instead. */
function constantOf(member: SchemaNode | undefined): unknown {
  if (member === undefined || 'const' in member) return member?.const;
  return member.anyOf?.find((each) => 'const' in each)?.const;
}

/** True for the variant that is meant where its tag is absent or null. */
function isOptional(variant: SchemaNode, tag: string): boolean {
  return variant.properties?.[tag] !== undefined && !variant.required?.includes(tag);
}

/** Checks lengths before patterns, so that no expression runs on a text beyond its bound. */
function ruleOfText(schema: SchemaNode, value: string): string | null {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  if (value.length < minLength) return 'must not be empty';
  if (value.length > maxLength) return `must have at most ${maxLength} characters`;
  if (schema.enum) return schema.enum.includes(value) ? null : choice(schema.enum, value);
  if (schema.pattern === undefined || new RegExp(schema.pattern).test(value)) return null;
  return `must match ${schema.pattern}`;
}

function ruleOfNumber(schema: SchemaNode, value: number): string | null {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = schema;
  if (minimum === maximum && value !== minimum) return `must be ${minimum}`;
  if (value < minimum) return `must be at least ${minimum}`;
  if (value <= exclusiveMinimum) return `must be greater than ${exclusiveMinimum}`;
  if (value >= exclusiveMaximum) return `must be less than ${exclusiveMaximum}`;
  return value > maximum ? `must be at most ${maximum}` : null;
}

function choice(words: readonly unknown[], given: unknown): string {
  const list = words.map((word) => JSON.stringify(word)).join(', ');
  const rule = words.length === 1 ? `must be ${list}` : `must be one of ${list}`;
  return typeof given === 'string' ? `${rule}, not ${JSON.stringify(given.slice(0, WORD_CHARACTERS_MAX))}` : rule;
}

/** The type of a schema in words: `a string or an array`. Null is left out, since it counts as absent. */
function shapeOf(schema: SchemaNode): string {
  if (schema.anyOf) {
    const shapes = schema.anyOf.filter((each) => each.type !== 'null').map(shapeOf);
    return [...new Set(shapes)].join(' or ');
  }
  if (schema.enum) {
    const words = schema.enum.map((word) => JSON.stringify(word)).join(', ');
    return schema.enum.length === 1 ? words : `one of ${words}`;
  }
  const article = /^[aio]/.test(String(schema.type)) ? 'an' : 'a';
  return `${article} ${schema.type}`;
}
