import { Type } from 'typebox';
import { deleteFile, listFiles } from '../../../actors/file/file.ts';
import { UPLOAD_PURPOSES } from '../../../actors/file/file-record.ts';
import { ownerOf } from '../../../actors/runtime/index.ts';
import { isFileId } from '../../../actors/terms/ids.ts';
import { sendFileContent } from '../../edge/downloads/file-content.ts';
import type { Downloading } from '../../edge/downloads/write-download.ts';
import { limitOf, textOf } from '../../edge/query/query-values.ts';
import { callerOf, paramOf, type RequestContext, uploadOf } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { noSuchFile, requireFile } from '../../files/read-file.ts';
import { storeUpload } from '../../files/store-upload.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import { invalid } from '../../terms/gateway-error.ts';
import { after, limitTo, type Operations } from '../wire/operation.ts';
import { describeUpload } from './describe-upload.ts';
import { fileObject } from './file-object.ts';
import { fileDeletedSchema, fileFormSchema, fileListSchema, fileObjectSchema } from './file-schema.ts';

const fileId = { id: 'Id of the file, as its upload answered it.' };

/** What the document says of the routes. */
export const FILE_OPERATIONS: Operations = {
  'POST /files': {
    key: 'inference',
    summary: 'Stores a file',
    description: 'At most 32 MiB, kept for up to 48 hours. Requests and batches name the file by its id.',
    answers: 'The stored file.',
    form: { FileForm: fileFormSchema },
    reply: { File: fileObjectSchema },
  },
  'GET /files': {
    key: 'inference',
    summary: 'The stored files of this account, by age',
    description: 'Deleted and expired files are left out.',
    answers: 'A page of files.',
    query: {
      limit: limitTo(1_000),
      after,
      order: Type.String({ description: 'asc: the oldest first; desc, the default: the newest first.' }),
      purpose: Type.String({ description: 'Only files that were uploaded for this purpose.' }),
    },
    reply: { FileList: fileListSchema },
  },
  'GET /files/{id}': {
    key: 'inference',
    summary: 'One stored file',
    description: 'A file that is deleted, expired, unknown or of another account gets the same 404.',
    answers: 'The file, without its bytes.',
    path: fileId,
    reply: { File: fileObjectSchema },
  },
  'DELETE /files/{id}': {
    key: 'inference',
    summary: 'Deletes a stored file',
    description: 'Requests that name it are refused from then on.',
    answers: 'The file is deleted.',
    path: fileId,
    reply: { FileDeleted: fileDeletedSchema },
  },
  'GET /files/{id}/content': {
    key: 'inference',
    summary: 'The bytes of a file, or a range',
    description: 'An attachment of the type that its bytes have. One `Range` is answered with 206.',
    answers: 'The bytes of the file.',
    path: fileId,
    bytes: true,
  },
};

/** Stored files of the caller's account. (rule B36, rule B41) */
export function fileRoutes(parts: Downloading): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/files',
      policy: 'key',
      body: { type: 'upload', fileBytesMax: parts.files.limits.fileBytesMax, fieldsMax: 16, fieldBytesMax: 1_024 },
      answer: (context) => upload(context, parts),
    },
    { method: 'GET', path: '/files', policy: 'key', answer: (context) => list(context, parts) },
    { method: 'GET', path: '/files/:id', policy: 'key', answer: (context) => show(context, parts) },
    { method: 'DELETE', path: '/files/:id', policy: 'key', answer: (context) => remove(context, parts) },
    {
      method: 'GET',
      path: '/files/:id/content',
      policy: 'key',
      answer: (context) => sendFileContent(context, parts),
    },
  ];
}

async function upload(context: RequestContext, { files }: Downloading): Promise<RouteAnswer> {
  const { filename, source, fields } = uploadOf(context);
  const describe = () => describeUpload(filename, fields);
  return json(fileObject(await storeUpload(files, { account: accountOf(context), source, describe })));
}

const PAGE = { usual: 100, most: 1_000 } as const;
const PURPOSES: ReadonlySet<string> = new Set([...UPLOAD_PURPOSES, 'batch_output']);

async function list(context: RequestContext, { files: { cluster } }: Downloading): Promise<RouteAnswer> {
  const query = new URLSearchParams(context.query);
  const limit = limitOf(query, PAGE);
  const order = textOf(query, 'order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw invalid('order must be asc or desc');
  const after = textOf(query, 'after');
  if (after !== null && !isFileId(after)) throw invalid('after must be the id of a file');
  const purpose = textOf(query, 'purpose');
  if (purpose !== null && !PURPOSES.has(purpose)) throw invalid(`purpose must be one of ${[...PURPOSES].join(', ')}`);
  const { files, hasMore } = await listFiles(cluster, accountOf(context), {
    limit,
    after,
    purpose,
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

async function show(context: RequestContext, { files }: Downloading): Promise<RouteAnswer> {
  return json(fileObject(await requireFile(files, accountOf(context), paramOf(context, 'id'))));
}

async function remove(context: RequestContext, { files }: Downloading): Promise<RouteAnswer> {
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
