import type { ReferenceKind } from '../../actors/terms/endpoint.ts';
import type { FrameSize } from '../../actors/video-job/render-ask.ts';
import type { Preferences } from './turn.ts';

/** A checked submission of `POST /videos`. Null: not asked for. */
export interface VideoRequest {
  readonly model: string;
  readonly prompt: string | null;
  /** Seconds, exact decimal text. */
  readonly duration: string | null;
  readonly size: FrameSize | null;
  readonly resolution: string | null;
  readonly aspectRatio: string | null;
  readonly seed: number | null;
  readonly generateAudio: boolean | null;
  /** Frames first, then references, each in the order of the request. */
  readonly assets: readonly Asset[];
  readonly callbackUrl: string | null;
  /** Without the adapters, which `adapters` holds. */
  readonly preferences: Preferences;
  /** By provider slug. */
  readonly adapters: ReadonlyMap<string, readonly SelectedAdapter[]>;
}

/** Bytes that came with a request. */
export interface Asset {
  readonly kind: ReferenceKind;
  readonly role: FrameType | ReferenceRole;
  /** By the signature of the bytes. */
  readonly mediaType: string;
  /** Checked: nothing but base64 with its padding. */
  readonly base64: string;
  /** Decoded. */
  readonly bytes: number;
  /** Path of the item in the request. */
  readonly member: string;
}

export interface SelectedAdapter {
  readonly id: string;
  readonly revision: string;
  readonly strength: number;
}

/** Names on the wire of `POST /videos` and in models documents. (rule V2) */

export const RESOLUTIONS = ['480p', '720p', '768p', '1080p', '1K', '2K', '4K'] as const;
export const ASPECT_RATIOS = ['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3', '21:9', '9:21'] as const;
export const FRAME_TYPES = ['first_frame', 'last_frame'] as const;
/** Roles that steer the render by a map of the picture; the remaining role `reference` shows what to depict. */
export const CONTROL_ROLES = ['canny', 'depth', 'normal', 'openpose', 'segmentation'] as const;
export const REFERENCE_ROLES = ['reference', ...CONTROL_ROLES] as const;

type FrameType = (typeof FRAME_TYPES)[number];
export type ReferenceRole = (typeof REFERENCE_ROLES)[number];

/** Other accepted names of three roles. */
export const ROLE_ALIASES: Readonly<Record<string, ReferenceRole>> = {
  edges: 'canny',
  pose: 'openpose',
  seg: 'segmentation',
};
