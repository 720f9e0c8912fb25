import { type TSchema, Type } from 'typebox';
import { errorType } from '../../dialects/reply/reply-members.ts';
import { objectOf } from '../../dialects/request/members.ts';
import { ATTRIBUTION, type Named, type Operation, type Operations } from './operation.ts';

/** The envelope of every failure, as the OpenAPI document publishes it. (rule E1) */
export const envelopeSchema = Type.Object({
  error: objectOf('Why the request was refused.', {
    code: Type.Integer({ minimum: 400, maximum: 599, description: 'Equal to the HTTP status.' }),
    message: Type.String({ description: 'What went wrong, for people: not a contract.' }),
    metadata: Type.Object(
      { error_type: errorType },
      { additionalProperties: true, description: 'Facts for programs.' },
    ),
  }),
});

/** The headers of a request that runs a generation. */
const HEADERS: Named = {
  'X-Session-Id': Type.String({
    maxLength: 256,
    description: 'Names a conversation: its requests prefer one endpoint.',
  }),
  ...ATTRIBUTION,
  'Idempotency-Key': Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'A repeat within 24 hours is not served again: 409 names the generation, 422 another body.',
  }),
};

/** The order of the operations of one path: what a reader looks for first. */
const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head'];

interface Addressed extends Operation {
  readonly method: string;
  /** Below `/api/v1`. */
  readonly address: string;
}

/** The API as an OpenAPI 3.1 document: the registered routes with the schemas in use. */
export function openApiDocument(operations: Operations): object {
  const all = Object.entries(operations).map(([route, operation]): Addressed => {
    const [method = '', address = ''] = route.split(' ');
    return { ...operation, method: method.toLowerCase(), address };
  });
  const ordered = all.toSorted((one, other) => METHODS.indexOf(one.method) - METHODS.indexOf(other.method));
  const methodsOf = (path: string): object =>
    Object.fromEntries(
      ordered.filter(({ address }) => address === path).map((one) => [one.method, operationObject(one)]),
    );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Troupe',
      version: '1',
      description: 'A model marketplace behind one API. Unknown members of a request are accepted and ignored.',
    },
    servers: [{ url: '/api/v1' }],
    security: [],
    paths: Object.fromEntries(all.map(({ address }) => [address, methodsOf(address)])),
    components: {
      schemas: Object.assign({ Error: envelopeSchema }, ...all.flatMap(componentsOf)),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      },
    },
  };
}

function componentsOf({ body, form, reply, frame, failure }: Operation): readonly Named[] {
  return [body, form, reply, frame, failure].filter((each) => each !== undefined);
}

function operationObject(operation: Addressed): object {
  const { path = {}, query = {}, headers = {}, required = [], inference = false } = operation;
  const parameters = [
    ...[...operation.address.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
      description: path[name],
    })),
    ...Object.entries(query).map(([name, schema]) => parameter(name, 'query', schema, required.includes(name))),
    ...Object.entries({ ...(inference ? HEADERS : {}), ...headers }).map(([name, schema]) =>
      parameter(name, 'header', schema, false),
    ),
  ];
  return {
    operationId: operationId(operation),
    summary: operation.summary,
    description: sentence(operation),
    tags: [tagOf(operation.address)],
    ...(operation.key ? { security: [{ bearer: [] }, { apiKey: [] }] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBody(operation),
    responses: { [operation.status ?? 200]: answered(operation), default: failed(operation) },
  };
}

/** The words of a parameter stand beside its schema. */
function parameter(name: string, place: 'query' | 'header', schema: TSchema, required: boolean): object {
  const { description, ...bounds } = schema as TSchema & { readonly description?: string };
  return { name, in: place, required, schema: bounds, description };
}

const KEYS = {
  inference: 'Needs an API key.',
  management: 'Needs a management key.',
  provider: "Needs a key of a provider's account.",
} as const;

/** What a caller needs beside the summary: the credential, and how often the route may be called. */
function sentence({ description, key, inference }: Operation): string {
  const needs = key === undefined ? 'Needs no key.' : KEYS[key];
  return `${description} ${needs}${inference ? ' The charge is recorded before the end of the answer is sent.' : ''}`;
}

/** Groups operations by the first part of their path. */
function tagOf(path: string): string {
  const first = path.split('/')[1] ?? '';
  return TAGS[first] ?? (first === '' ? 'Service' : `${first[0]?.toUpperCase()}${first.slice(1)}`);
}

const TAGS: Readonly<Record<string, string>> = {
  ready: 'Service',
  'openapi.json': 'Service',
  chat: 'Inference',
  completions: 'Inference',
  messages: 'Inference',
  responses: 'Inference',
  images: 'Inference',
  embeddings: 'Inference',
  rerank: 'Inference',
  v2: 'Inference',
  generation: 'Inference',
  model: 'Catalogue',
  models: 'Catalogue',
  providers: 'Catalogue',
  families: 'Catalogue',
  endpoints: 'Catalogue',
  stats: 'Catalogue',
  key: 'Keys',
  auth: 'Keys',
  sessions: 'Keys',
  audit: 'Keys',
  credits: 'Money',
  deposits: 'Money',
  activity: 'Money',
  statements: 'Money',
};

function requestBody({ body, form }: Operation): object {
  const schema = body ?? form;
  if (schema === undefined) return {};
  const type = body === undefined ? 'multipart/form-data' : 'application/json';
  return { requestBody: { required: true, content: { [type]: { schema: ref(schema) } } } };
}

function operationId({ method, address }: Addressed): string {
  const words = address.split(/[^A-Za-z]+/).filter(Boolean);
  return [method, ...words.map((word) => word[0]?.toUpperCase() + word.slice(1))].join('');
}

function answered({ answers, reply, frame, inference, namesUnread, bytes, status }: Operation): object {
  if (status === 101) return { description: answers };
  if (bytes) return { description: answers, content: { 'application/octet-stream': {} } };
  const stream =
    frame === undefined ? {} : { 'text/event-stream': { schema: { type: 'string' }, 'x-frame': ref(frame) } };
  if (reply === undefined) return { description: answers, content: stream };
  const header = (description: string): object => ({ description, schema: { type: 'string' } });
  const headers = {
    ...(inference
      ? {
          'X-Generation-Id': header('Id of the generation; sent on failures too.'),
          'X-Provider-Name': header('The provider that served the request; absent on streams.'),
          'X-Prompt-Tokens-Read': header(
            'How many tokens the provider read of a prompt that it cut; absent on streams.',
          ),
        }
      : {}),
    ...(inference || namesUnread
      ? { 'X-Unread-Members': header('What the request names and nothing reads, at most 16; absent without any.') }
      : {}),
  };
  return {
    description: answers,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: { 'application/json': { schema: ref(reply) }, ...stream },
  };
}

function failed({ failure }: Operation): object {
  const common = ref({ Error: envelopeSchema });
  const schema = failure === undefined ? common : { anyOf: [common, ref(failure)] };
  return {
    description: 'A refusal or a failure: `metadata.error_type` says which.',
    content: { 'application/json': { schema } },
  };
}

function ref(component: Named): object {
  return { $ref: `#/components/schemas/${Object.keys(component)[0]}` };
}
