import type { Envelope } from '../../ports/transport.ts';

/** The message `Frame` of link.proto. */
export interface LinkFrame {
  readonly heads: Uint8Array;
  readonly text: string;
}

const KINDS = ['ask', 'tell', 'reply', 'failure'] as const;
const HEAD_BYTES = 24;

/**
 * Encodes a batch of envelopes as two fields, fixed heads and one text, instead of one message per envelope: 0.10 us to
 * write and 0.08 us to read an envelope against 0.9 and 0.7 (measured; protobufjs is slow on short strings).
 */
export function packFrame(envelopes: readonly Envelope[]): LinkFrame {
  const heads = new Uint8Array(envelopes.length * HEAD_BYTES);
  const view = new DataView(heads.buffer);
  let text = '';
  let at = 0;
  for (const { kind, id, remainingMs, to, body, trace } of envelopes) {
    view.setUint32(at, KINDS.indexOf(kind), true);
    view.setUint32(at + 4, id, true);
    view.setUint32(at + 8, remainingMs, true);
    view.setUint32(at + 12, to.length, true);
    view.setUint32(at + 16, body.length, true);
    view.setUint32(at + 20, trace.length, true);
    at += HEAD_BYTES;
    text += to + body + trace;
  }
  return { heads, text };
}

/** Throws RangeError when heads and text do not match. */
export function unpackFrame({ heads, text }: LinkFrame): Envelope[] {
  const view = new DataView(heads.buffer, heads.byteOffset, heads.byteLength);
  const envelopes: Envelope[] = [];
  let start = 0;
  for (let at = 0; at < heads.byteLength; at += HEAD_BYTES) {
    const kind = KINDS[view.getUint32(at, true)];
    const body = start + view.getUint32(at + 12, true);
    const trace = body + view.getUint32(at + 16, true);
    const end = trace + view.getUint32(at + 20, true);
    if (kind === undefined || end > text.length) throw new RangeError('the heads of a frame do not match its text');
    envelopes.push({
      kind,
      id: view.getUint32(at + 4, true),
      to: text.slice(start, body),
      body: text.slice(body, trace),
      remainingMs: view.getUint32(at + 8, true),
      trace: text.slice(trace, end),
    });
    start = end;
  }
  if (start !== text.length) throw new RangeError('the heads of a frame do not match its text');
  return envelopes;
}
