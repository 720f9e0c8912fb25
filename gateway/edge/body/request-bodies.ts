import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type Clock, ownerOf } from '../../../actors/runtime/index.ts';
import type { FileServices } from '../../files/file-services.ts';
import type { ClientAddresses } from '../../http/client-addresses.ts';
import { OneAtATime } from '../../overload/one-at-a-time.ts';
import type { Caller } from '../../terms/caller.ts';
import type { EdgeLimits } from '../../terms/config/config.ts';
import { CallerLeft, GatewayError } from '../../terms/gateway-error.ts';
import { type Authentication, STRANGERS } from '../auth/authentication.ts';
import { refuseCompressed } from './body-refusal.ts';
import { type BodyPlace, BodyRoom } from './body-room.ts';
import { type FormFields, parseForm } from './form-fields.ts';
import { type FormUpload, readFormUpload } from './form-upload.ts';
import { OpenUploads } from './open-uploads.ts';
import { readBody } from './read-body.ts';
import type { RequestBody } from './request-body.ts';
import { type BodyRequest, JSON_BODY, type JsonBody, type RouteBody, type UploadBody } from './route-body.ts';
import { gatherUpload } from './upload.ts';
import { UploadRoom } from './upload-room.ts';

/** What was read of a request's body. */
export type ReadBody =
  | RequestBody
  | { readonly type: 'form'; readonly fields: FormFields }
  | (Pick<FormUpload, 'filename' | 'source' | 'fields'> & {
      readonly type: 'upload';
      /** To be called once the request is answered or refused. */
      readonly close: () => void;
    });

interface RequestBodiesParts {
  readonly clock: Clock;
  readonly limits: EdgeLimits;
  readonly clients: ClientAddresses;
  readonly authentication: Pick<Authentication, 'count'>;
  readonly files: Pick<FileServices, 'background' | 'limits'>;
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
  readonly #fileUploads: UploadRoom;
  /** Large bodies that are parsed: of live requests, and of jobs. */
  readonly #large = new OneAtATime();
  readonly #largeOfJobs = new OneAtATime();

  constructor(parts: RequestBodiesParts) {
    this.#parts = parts;
    this.#room = new BodyRoom(parts.limits.bodiesBytesMax);
    this.#uploads = new OpenUploads(parts.limits);
    this.#fileUploads = new UploadRoom(parts.files.limits);
  }

  /** The body that a route declares; a file is read by the handler as it arrives. */
  read(context: BodyRequest, body: RouteBody): Promise<ReadBody> {
    if (body.type === 'json') return this.json(context, body);
    return body.type === 'form' ? this.form(context) : this.#upload(context, body);
  }

  /**
   * The JSON body of an authenticated caller's request, within the configured bounds. Rejects as `readBody` does, and
   * with `CallerLeft` if the connection has closed meanwhile. A request with an `Idempotency-Key` gets the digest of its
   * body.
   */
  async json(
    context: BodyRequest,
    { bounds, texts, members, isJob, before }: JsonBody = JSON_BODY,
  ): Promise<RequestBody> {
    const { request, response, invite, caller } = context;
    const { clock, limits } = this.#parts;
    const holder = caller?.account ?? STRANGERS;
    stillHere(response);
    if (before !== undefined) await before(context);
    const background =
      isJob === true && caller !== null ? this.#parts.files.background.of(ownerOf(caller.key)) : undefined;
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
    if (members !== undefined) body.members = members;
    return body;
  }

  /**
   * The fields of a request's form, as a browser sends one. Rejects with GatewayError 400, 408, 413 or 415, and with
   * `CallerLeft` if the client leaves during the upload. A repeated field is refused: two readers of a form could
   * otherwise take two values for it.
   */
  async form({ request, response, invite, caller }: BodyRequest): Promise<Extract<ReadBody, { type: 'form' }>> {
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
    return { type: 'form', fields: parseForm(Buffer.concat(chunks).toString('utf8')) };
  }

  /**
   * Begins to read a form with a file: resolves with the first bytes of the file. Rejects as `readFormUpload` does, and
   * with GatewayError 429 or 503 where too many uploads are under way.
   */
  async #upload(context: BodyRequest, body: UploadBody): Promise<ReadBody> {
    const { request, response, invite, caller } = context;
    const { limits, clock } = this.#parts;
    stillHere(response);
    const leave = this.#fileUploads.enter(caller?.account ?? STRANGERS);
    try {
      const { drop, ...form } = await readFormUpload(request, { ...body, limits, clock, invite });
      const close = (): void => {
        drop();
        leave();
      };
      return { type: 'upload', ...form, close };
    } catch (thrown) {
      leave();
      throw thrown;
    }
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
