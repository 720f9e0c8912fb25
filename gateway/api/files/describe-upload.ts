import { type FilePurpose, UPLOAD_PURPOSES } from '../../../actors/file/file-record.ts';
import type { FileDescription } from '../../files/store-upload.ts';
import { invalid } from '../../terms/gateway-error.ts';

/** Bytes of a file name that is kept, in UTF-8; common file systems have the same bound. */
const FILENAME_BYTES_MAX = 255;
const DEFAULT_FILENAME = 'file';
const DEFAULT_PURPOSE = 'user_data';
/** Bounds of the OpenAI files API, in seconds. */
const LIFETIME_SECONDS = { min: 3_600, max: 2_592_000 } as const;

/** Fields by name, with every value of each. */
type Fields = ReadonlyMap<string, readonly string[]>;

/** Reads the form fields of an upload, the last value of each; throws GatewayError 400 naming the field. (rule B39) */
export function describeUpload(filename: string, fields: Fields): FileDescription {
  return {
    filename: cleanFilename(filename),
    purpose: purposeOf(lastOf(fields, 'purpose')),
    lifetimeMs: lifetimeOf(fields),
  };
}

function purposeOf(purpose = DEFAULT_PURPOSE): FilePurpose {
  const known = UPLOAD_PURPOSES.find((one) => one === purpose);
  if (known === undefined) throw invalid(`purpose must be one of ${UPLOAD_PURPOSES.join(', ')}`);
  return known;
}

function lastOf(fields: Fields, name: string): string | undefined {
  return fields.get(name)?.at(-1);
}

function lifetimeOf(fields: Fields): number | null {
  const anchor = lastOf(fields, 'expires_after[anchor]');
  const seconds = lastOf(fields, 'expires_after[seconds]');
  if (anchor !== undefined && anchor !== 'created_at') throw invalid('expires_after[anchor] must be created_at');
  if (seconds === undefined) {
    if (anchor !== undefined) throw invalid('expires_after[seconds] is required with expires_after[anchor]');
    return null;
  }
  const { min, max } = LIFETIME_SECONDS;
  const value = /^\d{1,9}$/.test(seconds) ? Number(seconds) : Number.NaN;
  if (!(value >= min && value <= max)) throw invalid(`expires_after[seconds] must be an integer from ${min} to ${max}`);
  return value * 1_000;
}

/** Any script is kept; control characters and direction overrides are removed, and the end is cut to the bound. */
function cleanFilename(filename: string): string {
  let clean = filename
    .toWellFormed()
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
  while (Buffer.byteLength(clean) > FILENAME_BYTES_MAX) clean = [...clean].slice(0, -1).join('');
  return clean === '' ? DEFAULT_FILENAME : clean;
}
