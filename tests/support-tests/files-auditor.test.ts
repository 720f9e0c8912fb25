import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { auditFiles } from '../support/auditor/audit-files.ts';
import type { FileEvidence, FileRead } from '../support/auditor/file-evidence.ts';
import { bounded } from '../support/bounded.ts';

const it = bounded(test);

const NOT_FOUND = '{"error":{"message":"No such file"}}';
const OPENED = { id: 'file_1', place: 'own', ageHours: 0, opened: true } as const;

function read(over: Partial<FileRead> = {}): FileRead {
  const plain = { account: 'a', id: 'file_1', way: 'content', at: 30, endAt: 40 } as const;
  return { ...plain, status: 200, digest: 'd1', refusal: null, ...over };
}

const absent = (over: Partial<FileRead> = {}): FileRead =>
  read({ status: 404, digest: null, refusal: NOT_FOUND, ...over });

/** A file that stays, one that is deleted, a refused upload, and one while the key store was out of reach. */
function clean(): FileEvidence {
  const upload = { account: 'a', at: 10, endAt: 20, status: 200, endsAt: 1_000 };
  return {
    uploads: [
      { ...upload, filename: 'f1', digest: 'd1', id: 'file_1' },
      { ...upload, filename: 'f2', digest: 'd2', id: 'file_2' },
      { ...upload, filename: 'f3', digest: 'd3', id: null, endsAt: null, status: 413 },
      { ...upload, filename: 'f4', digest: 'd4', id: null, endsAt: null, status: 503, at: 210, endAt: 220 },
    ],
    reads: [
      read(),
      read({ way: 'record', digest: null }),
      absent({ account: 'b' }),
      absent({ id: 'file_x', way: 'record' }),
      absent({ id: 'file_2', at: 120, endAt: 125 }),
    ],
    deletions: [{ account: 'a', id: 'file_2', at: 100, endAt: 110, status: 200 }],
    refusals: [{ what: '17 files', expected: 400, status: 400 }],
    keyless: [{ from: 200, to: 230 }],
    stored: [{ account: 'a', id: 'file_1', filename: 'f1' }],
    openings: [OPENED, { ...OPENED, ageHours: 51, opened: false }, { ...OPENED, place: 'other kind', opened: false }],
    keyAgesHours: [1],
    searched: [{ file: 'troupe.db', found: false }],
  };
}

it('a valid run of files is clean, and every rule examined something', () => {
  for (const check of auditFiles(clean())) {
    assert.equal(check.violations, [], check.id);
    assert.ok(check.examined > 0, `${check.id} examined nothing`);
  }
});

const LIES: readonly (readonly [check: string, title: string, bend: (files: FileEvidence) => Partial<FileEvidence>])[] =
  [
    ['rule B36', 'a file that another account reads', (f) => ({ reads: [...f.reads, read({ account: 'b' })] })],
    ['rule B36', 'a 404 that differs', (f) => ({ reads: [...f.reads, absent({ account: 'b', refusal: 'gone' })] })],
    ['rule B36', 'a deleted file that is read', (f) => ({ reads: [...f.reads, read({ id: 'file_2', at: 130 })] })],
    ['rule B36', 'a file read past its end', (f) => ({ reads: [...f.reads, read({ at: 1_001, endAt: 1_002 })] })],
    ['rule B37', 'an acknowledged file that is not found', (f) => ({ reads: [...f.reads, absent()] })],
    ['rule B37', 'a file with other bytes', (f) => ({ reads: [...f.reads, read({ digest: 'd9' })] })],
    ['rule B37', 'an acknowledged file without a row', () => ({ stored: [] })],
    ['rule B46', 'a copy that opens after 50 h', (f) => ({ openings: [...f.openings, { ...OPENED, ageHours: 50.1 }] })],
    [
      'rule B46',
      'a copy that does not open after 48 h',
      (f) => ({ openings: [...f.openings, { ...OPENED, ageHours: 48, opened: false }] }),
    ],
    ['rule B47', 'a key in the database', () => ({ searched: [{ file: 'troupe.db', found: true }] })],
    [
      'rule B48',
      'bytes that open for another account',
      (f) => ({ openings: [...f.openings, { ...OPENED, place: 'other account' }] }),
    ],
    ['rule B49', 'a key that outlives its time', () => ({ keyAgesHours: [50.5] })],
    [
      'rule B44',
      'a refused upload that is stored',
      (f) => ({ stored: [...f.stored, { account: 'a', id: 'file_3', filename: 'f3' }] }),
    ],
    [
      'rule B44',
      'an upload without keys',
      (f) => ({
        uploads: f.uploads.map((upload) => (upload.filename === 'f4' ? { ...upload, status: 200 } : upload)),
      }),
    ],
    ['rule B42', 'too many files that are served', () => ({ refusals: [{ what: '17', expected: 400, status: 200 }] })],
  ];

for (const [id, title, bend] of LIES) {
  it(`${id} reports ${title}`, () => {
    const files = clean();
    const broken = auditFiles({ ...files, ...bend(files) }).filter((check) => check.violations.length > 0);
    assert.ok(
      broken.some((check) => check.id === id),
      `reported: ${broken.map((check) => check.id).join(', ') || 'nothing'}`,
    );
  });
}

test.run();
