import type { FileRecord } from '../../actors/file/file-record.ts';
import type { BatchEvidence } from '../support/auditor/batch-evidence.ts';
import type { FileEvidence } from '../support/auditor/file-evidence.ts';
import type { StoreView } from '../support/auditor/store-view.ts';
import { BatchWork } from './batch-work.ts';
import { FeedWork } from './feed-work.ts';
import { FileWork, type JobWorkOptions } from './file-work.ts';
import { sealingEvidence } from './sealing.ts';
import type { Payer } from './workload.ts';

/** Workers for each request in flight: a light run has few batches and files too. */
const BATCH_WORKERS_SHARE = 0.4;
const FILE_WORKERS_SHARE = 0.1;

/** Files, batches and followers of batches beside the requests of a run. */
export class Jobs {
  readonly #files: FileWork;
  readonly #batches: BatchWork;
  readonly #feeds: FeedWork;
  readonly #inFlight: number;

  constructor(options: JobWorkOptions, inFlight: number) {
    this.#inFlight = inFlight;
    this.#files = new FileWork(options);
    const [stranger, ...payers] = options.payers;
    this.#batches = new BatchWork({ ...options, payers, stranger: stranger as Payer });
    this.#feeds = new FeedWork(options.base, payers);
  }

  async start(): Promise<void> {
    await this.#feeds.start();
    this.#files.start(Math.ceil(this.#inFlight * FILE_WORKERS_SHARE));
    this.#batches.start(Math.ceil(this.#inFlight * BATCH_WORKERS_SHARE));
  }

  /** Accounts that submit batches. */
  get batchPayers(): readonly Payer[] {
    return this.#batches.working;
  }

  /** Begins nothing new, and waits until every accepted batch has ended. */
  async stop(): Promise<void> {
    await Promise.all([this.#files.stop(), this.#batches.stop()]);
    await this.#feeds.stop();
  }

  /** Call it after `stop`, while the cluster runs. */
  async batches(): Promise<BatchEvidence> {
    return { ...(await this.#batches.evidence()), seen: this.#feeds.seen };
  }

  /** Call it once the cluster has stopped. The data folder is null where keys and bytes are in a database. */
  async files(
    store: StoreView,
    { data, keyless }: { readonly data: string | null; readonly keyless: FileEvidence['keyless'] },
  ): Promise<FileEvidence> {
    const rows = await store.rows<FileRecord>('file');
    const stored = rows.map(({ account, id, filename }) => ({ account: `account:${account}`, id, filename }));
    const sealing =
      data === null ? { openings: [], keyAgesHours: [], searched: [] } : await sealingEvidence(data, rows);
    return { ...this.#files.seen, ...sealing, stored, keyless };
  }
}
