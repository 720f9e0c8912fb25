import { deleteFile, listFiles } from '../../../actors/file/file.ts';
import { UPLOAD_PURPOSES } from '../../../actors/file/file-record.ts';
import { ownerOf } from '../../../actors/runtime/index.ts';
import { isFileId } from '../../../actors/terms/ids.ts';
import { type FormFileParts, storeFormFile } from '../../edge/body/store-form-file.ts';
import { sendFileContent } from '../../edge/downloads/file-content.ts';
import type { Downloading } from '../../edge/downloads/write-download.ts';
import { limitOf, textOf } from '../../edge/query/query-values.ts';
import { callerOf, paramOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { noSuchFile, requireFile } from '../../files/read-file.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import { invalid } from '../../terms/gateway-error.ts';
import { describeUpload } from './describe-upload.ts';
import { fileObject } from './file-object.ts';

export interface FileParts extends Downloading, FormFileParts {}

/** Stored files of the caller's account. (rule B36, rule B41) */
export function fileRoutes(parts: FileParts): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/files',
      policy: 'key',
      body: 'none',
      answer: (context) => upload(context, parts),
    },
    { method: 'GET', path: '/files', policy: 'key', body: 'none', answer: (context) => list(context, parts) },
    { method: 'GET', path: '/files/:id', policy: 'key', body: 'none', answer: (context) => show(context, parts) },
    { method: 'DELETE', path: '/files/:id', policy: 'key', body: 'none', answer: (context) => remove(context, parts) },
    {
      method: 'GET',
      path: '/files/:id/content',
      policy: 'key',
      body: 'none',
      answer: (context) => sendFileContent(context, parts),
    },
  ];
}

async function upload(context: RequestContext, parts: FileParts): Promise<RouteAnswer> {
  const file = { account: accountOf(context), describe: describeUpload };
  return json(fileObject(await storeFormFile(context, parts, file)));
}

const PAGE = { usual: 100, most: 1_000 } as const;
const PURPOSES: ReadonlySet<string> = new Set([...UPLOAD_PURPOSES, 'batch_output']);

async function list(context: RequestContext, { files: { cluster } }: FileParts): Promise<RouteAnswer> {
  const query = new URLSearchParams(context.query);
  const limit = limitOf(query, PAGE);
  const order = textOf(query, 'order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw invalid('order must be asc or desc');
  const after = textOf(query, 'after');
  if (after !== null && !isFileId(after)) throw invalid('after must be the id of a file');
  const purpose = textOf(query, 'purpose');
  if (purpose !== null && !PURPOSES.has(purpose)) throw invalid(`purpose must be one of ${[...PURPOSES].join(', ')}`);
  const { files, hasMore } = await listFiles(cluster, accountOf(context), {
    ...{ limit, after, purpose },
    order: order === 'asc' ? 'ascending' : 'descending',
  });
  return json({
    object: 'list',
    data: files.map(fileObject),
    first_id: files.at(0)?.id ?? null,
    last_id: files.at(-1)?.id ?? null,
    has_more: hasMore,
  });
}

async function show(context: RequestContext, { files }: FileParts): Promise<RouteAnswer> {
  return json(fileObject(await requireFile(files, accountOf(context), paramOf(context, 'id'))));
}

async function remove(context: RequestContext, { files }: FileParts): Promise<RouteAnswer> {
  const file = await requireFile(files, accountOf(context), paramOf(context, 'id'));
  if (!(await deleteFile(files.cluster, file, files.askMs))) throw noSuchFile();
  return json({ id: file.id, object: 'file', type: 'file_deleted', deleted: true });
}

/** The id of the caller's account. */
function accountOf(context: RequestContext): string {
  return ownerOf(callerOf(context).key);
}

function json(value: object): RouteAnswer {
  return jsonAnswer(JSON.stringify(value));
}
