import { documentSchema } from './document-schema.ts';

type Schema = Record<string, unknown>;

/**
 * The JSON Schema of a models document for editors and providers: the schema of the check, with its recursive shape
 * moved to `$defs`.
 */
export function publishedSchema(): Readonly<Schema> {
  const definitions: Schema = {};
  const schema = published(JSON.parse(JSON.stringify(documentSchema)), definitions) as Schema;
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema, $defs: definitions };
}

function published(value: unknown, definitions: Schema): unknown {
  if (Array.isArray(value)) return value.map((each) => published(each, definitions));
  if (typeof value !== 'object' || value === null) return value;
  const { $id, $ref, ...members } = value as Schema;
  if (typeof $ref === 'string') return { $ref: `#/$defs/${$ref}` };
  if (typeof $id === 'string' && $id in definitions) return { $ref: `#/$defs/${$id}` };
  if (typeof $id === 'string') definitions[$id] = true;
  const inner = Object.fromEntries(Object.entries(members).map(([name, each]) => [name, published(each, definitions)]));
  if (typeof $id !== 'string') return inner;
  definitions[$id] = inner;
  return { $ref: `#/$defs/${$id}` };
}
