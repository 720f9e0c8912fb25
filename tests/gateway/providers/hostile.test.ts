import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ProviderFailure } from '../../../gateway/providers/provider-failure.ts';
import type { Usage } from '../../../gateway/terms/usage.ts';
import { bounded } from '../../support/bounded.ts';
import { bytesHeld } from '../../support/bytes-held.ts';
import { type Dialect, startUpstream, type Upstream } from './upstream.ts';

/**
 * Broken and hostile answers (rule I136), each over a real connection to both dialects: the attempt fails, or its usage
 * is unreported, in bounded memory, and the next call succeeds.
 */
const it = bounded(test);

const BLOCK = Buffer.alloc(1024 * 1024, 0x61);
/** 64 MiB. */
const BOMB = gzipSync(Buffer.alloc(64 * BLOCK.length));
const RISE_BYTES_MAX = 64 * 1024 * 1024;
/** A look collects the whole heap. */
const LOOK_MS = 25;

type Send = (response: ServerResponse, dialect: Dialect) => void;

const event = (type: string, more: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;

/** The beginning of a valid stream with a piece of text. */
function opening(dialect: Dialect): string {
  if (dialect === 'chat') return `data: ${JSON.stringify({ id: 'up', choices: [{ delta: { content: 'a' } }] })}\n\n`;
  return (
    event('message_start', { message: { id: 'up' } }) +
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'a' } })
  );
}

function ending(dialect: Dialect, usage: string): string {
  if (dialect === 'chat') {
    return `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: {"choices":[],"usage":${usage}}\n\ndata: [DONE]\n\n`;
  }
  const closed = `${event('content_block_stop', { index: 0 })}event: message_delta\ndata: {"type":"message_delta","delta":`;
  return `${closed}{"stop_reason":"end_turn"},"usage":${usage}}\n\n${event('message_stop', {})}`;
}

function streaming(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' });
}

/** Writes endlessly, or `blocks` blocks, as fast as the reader accepts them; stops when the reader closes. */
function pour(response: ServerResponse, block: Uint8Array | string, blocks = Number.POSITIVE_INFINITY): void {
  let left = blocks;
  const step = (): void => {
    while (left > 0 && !response.destroyed) {
      left--;
      if (!response.write(block)) return void response.once('drain', step);
    }
    if (!response.destroyed) response.end();
  };
  step();
}

const sending =
  (text: string | ((dialect: Dialect) => string)): Send =>
  (response, dialect) => {
    streaming(response).write(opening(dialect));
    response.end(typeof text === 'string' ? text : text(dialect));
  };

/** A frame that carries one member of an answer, in either dialect. */
const member =
  (chat: unknown, messages: unknown): Send =>
  (response, dialect) => {
    const frame =
      dialect === 'chat'
        ? `data: ${JSON.stringify({ choices: [{ delta: chat }] })}\n\n`
        : event('content_block_start', { index: 1, content_block: messages });
    streaming(response).write(opening(dialect));
    response.end(frame);
  };

const FAILING: readonly (readonly [string, Send])[] = [
  ['invalid JSON', sending('data: {"choices":[{]\n\n')],
  ['an empty stream', (response) => streaming(response).end()],
  ['NUL', sending('data: \0\0\0\n\n')],
  [
    'bytes that are no UTF-8',
    (response, dialect) =>
      streaming(response).end(
        Buffer.concat([
          Buffer.from(opening(dialect)),
          Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0xfe, 0x0a, 0x0a]),
        ]),
      ),
  ],
  ['data without a line end', sending('data: {"choices":[{"delta":{},"finish_reason":"stop"}]}')],
  [
    'a line of 100 MB',
    (response, dialect) => {
      streaming(response).write(`${opening(dialect)}data: "`);
      pour(response, BLOCK, 100);
    },
  ],
  [
    'data lines without an empty one',
    (response, dialect) => {
      streaming(response).write(opening(dialect));
      pour(response, 'data: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n'.repeat(1_000), 2_000);
    },
  ],
  [
    'comments without end',
    (response, dialect) => {
      streaming(response).write(opening(dialect));
      pour(response, ': aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n'.repeat(10_000));
    },
  ],
  [
    'blank lines and event names without end',
    (response, dialect) => {
      streaming(response).write(opening(dialect));
      pour(response, '\n\nevent: a\n\nretry: 5\n'.repeat(10_000));
    },
  ],
  [
    'pings without end',
    (response, dialect) => {
      streaming(response).write(opening(dialect));
      pour(response, 'event: ping\ndata: {"type":"ping"}\n\n: ping\n'.repeat(10_000));
    },
  ],
  [
    'empty frames without end',
    (response, dialect) => {
      streaming(response).write(opening(dialect));
      pour(response, 'data: {"choices":[{"delta":{}}]}\n\n'.repeat(1_000));
    },
  ],
  [
    'arguments of a tool call without a name',
    (response, dialect) => {
      streaming(response).write(opening(dialect));
      const text = 'a'.repeat(4 * 1024);
      const nameless = `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"${text}"}}]}}]}\n\n`;
      const unopened = event('content_block_delta', {
        index: 7,
        delta: { type: 'input_json_delta', partial_json: text },
      });
      pour(response, dialect === 'chat' ? nameless : unopened);
    },
  ],
  [
    'a gzip bomb',
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      response.end(BOMB);
    },
  ],
  [
    'lines of no event stream',
    (response, dialect) => {
      streaming(response).write(opening(dialect));
      pour(response, 'a\nretry:x\n'.repeat(10_000));
    },
  ],
  ['another content type', (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')],
  ['a redirect', (response) => void response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
  [
    'a picture that is no picture',
    member(
      { images: [{ image_url: { url: 'javascript:alert(1)' } }] },
      { type: 'image', source: { type: 'url', url: 'file:///etc/passwd' } },
    ),
  ],
  [
    'pictures without end',
    member({ images: Array.from({ length: 65 }, () => ({ image_url: { url: 'https://p.test/a' } })) }, 5),
  ],
  [
    'a picture of absurd size',
    (response, dialect) => {
      streaming(response).write(opening(dialect));
      const head =
        dialect === 'chat'
          ? 'data: {"choices":[{"delta":{"images":[{"image_url":{"url":"'
          : 'event: content_block_start\ndata: {"index":1,"content_block":{"type":"image","source":{"type":"base64","data":"';
      response.write(`${head}data:image/png;base64,`);
      pour(response, BLOCK, 100);
    },
  ],
  ['audio that is not base64', member({ audio: { data: '<script>' } }, { type: 'tool_use' })],
  [
    'audio without end',
    (response, dialect) => {
      streaming(response).write(opening(dialect));
      const data = 'A'.repeat(64 * 1024);
      pour(
        response,
        dialect === 'chat'
          ? `data: {"choices":[{"delta":{"audio":{"data":"${data}"}}}]}\n\n`
          : event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: data } }),
      );
    },
  ],
];
for (const [what, send] of FAILING) {
  for (const dialect of ['chat', 'messages'] as const) {
    it(`${what} is refused as an answer of ${dialect}, costs little memory and leaves the next call unaffected (rule I136)`, async () => {
      const upstream = await startUpstream();
      try {
        upstream.answer = (_, response) => send(response, dialect);
        const { failure, rise } = await reading(upstream, dialect);
        assert.instance(failure, ProviderFailure, String(failure));
        assert.ok(rise < RISE_BYTES_MAX, `${Math.round(rise / 1024 / 1024)} MiB more`);
        assert.equal(
          await usageOf(
            upstream,
            dialect,
            '{"prompt_tokens":1,"completion_tokens":2,"input_tokens":1,"output_tokens":2}',
          ),
          {
            promptTokens: 1,
            completionTokens: 2,
          },
        );
      } finally {
        await upstream.close();
      }
    });
  }
}

