import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Answer } from './answer.ts';
import { streamed, streamType, type Wire } from './wire.ts';

/**
 * Broken answers, by name; each has been observed at a real upstream. The endless ones (a line, comments) stop when the
 * reader closes the connection.
 */
type Garbage = keyof typeof SENDERS;

interface Site {
  readonly response: ServerResponse;
  readonly answer: Answer;
  readonly wire: Wire;
  readonly stream: boolean;
}

const LONG_LINE_BLOCKS = 100;
const BLOCK_BYTES = 1024 * 1024;
const BOMB_BYTES = 64 * 1024 * 1024;
const TRICKLE_MS = 1_000;
const COMMENT_MS = 20;
const UNDECLARED_CALL = { id: 'call_0', name: 'undeclared', arguments: '{}' };

let bomb: Buffer | null = null;

const SENDERS = {
  json: (site: Site) => end(site, `${opening(site)}data: {"choices":[{"delta":\n\n`, '{"choices":[{"message":'),
  empty: (site: Site) => end(site, 'data: [DONE]\n\n', '{}'),
  nul: (site: Site) => end(site, `${opening(site)}data: \0\0\0\n\n`, '\0\0\0\0'),
  'error-frame': (site: Site) =>
    end(site, `${opening(site)}${site.wire.errorFrame('upstream broke')}`, '{"error":{"message":"upstream broke"}}'),
  'no-newline': (site: Site) => end(site, whole(site, true).trimEnd(), whole(site, false)),
  prose: (site: Site) => breach(site, { toolCalls: [], chunks: ['I ', 'would ', 'rather ', 'talk.'], finish: 'stop' }),
  'wrong-tool': (site: Site) => breach(site, { toolCalls: [UNDECLARED_CALL], chunks: [], finish: 'tool_calls' }),
  'negative-usage': (site: Site) => usage(site, '-5', '-7', '-12'),
  'nan-usage': (site: Site) => usage(site, 'NaN', 'NaN', 'NaN'),
  'string-usage': (site: Site) => usage(site, '"12"', '"16"', '"28"'),
  'huge-usage': (site: Site) => usage(site, '1e18', '1e18', '2e18'),
  redirect: ({ response }: Site) => {
    response.writeHead(302, { location: 'http://127.0.0.1:9/elsewhere' }).end();
  },
  'content-type': ({ response }: Site) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Welcome</title>');
  },
  gzip: (site: Site) => {
    bomb ??= gzipSync(Buffer.alloc(BOMB_BYTES, 0x20));
    site.response.writeHead(200, { 'content-type': contentType(site), 'content-encoding': 'gzip' }).end(bomb);
  },
  'long-line': (site: Site) => {
    begin(site);
    site.response.write(`${site.stream ? 'data: {"choices":[{"delta"' : '{"choices":[{"message"'}:{"content":"`);
    pour(site.response, LONG_LINE_BLOCKS);
  },
  'infinite-comments': (site: Site) => {
    begin(site);
    repeat(site.response, COMMENT_MS, () => ': still here\n\n');
  },
  trickle: (site: Site) => {
    begin(site);
    const bytes = Buffer.from(sent(site, whole(site)));
    let at = 0;
    repeat(site.response, TRICKLE_MS, () => (at < bytes.length ? bytes.subarray(at, ++at) : null));
  },
  'split-utf8': (site: Site) => {
    begin(site);
    const answer = { ...site.answer, chunks: ['\u00e9\u00e8 ', '\u65e5\u672c ', '\ud83d\ude80'] };
    dribble(site.response, Buffer.from(sent(site, whole({ ...site, answer }))), 7);
  },
};

/** Every name that a directive may use. */
export const GARBAGE = Object.keys(SENDERS) as readonly Garbage[];

/** Throws for a name that is not in `GARBAGE`. */
export function sendGarbage(kind: string, site: Site): void {
  const send = SENDERS[kind as Garbage];
  if (send === undefined) throw new Error(`unknown kind of garbage "${kind}"`);
  send(site);
}

function contentType({ wire, stream }: Site): string {
  return stream ? streamType(wire) : 'application/json';
}

function begin(site: Site): void {
  site.response.writeHead(200, { 'content-type': contentType(site) });
}

function end(site: Site, inFrames: string, inOnePiece: string): void {
  begin(site);
  site.response.end(sent(site, site.stream ? inFrames : inOnePiece));
}

/** An answer's text as its wire sends it. */
function sent({ wire, stream }: Site, text: string): string | Uint8Array {
  return stream ? streamed(wire, text) : text;
}

/** The frame with the role and the first word, so that the stream breaks after a delivery. */
function opening(site: Site): string {
  return site.wire.frames(site.answer).content.slice(0, 2).join('');
}

function whole({ wire, answer, ...site }: Site, stream = site.stream): string {
  if (!stream) return wire.whole(answer);
  const { content, tail } = wire.frames(answer);
  return content.join('') + tail.join('');
}

/** A valid answer with an invalid usage member, which need not be JSON. */
function usage(site: Site, prompt: string, completion: string, total: string): void {
  begin(site);
  const marked = whole({ ...site, answer: { ...site.answer, usage: { mark: 0 } } });
  site.response.end(sent(site, marked.replaceAll('{"mark":0}', site.wire.usage(prompt, completion, total))));
}

/** A well-formed answer that breaks the tool contract. */
function breach(site: Site, members: Pick<Answer, 'toolCalls' | 'chunks' | 'finish'>): void {
  begin(site);
  site.response.end(sent(site, whole({ ...site, answer: { ...site.answer, ...members } })));
}

function dribble(response: ServerResponse, bytes: Buffer, pieceBytes: number): void {
  let at = 0;
  const step = (): void => {
    if (response.destroyed) return;
    if (at >= bytes.length) return void response.end();
    response.write(bytes.subarray(at, at + pieceBytes));
    at += pieceBytes;
    setImmediate(step);
  };
  step();
}

function pour(response: ServerResponse, blocks: number): void {
  const block = Buffer.alloc(BLOCK_BYTES, 0x61);
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

function repeat(response: ServerResponse, everyMs: number, next: () => string | Uint8Array | null): void {
  const timer = setInterval(() => {
    const piece = next();
    if (piece !== null) return void response.write(piece);
    clearInterval(timer);
    response.end();
  }, everyMs);
  response.once('close', () => clearInterval(timer));
}
