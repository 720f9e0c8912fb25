/** `troupe video` against a server that answers as the public API does. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commands } from '../../../../../gateway/operator/cli/client/video.ts';
import { bounded } from '../../../../support/bounded.ts';
import { runCommand } from '../../../../support/in-process-command.ts';

const it = bounded(test, 60_000);
const folder = mkdtempSync(join(tmpdir(), 'troupe-video-cli-'));
const CLIP = Buffer.alloc(300_000, 7);
const DONE = {
  ...{ id: 'vjob_1', polling_url: '/api/v1/videos/vjob_1', status: 'completed', generation_id: 'gen-1' },
  ...{ unsigned_urls: ['/api/v1/videos/vjob_1/content?index=0'], clip_durations_seconds: [4] },
  usage: { cost: 0.2, is_byok: false, video_seconds: 4 },
};

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
let asked: Asked[] = [];
let answer: (asked: Asked, response: ServerResponse, nth: number) => void = () => {};
const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => {
    body += text;
  });
  request.on('end', () => {
    const { method = '', url = '', headers } = request;
    asked.push({ method, url, headers, body });
    answer({ method, url, headers, body }, response, asked.length);
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
test.after(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** Runs `troupe video ...` in this process; returns what it prints and its exit code. */
async function video(...args: readonly string[]): Promise<{ readonly out: string; readonly code: unknown }> {
  asked = [];
  const [add] = commands;
  return runCommand(
    (program) => add?.(program, { entry: '', ports: {} }),
    ['video', ...args, '--key', 'sk-gw-v1-x', '--url', url],
  );
}

function json(response: ServerResponse, value: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

const accepted = { id: 'vjob_1', polling_url: '/api/v1/videos/vjob_1', status: 'pending' };

it('submit sends what was given, follows the job to its end and downloads the clip', async () => {
  answer = ({ method, url: path }, response, nth) => {
    if (method === 'POST') return json(response, accepted, 202);
    if (path.includes('/content')) return void response.writeHead(200, { 'content-length': CLIP.length }).end(CLIP);
    return json(response, nth === 2 ? { ...accepted, status: 'in_progress' } : DONE);
  };
  const frame = join(folder, 'first.png');
  writeFileSync(frame, 'png');
  const file = join(folder, 'clip.mp4');
  const { out } = await video(
    ...['submit', 'A fox', '--model', 'sim/filmstrip', '--duration', '4', '--resolution', '720p', '--no-audio'],
    ...['--first-frame', frame, '--callback-url', 'https://example.com/hook', '--output', file],
  );
  const [post, ...looks] = asked;
  assert.equal(JSON.parse(post?.body ?? ''), {
    ...{ model: 'sim/filmstrip', prompt: 'A fox', duration: 4, resolution: '720p', generate_audio: false },
    frame_images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,cG5n' }, frame_type: 'first_frame' }],
    callback_url: 'https://example.com/hook',
  });
  assert.match(String(post?.headers['idempotency-key']), /^[0-9a-f]{32}$/);
  assert.equal(
    looks.map(({ url: path }) => path),
    ['/api/v1/videos/vjob_1', '/api/v1/videos/vjob_1', '/api/v1/videos/vjob_1/content?index=0'],
  );
  assert.match(out, /^vjob_1\npending\nin_progress\ncompleted\n/);
  assert.match(out, /cost +0\.2 USD/);
  assert.ok(readFileSync(file).equals(CLIP));
});

it('a failed job is shown with its reason and ends with exit code 1; --detach does not wait', async () => {
  const failed = {
    ...accepted,
    status: 'failed',
    error: { code: null, message: 'the render failed', error_type: 'server' },
  };
  answer = ({ method }, response) => json(response, method === 'POST' ? failed : failed, 202);
  const { out, code } = await video('submit', 'A fox', '--model', 'sim/filmstrip');
  assert.match(out, /the render failed/);
  assert.is(code, 1);
  answer = (_, response) => json(response, accepted, 202);
  const detached = await video('submit', '--model', 'sim/filmstrip', '--detach');
  assert.is(detached.out, 'vjob_1\n');
  assert.equal(JSON.parse(asked[0]?.body ?? ''), { model: 'sim/filmstrip' });
});

it('--body is the whole body, and options are laid over it', async () => {
  answer = (_, response) => json(response, accepted, 202);
  const body = join(folder, 'body.json');
  writeFileSync(body, JSON.stringify({ model: 'a/b', prompt: 'x', provider: { only: ['p'] }, generate_audio: true }));
  await video('submit', '--body', body, '--model', 'sim/flipbook', '--detach');
  assert.equal(JSON.parse(asked[0]?.body ?? ''), {
    ...{ model: 'sim/flipbook', prompt: 'x', provider: { only: ['p'] }, generate_audio: true },
  });
  await video('submit', '--body', body, '--audio', '--seed', '7', '--detach');
  assert.is((JSON.parse(asked[0]?.body ?? '') as { seed: number }).seed, 7);
});

it('what cannot be sent is refused before the call', async () => {
  for (const [args, why] of [
    [['submit', '--duration', 'long'], /--duration must be a number/],
    [['submit', '--first-frame', join(folder, 'x.gif')], /must be an image/],
    [['submit', '--last-frame', join(folder, 'missing.png')], /cannot be read/],
    [['submit', '--body', join(folder, 'missing.json')], /cannot be read/],
    [['download', 'vjob_1', '--index', '-1'], /--index/],
  ] as const) {
    await video(...args).then(
      () => assert.unreachable(String(args)),
      (error: Error) => assert.match(error.message, why),
    );
    assert.is(asked.length, 0);
  }
});

it('list, show and cancel', async () => {
  const unpriced = { ...DONE, id: 'vjob_2', usage: { cost: null, video_seconds: 4 } };
  answer = ({ url: path }, response) =>
    json(response, path.startsWith('/api/v1/videos?') ? { data: [DONE, unpriced] } : DONE);
  const { out } = await video('list', '--limit', '2');
  assert.match(out, /vjob_1 +completed +4 +0\.2 USD\nvjob_2 +completed +4 +unpriced/);
  assert.is(asked[0]?.url, '/api/v1/videos?limit=2');
  assert.match((await video('show', 'vjob_1')).out, /troupe video download vjob_1/);
  await video('cancel', 'vjob_1');
  assert.equal([asked[0]?.method, asked[0]?.url], ['POST', '/api/v1/videos/vjob_1/cancel']);
});

it('a clip appears when it is whole: a cut download leaves no file', async () => {
  const file = join(folder, 'cut.mp4');
  answer = (_, response) => {
    response.writeHead(200, { 'content-length': CLIP.length });
    response.write(CLIP.subarray(0, 1_000), () => response.destroy());
  };
  await video('download', 'vjob_1', '--output', file).then(
    () => assert.unreachable(),
    (error: Error) => assert.ok(error.message.length > 0),
  );
  assert.not(existsSync(file) || existsSync(`${file}.part`));
  answer = (_, response) => void response.writeHead(200, { 'content-length': CLIP.length }).end(CLIP);
  assert.match((await video('download', 'vjob_1', '--output', file)).out, /300000 bytes/);
  assert.ok(readFileSync(file).equals(CLIP));
});

it("the API's refusal of a content is the command's", async () => {
  answer = (_, response) => json(response, { error: { code: 409, message: 'The job has not completed' } }, 409);
  await video('download', 'vjob_1', '--output', join(folder, 'none.mp4')).then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, /409: The job has not completed/),
  );
});

test.run();
