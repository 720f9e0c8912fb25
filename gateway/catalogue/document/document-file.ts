import { readFile, stat } from 'node:fs/promises';

/** Size of a models document as text, from a file or from an address. */
export const DOCUMENT_BYTES_MAX = 8 * 1024 * 1024;

/** The text of a models document. Throws an Error that says why there is none, without the path. */
export async function readDocumentFile(path: string): Promise<string> {
  const seen = await stat(path).catch(refuse);
  // A device or a pipe may have no end.
  if (!seen.isFile()) throw new Error('is not a file');
  if (seen.size > DOCUMENT_BYTES_MAX) throw new Error(`is longer than ${DOCUMENT_BYTES_MAX} bytes`);
  return readFile(path, 'utf8').catch(refuse);
}

function refuse({ code }: NodeJS.ErrnoException): never {
  throw new Error(code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`);
}
