/**
 * Batches on nodes in virtual time: the product's actors, queue, results and keys; the call of each line is simulated and
 * takes a second.
 */
import * as assert from 'uvu/assert';
import { showAccount } from '../../actors/account/account.ts';
import { findBatch, submitBatch } from '../../actors/batch/batch.ts';
import type { BatchRecord } from '../../actors/batch/batch-record.ts';
import type { BatchBounds, NewBatch } from '../../actors/batch/batch-state.ts';
import { failedOutcome, repliedOutcome } from '../../actors/batch/line-record.ts';
import type { LineInput, LineResult } from '../../actors/batch/lines.ts';
import { findFile } from '../../actors/file/file.ts';
import { admit } from '../../actors/key/key.ts';
import {
  type ActivityHandler,
  type ActivityTask,
  type Cluster,
  type Json,
  openBlob,
  sealBlob,
  sealValue,
} from '../../actors/runtime/index.ts';
import { holdAttempt } from '../../actors/terms/hold.ts';
import { accountAddress, batchId, keyAddress, lineGenerationId } from '../../actors/terms/ids.ts';
import config from '../../cluster.config.ts';
import type { FileServices } from '../../gateway/files/file-services.ts';
import { placeOfFile } from '../../gateway/files/file-services.ts';
import { placeOfReply } from '../../gateway/jobs/batch/read-sealed.ts';
import { placeOfBodies } from '../../gateway/jobs/batch/seal-submission.ts';
import { resultsHandler } from '../../gateway/jobs/batch/write-results.ts';
import type { ResultsServices } from '../../gateway/jobs/job-services.ts';
import { Dice } from '../simulation/world/dice.ts';
import { MemoryBlobs } from '../support/memory-blobs.ts';
import { noLiveTraffic } from '../support/memory-files.ts';
import { MemoryKeyStore } from '../support/memory-key-store.ts';
import * as words from '../support/model/words.ts';
import { JobWorld, WITHIN_MS } from './job-world.ts';
import type { VirtualNode } from './virtual-nodes.ts';

const LINE_MS = 1_000;
const COST = '0.5';

/** One call to the provider. Times in ms of the world. */
export interface Call {
  readonly batch: string;
  readonly index: number;
  readonly attempt: number;
  readonly node: string;
  readonly at: number;
  end: 'open' | 'answered' | 'cut';
}

export interface ResultLine {
  readonly custom_id: string;
  readonly response: { readonly request_id: string; readonly body: Json } | null;
  readonly error: { readonly type: string; readonly request_id: string | null } | null;
}

export class BatchWorld extends JobWorld {
  readonly calls: Call[] = [];
  readonly keys: MemoryKeyStore;
  readonly #blobs: MemoryBlobs;
  readonly #random = new Dice(1);
  readonly #bounds: BatchBounds;

  constructor(bounds: Partial<BatchBounds> = {}) {
    super();
    const parts = { clock: this.nodes.clock, random: this.#random };
    this.keys = new MemoryKeyStore(parts);
    this.#blobs = new MemoryBlobs({ ...parts, bytesMax: 64 * 1024 * 1024 });
    this.#bounds = {
      ...{ resultsBytesMax: 32 * 1024 * 1024, resultsLifetimeMs: 48 * 3_600_000 },
      ...{ retentionMs: 30 * 24 * 3_600_000, lineMs: 660_000 },
      ...bounds,
    };
  }

