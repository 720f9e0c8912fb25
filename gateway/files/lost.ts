import { BlobCorrupt, BlobMissing, KeyDestroyed, SealBroken } from '../../actors/runtime/index.ts';

/** True if sealed bytes cannot be opened for good: the key of their hour is destroyed, or another one took its place. */
export function isKeyLost(thrown: unknown): boolean {
  return thrown instanceof KeyDestroyed || thrown instanceof SealBroken;
}

/** True if bytes are lost for good: their key is lost, or they are missing or damaged. */
export function isLost(thrown: unknown): boolean {
  return isKeyLost(thrown) || thrown instanceof BlobMissing || thrown instanceof BlobCorrupt;
}
