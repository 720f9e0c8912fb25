import { connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { frames } from '../../support/stream/frames.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test);

const { cluster, funded, send } = await openApi(test, openCluster, '1000');

function stream(directive: object, signal?: AbortSignal): Promise<Response> {
  return send('/chat/completions', {
    body: {
      model: 'sim/fast',
      messages: [{ role: 'user', content: `@sim ${JSON.stringify(directive)}` }],
      stream: true,
    },
    ...(signal ? { signal } : {}),
  });
}

it('opens with a comment, keeps its grammar, and ends with usage and [DONE] (rule I53, rule I55)', async () => {
  const answer = await stream({ tokens: 5 });
  assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/);
  const text = await answer.text();
  assert.match(text, /^: processing\n/);
  const { chunks } = frames(text);
  const last = chunks.at(-1);
  assert.equal(last?.choices, []);
  assert.ok(last?.usage);
  assert.ok(last && 'honoured' in last);
  assert.is(new Set(chunks.map(({ id }) => id)).size, 1);
  assert.is(chunks[0]?.id, answer.headers.get('x-generation-id'));
});

it('keeps a slow stream alive with comments, also before its first part (rule I52)', async () => {
  const { comments, chunks } = frames(await (await stream({ tokens: 2, ttft_ms: 800 })).text());
  assert.ok(comments >= 4, `${comments} comments`);
  assert.ok(chunks.at(-1)?.usage);
});

it('reports a failure in-band once a keep-alive period has passed (rule I56)', async () => {
  const answer = await stream({ ttft_ms: 400, garbage: 'json' });
  assert.is(answer.status, 200);
  const { chunks } = frames(await answer.text());
  const error = chunks.at(-1)?.error as { code: number; metadata: { error_type: string } };
  assert.is(error.code, 502);
  assert.is(error.metadata.error_type, 'provider_unavailable');
  const [choice] = (chunks.at(-1)?.choices ?? []) as { finish_reason: string }[];
  assert.is(choice?.finish_reason, 'error');
});

it('ends a broken stream in an error chunk and [DONE], without usage (rule I57)', async () => {
  const { chunks } = frames(await (await stream({ tokens: 20, cut_after: 3 })).text());
  assert.ok(chunks.at(-1)?.error);
  assert.not.ok(chunks.some((chunk) => 'usage' in chunk));
});

it('cuts a reader that reads nothing, within bounded memory (rule E30)', async () => {
  const { hostname, port } = new URL(cluster.baseUrls[0] as string);
  const body = JSON.stringify({
    model: 'sim/fast',
    messages: [{ role: 'user', content: '@sim {"id":"slow","tokens":16000}' }],
    stream: true,
    max_tokens: 16_000,
  });
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.pause();
  socket.write(
    `POST /api/v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${funded.key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  const edge = () => cluster.nodes[0]?.gauges;
  while ((edge()?.requestsUnderWay ?? 0) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  while ((edge()?.requestsUnderWay ?? 0) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  socket.destroy();
  const answer = await send('/credits');
  assert.is(answer.status, 200);
});

test.run();
