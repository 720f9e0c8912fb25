import { type Check, Checking } from './check.ts';
import type { FileEvidence, FileRead, UploadSeen } from './file-evidence.ts';

/** Every value opens for at least 49 h, and for no one after 50 h. */
const OPEN_HOURS_MIN = 49;
const KEY_HOURS_MAX = 50;

/** An id that the account cannot read gets one identical 404 on every route, and never bytes. */
export function absentFilesAreAlike(files: FileEvidence): Check {
  const check = new Checking('rule B36', 'unknown, deleted, expired and other accounts’ files get one 404');
  const bodies = new Map<string, string>();
  for (const read of files.reads) {
    if (!isAbsent(files, read)) continue;
    const name = `${read.way} of ${read.id} by ${read.account}`;
    check.expect(read.status !== 200, () => `${name}: answered ${read.status}`);
    if (read.status !== 404 || read.refusal === null) continue;
    // A chat names the place of the id, so it has a text of its own.
    const of = read.way === 'chat' ? 'chat' : 'files';
    const first = bodies.get(of) ?? read.refusal;
    bodies.set(of, first);
    check.expect(read.refusal === first, () => `${name}: ${read.refusal}, another one ${first}`);
  }
  return check.done();
}

/** An acknowledged file can be read, with its own bytes, until it is deleted or expires. */
export function storedFilesStay(files: FileEvidence): Check {
  const check = new Checking('rule B37', 'an acknowledged file is readable with its bytes until its end');
  const uploads = new Map(files.uploads.map((upload) => [upload.id, upload]));
  for (const read of files.reads) {
    const upload = uploads.get(read.id);
    if (!upload || !isReadable(files, upload, read)) continue;
    const name = `${read.way} of ${read.id}`;
    check.expect(read.status !== 404, () => `${name}: 404 ${(read.at - upload.endAt).toFixed(0)} ms after its upload`);
    if (read.digest === null) continue;
    check.expect(read.digest === upload.digest, () => `${name}: bytes ${read.digest}, uploaded ${upload.digest}`);
  }
  const stored = new Set(files.stored.map(({ id }) => id));
  for (const { id, endsAt } of files.uploads) {
    if (id === null || endsAt === null || files.deletions.some((each) => each.id === id)) continue;
    const over = (files.storedAt ?? 0) > endsAt;
    check.expect(over || stored.has(id), () => `${id}: acknowledged, not deleted, and no row of it`);
  }
  return check.done();
}

/** No copy of the stored bytes opens with a key store of 50 h later; before 49 h it does. */
export function copiesDie(files: FileEvidence): Check {
  const check = new Checking('rule B46', 'a copy of the store opens for 49 h and never after 50 h');
  for (const { id, ageHours, place, opened } of files.openings) {
    if (place !== 'own') continue;
    if (ageHours < OPEN_HOURS_MIN) check.expect(opened, () => `${id}: does not open after ${ageHours} h`);
    if (ageHours > KEY_HOURS_MAX) check.expect(!opened, () => `${id}: opens after ${ageHours} h`);
  }
  return check.done();
}

/** The bytes of no sealing key are in any other file. */
export function keysStayApart({ searched }: FileEvidence): Check {
  const check = new Checking('rule B47', 'no sealing key in the database, its log or the logs');
  for (const { file, found } of searched) check.expect(!found, () => `${file} contains a sealing key`);
  return check.done();
}

/** Sealed bytes open for their own account, object and kind only. */
export function sealsAreBound({ openings }: FileEvidence): Check {
  const check = new Checking('rule B48', 'sealed bytes open at their own place only');
  for (const { id, place, opened } of openings) {
    if (place !== 'own') check.expect(!opened, () => `${id}: opens as ${place}`);
  }
  return check.done();
}

/** A sealing key is destroyed 50 h after its hour began. */
export function keysDie({ keyAgesHours }: FileEvidence): Check {
  const check = new Checking('rule B49', 'no sealing key is older than 50 h');
  for (const age of keyAgesHours) check.expect(age <= KEY_HOURS_MAX, () => `a key is ${age} h old`);
  return check.done();
}

/** An upload that was refused leaves no row, and none succeeds while the key store is out of reach. */
export function refusedUploadsLeaveNothing(files: FileEvidence): Check {
  const check = new Checking('rule B44', 'a refused upload stores nothing; without keys there is no upload');
  const names = new Set(files.stored.map(({ filename }) => filename));
  for (const { filename, status, at, endAt } of files.uploads) {
    const keyless = files.keyless.some(({ from, to }) => at >= from && endAt <= to);
    if (keyless) check.expect(status !== 200, () => `${filename}: stored without keys`);
    const refused = status !== null && status !== 200 && (status < 500 || keyless);
    if (refused) check.expect(!names.has(filename), () => `${filename}: answered ${status}, but stored`);
  }
  return check.done();
}

/** The bounds of files in one request. */
export function fileBoundsHold({ refusals, storage = [] }: FileEvidence): Check {
  const check = new Checking(
    'rule B42',
    'too many, too large and doubly named files are refused, as are files without room',
  );
  for (const { account, counted, stored, bytesMax } of storage) {
    check.expect(counted === stored, () => `${account}: counts ${counted} bytes, stores ${stored}`);
    check.expect(stored <= bytesMax, () => `${account}: stores ${stored} bytes of ${bytesMax}`);
  }
  for (const { what, expected, status } of refusals) {
    const unserved = status === null || status >= 500;
    check.expect(unserved || status === expected, () => `${what}: answered ${status} instead of ${expected}`);
  }
  return check.done();
}

/** The account cannot read this id: not its own, deleted before, or past its end. */
function isAbsent({ uploads, deletions, slackMs = 0 }: FileEvidence, { account, id, at }: FileRead): boolean {
  const upload = uploads.find((each) => each.id === id);
  if (upload === undefined || upload.account !== account) return true;
  const deleted = deletions.some((each) => each.id === id && each.status === 200 && each.endAt < at);
  return deleted || (upload.endsAt !== null && at > upload.endsAt + slackMs);
}

/** Certainly readable: uploaded before, no deletion begun, not past its end. */
function isReadable(
  { deletions, slackMs = 0 }: FileEvidence,
  upload: UploadSeen,
  { account, id, at, endAt }: FileRead,
): boolean {
  if (upload.account !== account || upload.endAt > at) return false;
  if (upload.endsAt !== null && endAt >= upload.endsAt - slackMs) return false;
  return !deletions.some((each) => each.id === id && each.at < endAt);
}
