import { Type } from 'typebox';
import { described } from '../../dialects/request/members.ts';
import { pageMembers } from '../wire/operation.ts';

const id = Type.String({ pattern: '^file_[0-9a-f]{32}$' });

/** The published schema of a file object; a test holds every answer against it. */
export const fileObjectSchema = Type.Object({
  id: described(id, 'Id of the file, which its routes and other requests take.'),
  object: Type.Literal('file', { description: 'Always `file`.' }),
  type: Type.Literal('file', { description: 'Always `file`, for clients of the other dialect.' }),
  filename: Type.String({ description: 'Name that the upload gave the file.' }),
  bytes: Type.Integer({ minimum: 1, description: 'Size of the file in bytes.' }),
  size_bytes: Type.Integer({ minimum: 1, description: 'Equal to `bytes`, for clients of the other dialect.' }),
  mime_type: Type.String({ description: 'Determined from the bytes.' }),
  purpose: Type.String({ description: 'What the upload said the file is for, such as `batch`.' }),
  status: Type.Literal('processed', { description: 'Always `processed`: a file can be used once it is stored.' }),
  downloadable: Type.Literal(true, { description: 'Always true: GET /files/{id}/content returns the bytes.' }),
  created_at: Type.Integer({ description: 'When the upload ended, Unix seconds.' }),
  expires_at: Type.Integer({ description: 'When the file is deleted by itself, Unix seconds.' }),
});

/** The published schema of a page of files. */
export const fileListSchema = Type.Object({
  ...pageMembers('Stored files of the account, by age.', fileObjectSchema, id),
});

/** The published schema of the answer to a deletion. */
export const fileDeletedSchema = Type.Object({
  id: described(id, 'Id of the deleted file.'),
  object: Type.Literal('file', { description: 'Always `file`.' }),
  type: Type.Literal('file_deleted', { description: 'Always `file_deleted`, for clients of the other dialect.' }),
  deleted: Type.Literal(true, { description: 'Always true: it is gone.' }),
});

/** The published schema of an upload form. */
export const fileFormSchema = Type.Object({
  file: described(
    Type.Unsafe<never>({ type: 'string', contentMediaType: 'application/octet-stream' }),
    'The bytes, as a part with a file name.',
  ),
  purpose: Type.Optional(Type.String({ description: 'What the upload said the file is for, such as `batch`.' })),
  'expires_after[anchor]': Type.Optional(
    Type.Literal('created_at', { description: 'From when the lifetime counts: the upload.' }),
  ),
  'expires_after[seconds]': Type.Optional(
    Type.Integer({ minimum: 3_600, maximum: 2_592_000, description: 'Lifetime, one hour to 30 days.' }),
  ),
});
