import type { FrameSize, FrozenCandidate, NamedFrame, RenderAsk } from '../../../actors/video-job/render-ask.ts';
import { sizeText } from '../../terms/video-geometry.ts';
import type { ClipMeasure } from './clip/measure-clip.ts';

/** Seconds are compared in units of a nanosecond: measured ones have nine digits. */
const DIGITS = 9;
const ONE_SECOND = 10n ** BigInt(DIGITS);
/** Share by which the measured frame rate may differ from a declared one such as 29.97. */
const RATE_PER_MILLE = 10n;

/**
 * Why a delivered clip lies outside the request that was admitted, in words for its owner; null where it does not. A
 * clip may differ from the asked length by one frame. (rule V19)
 */
export function judgeClip(
  { durationSeconds, fps, width, height, audio }: ClipMeasure,
  ask: Pick<RenderAsk, 'durationSeconds'>,
  { admitted }: Pick<FrozenCandidate, 'admitted'>,
): string | null {
  const measured = scaled(durationSeconds);
  const frame = (ONE_SECOND * ONE_SECOND) / scaled(fps) + 1n;
  const differs = (asked: string): boolean => measured > scaled(asked) + frame || measured + frame < scaled(asked);
  if (ask.durationSeconds !== null && differs(ask.durationSeconds)) {
    return `it lasts ${durationSeconds} seconds instead of ${ask.durationSeconds}`;
  }
  if (measured > scaled(admitted.secondsMax) + frame) {
    return `it lasts ${durationSeconds} seconds, and at most ${admitted.secondsMax} were admitted`;
  }
  const { size, named } = admitted;
  if (size !== null && (size.width !== width || size.height !== height)) {
    return `its size is ${width}x${height} instead of ${sizeText(size)}`;
  }
  if (named !== undefined && !isNamed({ width, height }, named)) {
    return `its size is ${width}x${height} instead of ${frameText(named)}`;
  }
  if (admitted.audio !== null && admitted.audio !== audio) {
    return audio ? 'it has a soundtrack, and a silent clip was asked for' : 'it has no soundtrack';
  }
  if (admitted.fps !== null && isOtherRate(fps, String(admitted.fps))) {
    return `it has ${fps} frames per second instead of ${admitted.fps}`;
  }
  return null;
}

function isNamed({ width, height }: FrameSize, { sizes, shorterEdge, tolerance }: NamedFrame): boolean {
  const isNear = (edge: number, wanted: number): boolean => Math.abs(edge - wanted) <= tolerance;
  if (shorterEdge !== null && isNear(Math.min(width, height), shorterEdge)) return true;
  return sizes.some((size) => isNear(width, size.width) && isNear(height, size.height));
}

function frameText({ sizes: [size], shorterEdge }: NamedFrame): string {
  return shorterEdge === null && size !== undefined ? sizeText(size) : `${shorterEdge} pixels on its shorter edge`;
}

function isOtherRate(measured: string, admitted: string): boolean {
  const [have, want] = [scaled(measured), scaled(admitted)];
  const apart = have > want ? have - want : want - have;
  return apart * 1_000n > want * RATE_PER_MILLE;
}

function scaled(text: string): bigint {
  const [whole = '0', rest = ''] = text.split('.');
  return BigInt(whole) * ONE_SECOND + BigInt(rest.slice(0, DIGITS).padEnd(DIGITS, '0'));
}
