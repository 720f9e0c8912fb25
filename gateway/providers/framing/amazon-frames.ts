import { EventStreamCodec } from '@smithy/core/event-streams';
import type { FrameCutter, Framing, OnFrame } from '../adapter.ts';
import { ProviderFailure } from '../provider-failure.ts';

/** A frame begins with its own length in bytes, four bytes long. */
const LENGTH_BYTES = 4;
/** Prelude and checksum: no frame is shorter. */
const FRAME_BYTES_MIN = 16;

const codec = new EventStreamCodec(
  (bytes) => textOf(bytes as Uint8Array),
  (text) => Buffer.from(text),
);

/** How the names of frames end that tell of a failure. */
export const EXCEPTION = 'Exception';

/**
 * The binary event stream of Amazon's services, with checksums. A frame's name is its event type, or that of its exception,
 * such as `throttlingException`. An error, which no schema of the service lists, is named by its code with the same end.
 */
export const amazonFrames: Framing = {
  type: 'application/vnd.amazon.eventstream',
  cutter: (onFrame, frameMax) => new AmazonCutter(onFrame, frameMax),
};

class AmazonCutter implements FrameCutter {
  readonly #onFrame: OnFrame;
  readonly #frameMax: number;
  /** The bytes of a frame that has not arrived whole. */
  #begun: Uint8Array[] = [];
  #bytes = 0;
  /** Length of that frame; 0 while its first bytes are missing. */
  #length = 0;

  constructor(onFrame: OnFrame, frameMax: number) {
    this.#onFrame = onFrame;
    this.#frameMax = frameMax;
  }

  feed(chunk: Uint8Array): void {
    this.#begun.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < Math.max(this.#length, LENGTH_BYTES)) return;
    // Most chunks are whole frames.
    let rest = this.#begun.length === 1 ? viewOf(chunk) : Buffer.concat(this.#begun);
    for (this.#length = this.#lengthOf(rest); this.#length > 0 && rest.length >= this.#length; ) {
      this.#emit(rest.subarray(0, this.#length));
      rest = rest.subarray(this.#length);
      this.#length = this.#lengthOf(rest);
    }
    this.#begun = rest.length === 0 ? [] : [rest];
    this.#bytes = rest.length;
  }

  end(): void {
    if (this.#bytes > 0) throw new ProviderFailure('garbage', 'the last frame is cut');
  }

  #lengthOf(bytes: Buffer): number {
    if (bytes.length < LENGTH_BYTES) return 0;
    const length = bytes.readUInt32BE(0);
    if (length < FRAME_BYTES_MIN || length > this.#frameMax)
      throw new ProviderFailure('garbage', 'the length of a frame is invalid');
    return length;
  }

  #emit(frame: Buffer): void {
    const { headers, body } = decoded(frame);
    const code = headers[':error-code'];
    const name = headers[':event-type'] ?? headers[':exception-type'];
    if (code !== undefined) this.#onFrame(`${String(code.value)}${EXCEPTION}`, errorText(headers));
    else this.#onFrame(typeof name?.value === 'string' ? name.value : undefined, textOf(body));
  }
}

/** An error has no body: what it says is in its headers. */
function errorText(headers: ReturnType<EventStreamCodec['decode']>['headers']): string {
  return JSON.stringify({ message: String(headers[':error-message']?.value ?? '') });
}

/** The same bytes: a copy of each header and body would be a third of what a frame costs. */
function viewOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

function textOf(bytes: Uint8Array): string {
  return viewOf(bytes).toString('utf8');
}

function decoded(frame: Buffer): ReturnType<EventStreamCodec['decode']> {
  try {
    return codec.decode(frame);
  } catch {
    throw new ProviderFailure('garbage', 'a frame of the event stream is invalid');
  }
}
