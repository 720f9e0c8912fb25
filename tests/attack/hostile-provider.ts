import type { ServerResponse } from 'node:http';
import type { ModelsDocument } from '../../gateway/catalogue/document/document-schema.ts';
import type { ProviderDeclaration } from '../../gateway/terms/provider-declaration.ts';
import { startScriptedProvider } from '../support/provider/scripted-provider.ts';
import { modelsDocument } from '../support/provider/simulated-provider.ts';

/** A provider whose answers attack the gateway, one kind per model. `fork`ed, it prints its address. */
const MIB = 1024 * 1024;
const PICTURES = 64;
const PICTURE_BYTES = 180_000;
const REPLY_BYTES = 15 * MIB;

const dataUrl = (type: string, bytes: Buffer): string => `data:image/${type};base64,${bytes.toString('base64')}`;

function whole(images: readonly string[]): Buffer {
  const listed = images.map((url, index) => ({ type: 'image_url', image_url: { url }, index }));
  const message = { role: 'assistant', content: 'a', images: listed };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  return Buffer.from(JSON.stringify({ id: 'up', choices: [{ index: 0, message, finish_reason: 'stop' }], usage }));
}

/** A JPEG whose header reader has to search for the next marker. */
const crafted = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 2]), Buffer.alloc(PICTURE_BYTES)]);
let pictures: Buffer | null = null;
let reply: Buffer | null = null;

function sendWhole(response: ServerResponse, body: Buffer): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}

/** Sends a piece as fast as it is taken, until the connection closes. */
function pour(response: ServerResponse, piece: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const write = (): void => {
    if (response.destroyed) return;
    if (response.write(piece)) setImmediate(write);
    else response.once('drain', write);
  };
  write();
}

const nameless = `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"${'a'.repeat(32_768)}"}}]}}]}\n\n`;
const junk = ': comment\n\nevent: a\n\nretry: 5\n\n\n\n'.repeat(500);
/** An answer of many short parts, sent as fast as it is taken. */
const PARTS = 2_000;
const part = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'up', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const parts = `${part({ content: 'a' }).repeat(PARTS)}${part({}, 'stop')}data: [DONE]\n\n`;
const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(500);

const ANSWERS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'evil/pictures': (response) => {
    pictures ??= whole(Array<string>(PICTURES).fill(dataUrl('jpeg', crafted)));
    sendWhole(response, pictures);
  },
  'evil/replies': (response) => {
    reply ??= whole([dataUrl('png', Buffer.alloc((REPLY_BYTES / 4) * 3))]);
    sendWhole(response, reply);
  },
  'evil/arguments': (response) => pour(response, nameless),
  'evil/parts': (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(parts),
  'evil/junk': (response) => pour(response, junk),
  'evil/interim': ({ socket }) => {
    const write = (): void => {
      if (!socket?.destroyed) socket?.write(hints, () => setImmediate(write));
    };
    write();
  },
};

/** Text models as `sim/fast`, picture models as `sim/painter`. */
function document(): ModelsDocument {
  const known = ['sim-a', 'sim-b', 'sim-c', 'sim-d'].flatMap((slug) => modelsDocument(slug)?.data ?? []);
  const like = (id: string, name: string) => ({ ...known.find((model) => model.id === name), id, name: id });
  const draws = ['evil/pictures', 'evil/replies'];
  const data = Object.keys(ANSWERS).map((id) => like(id, draws.includes(id) ? 'sim/painter' : 'sim/fast'));
  return { data } as unknown as ModelsDocument;
}

export function hostileDeclaration(baseUrl: string): ProviderDeclaration {
  return { slug: 'evil', name: 'Evil', baseUrl, models: document() };
}

export async function startHostileProvider(): Promise<{ readonly baseUrl: string; close(): Promise<void> }> {
  const provider = await startScriptedProvider();
  provider.answer = ({ body, response }) => {
    response.on('error', () => {});
    const answer = ANSWERS[String(body.model)];
    if (answer === undefined) response.writeHead(404).end();
    else answer(response);
  };
  return provider;
}

if (process.send) {
  const { baseUrl } = await startHostileProvider();
  process.send(baseUrl);
  process.on('disconnect', () => process.exit(0));
}
