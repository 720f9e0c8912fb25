/** The pictures and the speech of an answer, and the descriptions of media in the request. */
import type { Behaviour } from './behaviour.ts';
import { type ChatPart, type ChatRequest, type ImageConfig, textOf } from './chat-request.ts';
import { flawsOf } from './flaws.ts';
import { cornerColours, png } from './png.ts';

const QUIET_SAMPLES = 400;
const PICTURES_MAX = 4;
const EDGE_MAX = 4_096;
const EDGE_BY_RESOLUTION: Readonly<Record<string, number>> = { '1K': 1_024, '2K': 2_048 };
const HERTZ: Readonly<Record<string, number>> = { bass: 110, tenor: 220, alto: 440 };
/** Lifetime of generated speech in seconds. */
const KEPT_S = 86_400;
/** Samples per second of generated speech: 16 bits, one channel. */
const RATE = 24_000;
const HEADER_BYTES = 44;
const SAMPLE_BYTES = 2;
const LOUDNESS = 6_000;

export interface Speech {
  readonly id: string;
  /** Base64 of the whole. */
  readonly data: string;
  readonly transcript: string;
  readonly expiresAt: number;
}

/** Data URLs; none if the request asks for text alone. */
export function picturesOf(request: ChatRequest, behaviour: Behaviour, call: number): readonly string[] {
  const wanted = request.modalities === undefined || request.modalities.includes('image');
  if (!behaviour.draws || !wanted) return [];
  const { width, height } = sizeOf(request.image_config ?? {});
  const count = Math.min(request.image_config?.n ?? 1, PICTURES_MAX);
  return Array.from({ length: count }, (_, nth) => {
    return `data:image/png;base64,${png(width, height, call + nth).toString('base64')}`;
  });
}

/** Null if the request asks for no speech. Only `wav` and `pcm16`, which need no encoder. */
export function speechOf(
  request: ChatRequest,
  behaviour: Behaviour,
  answer: { readonly id: string; readonly text: string; readonly created: number },
): Speech | null {
  const { audio } = request;
  if (!behaviour.speaks || audio === undefined) return null;
  const samples = pcm(behaviour.audioSeconds, HERTZ[audio.voice ?? ''] ?? 330);
  return {
    id: `audio_${answer.id}`,
    data: (audio.format === 'pcm16' ? samples : wav(samples)).toString('base64'),
    transcript: answer.text,
    expiresAt: answer.created + KEPT_S,
  };
}

/** One phrase for each picture, recording and file of the conversation, in their order. */
export function seenIn(request: ChatRequest): readonly string[] {
  const parts = (request.messages ?? []).flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return (parts as readonly ChatPart[]).flatMap((part) => {
    const { input_audio } = part;
    if (input_audio) return [`audio audio/${input_audio.format} ${bytes(input_audio.data ?? '')}`];
    const url = part.image_url?.url ?? part.video_url?.url ?? part.audio_url?.url ?? part.file?.file_data;
    return url === undefined ? [] : [`${(part.type ?? '').replace(/_url$/, '')} ${described(url)}`];
  });
}

/**
 * What a request that asks about a file would learn from it: the colours at the left and the right of a picture or of a
 * clip, the beeps of a recording, the code word of a document. Null for any other request.
 */
export function toldOf({ model = '', messages = [] }: ChatRequest): string | null {
  const asked = messages.map(textOf).join(' ');
  if (flawsOf(model).has('blind') || !/\b(colours|beeps|code word)\b/.test(asked)) return null;
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])) as readonly ChatPart[];
  for (const { image_url, video_url, audio_url, file } of parts) {
    const url = image_url?.url ?? video_url?.url ?? audio_url?.url ?? file?.file_data ?? '';
    const comma = url.indexOf(';base64,');
    const reader = READERS[url.slice('data:'.length, comma)];
    if (comma > 0 && reader !== undefined) return reader(Buffer.from(url.slice(comma + ';base64,'.length), 'base64'));
  }
  return null;
}

