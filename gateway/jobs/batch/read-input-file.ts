import type { BatchEndpoint } from '../../../actors/batch/batch-record.ts';
import { LINES_MAX } from '../../../actors/batch/line-record.ts';
import type { FileRecord } from '../../../actors/file/file-record.ts';
import type { FileRoom, FileServices } from '../../files/file-services.ts';
import { findStored, readFile } from '../../files/read-file.ts';
import { tooComplex } from '../../json/json-refusal.ts';
import { JsonScan } from '../../json/json-scan.ts';
import { readInShares } from '../../json/read-in-shares.ts';
import type { LoopWork } from '../../overload/loop-work.ts';
import { GatewayError, invalid, notFound } from '../../terms/gateway-error.ts';
import { INPUT_LINE_TEXTS, parseInputLine, type SubmittedRequest, UniqueIds } from './parse-submission.ts';

export interface InputFile {
  /** Account id. */
  readonly account: string;
  readonly id: string;
  readonly endpoint: BatchEndpoint;
  /** Bounds of one line, beside that of the file. */
  readonly limits: { readonly bodyDepthMax: number; readonly bodyTokensMax: number };
  /** Bounds the bytes of stored files that the node holds. */
  readonly room: FileRoom;
}

export interface InputRequests {
  readonly requests: readonly SubmittedRequest[];
  /** To be called once the requests are no longer held. */
  readonly release: () => void;
}

/**
 * The requests of an uploaded file in the common format: one JSON object with `custom_id`, `method`, `url` and `body` a
 * line; empty lines are skipped. Rejects with GatewayError 404 for a file that the account cannot read, 400 naming the
 * line, and 503 (no room, or the key store is out of reach).
 */
export async function readInputFile(
  files: FileServices,
  { account, id, endpoint, limits, room }: InputFile,
): Promise<InputRequests> {
  const file = await findStored(files, account, id);
  if (file === null) throw notFound('input_file_id names no file of this account');
  if (file.purpose !== 'batch') throw invalid('input_file_id must name a file with the purpose batch');
  const release = await room.take(account, file.bytes);
  try {
    return { requests: await requestsOf(files, file, { endpoint, limits }), release };
  } catch (thrown) {
    release();
    throw thrown;
  }
}

async function requestsOf(
  files: FileServices,
  file: FileRecord,
  { endpoint, limits }: Pick<InputFile, 'endpoint' | 'limits'>,
): Promise<readonly SubmittedRequest[]> {
  const requests: SubmittedRequest[] = [];
  const unique = new UniqueIds();
  let nth = 0;
  const loop = files.background.of(file.account);
  for await (const line of linesOf(await readFile(files, file))) {
    nth++;
    if (line.every(isBlank)) continue;
    if (requests.length === LINES_MAX) throw invalid(`the input file has more than ${LINES_MAX} requests`);
    const request = parseInputLine(await readLine(line, { nth, limits, loop }), nth, endpoint);
    unique.add(request.customId, `line ${nth} of the input file: custom_id`);
    requests.push(request);
  }
  if (requests.length === 0) throw invalid('the input file has no request');
  return requests;
}

interface ReadLine {
  readonly nth: number;
  readonly limits: InputFile['limits'];
  readonly loop: LoopWork;
}

async function readLine(line: readonly Uint8Array[], { nth, limits, loop }: ReadLine): Promise<unknown> {
  const scan = new JsonScan({ depthMax: limits.bodyDepthMax, tokensMax: limits.bodyTokensMax });
  try {
    for (const piece of line) if (!scan.feed(piece)) throw tooComplex(scan.exceeded);
    return await readInShares(line, { loop, tokens: scan.tokens, texts: INPUT_LINE_TEXTS });
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.status === 400) {
      throw invalid(`line ${nth} of the input file: ${thrown.message}`);
    }
    throw thrown;
  }
}

const NEWLINE = 0x0a;

/** The lines, each as the pieces that it arrived in, without the newline. Text in JSON holds no raw newline. */
async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncIterable<readonly Uint8Array[]> {
  let line: Uint8Array[] = [];
  for await (const piece of source) {
    let from = 0;
    for (let to = piece.indexOf(NEWLINE); to >= 0; to = piece.indexOf(NEWLINE, from)) {
      line.push(piece.subarray(from, to));
      yield line;
      line = [];
      from = to + 1;
    }
    line.push(piece.subarray(from));
  }
  yield line;
}

function isBlank(piece: Uint8Array): boolean {
  return piece.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
