import { JsonText, jsonText } from '../../terms/json-text.ts';

/**
 * A JSON schema in the form that the wire takes: as the caller wrote it, but a reference has no other members, which the
 * wire refuses beside one.
 */
export function schemaText(schema: unknown): JsonText {
  const text = jsonText(schema);
  return new JsonText(text.includes('"$ref"') ? JSON.stringify(bareReferences(JSON.parse(text))) : text);
}

function bareReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bareReferences);
  if (typeof value !== 'object' || value === null) return value;
  const isReference = typeof (value as { readonly $ref?: unknown }).$ref === 'string';
  const members = Object.entries(value).filter(([name]) => !isReference || name.startsWith('$'));
  return Object.fromEntries(members.map(([name, inner]) => [name, bareReferences(inner)]));
}