const READERS: Readonly<Record<string, (bytes: Buffer) => string>> = {
  'image/png': (bytes) => cornerColours(bytes).join(' and '),
  'video/mp4': (bytes) => clipColours(bytes).join(' and '),
  'audio/wav': (bytes) => `${beepsIn(bytes)} beeps`,
  'application/pdf': codeWordIn,
  'text/plain': codeWordIn,
};

function codeWordIn(bytes: Buffer): string {
  return /code word is ([A-Z]+ \d+)/.exec(bytes.toString('latin1'))?.[1] ?? 'none';
}

/** Stretches of sound between silences of a twentieth of a second; 8 bits, 8 kHz, one channel. */
function beepsIn(bytes: Buffer): number {
  let [beeps, silent] = [0, QUIET_SAMPLES];
  for (const sample of bytes.subarray(HEADER_BYTES)) {
    const isLoud = Math.abs(sample - 128) > 8;
    if (isLoud && silent >= QUIET_SAMPLES) beeps++;
    silent = isLoud ? 0 : silent + 1;
  }
  return beeps;
}

function sizeOf({ size, resolution = '1K', aspect_ratio = '1:1' }: ImageConfig): { width: number; height: number } {
  const exact = /^(\d{1,4})x(\d{1,4})$/.exec(size ?? '');
  if (exact) return { width: Math.min(Number(exact[1]), EDGE_MAX), height: Math.min(Number(exact[2]), EDGE_MAX) };
  const [across = 1, down = 1] = aspect_ratio.split(':').map(Number);
  // Pictures are small on purpose: a tier has a sixteenth of its real area.
  const edge = (EDGE_BY_RESOLUTION[resolution] ?? 1_024) / 4;
  const scale = Math.sqrt(across / down);
  return { width: Math.max(1, Math.round(edge * scale)), height: Math.max(1, Math.round(edge / scale)) };
}

function described(url: string): string {
  if (!url.startsWith('data:')) return `at ${url}`;
  const comma = url.indexOf(',');
  const [type] = url.slice('data:'.length, comma).split(';', 1);
  return `${type} ${bytes(url.slice(comma + 1))}`;
}

function bytes(base64: string): string {
  return `of ${Buffer.from(base64, 'base64').length} bytes`;
}

/** A sine tone of that length as raw samples. */
function pcm(seconds: number, hertz: number): Buffer {
  const samples = Math.round(seconds * RATE);
  const data = Buffer.alloc(samples * SAMPLE_BYTES);
  for (let at = 0; at < samples; at++) {
    data.writeInt16LE(Math.round(LOUDNESS * Math.sin((2 * Math.PI * hertz * at) / RATE)), at * SAMPLE_BYTES);
  }
  return data;
}

/** The samples as a WAV file. */
function wav(samples: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(HEADER_BYTES - 8 + samples.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(RATE, 24);
  header.writeUInt32LE(RATE * SAMPLE_BYTES, 28);
  header.writeUInt16LE(SAMPLE_BYTES, 32);
  header.writeUInt16LE(SAMPLE_BYTES * 8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

/** Luma of one raw macroblock. */
const MACROBLOCK_BYTES = 256;
/** By the luma of full colours. */
const NAMES: Readonly<Record<number, string>> = { 41: 'blue', 82: 'red', 145: 'green', 210: 'yellow' };

/** The first two colours of a clip of raw macroblocks, from the left; for clips whose picture stands still. */
function clipColours(bytes: Buffer): readonly [left: string, right: string] {
  const lumas: number[] = [];
  for (let at = bytes.indexOf('mdat', 0, 'latin1') + 4; at < bytes.length && lumas.length < 2; at++) {
    const luma = bytes[at] as number;
    if (NAMES[luma] === undefined || lumas.includes(luma)) continue;
    if (bytes.subarray(at, at + MACROBLOCK_BYTES).every((byte) => byte === luma)) lumas.push(luma);
  }
  const [left, right = left] = lumas.map((luma) => NAMES[luma] as string);
  return [left ?? 'unknown', right ?? 'unknown'];
}