  async submit(via: VirtualNode, account: string, count: number, windowMs = 24 * 3_600_000): Promise<BatchRecord> {
    const id = batchId(this.#random, via.node.now());
    const blob = await this.#blobs.put(pieces(Buffer.alloc(count)));
    const bodies = sealBlob(await this.keys.current(), placeOfBodies(account, id), blob, this.#random);
    const batch: NewBatch = {
      ...{ id, account, key: keyAddress(account, 'key_1'), model: null, bodies },
      endpoint: '/v1/chat/completions',
      ...{ provider: null, attribution: null, windowMs, workspace: null },
      lines: Array.from({ length: count }, (_, index) => ({ customId: `line-${index}`, offset: index, length: 1 })),
    };
    return submitBatch(via.node, batch, { bounds: this.#bounds, withinMs: WITHIN_MS });
  }

  async read(via: VirtualNode, { account, id }: BatchRecord): Promise<BatchRecord> {
    return (await findBatch(via.node, account, id)) as BatchRecord;
  }

  /** The record, once it matches. */
  async until(
    via: VirtualNode,
    batch: BatchRecord,
    holds: (record: BatchRecord) => boolean,
    what: string,
  ): Promise<BatchRecord> {
    let record = batch;
    const look = async (): Promise<boolean> => {
      record = await this.read(via, batch);
      return holds(record);
    };
    await this.nodes.until(look, what, 600_000);
    return record;
  }

  async ended(via: VirtualNode, batch: BatchRecord): Promise<BatchRecord> {
    return this.until(via, batch, ({ finalizedAt }) => finalizedAt !== null, 'the batch has ended');
  }

  async results(via: VirtualNode, { account, resultsFileId }: BatchRecord): Promise<ResultLine[]> {
    const file = await findFile(via.node, account, String(resultsFileId));
    assert.ok(file, 'the results file exists');
    const place = placeOfFile(account, String(resultsFileId));
    const text: Uint8Array[] = [];
    const blob = await openBlob(this.keys, place, file?.blob as never);
    for await (const piece of this.#blobs.read(blob)) text.push(piece);
    const lines = Buffer.concat(text).toString().trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as ResultLine);
  }

  /** Charges equal replies, digit for digit, and nothing is held. */
  async audit(via: VirtualNode, account: string, batches: readonly BatchRecord[]): Promise<void> {
    const { charges, held, holds } = await showAccount(via.node, accountAddress(account), WITHIN_MS);
    const replies = batches.reduce((sum, { counts }) => sum + counts.completed, 0);
    assert.equal([Number(charges), held, holds], [replies * Number(COST), '0', 0]);
  }

  callsOf({ id }: BatchRecord, index: number): readonly Call[] {
    return this.calls.filter((call) => call.batch === id && call.index === index);
  }

  protected activities(self: () => VirtualNode): Readonly<Record<string, ActivityHandler>> {
    const line: ActivityHandler = {
      ...{ runningMax: 256, runningPerGroupMax: 8 },
      run: async (task, signal) => (await this.#run(self(), task, signal)) as unknown as Json,
    };
    const services = (): ResultsServices => {
      const { node: cluster, process } = self();
      const bytes = { keys: this.keys, blobs: this.#blobs };
      const files: FileServices = {
        ...{ cluster, bytes, random: this.#random, clock: process.clock, background: noLiveTraffic(process.clock) },
        ...{ limits: config.files, askMs: WITHIN_MS },
      };
      return { files, crashpoint: () => {} };
    };
    return { line, results: resultsHandler(services) };
  }

  /** Holds, calls and seals as the product's handler does. */
  async #run({ node, process }: VirtualNode, task: ActivityTask, signal: AbortSignal): Promise<LineResult> {
    const { account, batch, index, customId, key } = task.input as unknown as LineInput;
    const { attempt } = task;
    const refusal = await this.#admit(node, { batch, index, key, attempt });
    if (refusal !== null) return { outcome: failedOutcome(customId, refusal, null), settlement: null };
    const call: Call = { batch, index, attempt, node: process.name, at: node.now(), end: 'open' };
    this.calls.push(call);
    await new Promise<void>((resolve, reject) => {
      process.clock.after(LINE_MS, resolve);
      signal.addEventListener('abort', () => reject(signal.reason));
    }).catch((thrown: unknown) => {
      call.end = 'cut';
      throw thrown;
    });
    call.end = 'answered';
    const text = Buffer.from(JSON.stringify({ index, attempt }));
    const value = sealValue(await this.keys.current(), placeOfReply(account, batch, index), text, this.#random);
    const body = { value: value.toString('base64') };
    return {
      outcome: repliedOutcome(customId, { statusCode: 200, body }, text.length),
      settlement: words.settlement(lineGenerationId(batch, index), COST, holdAttempt(attempt, 1)),
    };
  }

  async #admit(
    node: Cluster,
    { batch, index, key, attempt }: Pick<LineInput, 'batch' | 'index' | 'key'> & { readonly attempt: number },
  ) {
    const request = words.request(lineGenerationId(batch, index), '1', {
      ...{ attempt: holdAttempt(attempt, 1), counted: true, repeat: attempt > 1, gateway: node.self.incarnation },
      deadlineAt: node.now() + 660_000,
    });
    const admission = await admit(node, key, request, { perMinute: 120, withinMs: WITHIN_MS });
    if (admission.admitted) return null;
    const { type, status: code, message } = admission.refusal;
    return { type, code, message, param: null };
  }
}

async function* pieces(...all: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* all;
}
