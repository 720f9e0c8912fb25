/** The body of `POST /v1/videos` as a gateway writes it; members of no interest here are left out. */
export interface VideoRequest {
  readonly model?: string;
  readonly prompt?: string;
  readonly duration?: number;
  readonly fps?: number;
  readonly size?: string;
  readonly resolution?: string;
  readonly aspect_ratio?: string;
  readonly generate_audio?: boolean;
}

/** What a prompt may demand after the marker `@sim `, as one JSON object. */
export interface VideoDirective {
  /** The client's own id of the request: joins the provider log with the client history. */
  readonly id?: string;
  /** How long the render takes. */
  readonly render_ms?: number;
  /** A job stays in progress until this name is released. */
  readonly hold?: string;
  /** How long after the job exists the create is answered. */
  readonly create_ms?: number;
  /** The create answers this status instead of a job. */
  readonly status?: number;
  readonly retry_after?: string;
  /** Only this many first creates of this id fail. */
  readonly fail_first?: number;
  /** Only this provider fails. */
  readonly only_on?: string;
  /** The job ends `failed` with this code. */
  readonly fail?: string;
  /** This call is never answered; `midway`: its content stops in the middle. */
  readonly hang?: 'create' | 'poll' | 'content' | 'midway';
  /** The connection ends: after the job exists and before its id is told, or in the middle of the content. */
  readonly cut?: 'create' | 'content';
  /** The create, the poll or the content is no answer; `truncated`: the clip ends early, at a clean end. */
  readonly garbage?: 'create' | 'poll' | 'html' | 'bytes' | 'truncated';
  /** The provider forgets the job: polls of it answer 404. */
  readonly lost?: boolean;
  /** This many first polls answer 500. */
  readonly polls_fail?: number;
  /** False: repeats of an `Idempotency-Key` make another job. */
  readonly idempotent?: boolean;
  /** False: a cancel answers 405. */
  readonly cancels?: boolean;
  /** Seconds that a cancelled job reports as rendered. */
  readonly cancelled_seconds?: number;
  /** Replace what was asked: a wrong length, size, frame rate or sound. */
  readonly seconds?: number;
  readonly size?: string;
  readonly fps?: number;
  readonly audio?: boolean;
  /** The least size of the clip's file. */
  readonly bytes?: number;
  /** The tables of the clip stand behind its pictures. */
  readonly head_last?: boolean;
  /** Bytes of the clip per second. */
  readonly bytes_per_second?: number;
}

/** What a model does where the request leaves it open; as its models document declares. */
interface Ability {
  readonly renderMs: number;
  readonly seconds: number;
  readonly fps: number;
  /** It renders sound on request. */
  readonly audio: boolean;
}

const MARKER = '@sim ';
const PLAIN: Ability = { renderMs: 1_500, seconds: 4, fps: 24, audio: true };
/** By the ids under which gateways ask for the models. */
const BY_MODEL: Readonly<Record<string, Ability>> = {
  'filmstrip-2026': { renderMs: 2_000, seconds: 4, fps: 24, audio: true },
  'flipbook-2026': { renderMs: 1_000, seconds: 2, fps: 24, audio: false },
  'storyboard-2026': { renderMs: 1_500, seconds: 2, fps: 16, audio: false },
};
const EDGE_BY_RESOLUTION: Readonly<Record<string, number>> = {
  '480p': 480,
  '720p': 720,
  '768p': 768,
  '1080p': 1_080,
  '1K': 1_024,
  '2K': 1_440,
  '4K': 2_160,
};

/** What the request asks for, and what the directive makes of it. */
export interface RenderOrder {
  readonly directive: VideoDirective;
  readonly renderMs: number;
  readonly seconds: number;
  readonly fps: number;
  readonly width: number;
  readonly height: number;
  readonly audio: boolean;
}

/** Throws for a directive that is no JSON and for a size that is none. */
export function orderOf(request: VideoRequest): RenderOrder {
  const directive = directiveIn(request.prompt ?? '');
  const ability = BY_MODEL[request.model ?? ''] ?? PLAIN;
  const { width, height } = sizeOf(directive.size ?? request.size, request);
  return {
    directive,
    width,
    height,
    renderMs: directive.render_ms ?? ability.renderMs,
    seconds: directive.seconds ?? request.duration ?? ability.seconds,
    fps: directive.fps ?? request.fps ?? ability.fps,
    audio: directive.audio ?? (ability.audio && request.generate_audio === true),
  };
}

function sizeOf(
  size: string | undefined,
  { resolution = '720p', aspect_ratio = '16:9' }: VideoRequest,
): { readonly width: number; readonly height: number } {
  const exact = /^(\d{2,4})x(\d{2,4})$/.exec(size ?? '');
  if (exact) return { width: Number(exact[1]), height: Number(exact[2]) };
  if (size !== undefined) throw new Error(`no size: ${size}`);
  const edge = EDGE_BY_RESOLUTION[resolution] ?? 720;
  const [across = 16, down = 9] = aspect_ratio.split(':').map(Number);
  const long = 2 * Math.round((edge * Math.max(across, down)) / Math.min(across, down) / 2);
  return across >= down ? { width: long, height: edge } : { width: edge, height: long };
}

function directiveIn(prompt: string): VideoDirective {
  const marker = prompt.indexOf(MARKER);
  if (marker < 0) return {};
  return JSON.parse(prompt.slice(marker + MARKER.length, prompt.lastIndexOf('}') + 1)) as VideoDirective;
}
