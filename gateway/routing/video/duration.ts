import type { Descriptor, Endpoint, VideoEnvelope } from '../../../actors/terms/endpoint.ts';
import { compareDecimals, isOnSteps, plusPeriod, wholeProduct } from '../../terms/exact-decimal.ts';
import { listed } from '../endpoints/endpoint-index.ts';

type Declared = Pick<Endpoint, 'descriptors' | 'envelopes'>;

/** Tolerance of a clip's length at an endpoint that declares no frame rate: one frame of this many per second. */
const FPS_LEAST = '10';

/**
 * True where the endpoint renders clips of this length: its `duration` lists it, or allows it on the frame grid. No
 * float takes part. (rule V9)
 */
export function admitsDuration({ descriptors, envelopes }: Declared, seconds: string): boolean {
  const { duration } = descriptors;
  const { video } = envelopes;
  if (video?.secondsMax !== undefined && compareDecimals(seconds, video.secondsMax) > 0) return false;
  if (duration?.type === 'enum') return duration.values.some((value) => isSame(value, seconds));
  if (duration?.type === 'integer') return wholeSeconds(seconds) && isWithin(duration, seconds);
  if (duration?.type === 'range') {
    const { min, step } = duration;
    if (!isWithin(duration, seconds)) return false;
    if (step !== undefined && !isOnSteps(seconds, String(min), String(step))) return false;
    return isOnFrameGrid(video, seconds, step === undefined);
  }
  return video?.secondsMax !== undefined && isOnFrameGrid(video, seconds, true);
}

/** False where the length is outside of all that the endpoint declares, whatever its grid. */
export function isWithinLengths({ descriptors, envelopes }: Declared, seconds: string): boolean {
  const { duration } = descriptors;
  const most = envelopes.video?.secondsMax;
  if (most !== undefined && compareDecimals(seconds, most) > 0) return false;
  if (duration?.type === 'enum') return duration.values.some((value) => isSame(value, seconds));
  return duration?.type === 'range' || duration?.type === 'integer' ? isWithin(duration, seconds) : true;
}

/** Declarations shown in one refusal. */
const SHOWN_MAX = 5;

/** The lengths that some endpoints render, for the refusal of another. */
export function acceptedLengths(endpoints: readonly Declared[]): string {
  return [...new Set(endpoints.map(lengthsOf))].slice(0, SHOWN_MAX).join('; ');
}

function lengthsOf(endpoint: Declared): string {
  const { duration } = endpoint.descriptors;
  const most = longest(endpoint);
  if (duration?.type === 'enum') return `${listed(duration.values.map(String))} seconds`;
  const least = duration?.type === 'range' || duration?.type === 'integer' ? duration.min : undefined;
  if (most === null) return `${least} seconds and more`;
  return least === undefined ? `at most ${most} seconds` : `${least} to ${most} seconds`;
}

/** A whole number of frames at one of the rates, in whole steps. Without rates, `isStrict` admits whole seconds alone. */
function isOnFrameGrid(video: VideoEnvelope | undefined, seconds: string, isStrict: boolean): boolean {
  const { fps, frameStep = 1 } = video ?? {};
  if (fps === undefined) return !isStrict || wholeSeconds(seconds);
  return fps.some((rate) => {
    const frames = wholeProduct(seconds, rate);
    return frames !== null && frames % BigInt(frameStep) === 0n;
  });
}

function isSame(value: unknown, seconds: string): boolean {
  return typeof value === 'number' && compareDecimals(String(value), seconds) === 0;
}

function wholeSeconds(seconds: string): boolean {
  return wholeProduct(seconds, '1') !== null;
}

function isWithin({ min, max }: { readonly min?: number; readonly max?: number }, seconds: string): boolean {
  const isAbove = min === undefined || compareDecimals(seconds, String(min)) >= 0;
  return isAbove && (max === undefined || compareDecimals(seconds, String(max)) <= 0);
}

/**
 * The longest clip that a render may deliver: the asked or the declared default length, else the longest declared one,
 * and one frame. Null where nothing bounds it. Seconds, exact decimal text.
 */
export function secondsMax(endpoint: Declared, asked: string | null): string | null {
  const { video } = endpoint.envelopes;
  const seconds = asked ?? video?.defaults.duration ?? longest(endpoint);
  return seconds === null ? null : plusPeriod(seconds, slowest(video?.fps));
}

function longest({ descriptors, envelopes }: Declared): string | null {
  const most = greatest(descriptors.duration);
  const bounds = [most, envelopes.video?.secondsMax ?? null].filter((each) => each !== null);
  return bounds.reduce<string | null>(
    (least, each) => (least && compareDecimals(least, each) < 0 ? least : each),
    null,
  );
}

function greatest(declared: Descriptor | undefined): string | null {
  if (declared?.type === 'range' || declared?.type === 'integer')
    return declared.max === undefined ? null : String(declared.max);
  if (declared?.type !== 'enum') return null;
  return String(Math.max(...declared.values.map(Number)));
}

function slowest(fps: readonly string[] = [FPS_LEAST]): string {
  return fps.reduce((least, each) => (compareDecimals(each, least) < 0 ? each : least));
}
