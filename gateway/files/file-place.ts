import type { Place } from '../../actors/runtime/index.ts';

/** A stored file's bytes open only as this file of this account. (reliability F5) */
export function placeOfFile(account: string, id: string): Place {
  return { account, object: id, kind: 'file' };
}
