import type { TSchema } from '@sinclair/typebox';
import { type ValueError, type ValueErrorIterator, ValueErrorType } from '@sinclair/typebox/errors';

const MEMBER_CHARACTERS_MAX = 200;
/** Characters shown of a word that is not on a closed list. */
const WORD_CHARACTERS_MAX = 64;
/** Complaints looked at per variant of a union; the telling ones come first. */
const COMPLAINTS_MAX = 16;

/** An error of the validator, read from its one-time iterators. */
interface Complaint {
  readonly type: ValueErrorType;
  readonly schema: TSchema;
  readonly path: string;
  readonly value: unknown;
  readonly variants: readonly (readonly Complaint[])[];
}

/** What is wrong with a body, as one sentence that names the member and its bound: `top_p must be greater than 0`. */
export function complaint(errors: ValueErrorIterator): string {
  const first = errors.First();
  if (!first) return 'The request body does not have the expected shape';
  const meant = innermost(gathered(first));
  const member = memberOf(meant.path);
  return `${member === '' ? 'The request body' : member} ${ruleOf(meant)}`;
}

function gathered(error: ValueError): Complaint {
  const { type, schema, path, value } = error;
  return { type, schema, path, value, variants: error.errors.map(taken) };
}

function taken(errors: ValueErrorIterator): Complaint[] {
  const complaints: Complaint[] = [];
  for (const error of errors) {
    complaints.push(gathered(error));
    if (complaints.length >= COMPLAINTS_MAX) break;
  }
  return complaints;
}

/** `/messages/2/content` as `messages[2].content`. */
function memberOf(pointer: string): string {
  const segments = pointer.split('/').slice(1);
  const member = segments
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((segment, at) => (/^\d{1,9}$/.test(segment) ? `[${segment}]` : at === 0 ? segment : `.${segment}`))
    .join('');
  return member.slice(0, MEMBER_CHARACTERS_MAX);
}

/** Follows the variant of a union that the value means to be, down to the member that breaks it. */
function innermost(union: Complaint): Complaint {
  if (union.type !== ValueErrorType.Union) return union;
  const meant = union.variants.find((variant) => !isOther(variant, union.path));
  return meant?.[0] ? innermost(meant[0]) : discriminator(union);
}

/** True when a variant's complaints say: this value is not of that variant at all. */
function isOther(variant: readonly Complaint[], unionPath: string): boolean {
  return variant.some(({ type, path, value, variants }) => {
    if (type === ValueErrorType.Literal) return value !== undefined && isChild(path, unionPath);
    if (path !== unionPath) return false;
    if (type === ValueErrorType.Union) return variants.every((nested) => isOther(nested, unionPath));
    return SHAPES.has(type);
  });
}

function isChild(path: string, parent: string): boolean {
  return path.startsWith(`${parent}/`) && !path.includes('/', parent.length + 1);
}

const SHAPES: ReadonlySet<ValueErrorType> = new Set([
  ValueErrorType.Array,
  ValueErrorType.Boolean,
  ValueErrorType.Integer,
  ValueErrorType.Null,
  ValueErrorType.Number,
  ValueErrorType.Object,
  ValueErrorType.String,
]);

/** No variant fits: names the word that chooses between them if there is one, else the value as a whole. */
function discriminator(union: Complaint): Complaint {
  const literals = literalsOf(union, union.path);
  const [first] = literals;
  if (!first) return union;
  const words = literals.filter(({ path }) => path === first.path).map(({ schema }) => String(schema.const));
  return { ...first, schema: { ...first.schema, enum: words } };
}

function literalsOf({ variants }: Complaint, unionPath: string): readonly Complaint[] {
  return variants.flat().flatMap((each) => {
    if (each.type === ValueErrorType.Union && each.path === unionPath) return literalsOf(each, unionPath);
    return each.type === ValueErrorType.Literal && isChild(each.path, unionPath) ? [each] : [];
  });
}

function ruleOf({ schema, type, value }: Complaint): string {
  switch (type) {
    case ValueErrorType.ObjectRequiredProperty:
      return 'is required';
    case ValueErrorType.NumberMinimum:
    case ValueErrorType.IntegerMinimum:
      return schema.minimum === schema.maximum ? `must be ${schema.minimum}` : `must be at least ${schema.minimum}`;
    case ValueErrorType.NumberMaximum:
    case ValueErrorType.IntegerMaximum:
      return schema.minimum === schema.maximum ? `must be ${schema.maximum}` : `must be at most ${schema.maximum}`;
    case ValueErrorType.NumberExclusiveMinimum:
      return `must be greater than ${schema.exclusiveMinimum}`;
    case ValueErrorType.ArrayMinItems:
      return `must have at least ${schema.minItems} item`;
    case ValueErrorType.ArrayMaxItems:
      return `must have at most ${schema.maxItems} items`;
    case ValueErrorType.StringMinLength:
      return 'must not be empty';
    case ValueErrorType.StringMaxLength:
      return `must have at most ${schema.maxLength} characters`;
    case ValueErrorType.StringPattern:
      return Array.isArray(schema.enum) ? choice(schema.enum, value) : `must match ${schema.pattern}`;
    case ValueErrorType.Literal:
      return Array.isArray(schema.enum) ? choice(schema.enum, value) : `must be ${JSON.stringify(schema.const)}`;
    default:
      return `must be ${shapeOf(schema)}`;
  }
}

function choice(words: readonly unknown[], given: unknown): string {
  const list = [...new Set(words)].map((word) => JSON.stringify(word)).join(', ');
  const instead = typeof given === 'string' ? `, not ${JSON.stringify(given.slice(0, WORD_CHARACTERS_MAX))}` : '';
  return `must be one of ${list}${instead}`;
}

function shapeOf(schema: TSchema): string {
  if (Array.isArray(schema.anyOf)) {
    const shapes = (schema.anyOf as TSchema[]).filter((each) => each.type !== 'null').map(shapeOf);
    return [...new Set(shapes)].join(' or ');
  }
  if (Array.isArray(schema.enum))
    return `one of ${schema.enum.map((word: unknown) => JSON.stringify(word)).join(', ')}`;
  const article = /^[aio]/.test(String(schema.type)) ? 'an' : 'a';
  return `${article} ${schema.type}`;
}
