import { Type } from 'typebox';

const id = Type.String({ pattern: '^file_[0-9a-f]{32}$' });

/** The published schema of a file object; a test holds every answer against it. */
export const fileObjectSchema = Type.Object({
  id,
  object: Type.Literal('file'),
  type: Type.Literal('file'),
  filename: Type.String(),
  bytes: Type.Integer({ minimum: 1 }),
  size_bytes: Type.Integer({ minimum: 1 }),
  mime_type: Type.String({ description: 'Determined from the bytes.' }),
  purpose: Type.String(),
  status: Type.Literal('processed'),
  downloadable: Type.Literal(true),
  created_at: Type.Integer({ description: 'Unix seconds.' }),
  expires_at: Type.Integer({ description: 'Unix seconds.' }),
});

/** The published schema of a page of files. */
export const fileListSchema = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(fileObjectSchema),
  first_id: Type.Union([id, Type.Null()]),
  last_id: Type.Union([id, Type.Null()]),
  has_more: Type.Boolean(),
});

/** The published schema of the answer to a deletion. */
export const fileDeletedSchema = Type.Object({
  id,
  object: Type.Literal('file'),
  type: Type.Literal('file_deleted'),
  deleted: Type.Literal(true),
});

/** The published schema of an upload form. */
export const fileFormSchema = Type.Object({
  file: Type.Unsafe<never>({ type: 'string', contentMediaType: 'application/octet-stream' }),
  purpose: Type.Optional(Type.String()),
  'expires_after[anchor]': Type.Optional(Type.Literal('created_at')),
  'expires_after[seconds]': Type.Optional(Type.Integer({ minimum: 3_600, maximum: 2_592_000 })),
});
