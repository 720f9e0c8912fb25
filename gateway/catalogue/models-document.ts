import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { ModelDeclaration, ModelsDocument } from '../terms/provider-declaration.ts';

/** One provider's declared models; more is a mistake. */
const MODELS_MAX = 10_000;
const text = Type.String({ maxLength: 65_536 });
const name = Type.String({ minLength: 1, maxLength: 256 });
const tokens = Type.Integer({ minimum: 1, maximum: 1_000_000_000 });
const price = Type.Optional(Type.String({ pattern: '^[0-9]{1,12}(\\.[0-9]{1,40})?$' }));

const model = Type.Object(
  {
    id: Type.String({ maxLength: 200, pattern: '^[A-Za-z0-9._~-]+/[A-Za-z0-9._~:-]+$' }),
    upstreamId: Type.Optional(name),
    name,
    created: Type.Integer({ minimum: 0, maximum: 1e11 }),
    description: Type.Optional(text),
    contextLength: tokens,
    maxCompletionTokens: Type.Optional(tokens),
    maxPromptTokens: Type.Optional(tokens),
    quantization: Type.Optional(Type.String({ pattern: '^[a-z0-9]{1,16}$' })),
    tokenizer: Type.Optional(name),
    supportedParameters: Type.Array(name, { maxItems: 256 }),
    ceilingName: Type.Optional(Type.Union([Type.Literal('max_tokens'), Type.Literal('max_completion_tokens')])),
    cancellable: Type.Optional(Type.Boolean()),
    pricing: Type.Object({ prompt: price, completion: price, request: price }, { additionalProperties: false }),
    discount: Type.Optional(Type.Number({ minimum: -100, exclusiveMaximum: 1 })),
  },
  { additionalProperties: false },
);
const checked = TypeCompiler.Compile(Type.Object({ models: Type.Array(model, { maxItems: MODELS_MAX }) }));

/** A models document that cannot be used. The message names the line or the member, never more than is needed. */
export class BrokenDocument extends Error {
  override readonly name = 'BrokenDocument';
}

/** JSON text as a models document. Throws `BrokenDocument`. */
export function parseModelsDocument(json: string): ModelsDocument {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new BrokenDocument(`no JSON${placeOf(error, json)}`);
  }
  return checkModelsDocument(value);
}

/** A value that is meant to be a models document. A member nobody knows is a mistake, not an extension. */
export function checkModelsDocument(value: unknown): ModelsDocument {
  if (!checked.Check(value)) {
    const error = checked.Errors(value).First();
    const member = (error?.path ?? '').slice(1).replaceAll('/', '.') || 'the document';
    throw new BrokenDocument(`${member}: ${lower(error?.message ?? 'unexpected shape')}`);
  }
  const { models } = value as { readonly models: readonly ModelDeclaration[] };
  const seen = new Set<string>();
  models.forEach(({ id }, at) => {
    if (seen.has(id)) throw new BrokenDocument(`models.${at}.id: ${id} is declared twice`);
    seen.add(id);
  });
  return { models };
}

function lower(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}

function placeOf(error: unknown, json: string): string {
  const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
  if (position === undefined) return '';
  return ` in line ${json.slice(0, Number(position)).split('\n').length}`;
}
