/** Path, query and body of a request, checked by the schemas of its route. */
import type { IncomingMessage } from 'node:http';
import type { TObject, TSchema } from 'typebox';
import type { HttpExchange } from '../../http/exchange.ts';
import { type SchemaNode, schemaViolations } from '../../json/schema-violations.ts';
import { isInvalid, OperatorFault, type OperatorRoute } from './operator-route.ts';

const BODY_BYTES_MAX = 64 * 1024;

/**
 * The members of a query. Numbers and truth values arrive as text, and are read as their schema has them. A name that the
 * route does not know is refused, since a filter with a mistake in its name would list everything; a schema that allows
 * further members takes them as text.
 */
export function readQuery(text: string, { query: schema }: Pick<OperatorRoute, 'query'>): object {
  const { properties = {}, additionalProperties = false } = (schema ?? {}) as SchemaNode;
  const members: Record<string, unknown> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined && !additionalProperties) throw isInvalid(name, 'is not known in the query');
    if (name in members) throw isInvalid(name, 'was sent twice');
    requireText(name, value);
    members[name] = parsed(value, property ?? {});
  }
  if (schema !== undefined) requireFit(schema, members, 'the query');
  return members;
}

/** No stored text has the character U+0000, and PostgreSQL fails at it. Throws 400. */
export function requireText(member: string, text: string): void {
  if (text.includes('\0')) throw isInvalid(member, 'must not contain the character U+0000');
}

const NUMBER = /^-?\d{1,15}(?:\.\d{1,9})?$/;

function parsed(text: string, { type }: SchemaNode): unknown {
  if ((type === 'integer' || type === 'number') && NUMBER.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** The body as an object that fits its schema. Throws 400 and 413. */
export async function readBody(
  { request, invite }: Pick<HttpExchange<never>, 'request' | 'invite'>,
  { body: schema, bodyBytesMax = BODY_BYTES_MAX }: Pick<OperatorRoute, 'body' | 'bodyBytesMax'>,
): Promise<unknown> {
  if (schema === undefined) return null;
  invite?.();
  const text = await textOf(request, bodyBytesMax);
  const value = jsonOf(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new OperatorFault(400, 'invalid_request', 'the body must be a JSON object');
  }
  refuseUnknown(schema, value);
  requireFit(schema, value, 'the body');
  return value;
}

async function textOf(request: IncomingMessage, bytesMax: number): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > bytesMax) throw new OperatorFault(413, 'too_large', `the body has more than ${bytesMax} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new OperatorFault(400, 'invalid_request', 'the body must be JSON');
  }
}

/** A member with a mistake in its name would be left out silently: `dry-run` for `dryRun`. */
function refuseUnknown(schema: TObject, value: object): void {
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(schema.properties, name));
  if (unknown !== undefined) throw isInvalid(unknown, 'is not known in the body');
}

const MEMBER_CHARACTERS_MAX = 200;

function requireFit(schema: TSchema, value: unknown, whole: string): void {
  const [found] = schemaViolations(schema, value, 1);
  if (found === undefined) return;
  const member = found.path.join('.').slice(0, MEMBER_CHARACTERS_MAX);
  throw member === ''
    ? new OperatorFault(400, 'invalid_request', `${whole} ${found.rule}`)
    : isInvalid(member, found.rule);
}
