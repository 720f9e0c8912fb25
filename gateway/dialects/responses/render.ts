import type { TurnEvent } from '../../terms/turn-event.ts';
import type { Closing } from '../reply/reply-dialect.ts';
import type { ReplyHead } from '../reply/reply-head.ts';
import { type ReplyRequest, ResponsesFrames } from './frames.ts';

/**
 * A whole response as JSON text: the one that ends the stream of the same events. `closing: null` means that no charge
 * is recorded. (rule I87)
 */
export function render(
  head: ReplyHead,
  events: readonly TurnEvent[],
  closing: Closing | null,
  request: ReplyRequest,
): string {
  const frames = new ResponsesFrames(head, request);
  frames.of(events);
  return frames.response(closing);
}
