/** The parts of the OpenAPI document that its pages read, as the document has them. */

/** JSON Schema, as far as our documents use it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

interface PublishedParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
  readonly description?: string;
}

interface Content {
  readonly schema?: Schema;
  /** Of one `data:` line of a stream. */
  readonly 'x-frame'?: Schema;
}

export interface PublishedReply {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string }>>;
  readonly content?: Readonly<Record<string, Content>>;
}

export interface PublishedOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly [string];
  /** Absent: no credential is needed. */
  readonly security?: unknown;
  readonly parameters?: readonly PublishedParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, PublishedReply>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<PublishedOperation, 'method' | 'path'>>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Published {
  readonly operations: readonly PublishedOperation[];
  /** The schema that a reference names; the schema itself where it is none. */
  readonly resolve: (schema: Schema) => Schema;
}

/** Reads an OpenAPI document. */
export function publishedApi(document: object): Published {
  const { paths, components } = document as Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
  );
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : (components.schemas[nameOf(schema)] as Schema);
  return { operations, resolve };
}

/** `ChatRequest` of `#/components/schemas/ChatRequest`. */
export function nameOf({ $ref = '' }: Schema): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}
