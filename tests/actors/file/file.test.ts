import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accountKind } from '../../../actors/account/account.ts';
import { fileKind } from '../../../actors/file/file.ts';
import type { FileRecord } from '../../../actors/file/file-record.ts';
import { timeOfId } from '../../../actors/terms/ids.ts';
import { bounded } from '../../support/bounded.ts';
import { PureActors } from '../../support/model/pure-actors.ts';
import { ACCOUNT, START } from '../../support/model/words.ts';

const it = bounded(test, 5_000);
const HOUR = 3_600_000;
const OWNER = ACCOUNT.slice('account:'.length);
const ID = `file_${START.toString(16).padStart(12, '0')}${'ab'.repeat(10)}`;
const FILE = `file:${OWNER}/${ID}`;
const LIFETIME = 48 * HOUR;

const file = (bytes: number, id = ID) => ({
  ...{ id, account: OWNER, filename: 'résumé.pdf', bytes, mimeType: 'application/pdf', purpose: 'user_data' },
  blob: { id: 'blob_1', bytes, head: 'sealed' },
});
const store = (bytes: number, accountBytesMax = 1_000, id = ID) => ({
  ...{ type: 'file.store', file: file(bytes, id), lifetimeMs: LIFETIME, accountBytesMax },
});

function open(): PureActors {
  const actors = new PureActors([accountKind(), fileKind], START);
  actors.tell(ACCOUNT, { type: 'account.create', name: 'Ada' } as never);
  return actors;
}

const row = (actors: PureActors) => actors.row<FileRecord>(FILE, 'file', ID);
const storedBytes = (actors: PureActors) => actors.context<{ storedBytes: number }>(ACCOUNT).storedBytes;

it('is stored with its row, its expiry and the bytes of its account in one commit, once', () => {
  const actors = open();
  const answer = actors.ask<{ createdAt: number; expiresAt: number }>(FILE, store(400));
  assert.is(answer.createdAt, START);
  assert.is(answer.expiresAt, START + LIFETIME);
  assert.equal(row(actors), { ...file(400), createdAt: START, expiresAt: START + LIFETIME });
  assert.is(storedBytes(actors), 400);
  actors.advance(1_000);
  assert.equal(actors.ask(FILE, store(400)), answer, 'a repeat returns what was recorded');
  assert.is(storedBytes(actors), 400);
});

it('is readable until 48 hours after it was stored, and forgotten 48 hours later (rule B37)', () => {
  const actors = open();
  actors.tell(FILE, store(400));
  actors.advance(LIFETIME - 1);
  assert.is(actors.state(FILE), 'stored');
  assert.ok(row(actors));
  actors.advance(1);
  assert.is(actors.state(FILE), 'expired');
  assert.is(row(actors), null);
  assert.is(storedBytes(actors), 0);
  assert.is(actors.timers.size, 1);
  assert.match(actors.explain(FILE).join(), /expired/);
});

it('a deleted file has no row; only a repeat of the deletion is confirmed', () => {
  const actors = open();
  actors.tell(FILE, store(400));
  assert.equal(actors.ask(FILE, { type: 'file.delete' }), { deleted: true });
  assert.is(actors.state(FILE), 'deleted');
  assert.is(row(actors), null);
  assert.is(storedBytes(actors), 0);
  assert.equal(actors.ask(FILE, { type: 'file.delete', repeat: true } as never), { deleted: true });
  assert.equal(actors.ask(FILE, { type: 'file.delete' }), { deleted: false });
  assert.is(storedBytes(actors), 0);
  actors.advance(LIFETIME + 1);
  assert.is(actors.timers.size, 0);
});

it('is refused whole when the account would have more bytes than its bound (rule B40)', () => {
  const actors = open();
  const second = `${ID.slice(0, -2)}ff`;
  actors.tell(FILE, store(600));
  assert.throws(() => actors.tell(`file:${OWNER}/${second}`, store(401, 1_000, second)), /does not take storage.take/);
  assert.is(actors.snapshots.has(`file:${OWNER}/${second}`), false);
  actors.tell(`file:${OWNER}/${second}`, store(400, 1_000, second));
  assert.is(storedBytes(actors), 1_000);
});

it('the time in an id orders files without a look-up', () => {
  assert.is(timeOfId(ID), START);
});

test.run();
