import type { FrameSize } from '../../../actors/video-job/render-ask.ts';
import { parsePreferences } from '../../dialects/request/parse-preferences.ts';
import { requestCheck } from '../../dialects/request/read-members.ts';
import { shortestDecimal } from '../../json/shortest-decimal.ts';
import { judgeCallbackUrl } from '../../outbound/callback-url.ts';
import type { LoopWork } from '../../overload/loop-work.ts';
import type { TargetRules } from '../../terms/config/config.ts';
import { invalid } from '../../terms/gateway-error.ts';
import { parseSize, sizeOf, sizeText, tierOf } from '../../terms/video-geometry.ts';
import type { VideoRequest } from '../../terms/video-request.ts';
import { parseAdapters } from './parse-adapters.ts';
import { parseAssets, refuseManyItems } from './parse-assets.ts';
import { videoRequestSchema, type WireVideo } from './video-schema.ts';

const checked = requestCheck(videoRequestSchema);

interface ParseVideoOptions {
  /** Where a callback may go. */
  readonly rules: TargetRules;
  readonly loop: LoopWork;
}

/**
 * Checks the body of `POST /videos`: every member against its rule, the assets last, since they are the largest.
 * Rejects with GatewayError 400 naming the member. (rule V2)
 */
export async function parseVideo(value: unknown, { rules, loop }: ParseVideoOptions): Promise<VideoRequest> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) refuseManyItems(value);
  const body = checked(value);
  const geometry = geometryOf(body);
  const callbackUrl = readCallbackUrl(body.callback_url, rules);
  const { preferences, adapters } = parseAdapters(parsePreferences({ provider: body.provider ?? null }));
  const prompt = body.prompt == null || body.prompt === '' ? null : body.prompt;
  if (prompt === null && !body.frame_images?.length && !body.input_references?.length) {
    throw invalid('prompt is required where frame_images and input_references are absent');
  }
  return {
    model: body.model,
    prompt,
    ...geometry,
    duration: body.duration == null ? null : shortestDecimal(body.duration),
    seed: body.seed ?? null,
    generateAudio: body.generate_audio ?? null,
    assets: await parseAssets(body, loop),
    callbackUrl,
    preferences,
    adapters,
  };
}

/** `size` beside `resolution` or `aspect_ratio` must name what they name. */
function geometryOf({ size: text, resolution, aspect_ratio }: WireVideo): {
  readonly size: FrameSize | null;
  readonly resolution: string | null;
  readonly aspectRatio: string | null;
} {
  const named = { resolution: resolution ?? null, aspectRatio: aspect_ratio ?? null };
  if (text == null) return { size: null, ...named };
  const size = parseSize(text);
  if (size === null) throw invalid(`size must be WIDTHxHEIGHT in pixels, not ${JSON.stringify(text.slice(0, 64))}`);
  if (named.resolution === null && named.aspectRatio === null) return { size, ...named };
  const tier = tierOf(size);
  const other = sizeOf(named.resolution ?? tier?.resolution ?? '', named.aspectRatio ?? tier?.aspectRatio ?? '');
  if (other === null || sizeText(other) !== text) {
    throw invalid('size must agree with resolution and aspect_ratio; name the one or the others');
  }
  return { size, resolution: named.resolution, aspectRatio: null };
}

/** The `callback_url` of a submission, as it was written; null without one. Throws GatewayError 400. */
export function readCallbackUrl(value: unknown, rules: TargetRules): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw invalid('callback_url must be a string');
  const verdict = judgeCallbackUrl(value, rules);
  if (typeof verdict === 'string') throw invalid(`callback_url ${verdict}`);
  return value;
}
