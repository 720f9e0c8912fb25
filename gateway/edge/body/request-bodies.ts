import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../actors/runtime/index.ts';
import type { ClientAddresses } from '../../http/client-addresses.ts';
import type { HttpExchange } from '../../http/exchange.ts';
import type { KeptTexts } from '../../json/json-sinks.ts';
import type { LoopWork } from '../../overload/loop-work.ts';
import { OneAtATime } from '../../overload/one-at-a-time.ts';
import type { WorkPlace } from '../../overload/overload.ts';
import type { Caller } from '../../terms/caller.ts';
import type { EdgeLimits } from '../../terms/config/config.ts';
import { CallerLeft, GatewayError } from '../../terms/gateway-error.ts';
import { type Authenticated, type Authentication, STRANGERS } from '../auth/authentication.ts';
import { refuseCompressed } from './body-refusal.ts';
import { type BodyPlace, BodyRoom } from './body-room.ts';
import { type FormFields, parseForm } from './form-fields.ts';
import { OpenUploads } from './open-uploads.ts';
import { readBody } from './read-body.ts';
import type { RequestBody } from './request-body.ts';
import { gatherUpload } from './upload.ts';

/** A request as far as its body is read. */
export interface BodyRequest extends Authenticated, Pick<HttpExchange<unknown>, 'request' | 'response' | 'invite'> {
  /** Held while the node works on the request; left early where it waits for a client or a provider. */
  place: WorkPlace | null;
  /** SHA-256 of the body as sent, hex; null until it is read, and for a request without an `Idempotency-Key`. */
  bodyDigest: string | null;
}

/** What a route reads otherwise than an inference request. */
interface OwnReading {
  readonly bounds?: Partial<Pick<EdgeLimits, 'bodyBytesMax' | 'bodyDepthMax' | 'bodyTokensMax'>>;
  /** Objects that stay text. */
  readonly texts?: KeptTexts;
  /** The body of a job is read in this background, in turn with the others of its account. */
  readonly background?: LoopWork;
}

interface RequestBodiesParts {
  readonly clock: Clock;
  readonly limits: EdgeLimits;
  readonly clients: ClientAddresses;
  readonly authentication: Pick<Authentication, 'count'>;
}

/** A body that arrives on another way than as that of a request: it counts among the uploads and bytes of the node. */
export interface CountedUpload {
  /** The upload has ended. */
  readonly end: () => void;
  readonly place: BodyPlace;
}

/** Bytes of one form: a key, a callback address and the fields beside them fit several times. */
const FORM_BYTES_MAX = 64 * 1024;
const FORM_TYPE = /^application\/x-www-form-urlencoded *(?:; *charset="?utf-8"? *)?$/i;
/** A form has no structure that needs a bound of its own. */
const UNSCANNED = { feed: () => true, exceeded: { bound: 'depth', most: 0 } } as const;

/** Reads the bodies of requests, within the bounds that one body and all bodies of the node have. */
export class RequestBodies {
  readonly #parts: RequestBodiesParts;
  readonly #room: BodyRoom;
  readonly #uploads: OpenUploads;
  /** Large bodies that are parsed: of live requests, and of jobs. */
  readonly #large = new OneAtATime();
  readonly #largeOfJobs = new OneAtATime();

  constructor(parts: RequestBodiesParts) {
    this.#parts = parts;
    this.#room = new BodyRoom(parts.limits.bodiesBytesMax);
    this.#uploads = new OpenUploads(parts.limits);
  }

  /**
   * The JSON body of an authenticated caller's request, within the configured bounds. Rejects as `readBody` does, and
   * with `CallerLeft` if the connection has closed meanwhile. A request with an `Idempotency-Key` gets the digest of its
   * body.
   */
  async json(context: BodyRequest, own: OwnReading = {}): Promise<RequestBody> {
    const { request, response, invite, caller } = context;
    const { clock, limits } = this.#parts;
    const { bounds, texts, background } = own;
    const holder = caller?.account ?? STRANGERS;
    stillHere(response);
    const digest = request.headers['idempotency-key'] === undefined ? null : createHash('sha256');
    const body = await readBody(request, {
      limits: bounds === undefined ? limits : { ...limits, ...bounds },
      clock,
      reserve: this.#room.reservation(holder, response),
      open: (isLarge) => this.#open(context, isLarge),
      isGone: () => response.destroyed,
      invite,
      digest,
      texts,
      holder,
      largeBodies: background === undefined ? this.#large : this.#largeOfJobs,
      background,
    });
    stillHere(response);
    if (digest !== null) context.bodyDigest = digest.digest('hex');
    return body;
  }

  /**
   * The fields of a request's form, as a browser sends one. Rejects with GatewayError 400, 408, 413 or 415, and with
   * `CallerLeft` if the client leaves during the upload. A repeated field is refused: two readers of a form could
   * otherwise take two values for it.
   */
  async form({ request, response, invite, caller }: BodyRequest): Promise<FormFields> {
    refuseCompressed(request.headers);
    if (!FORM_TYPE.test((request.headers['content-type'] ?? '').trim().slice(0, 128))) {
      const message = 'The content type must be application/x-www-form-urlencoded, in UTF-8';
      throw new GatewayError({ status: 415, type: 'invalid_request', message });
    }
    stillHere(response);
    const ended = this.#uploads.open(caller?.key ?? STRANGERS, this.#parts.clients.of(request));
    const limits = { ...this.#parts.limits, bodyBytesMax: FORM_BYTES_MAX };
    invite?.();
    const uploading = gatherUpload(request, {
      limits,
      clock: this.#parts.clock,
      scan: UNSCANNED,
      reserve: () => true,
    });
    const { chunks } = await uploading.finally(ended);
    return parseForm(Buffer.concat(chunks).toString('utf8'));
  }

  /** Counts a large frame of a WebSocket that arrives; throws GatewayError 429. */
  frame({ account, key }: Caller, request: BodyRequest['request']): CountedUpload {
    const end = this.#uploads.open(key, this.#parts.clients.of(request));
    return { end, place: this.#room.place(account) };
  }

  /**
   * Counts a large body when it begins: until it is whole it occupies the node, and it may never be. Resolves with the
   * function that ends the upload; rejects with the key's refusal.
   */
  async #open(context: BodyRequest, isLarge: boolean): Promise<() => void> {
    const { request, response, caller } = context;
    // It waits for its client.
    context.place?.leave();
    const ended = this.#uploads.open(caller?.key ?? STRANGERS, this.#parts.clients.of(request));
    try {
      const refusal = isLarge ? await this.#parts.authentication.count(context) : null;
      if (refusal !== null) throw refusal;
      stillHere(response);
      return ended;
    } catch (thrown) {
      ended();
      throw thrown;
    }
  }
}

/** The close event has already fired if the client left during authentication or while a large body waited. */
function stillHere(response: ServerResponse): void {
  if (response.destroyed) throw new CallerLeft();
}
