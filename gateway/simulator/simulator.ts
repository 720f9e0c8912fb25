import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { behaviourOf } from './answer/behaviour.ts';
import type { ChatRequest } from './answer/chat-request.ts';
import { reply } from './answer/reply.ts';
import type { Wire } from './answer/wire.ts';
import { type Call, CallLog } from './calls/call-log.ts';
import { Holds } from './calls/holds.ts';
import { declaredAbility } from './declared-ability.ts';
import { guestsOf, modelsDocument } from './models-document.ts';
import { modelPage, shownModel } from './strict/model-lists.ts';
import { STRICT } from './strict/strict.ts';
import type { StrictProvider } from './strict/strict-provider.ts';
import { VideoRoutes, type VideoSite } from './video/video-routes.ts';
import { bedrockWire } from './wires/bedrock-wire.ts';
import { chatWire } from './wires/chat-wire.ts';
import { chatOfCohere, cohereEmbed, cohereWire } from './wires/cohere-wire.ts';
import { chatOfCompletion, completionsWire } from './wires/completions-wire.ts';
import { chatOfConverse } from './wires/converse-request.ts';
import { embeddingsDialect } from './wires/embeddings.ts';
import { geminiEmbed, geminiPredict, geminiSingle } from './wires/gemini-embeddings.ts';
import { chatOfGemini } from './wires/gemini-request.ts';
import { geminiWire } from './wires/gemini-wire.ts';
import { chatOf } from './wires/messages-request.ts';
import { messagesWire } from './wires/messages-wire.ts';
import { chatOfOllama, ollamaEmbed, ollamaWire } from './wires/ollama-wire.ts';
import { cohereRerank, rerankDialect } from './wires/rerank.ts';
import { chatOfResponses } from './wires/responses-request.ts';
import { responsesWire } from './wires/responses-wire.ts';

interface SimulatorOptions {
  /** The provider's slug: selects its models and the directives with a matching `only_on`. */
  readonly name: string;
  /** File for one JSON line per call; absent: no log. */
  readonly log?: string;
  /** 0 or absent selects a free port. */
  readonly port?: number;
  /** Keeps calls with their headers and bodies in `calls`. Off by default, because a benchmark makes millions. */
  readonly keep?: boolean;
}

/** A call for tests, with the path, the headers and the body that the gateway sent. */
export interface KeptCall extends Call {
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: ChatRequest & Readonly<Record<string, unknown>>;
}

interface Calls {
  readonly provider: string;
  readonly log: CallLog;
  readonly kept: KeptCall[] | null;
  readonly holds: Holds;
  count: number;
}

export interface Simulator {
  readonly port: number;
  /** For `ProviderDeclaration.baseUrl`. */
  readonly baseUrl: string;
  /** Oldest first; empty unless `keep`. */
  readonly calls: readonly KeptCall[];
  /** Lets every answer go on whose directive has `hold` with this name. */
  release(name: string): void;
  /** Closes every connection and writes the rest of the log. */
  close(): Promise<void>;
}

const BODY_BYTES_MAX = 64 * 1024 * 1024;
const COUNTED_MAX = 200_000;
/** The address of a guest: its slug before the path. */
const GUEST = /^\/([a-z0-9-]{1,40})(\/v1\/.*)$/;
/** The address of a provider that enforces its published rules. */
const STRICT_PATH = /^\/strict\/([a-z0-9-]{1,40})(\/.*)$/;

/** What providers have below base addresses of their own. */
const BELOW_BASE =
  /\/(?:(?:chat\/)?completions|messages|responses|model\/[^/]+\/converse(?:-stream)?|models(?:\/[^?]+:\w+)?|(?:api|v2)\/\w+)(?:\?.*)?$/;

