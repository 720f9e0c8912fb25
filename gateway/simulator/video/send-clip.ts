import type { ServerResponse } from 'node:http';
import type { Movie } from './mp4.ts';
import type { VideoDirective } from './video-request.ts';

const GARBAGE_BYTES = 64 * 1024;
const PIECE_BYTES_MAX = 256 * 1024;

/** Sends a clip as its directive says; never ends a hung answer by itself. `sent` receives the bytes written so far. */
export async function sendClip(
  response: ServerResponse,
  movie: Movie,
  directive: VideoDirective,
  sent: (bytes: number) => void,
): Promise<'served' | 'cut' | 'garbage' | 'open'> {
  const { garbage, hang, cut } = directive;
  if (garbage === 'html') return end(response, 'text/html', Buffer.from('<!doctype html><title>Welcome</title>'));
  if (garbage === 'bytes') return end(response, 'video/mp4', Buffer.alloc(GARBAGE_BYTES, 'not a clip '));
  const stopAt = hang === 'midway' || cut === 'content' || garbage === 'truncated' ? movie.bytes >> 1 : movie.bytes;
  const length = garbage === 'truncated' ? stopAt : movie.bytes;
  response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': String(length) });
  await write(response, movie, { stopAt, perSecond: directive.bytes_per_second ?? null, sent });
  if (hang === 'midway') return 'open';
  if (cut === 'content') {
    response.destroy();
    return 'cut';
  }
  response.end();
  return garbage === 'truncated' ? 'garbage' : 'served';
}

function end(response: ServerResponse, type: string, bytes: Buffer): 'garbage' {
  response.writeHead(200, { 'content-type': type, 'content-length': String(bytes.length) }).end(bytes);
  return 'garbage';
}

interface Writing {
  readonly stopAt: number;
  readonly perSecond: number | null;
  readonly sent: (bytes: number) => void;
}

async function write(response: ServerResponse, movie: Movie, { stopAt, perSecond, sent }: Writing): Promise<void> {
  const beganAt = performance.now();
  let at = 0;
  for (const whole of joined(movie.pieces())) {
    const piece = whole.subarray(0, stopAt - at);
    if (piece.length === 0 || response.destroyed) return;
    at += piece.length;
    sent(at);
    if (!response.write(piece)) await flows(response);
    const early = perSecond === null ? 0 : (at * 1_000) / perSecond - (performance.now() - beganAt);
    if (early > 1) await new Promise((resolve) => setTimeout(resolve, early));
  }
}

/** Small pieces together, so that a frame of some bytes is no write of its own. */
function* joined(pieces: Iterable<Buffer>): Iterable<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    if (bytes + piece.length > PIECE_BYTES_MAX && bytes > 0) {
      yield Buffer.concat(held);
      held = [];
      bytes = 0;
    }
    held.push(piece);
    bytes += piece.length;
  }
  if (bytes > 0) yield Buffer.concat(held);
}

function flows(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.once('drain', done).once('close', done);
  });
}
