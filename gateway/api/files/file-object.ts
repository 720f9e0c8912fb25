import type { FileRecord } from '../../../actors/file/file-record.ts';

/** A stored file as the API shows it: the members of every common SDK. Times are Unix seconds. (rule B38) */
interface FileObject {
  readonly id: string;
  readonly object: 'file';
  readonly type: 'file';
  readonly filename: string;
  readonly bytes: number;
  readonly size_bytes: number;
  readonly mime_type: string;
  readonly purpose: string;
  readonly status: 'processed';
  readonly downloadable: true;
  readonly created_at: number;
  readonly expires_at: number;
}

export function fileObject({ id, filename, bytes, mimeType, purpose, createdAt, expiresAt }: FileRecord): FileObject {
  return {
    id,
    object: 'file',
    type: 'file',
    filename,
    bytes,
    size_bytes: bytes,
    mime_type: mimeType,
    purpose,
    status: 'processed',
    downloadable: true,
    created_at: Math.floor(createdAt / 1_000),
    expires_at: Math.floor(expiresAt / 1_000),
  };
}
