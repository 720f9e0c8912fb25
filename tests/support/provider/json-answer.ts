import type { ChatRequest } from './chat-request.ts';
import { flawsOf } from './flaws.ts';

/** The JSON that a request's format asks for, with one plain value for each member; null where none is asked. */
export function jsonAnswer(request: ChatRequest): string | null {
  const format = request.response_format;
  const flaws = flawsOf(request.model ?? '');
  if (format?.type !== 'json_object' && format?.type !== 'json_schema') return null;
  if (flaws.has('ignores-format')) return null;
  if (format.type === 'json_object' || flaws.has('ignores-schema')) return '{"answer": "x"}';
  return JSON.stringify(valueFor(format.json_schema?.schema, 0));
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly minimum?: number;
}

const DEPTH_MAX = 32;

function valueFor(given: unknown, depth: number): unknown {
  const schema = (given ?? {}) as Schema;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined && depth < DEPTH_MAX) return valueFor(schema.anyOf[0], depth + 1);
  switch (typeof schema.type === 'string' ? schema.type : schema.type?.[0]) {
    case 'number':
    case 'integer':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'string':
      return 'x';
    case 'null':
      return null;
    default:
      return objectFor(schema, depth);
  }
}

function objectFor(schema: Schema, depth: number): object {
  const members = depth < DEPTH_MAX ? Object.entries(schema.properties ?? {}) : [];
  return Object.fromEntries(members.map(([name, member]) => [name, valueFor(member, depth + 1)]));
}
