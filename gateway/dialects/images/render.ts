import type { TurnEvent } from '../../terms/turn-event.ts';
import type { Closing } from '../reply/reply-dialect.ts';
import type { ReplyHead } from '../reply/reply-head.ts';
import { pictureText } from './picture-text.ts';
import { usageText } from './usage-text.ts';

/**
 * The pictures of a turn as JSON text, with the reported usage and the exact charge; everything else in the answer has
 * no counterpart in this dialect. `closing: null`: no charge is recorded, so `usage` is left out. (rule I101)
 */
export function render(head: ReplyHead, events: readonly TurnEvent[], closing: Closing | null): string {
  const data: string[] = [];
  for (const event of events) if (event.type === 'image') data.push(`{${pictureText(String(event.url)).members}}`);
  const served = `"model":${JSON.stringify(head.model)},"provider":${JSON.stringify(head.provider)}`;
  const usage = closing === null ? '' : `,"usage":${usageText(closing)}`;
  return `{"id":${JSON.stringify(head.id)},"created":${head.created},${served},"data":[${data.join(',')}]${usage}}`;
}