/** The dialects by path; every simulator answers all, independent of its declaration. */
const DIALECTS: readonly Dialect[] = [
  { path: /^\/v1\/chat\/completions$/, wire: () => chatWire, read: (body) => body as ChatRequest },
  { path: /^\/v1\/messages$/, wire: () => messagesWire, read: chatOf },
  { path: /^\/v1\/responses$/, wire: () => responsesWire, read: chatOfResponses },
  {
    path: /^\/v1\/model\/(?<model>[^/]+)\/(?<method>converse(?:-stream)?)$/,
    wire: () => bedrockWire,
    read: chatOfConverse,
  },
  {
    path: /^\/v1\/models\/(?<model>[^:]+):(?<method>generateContent|streamGenerateContent)$/,
    wire: () => geminiWire,
    read: chatOfGemini,
  },
  { path: /^\/v1\/api\/chat$/, wire: () => ollamaWire, read: chatOfOllama },
  { path: /^\/v1\/api\/embed$/, ...ollamaEmbed },
  { path: /^\/v1\/v2\/chat$/, wire: () => cohereWire, read: chatOfCohere },
  { path: /^\/v1\/models\/[^:]+:batchEmbedContents$/, ...geminiEmbed },
  { path: /^\/v1\/models\/(?<model>[^:]+):predict$/, ...geminiPredict },
  { path: /^\/v1\/models\/(?<model>[^:]+):embedContent$/, ...geminiSingle },
  { path: /^\/v1\/v2\/embed$/, ...cohereEmbed },
  { path: /^\/v1\/v2\/rerank$/, ...cohereRerank },
  { path: /^\/v1\/completions$/, wire: () => completionsWire, read: chatOfCompletion },
  { path: /^\/v1\/embeddings$/, ...embeddingsDialect },
  { path: /^\/v1\/rerank$/, ...rerankDialect },
];

interface Dialect {
  /** Of its calls, without a query. Its groups are what the path says of a call. */
  readonly path: RegExp;
  /** For one request. */
  readonly wire: (body: unknown) => Wire;
  readonly read: (body: unknown, path: Readonly<Record<string, string>>) => ChatRequest;
}

/**
 * Starts a simulated provider on loopback: `POST /v1/chat/completions`, `/v1/messages`, `/v1/responses`, `/v1/embeddings` and `/v1/rerank`, `GET /v1/models`, and
 * `POST /v1/videos` with the routes of its jobs; and the same below `/<slug>` for each provider that it serves as well, and
 * below `/strict/<preset>` for each one whose published rules it enforces.
 */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const kept: KeptCall[] = [];
  const log = new CallLog(options.log ?? null);
  const holds = new Holds();
  const serveAs = (provider: string, strict?: StrictProvider): Served =>
    served({ provider, log, kept: options.keep ? kept : null, holds, count: 0 }, strict);
  const own = serveAs(options.name);
  const guests = new Map(guestsOf(options.name).map((slug) => [slug, serveAs(slug)]));
  const strict = new Map([...STRICT].map(([preset, provider]) => [preset, serveAs(preset, provider)]));
  const server = createServer({ keepAliveTimeout: 75_000, requestTimeout: 0, headersTimeout: 0 });
  server.on('request', (request, response) => {
    const url = request.url ?? '';
    const strictly = STRICT_PATH.exec(url);
    const [, slug = '', path] = strictly ?? GUEST.exec(url) ?? [];
    const guest = (strictly === null ? guests : strict).get(slug);
    if (guest && path !== undefined) request.url = strictly === null ? path : ordinary(path);
    (guest ?? own)(request, response);
  });
  const port = await listen(server, options.port ?? 0);
  return {
    port,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    calls: kept,
    release: (name) => holds.release(name),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          log.close();
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

function ordinary(path: string): string {
  const [call] = BELOW_BASE.exec(path) ?? [];
  return call === undefined ? path : `/v1${call}`;
}

type Served = (request: IncomingMessage, response: ServerResponse) => void;

/** The routes of one provider; a strict one refuses requests before they are answered. */
function served(calls: Calls, strict?: StrictProvider): Served {
  const answer = answerRoute(calls, strict);
  const videos = new VideoRoutes(calls.provider, calls.holds);
  return (request, response) => {
    const [path = '', query] = request.url?.split('?', 2) ?? [];
    if (strict && refusedKey(request, response)) return;
    if (strict && request.method === 'GET' && LISTS.has(path)) {
      const page = modelPage(calls.provider, new URLSearchParams(query));
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page));
      return;
    }
    if (strict && request.method === 'POST' && path === SHOW) {
      readBody(request, response, (text) => sendShown(response, (JSON.parse(text) as { model: string }).model));
      return;
    }
    const dialect = request.method === 'POST' ? DIALECTS.find((each) => each.path.test(path)) : undefined;
    if (dialect) readBody(request, response, (text) => answer(request, response, text, dialect));
    else if (request.method === 'GET' && request.url === '/v1/models') sendModels(response, calls.provider);
    else if (request.method === 'POST' && request.url === '/v1/videos') {
      readBody(request, response, (text) => videos.create(videoSite(calls, request, response), text));
    } else if (videos.onJob(videoSite(calls, request, response))) return;
    else response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"no such route"}}');
  };
}

/** Where strict providers list their models. */
const LISTS: ReadonlySet<string> = new Set(['/v1/models', '/v1/api/tags']);
/** Where Ollama shows one model. */
const SHOW = '/v1/api/show';

