import type { Turn, TurnMessage } from '../terms/turn.ts';

/** Images in these messages of the turn. Returns at once for a turn without any. */
export function inputImages({ modalities }: Turn, messages: readonly TurnMessage[]): number {
  if (modalities === undefined || !modalities.input.includes('image')) return 0;
  let images = 0;
  for (const message of messages) {
    if (message.role === 'assistant' || message.parts === undefined) continue;
    for (const { type } of message.parts) if (type === 'image') images += 1;
  }
  return images;
}
