import { connect } from 'node:net';
import { png } from '../support/provider/png.ts';
import type { Figure } from './figure.ts';
import { Measured } from './measured.ts';

const AT_ONCE = 20;
const ROUNDS = 3;
const STALL_MS_MAX = 100;
const BODY_BYTES = 8 * 1024 * 1024 - 1_024;
const TOKENS_MAX = 200_000;

const filled = (piece: string): string => piece.repeat(Math.floor(BODY_BYTES / Buffer.byteLength(piece)));
const asked = (model: string, content: string): string =>
  `{"model":"${model}","messages":[{"role":"user","content":${content}}]}`;
const message = '{"role":"user","content":"a"},';
/** A message brings five tokens, and a comma. */
const manyMessages = message.repeat(Math.floor(TOKENS_MAX / 6) - 2).slice(0, -1);
const picture = (): string =>
  `"data:image/png;base64,${Buffer.concat([png(64, 64, 1)], (BODY_BYTES * 3) / 4 - 3_072).toString('base64')}"`;

/** Each as large as a body may be, and worth a parser's while. */
const BODIES: Readonly<Record<string, () => string>> = {
  'nested lists': () => filled('['),
  'empty lists': () => `{"x":[${filled('[],')}0]}`,
  'empty objects': () => `{"x":[${filled('{},')}0]}`,
  'many names': () => `{${filled('"k":1,')}"z":1}`,
  'as many objects as are let through': () =>
    `{"x":[${'{},'.repeat(Math.floor(TOKENS_MAX / 3) - 4)}0],"y":"${filled('a').slice(TOKENS_MAX)}"}`,
  'a long number': () => `{"x":${filled('1')}}`,
  'escapes alone': () => `{"x":"${filled('\\u0061')}"}`,
  'one honest text': () => asked('sim/fast', `"${filled('word ')}"`),
  'a text of wide characters': () => asked('sim/fast', `"${filled('字wor')}"`),
  'lines of one character': () => asked('sim/fast', `"${filled('a\\n')}"`),
  'many messages': () => `{"model":"sim/fast","messages":[${manyMessages}]}`,
  'a served picture': () => asked('sim/vision', `[{"type":"image_url","image_url":{"url":${picture()}}}]`),
};

/** How long the event loop of a node stands still while twenty hostile bodies of 8 MiB arrive at once. */
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
        name: `event loop under ${AT_ONCE} x 8 MiB of ${name}, longest stand`,
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

/** The status it was answered with; a connection closed over an answer is what a refusal before the end looks like. */
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
