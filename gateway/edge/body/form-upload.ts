import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import type { Clock } from '../../../actors/runtime/index.ts';
import { SpentBuffers } from '../../outbound/body-buffers.ts';
import type { EdgeLimits } from '../../terms/config/config.ts';
import { CallerLeft, GatewayError, invalid } from '../../terms/gateway-error.ts';
import { refuseCompressed, tooSlow } from './body-refusal.ts';
import type { UploadBody } from './route-body.ts';
import { UploadPace } from './upload.ts';

/** A form with one file: its bytes as they arrive, and its fields, which may follow them. */
export interface FormUpload {
  readonly filename: string;
  readonly source: AsyncIterable<Uint8Array>;
  /** Every value of each field, in order; complete once `source` has ended. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** Drains what was not read, so that the client can read the response. */
  readonly drop: () => void;
}

interface FormOptions extends Omit<UploadBody, 'type'> {
  readonly limits: EdgeLimits;
  readonly clock: Clock;
  /** Sends `100 Continue` to a client that waits for it; null for other requests. */
  readonly invite: (() => void) | null;
}

/** Boundaries and part headers beside the file and the fields. */
const FRAME_BYTES_MAX = 48 * 1024;
const FIELD_NAME_BYTES_MAX = 100;
const PART_HEADERS_MAX = 16;
const FILE_FIELD = 'file';

/**
 * Begins to read `multipart/form-data` with one file in the part `file`. At most one piece of the file is in memory:
 * the client is held back until `source` is pulled, and a piece may be emptied once later ones are pulled. Rejects, and
 * `source` throws, with GatewayError 400, 408, 413 or 415, or with CallerLeft.
 */
export function readFormUpload(request: IncomingMessage, options: FormOptions): Promise<FormUpload> {
  refuseByHeaders(request, options);
  options.invite?.();
  const form = new Form(request, options);
  return form.begun;
}

function refuseByHeaders({ headers }: IncomingMessage, { fileBytesMax, fieldsMax, fieldBytesMax }: FormOptions): void {
  refuseCompressed(headers);
  if (!/^multipart\/form-data *;.*boundary=/i.test(headers['content-type'] ?? '')) {
    throw invalid('The content type must be multipart/form-data with a boundary, and the file in the part `file`');
  }
  const formBytesMax = fileBytesMax + fieldsMax * fieldBytesMax + FRAME_BYTES_MAX;
  if (Number(headers['content-length'] ?? 0) > formBytesMax) throw tooLarge(fileBytesMax);
}

function tooLarge(fileBytesMax: number): GatewayError {
  const message = `file is larger than ${fileBytesMax} bytes`;
  return new GatewayError({ status: 413, type: 'payload_too_large', message });
}

class Form {
  readonly begun: Promise<FormUpload>;
  readonly #request: IncomingMessage;
  readonly #options: FormOptions;
  readonly #parser: Busboy;
  readonly #pace: UploadPace;
  readonly #fields = new Map<string, string[]>();
  readonly #ended: Promise<void>;
  #resolve!: (upload: FormUpload) => void;
  #reject!: (error: Error) => void;
  #end!: () => void;
  #failure: Error | null = null;
  /** The form was read to its end. */
  #isOver = false;
  #file: Readable | null = null;

  constructor(request: IncomingMessage, options: FormOptions) {
    this.#request = request;
    this.#options = options;
    this.#pace = new UploadPace(options.clock, options.limits, () => this.#fail(tooSlow()));
    this.begun = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#parser = this.#parse();
  }

  #parse(): Busboy {
    const { fileBytesMax, fieldsMax, fieldBytesMax } = this.#options;
    const parser = new Busboy({
      headers: this.#request.headers as BusboyHeaders,
      limits: {
        // One byte more than allowed shows that the file is too large.
        fileSize: fileBytesMax + 1,
        fields: fieldsMax,
        fieldNameSize: FIELD_NAME_BYTES_MAX,
        fieldSize: fieldBytesMax,
        headerPairs: PART_HEADERS_MAX,
      },
    });
    parser.on('file', (name, file, filename) => this.#takeFile(name, file, filename));
    parser.on('field', (name, value, _nameCut, valueCut) => {
      if (valueCut) this.#fail(invalid(`${name} is longer than ${fieldBytesMax} bytes`));
      else this.#fields.set(name, [...(this.#fields.get(name) ?? []), value]);
    });
    parser.on('fieldsLimit', () => this.#fail(invalid(`A form has at most ${fieldsMax} fields beside its file`)));
    parser.on('error', (error) => this.#fail(invalid(`The form cannot be read: ${String((error as Error).message)}`)));
    parser.on('finish', () => this.#finish());
    this.#request.on('data', this.#count).on('close', this.#leave).on('error', this.#leave);
    this.#request.pipe(parser);
    return parser;
  }

  #takeFile(name: string, file: Readable, filename: string): void {
    file.on('error', ignore);
    if (name !== FILE_FIELD) {
      this.#fail(invalid(`${name} must not be a file; the file is expected in the part file`));
    } else if (this.#file !== null) {
      this.#fail(invalid('file must be given exactly once'));
    } else this.#begin(file, filename);
  }

  #begin(file: Readable, filename = ''): void {
    this.#file = file;
    this.#pace.hold();
    this.#resolve({ filename, source: this.#pull(file), fields: this.#fields, drop: this.#drop });
  }

  async *#pull(file: Readable): AsyncIterable<Uint8Array> {
    const { fileBytesMax } = this.#options;
    const spent = new SpentBuffers();
    let bytes = 0;
    this.#pace.resume();
    try {
      for await (const piece of file as AsyncIterable<Buffer>) {
        bytes += piece.length;
        if (bytes > fileBytesMax) this.#fail(tooLarge(fileBytesMax));
        if (this.#failure !== null) throw this.#failure;
        this.#pace.hold();
        spent.passing(piece);
        yield piece;
        this.#pace.resume();
      }
      // The fields behind the file.
      await this.#ended;
    } catch (thrown) {
      throw this.#failure ?? thrown;
    }
    if (this.#failure !== null) throw this.#failure;
  }

  #finish(): void {
    if (this.#file === null) this.#fail(invalid('file is missing: the form must have a part file with a filename'));
    this.#isOver = true;
    this.#close();
    this.#end();
  }

  /** Keeps the first failure, stops the parser, and drains the rest so that the client can read the response. */
  #fail(error: Error): void {
    if (this.#failure !== null || this.#isOver) return;
    this.#failure = error;
    this.#close();
    this.#request.unpipe(this.#parser);
    this.#request.resume();
    this.#file?.destroy(error);
    this.#reject(error);
    this.#end();
  }

  #close(): void {
    this.#pace.stop();
    this.#request.off('data', this.#count).off('close', this.#leave).off('error', this.#leave);
    this.#request.on('error', ignore);
  }

  readonly #count = (chunk: Buffer): void => this.#pace.received(chunk.length);
  /** A request closes after its last byte too. */
  readonly #leave = (): void => {
    if (!this.#request.complete) this.#drop();
  };
  readonly #drop = (): void => this.#fail(new CallerLeft());
}

function ignore(): void {}
