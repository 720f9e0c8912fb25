import { createHash, randomBytes } from 'node:crypto';
import { FormData } from 'undici';
import type { FileDeletion, FileEvidence, FileRead, UploadSeen } from '../support/auditor/file-evidence.ts';
import { call, jsonOf, pause, post } from './call.ts';
import { about } from './scenario.ts';
import type { Payer, Workload } from './workload.ts';

export interface JobWorkOptions {
  readonly base: string;
  readonly payers: readonly Payer[];
  readonly workload: Workload;
  /** Uniform in [0, 1). */
  readonly chance: () => number;
}

const BYTES_MAX = 200_000;
const PDF = Buffer.from('%PDF-1.7\n');
const FILES_MAX = 16;
const REST_MS = 60;
const DELETED_SHARE = 0.5;
const UNKNOWN = `file_${'0'.repeat(32)}`;

/** Uploads, reads, chats about and deletes files, one account after the other, and records every outcome. */
export class FileWork {
  readonly #options: JobWorkOptions;
  readonly #uploads: UploadSeen[] = [];
  readonly #reads: FileRead[] = [];
  readonly #deletions: FileDeletion[] = [];
  readonly #refusals: FileEvidence['refusals'][number][] = [];
  readonly #run = randomBytes(3).toString('hex');
  #running = false;
  #workers: readonly Promise<void>[] = [];

  constructor(options: JobWorkOptions) {
    this.#options = options;
  }

  get seen(): Pick<FileEvidence, 'uploads' | 'reads' | 'deletions' | 'refusals'> {
    return { uploads: this.#uploads, reads: this.#reads, deletions: this.#deletions, refusals: this.#refusals };
  }

  start(workers: number): void {
    this.#running = true;
    this.#workers = Array.from({ length: workers }, () => this.#work());
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#workers);
  }

  async #work(): Promise<void> {
    const { chance, payers } = this.#options;
    while (this.#running) {
      const at = Math.floor(chance() * payers.length);
      await this.#one(payers[at] as Payer, payers[(at + 1) % payers.length] as Payer);
      await pause(REST_MS);
    }
  }

  /** The life of one file, with the requests of a stranger in between. */
  async #one(payer: Payer, stranger: Payer): Promise<void> {
    await this.#upload(payer, Buffer.alloc(0));
    const { id } = await this.#upload(payer, this.#pdf());
    await this.#read(stranger, 'file_1', 'record');
    await this.#read(payer, UNKNOWN, 'content');
    if (id === null) return;
    await this.#read(payer, id, 'content');
    await this.#read(payer, id, 'record');
    await this.#read(stranger, id, this.#options.chance() < 0.5 ? 'content' : 'record');
    await this.#askAbout(payer, id);
    await this.#refuse(payer, id);
    if (this.#options.chance() >= DELETED_SHARE) return;
    await this.#remove(payer, id);
    await this.#read(payer, id, 'content');
    await this.#read(payer, id, 'record');
  }

  #pdf(): Buffer {
    return Buffer.concat([PDF, randomBytes(Math.floor(this.#options.chance() * BYTES_MAX))]);
  }

  /** An empty file is refused. */
  async #upload(payer: Payer, bytes: Buffer): Promise<UploadSeen> {
    const { base } = this.#options;
    const filename = `${this.#run}-${this.#uploads.length}-${randomBytes(4).toString('hex')}.pdf`;
    const form = new FormData();
    form.set('file', new File([new Uint8Array(bytes)], filename));
    const at = performance.now();
    const called = await call(base, payer.key, '/files', { method: 'POST', body: form });
    const file = called.status === 200 ? jsonOf<{ id: string; expires_at: number }>(called) : null;
    const endAt = performance.now();
    const upload: UploadSeen = {
      ...{ account: payer.account, filename, digest: digestOf(bytes), at, endAt, status: called.status },
      id: file?.id ?? null,
      endsAt: file === null ? null : endAt + file.expires_at * 1_000 - Date.now(),
    };
    this.#uploads.push(upload);
    return upload;
  }

  async #read({ account, key }: Payer, id: string, way: 'record' | 'content'): Promise<void> {
    const at = performance.now();
    const called = await call(this.#options.base, key, `/files/${id}${way === 'content' ? '/content' : ''}`);
    const found = called.status === 200;
    this.#reads.push({
      ...{ account, id, way, at, endAt: performance.now(), status: called.status },
      digest: found && way === 'content' ? digestOf(called.bytes) : null,
      refusal: called.status === 404 ? called.bytes.toString() : null,
    });
  }

  /** A chat that reads the file, recorded as any other request. */
  async #askAbout(payer: Payer, id: string): Promise<void> {
    const { workload } = this.#options;
    const at = performance.now();
    const finding = await workload.send(about(workload.nonce(), id), payer);
    const status = finding.type === 'ok' ? 200 : finding.type === 'fail' ? finding.status : null;
    const seen = { account: payer.account, id, way: 'chat', at, endAt: performance.now(), status } as const;
    this.#reads.push({ ...seen, digest: null, refusal: null });
  }

  async #refuse(payer: Payer, id: string): Promise<void> {
    const parts = (files: readonly object[]): object => ({
      model: 'sim/vision',
      messages: [{ role: 'user', content: files.map((file) => ({ type: 'file', file })) }],
    });
    const many = parts(Array.from({ length: FILES_MAX + 1 }, () => ({ file_id: id })));
    const both = parts([{ file_id: id, file_data: 'data:application/pdf;base64,JVBERi0xLjc=' }]);
    for (const [what, body] of [
      [`${FILES_MAX + 1} files`, many],
      ['file_id beside file_data', both],
    ] as const) {
      const { status } = await post(this.#options.base, payer.key, '/chat/completions', body);
      this.#refusals.push({ what, expected: 400, status });
    }
  }

  async #remove({ account, key }: Payer, id: string): Promise<void> {
    const at = performance.now();
    const { status } = await call(this.#options.base, key, `/files/${id}`, { method: 'DELETE' });
    this.#deletions.push({ account, id, at, endAt: performance.now(), status });
  }
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