function cut(response: ServerResponse): void {
  response.write('{"choices":', () => response.destroy());
}

const WHOLE_FAILING: readonly (readonly [string, (response: ServerResponse) => void])[] = [
  ['invalid JSON', (response) => response.end('{"choices":[{')],
  ['a list', (response) => response.end('[]')],
  ['an empty object', (response) => response.end('{}')],
  ['an answer without a part', (response) => response.end('{"choices":[{"message":{"content":""}}],"content":[]}')],
  ['100 MB of data', (response) => pour(response, BLOCK, 100)],
  ['a body cut in the middle', cut],
];
for (const [what, send] of WHOLE_FAILING) {
  for (const dialect of ['chat', 'messages'] as const) {
    it(`${what} is refused as a whole answer of ${dialect} and costs little memory (rule I136)`, async () => {
      const upstream = await startUpstream();
      try {
        upstream.answer = (_, response) => send(response.writeHead(200, { 'content-type': 'application/json' }));
        const { failure, rise } = await reading(upstream, dialect, false);
        assert.instance(failure, ProviderFailure, String(failure));
        assert.ok(rise < RISE_BYTES_MAX, `${Math.round(rise / 1024 / 1024)} MiB more`);
      } finally {
        await upstream.close();
      }
    });
  }
}

/** Reads to the end; returns the most bytes that were held beyond those before, garbage left out. */
async function reading(
  upstream: Upstream,
  dialect: Dialect,
  stream = true,
): Promise<{ readonly failure: unknown; readonly rise: number }> {
  let rise = 0;
  let lookedAt = 0;
  const before = bytesHeld();
  const look = (): void => {
    if (performance.now() - lookedAt < LOOK_MS) return;
    rise = Math.max(rise, bytesHeld(1) - before);
    lookedAt = performance.now();
  };
  const timer = setInterval(look, LOOK_MS);
  try {
    const attempt = await upstream.openAs(dialect, { stream }, { outputModalities: ['text', 'image', 'audio'] });
    while (await attempt.read()) look();
    return { failure: null, rise };
  } catch (failure) {
    look();
    return { failure, rise };
  } finally {
    clearInterval(timer);
  }
}

/** The usage of a valid answer that reports this value. */
async function usageOf(upstream: Upstream, dialect: Dialect, usage: string): Promise<Usage> {
  upstream.answer = (_, response) => void streaming(response).end(opening(dialect) + ending(dialect, usage));
  const attempt = await upstream.openAs(dialect, { stream: true });
  while (await attempt.read());
  return attempt.usage;
}

// rule I136, rule K73
for (const count of ['-5', '1e18', '1.5', '"12"', 'true', '{}', 'null', '[]']) {
  it(`a count of ${count} is unreported, and the answer is valid (rule K73)`, async () => {
    const upstream = await startUpstream();
    try {
      const chat = `{"prompt_tokens":${count},"completion_tokens":${count},"total_tokens":${count}}`;
      assert.equal(await usageOf(upstream, 'chat', chat), {});
      const messages = `{"input_tokens":${count},"output_tokens":${count},"cache_read_input_tokens":${count}}`;
      assert.equal(await usageOf(upstream, 'messages', messages), {});
    } finally {
      await upstream.close();
    }
  });
}

test.run();
