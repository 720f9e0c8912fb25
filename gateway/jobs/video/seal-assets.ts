import { type SealedBlob, sealBlob } from '../../../actors/runtime/index.ts';
import { placeOfAssets } from '../../../actors/video-job/clips.ts';
import type { AssetRef } from '../../../actors/video-job/render-ask.ts';
import { byteFailure } from '../../files/byte-failure.ts';
import type { FileServices } from '../../files/file-services.ts';
import type { Background } from '../../overload/background.ts';
import { LOOP_TURN_BYTES } from '../../overload/loop-work.ts';
import { CallerLeft } from '../../terms/gateway-error.ts';
import type { Asset } from '../../terms/video-request.ts';

/** Whole groups of four characters. */
const SHARE_CHARACTERS = LOOP_TURN_BYTES;

interface SealedAssets {
  /** Null without assets. */
  readonly blob: SealedBlob | null;
  readonly refs: readonly AssetRef[];
}

interface Sealing {
  readonly account: string;
  readonly job: string;
  readonly assets: readonly Asset[];
  /** True once the client has left: nothing is stored then. */
  readonly isGone: () => boolean;
}

/**
 * Stores the assets of a job as one sealed blob, decoded in shares of the event loop. Until the job exists the blob
 * belongs to no row, and the sweep removes it. Rejects with GatewayError 503 while the key store or the blob store is
 * out of reach. (rule B51, rule V13)
 */
export async function sealAssets(services: FileServices, sealing: Sealing): Promise<SealedAssets> {
  const { account, job, assets } = sealing;
  if (assets.length === 0) return { blob: null, refs: [] };
  const { bytes, random, background } = services;
  try {
    // While the key store is out of reach nothing may be stored.
    await bytes.keys.current();
    const blob = await bytes.blobs.put(decoded(sealing, background));
    const sealed = sealBlob(await bytes.keys.current(), placeOfAssets(account, job), blob, random);
    return { blob: sealed, refs: refsOf(assets) };
  } catch (thrown) {
    throw byteFailure(thrown);
  }
}

async function* decoded({ account, assets, isGone }: Sealing, background: Background): AsyncIterable<Buffer> {
  for (const { base64 } of assets) {
    for (let at = 0; at < base64.length; at += SHARE_CHARACTERS) {
      if (isGone()) throw new CallerLeft();
      yield await background.run(account, () => Buffer.from(base64.slice(at, at + SHARE_CHARACTERS), 'base64'));
    }
  }
}

function refsOf(assets: readonly Asset[]): readonly AssetRef[] {
  let offset = 0;
  return assets.map(({ kind, role, mediaType, bytes: length }) => {
    const ref = { kind, role, mediaType, offset, length };
    offset += length;
    return ref;
  });
}
