/** What a video job has to render, frozen at its submission: nothing of it follows a later change of the catalogue. */
import type { Json } from '../runtime/index.ts';
import type { Wire } from '../terms/wire.ts';

/** What every candidate is asked to render, in terms of no provider's wire. Null: not asked for. */
export interface RenderAsk {
  readonly model: string;
  readonly prompt: SealedText | null;
  /** Seconds, exact decimal text. */
  readonly durationSeconds: string | null;
  readonly frames: number | null;
  readonly fps: number | null;
  readonly size: FrameSize | null;
  readonly resolution: string | null;
  readonly aspectRatio: string | null;
  readonly seed: number | null;
  readonly generateAudio: boolean | null;
  /** In the order in which an endpoint receives them: frame images first. */
  readonly assets: readonly AssetRef[];
}

/** A text sealed as one value: base64. */
export interface SealedText {
  readonly sealed: string;
}

/** Pixels. */
export interface FrameSize {
  readonly width: number;
  readonly height: number;
}

/** One asset: a range of the job's blob of assets, in bytes. */
export interface AssetRef {
  readonly kind: 'image' | 'audio' | 'video';
  /** `first_frame`, `last_frame`, `reference`, `canny`, `depth`, `normal`, `openpose`, `segmentation`. */
  readonly role: string;
  readonly mediaType: string;
  readonly offset: number;
  readonly length: number;
}

/** What a delivered clip is judged against. Null: not bound. */
export interface Admitted {
  /** Seconds, exact decimal text. */
  readonly secondsMax: string;
  /** Exactly these pixels. */
  readonly size: FrameSize | null;
  /** Absent if the request named no size. */
  readonly named?: NamedFrame;
  readonly audio: boolean | null;
  readonly fps: number | null;
}

/** What an asked resolution, with or without an aspect ratio, means in pixels: one of the sizes, or the shorter edge. */
export interface NamedFrame {
  readonly sizes: readonly FrameSize[];
  readonly shorterEdge: number | null;
  /** Pixels by which each edge may differ. */
  readonly tolerance: number;
}

/** An endpoint that may render the job, with the price that was in force at the submission. */
export interface FrozenCandidate {
  readonly endpoint: string;
  readonly tag: string;
  readonly provider: { readonly name: string; readonly slug: string };
  readonly model: string;
  readonly tariff: string;
  /** USD per second of delivered video, exact decimal text; null without a declared price. */
  readonly rate: string | null;
  /** The most that a render of this candidate costs, USD. */
  readonly bound: string;
  readonly target: RenderTarget;
  /** `provider.options` of this provider, adapters included; null without. */
  readonly options: Json;
  /** What this endpoint receives of size, resolution and aspect ratio, in the form that it declares. */
  readonly geometry: Geometry;
  readonly admitted: Admitted;
  /** The endpoint can abort a render. */
  readonly cancellable: boolean;
  /** The endpoint recognises a repeated create by its idempotency key. */
  readonly idempotentCreate: boolean;
}

export interface Geometry {
  readonly size: FrameSize | null;
  readonly resolution: string | null;
  readonly aspectRatio: string | null;
}

export interface RenderTarget {
  readonly dialect: 'video-jobs' | 'video-sync';
  readonly baseUrl: string;
  readonly upstreamId: string;
  /** What its calls need beyond the dialect of renders. */
  readonly wire?: Pick<Wire, 'headers' | 'query' | 'credential'>;
}

/** A render that an asynchronous provider has accepted. */
export interface RemoteRender {
  /** Position of the candidate, from 0. */
  readonly candidate: number;
  readonly providerJobId: string;
  /** Store time, ms. */
  readonly createdAt: number;
}

/** Endpoints that one job may try. */
export const CANDIDATES_MAX = 4;
