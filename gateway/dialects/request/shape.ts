import type { TSchema } from '@sinclair/typebox';

/** True when a value is of the JSON type a schema asks for, whatever stands in it. */
export function isOf(schema: TSchema, value: unknown): boolean {
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

/** What a schema asks for, in words: `a string or an array`. Null is never offered: it is what absence looks like. */
export function shapeOf(schema: TSchema): string {
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
