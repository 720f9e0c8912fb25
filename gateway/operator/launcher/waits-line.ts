import type { Waits } from '../../../actors/runtime/index.ts';

const NAMED_MAX = 3;

/** What a draining node waits for, as a sentence without its subject. */
export function waitsLine({ addresses, leftMs }: Waits): string {
  const named = addresses.slice(0, NAMED_MAX).join(', ');
  const more = addresses.length > NAMED_MAX ? ' ...' : '';
  const what = addresses.length === 1 ? '1 activity' : `${addresses.length} activities`;
  return `waits at most ${Math.ceil(leftMs / 1_000)} s for ${what} that no other node can continue: ${named}${more}`;
}
