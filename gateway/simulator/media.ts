/** The pictures and the speech a call is answered with, and what is said of those it brought. */
import type { Behaviour } from './behaviour.ts';
import type { ChatPart, ChatRequest, ImageConfig } from './chat-request.ts';
import { png } from './png.ts';
import { pcm, wav } from './wav.ts';

const PICTURES_MAX = 4;
const EDGE_MAX = 4_096;
const EDGE_BY_RESOLUTION: Readonly<Record<string, number>> = { '1K': 1_024, '2K': 2_048 };
const HERTZ: Readonly<Record<string, number>> = { bass: 110, tenor: 220, alto: 440 };
/** Unix time a day from any call: the simulator knows no clock but the wall's. */
const KEPT_S = 86_400;

export interface Speech {
  readonly id: string;
  /** Base64 of the whole. */
  readonly data: string;
  readonly transcript: string;
  readonly expiresAt: number;
}

/** Data URLs. Text alone was asked for: none. */
export function picturesOf(request: ChatRequest, behaviour: Behaviour, call: number): readonly string[] {
  const wanted = request.modalities === undefined || request.modalities.includes('image');
  if (!behaviour.draws || !wanted) return [];
  const { width, height } = sizeOf(request.image_config ?? {});
  const count = Math.min(request.image_config?.n ?? 1, PICTURES_MAX);
  return Array.from({ length: count }, (_, nth) => {
    return `data:image/png;base64,${png(width, height, call + nth).toString('base64')}`;
  });
}

/** Null where no speech was asked for. `wav` and `pcm16` only: nothing here encodes. */
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

function sizeOf({ size, resolution = '1K', aspect_ratio = '1:1' }: ImageConfig): { width: number; height: number } {
  const exact = /^(\d{1,4})x(\d{1,4})$/.exec(size ?? '');
  if (exact) return { width: Math.min(Number(exact[1]), EDGE_MAX), height: Math.min(Number(exact[2]), EDGE_MAX) };
  const [across = 1, down = 1] = aspect_ratio.split(':').map(Number);
  // Small on purpose: a tier is an area here as well, a sixteenth of the real one.
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
