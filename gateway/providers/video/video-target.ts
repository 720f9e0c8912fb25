import type { RenderTarget } from '../../../actors/video-job/render-ask.ts';
import { keyHeaders } from '../../outbound/credentials.ts';
import { type OutboundUrl, outboundUrl } from '../../outbound/outbound.ts';
import { ProviderFailure } from '../provider-failure.ts';

/** How to call an endpoint that renders videos. The headers hold the operator's key: never logged. */
export interface VideoTarget {
  readonly dialect: RenderTarget['dialect'];
  readonly upstreamId: string;
  readonly headers: readonly string[];
  /** The address below the provider's base, from a path that begins with a slash. */
  readonly url: (path: string) => OutboundUrl;
}

/** `apiKey` is null for a provider without authentication. Throws `ProviderFailure` for an invalid address. */
export function videoTargetOf(target: RenderTarget, apiKey: string | null): VideoTarget {
  const { dialect, baseUrl, upstreamId, wire = {} } = target;
  try {
    outboundUrl(baseUrl, '/videos');
  } catch {
    throw new ProviderFailure('misconfigured', 'the endpoint has an invalid address');
  }
  const accept = dialect === 'video-sync' ? 'video/mp4' : 'application/json';
  const credentials = keyHeaders(wire.credential ?? 'bearer', apiKey);
  const declared = Object.entries(wire.headers ?? {}).flat();
  const standard = ['content-type', 'application/json', 'accept', accept, 'accept-encoding', 'identity'];
  return {
    dialect,
    upstreamId,
    headers: [...standard, 'user-agent', 'troupe', ...declared, ...credentials],
    url: (path) => outboundUrl(baseUrl, path, wire.query),
  };
}
