import type { Place } from '../../../actors/runtime/index.ts';

/** A reply of a batch opens only as that of this line of this batch of this account. (reliability F5) */
export function placeOfReply(account: string, batch: string, index: number): Place {
  return { account, object: `${batch}/${index}`, kind: 'batch-reply' };
}
