import type { JsonPart } from '../../json/write-in-shares.ts';
import { LongText } from '../../terms/long-text.ts';
import type { TurnEvent } from '../../terms/turn-event.ts';
import type { Closing, ReplyDialect, ReplyHead } from './reply-dialect.ts';

const NONCE_BYTES = 16;
/** Digits behind the nonce: the number of the text that a stand-in stands for. */
const NUMBER_DIGITS = 4;

/** A turn as it ended. */
interface WholeTurn {
  readonly events: readonly TurnEvent[];
  /** Null: no charge is recorded, so no usage is shown. */
  readonly closing: Closing | null;
}

/**
 * The JSON text of a whole reply in any dialect. Long pictures and speech go from the provider to the client as the bytes
 * that they are: the dialect renders a stand-in in their place, a nonce that no provider can foresee.
 */
export function wholeReply(
  dialect: ReplyDialect,
  head: ReplyHead,
  { events, closing }: WholeTurn,
  random: (bytes: number) => Uint8Array,
): readonly JsonPart[] {
  if (!events.some(isLong)) return [dialect.whole(head, events, closing)];
  const nonce = Buffer.from(random(NONCE_BYTES)).toString('hex');
  const media: (readonly JsonPart[])[] = [];
  const standIn = (parts: readonly JsonPart[]): string =>
    nonce + String(media.push(parts) - 1).padStart(NUMBER_DIGITS, '0');
  const rendered = dialect.whole(
    head,
    events.map((event) => withStandIn(event, standIn)),
    closing,
  );
  return rendered.split(nonce).flatMap((text, nth) => {
    if (nth === 0) return [text];
    return [...(media[Number(text.slice(0, NUMBER_DIGITS))] ?? []), text.slice(NUMBER_DIGITS)];
  });
}

function isLong(event: TurnEvent): boolean {
  return (
    (event.type === 'image' && event.url instanceof LongText) ||
    (event.type === 'audio-delta' && event.data instanceof LongText)
  );
}

/** Dialects take a picture apart at the comma of its `data:` URL. */
function withStandIn(event: TurnEvent, standIn: (parts: readonly JsonPart[]) => string): TurnEvent {
  if (event.type === 'image' && event.url instanceof LongText) {
    const { head, rest } = event.url;
    const from = head.indexOf(',') + 1;
    return { ...event, url: head.slice(0, from) + standIn([escaped(head.slice(from)), ...rest]) };
  }
  if (event.type === 'audio-delta' && event.data instanceof LongText) {
    const { head, rest } = event.data;
    return { ...event, data: standIn([escaped(head), ...rest]) };
  }
  return event;
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
