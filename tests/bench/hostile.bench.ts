import { connect } from 'node:net';
import config from '../../cluster.config.ts';
import { VALUE_TOKENS_MAX } from '../../gateway/json/json-reader.ts';
import { png } from '../../gateway/simulator/answer/png.ts';
import type { Figure } from './figure.ts';
import { Measured } from './measured.ts';

const AT_ONCE = 20;
const ROUNDS = 3;
const STALL_MS_MAX = 100;
const BODY_BYTES = 8 * 1024 * 1024 - 1_024;
/** Brackets, braces, colons and commas of one body, outside schemas. */
const TOKENS_MAX = VALUE_TOKENS_MAX;

const filled = (piece: string): string => piece.repeat(Math.floor(BODY_BYTES / Buffer.byteLength(piece)));
/** An object with one additional member that fills the missing bytes. */
const padded = (object: string): string => `${object.slice(0, -1)},"z":"${'a'.repeat(BODY_BYTES - object.length)}"}`;
const requestOf = (model: string, content: string): string =>
  `{"model":"${model}","messages":[{"role":"user","content":${content}}]}`;
const names = (count: number): string => Array.from({ length: count }, (_, nth) => `"k${nth}":1`).join(',');
const messages = (count: number): string => '{"role":"user","content":"a"},'.repeat(count).slice(0, -1);
/** Tools whose schemas have at most this many structural tokens together. */
const tools = (count: number, tokens: number): string => {
  const property = '{"p":{"type":"string"},"q":{"type":"string"}},';
  const properties = property.repeat((tokens / count - 24) / TOKENS_PER_PROPERTY);
  const tool = `{"type":"function","function":{"name":"f","parameters":{"anyOf":[${properties}{}]}}}`;
  return `${`${tool},`.repeat(count - 1)}${tool}`;
};
const TOKENS_PER_PROPERTY = 12;
const picture = (): string => Buffer.concat([png(64, 64, 1)], (BODY_BYTES / 4) * 3 - 3_072).toString('base64');

/** Bodies of maximum size that are expensive to parse; the last ones are read to their end, and one is served. */
const BODIES: Readonly<Record<string, () => string>> = {
  'nested lists': () => filled('['),
  'empty lists': () => `{"x":[${filled('[],')}0]}`,
  'empty objects': () => `{"x":[${filled('{},')}0]}`,
  'many names': () => `{${filled('"k":1,')}"z":1}`,
  'a long number': () => `{"x":${filled('1')}}`,
  'as many objects as may be': () => padded(`{"x":[${'{},'.repeat(TOKENS_MAX / 3 - 4)}0]}`),
  'as many names as may be': () => padded(`{"x":{${names(TOKENS_MAX / 2 - 4)}}}`),
  'as many messages as may be': () => padded(`{"model":"sim/fast","messages":[${messages(TOKENS_MAX / 6 - 4)}]}`),
  'schemas of as many members as may be': () =>
    padded(`${requestOf('sim/fast', '"a"').slice(0, -1)},"tools":[${tools(1_536, config.edge.bodyTokensMax - 64)}]}`),
  'escapes alone': () => `{"x":"${filled('\\u0061')}"}`,
  'escaped lines': () => requestOf('sim/fast', `"${filled('a\\n')}"`),
  'one honest text': () => requestOf('sim/fast', `"${filled('word ')}"`),
  'a text of wide characters': () => requestOf('sim/fast', `"${filled('字wor')}"`),
  'a picture, served': () =>
    requestOf('sim/vision', `[{"type":"image_url","image_url":{"url":"data:image/png;base64,${picture()}"}}]`),
};

/** The longest event loop stall of a node while twenty hostile bodies of 8 MiB arrive at once. */
export async function benchHostile(): Promise<readonly Figure[]> {
  const node = await Measured.start();
  try {
    const figures: Figure[] = [];
    for (const [name, make] of Object.entries(BODIES)) {
      const body = Buffer.from(make());
      await send(node, body);
      await node.ask('stalls');
      const statuses: string[] = [];
      for (let round = 0; round < ROUNDS; round++)
        statuses.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => send(node, body)))));
      const { maxMs, p999Ms } = await node.ask('stalls');
      figures.push({
        name: `event loop under ${AT_ONCE} x 8 MiB of ${name}, longest stall`,
        unit: 'ms',
        ours: maxMs,
        baseline: null,
        goal: { atMost: STALL_MS_MAX, of: 'value' },
        note: `p99.9 ${p999Ms.toFixed(1)} ms; answered ${[...new Set(statuses)].join(', ')}`,
      });
    }
    return figures;
  } finally {
    await node.stop();
  }
}

/** The status of the answer; a refusal before the end of the body may close the connection. */
function send({ port, key }: Measured, body: Buffer): Promise<string> {
  const head = `POST /api/v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(head);
      socket.write(body);
    });
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      answer += text;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer.slice(9, 12) || 'cut'));
  });
}