function sendShown(response: ServerResponse, model: string): void {
  const shown = shownModel(model);
  response.writeHead(shown === null ? 404 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(shown ?? { error: `model '${model}' not found` }));
}

const KEY_HEADERS = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'];
/** Strict providers take any key but this one. */
const WRONG_KEY = /\bwrong-key$/;

function refusedKey({ headers }: IncomingMessage, response: ServerResponse): boolean {
  if (!KEY_HEADERS.some((name) => WRONG_KEY.test(String(headers[name] ?? '')))) return false;
  const error = { message: 'Invalid API Key', type: 'invalid_request_error', code: 'invalid_api_key' };
  response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
  return true;
}

type Route = (request: IncomingMessage, response: ServerResponse, body: string, dialect: Dialect) => void;

function answerRoute(calls: Calls, strict: StrictProvider | undefined): Route {
  const counts = new Map<string, number>();
  const count = (name: string): number => {
    const now = (counts.get(name) ?? 0) + 1;
    if (counts.size >= COUNTED_MAX) counts.clear();
    counts.set(name, now);
    return now;
  };
  return (request, response, text, { path, read, wire }) => {
    const body = JSON.parse(text) as KeptCall['body'];
    const own = wire(body);
    const refusal = rulesOf(own, strict)?.(body) ?? null;
    if (refusal !== null) {
      const refused = newCall(calls, { id: null, model: body.model ?? '', stream: body.stream === true });
      begin(calls, { call: Object.assign(refused, { status: refusal.status }), request, response, body });
      response.writeHead(refusal.status, { 'content-type': 'application/json' }).end(refusal.body);
      return;
    }
    const chat = read(body, path.exec(request.url?.split('?', 1)[0] ?? '')?.groups ?? {});
    const behaviour = behaviourOf(chat, { provider: calls.provider, calls: count, abilityOf: declaredAbility });
    const call = newCall(calls, { id: behaviour.id, model: chat.model ?? '', stream: chat.stream === true });
    begin(calls, { call, request, response, body });
    reply(response, chat, behaviour, {
      call,
      wire: own === chatWire ? (strict?.chatWire ?? own) : own,
      holds: calls.holds,
    });
  };
}

/** A provider's rules of one of its wires. */
function rulesOf(own: Wire, strict: StrictProvider | undefined): StrictProvider['refuses'] | undefined {
  if (own === responsesWire) return strict?.refusesResponses;
  return own === completionsWire ? strict?.refusesCompletions : strict?.refuses;
}

function videoSite(calls: Calls, request: IncomingMessage, response: ServerResponse): VideoSite {
  return {
    request,
    response,
    record: (video, order, body) => {
      const named = { id: order?.directive.id ?? null, model: body.model ?? '', stream: false };
      const call = { ...newCall(calls, named), video };
      begin(calls, { call, request, response, body: body as KeptCall['body'] });
      return call;
    },
  };
}

function newCall(calls: Calls, named: Pick<Call, 'id' | 'model' | 'stream'>): Call {
  return {
    ...named,
    provider: calls.provider,
    call: ++calls.count,
    startAt: Date.now(),
    firstByteAt: null,
    endAt: null,
    abortAt: null,
    outcome: 'open',
    status: null,
    chunks: 0,
    usage: null,
  };
}

interface Begun {
  readonly call: Call;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: KeptCall['body'];
}

function begin({ log, kept }: Calls, { call, request, response, body }: Begun): void {
  kept?.push(Object.assign(call, { path: request.url ?? '', headers: request.headers, body }));
  log.start(call);
  response.once('close', () => {
    if (response.writableFinished || call.outcome === 'cut') call.endAt = Date.now();
    else {
      call.outcome = 'aborted';
      call.abortAt = Date.now();
    }
    log.end(call);
  });
}

function readBody(request: IncomingMessage, response: ServerResponse, route: (text: string) => void): void {
  const pieces: Buffer[] = [];
  let bytes = 0;
  request.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > BODY_BYTES_MAX) request.destroy();
    else pieces.push(piece);
  });
  request.once('end', () => {
    try {
      route((pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)).toString());
    } catch (error) {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: String(error) } }));
    }
  });
}

/** Answers in the list format of chat clients, with the entries of the models document. */
function sendModels(response: ServerResponse, name: string): void {
  const data = (modelsDocument(name)?.data ?? []).map((model) => ({ ...model, object: 'model', owned_by: name }));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ object: 'list', data }));
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', 4_096, () => resolve((server.address() as AddressInfo).port));
  });
}
