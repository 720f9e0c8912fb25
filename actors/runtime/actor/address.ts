/**
 * Addresses and shards. An address is `kind:owner/local` or `kind:owner`; the shard is computed from the owner alone,
 * so that all actors of an owner share a shard. The hash must never change: it is stored in every row.
 */
export interface Address {
  readonly kind: string;
  readonly owner: string;
  readonly local: string | null;
}

export const SHARDS_DEFAULT = 256;
const ADDRESS_BYTES_MAX = 256;
const SHAPE = /^([a-z][a-z0-9-]{0,31}):([A-Za-z0-9_.~-]{1,128})(?:\/([A-Za-z0-9_.~-]{1,96}))?$/;

/** Null when the text is not an address. */
export function parseAddress(text: string): Address | null {
  if (text.length > ADDRESS_BYTES_MAX) return null;
  const match = SHAPE.exec(text);
  if (!match) return null;
  return { kind: match[1] as string, owner: match[2] as string, local: match[3] ?? null };
}

/** 16-bit hash of an owner: FNV-1a, 32 bits, finished by murmur3's mixer, low half. */
export function ownerHash(owner: string): number {
  return hashOf(owner, 0, owner.length);
}

function hashOf(text: string, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) & 0xffff;
}

/** The owner part, without a full parse, for the hot path. */
export function ownerOf(address: string): string {
  const colon = address.indexOf(':');
  const slash = address.indexOf('/', colon);
  return slash < 0 ? address.slice(colon + 1) : address.slice(colon + 1, slash);
}

export function kindOf(address: string): string {
  return address.slice(0, address.indexOf(':'));
}

/** The shard of an address, computed without a substring of its owner. */
export function shardOf(address: string, shards: number): number {
  const colon = address.indexOf(':');
  const slash = address.indexOf('/', colon);
  return hashOf(address, colon + 1, slash < 0 ? address.length : slash) % shards;
}
