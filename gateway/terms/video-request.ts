import type { ReferenceKind } from '../../actors/terms/endpoint.ts';
import type { FrameSize } from '../../actors/video-job/render-ask.ts';
import type { Preferences } from './turn.ts';
import type { FrameType, ReferenceRole } from './video-names.ts';

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
