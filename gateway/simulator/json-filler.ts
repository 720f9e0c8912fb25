import type { JsonSchema } from './chat-request.ts';

const DEPTH_MAX = 16;

/** A value that follows the common keywords of a JSON schema: the first alternative, every declared property. */
export function filled(schema: JsonSchema | undefined, root: JsonSchema | undefined = schema, depth = 0): unknown {
  if (schema === undefined || depth > DEPTH_MAX) return null;
  const named = schema.$ref?.startsWith('#/$defs/') ? root?.$defs?.[schema.$ref.slice('#/$defs/'.length)] : undefined;
  if (named) return filled(named, root, depth + 1);
  if ('const' in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return filled(schema.anyOf[0], root, depth + 1);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'number':
    case 'integer':
      return Math.max(1, Math.ceil(schema.minimum ?? 1));
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => filled(schema.items, root, depth + 1));
    case 'string':
      return 'x';
    default:
      return type === 'object' || schema.properties ? properties(schema, root, depth) : 'x';
  }
}

function properties(
  schema: JsonSchema,
  root: JsonSchema | undefined,
  depth: number,
): Readonly<Record<string, unknown>> {
  const declared = Object.entries(schema.properties ?? {});
  return Object.fromEntries(declared.map(([name, inner]) => [name, filled(inner, root, depth + 1)]));
}
