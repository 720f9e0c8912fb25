import type { Clock } from '../../actors/runtime/index.ts';
import { noRoom, tooSlow } from '../edge/body/body-refusal.ts';
import type { CountedUpload } from '../edge/body/request-bodies.ts';
import { SMALL_BYTES_MAX, UploadPace } from '../edge/body/upload.ts';
import type { EdgeLimits } from '../terms/config/config.ts';
import type { GatewayError } from '../terms/gateway-error.ts';
import { gatewayErrorOf } from '../terms/gateway-error.ts';

/** Opcode, length and mask. */
const CONTROL_HEAD_BYTES = 6;

interface ArrivalParts {
  readonly clock: Clock;
  readonly limits: Pick<EdgeLimits, 'bodyGraceMs' | 'bodyBytesPerSecondMin'>;
  /** Counts an upload of the client, or throws GatewayError 429. */
  readonly open: () => CountedUpload;
  /** The frame cannot be received. Called once at most; nothing is watched afterwards. */
  readonly refuse: (error: GatewayError) => void;
}

interface Upload extends CountedUpload {
  readonly pace: UploadPace;
}

/**
 * The frame that a client is sending. A large one counts as an upload while it arrives, as a body over HTTP does: among
 * the uploads of its key and address, among the bytes that the node holds, and with a minimum speed.
 */
export class FrameArrival {
  readonly #parts: ArrivalParts;
  /** Null while the frame is small. */
  #upload: Upload | null = null;
  #bytes = 0;
  #reserved = 0;
  #over = false;

  constructor(parts: ArrivalParts) {
    this.#parts = parts;
  }

  /** Bytes of the connection have arrived. */
  arrived(bytes: number): void {
    this.#bytes += bytes;
    if (this.#over || this.#bytes <= SMALL_BYTES_MAX) return;
    if (this.#upload === null && !this.#begin()) return;
    const { place, pace } = this.#upload as Upload;
    pace.received(bytes);
    const missing = Math.max(0, this.#bytes - this.#reserved);
    this.#reserved += missing;
    if (!place.reserve(missing)) this.#refuse(noRoom());
  }

  /** A ping or pong with this payload was among them. */
  passed({ length }: Buffer): void {
    this.#bytes -= CONTROL_HEAD_BYTES + length;
  }

  /** The frame is whole. Returns the function that gives back the room of its bytes. */
  whole(): () => void {
    const upload = this.#upload;
    this.#upload = null;
    this.#bytes = 0;
    this.#reserved = 0;
    if (upload === null) return ignore;
    upload.end();
    upload.pace.stop();
    return upload.place.leave;
  }

  /** The connection has ended. */
  close(): void {
    this.#over = true;
    this.whole()();
  }

  /** False if the upload is refused. */
  #begin(): boolean {
    const { clock, limits, open } = this.#parts;
    try {
      const { end, place } = open();
      const pace = new UploadPace(clock, limits, () => this.#refuse(tooSlow()));
      this.#upload = { end, place, pace };
      return true;
    } catch (thrown) {
      this.#refuse(gatewayErrorOf(thrown));
      return false;
    }
  }

  #refuse(error: GatewayError): void {
    this.close();
    this.#parts.refuse(error);
  }
}

function ignore(): void {}
