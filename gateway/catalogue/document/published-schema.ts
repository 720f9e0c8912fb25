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
  const { $id: _, $defs = {}, $ref, ...members } = value as Schema;
  for (const [name, each] of Object.entries($defs as Schema)) definitions[name] ??= published(each, definitions);
  if (typeof $ref === 'string') return { $ref: `#/$defs/${$ref}` };
  return Object.fromEntries(Object.entries(members).map(([name, each]) => [name, published(each, definitions)]));
}
