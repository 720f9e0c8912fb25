import type { Turn, TurnMessage } from '../terms/turn.ts';

/** Pictures that these messages of the turn carry. Costs nothing where the turn carries none. */
export function inputImages({ modalities }: Turn, messages: readonly TurnMessage[]): number {
  if (modalities === undefined || !modalities.input.includes('image')) return 0;
  let images = 0;
  for (const message of messages) {
    if (message.role === 'assistant' || message.parts === undefined) continue;
    for (const { type } of message.parts) if (type === 'image') images += 1;
  }
  return images;
}
