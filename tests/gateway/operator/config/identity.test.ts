import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Identity } from '../../../../actors/runtime/index.ts';
import { ConfigError } from '../../../../gateway/operator/config/config-error.ts';
import { readIdentity } from '../../../../gateway/operator/config/identity.ts';
import { Authority } from '../../../support/authority.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const folder = mkdtempSync(join(tmpdir(), 'troupe-identity-'));
test.after(() => rmSync(folder, { recursive: true }));

const ours = await Authority.make();
const theirs = await Authority.make('another');
const good = await ours.issue({ names: ['n1'] });
const hour = 3_600_000;
let files = 0;

function write(text: string): string {
  const path = join(folder, `${++files}.pem`);
  writeFileSync(path, text);
  return path;
}

function read({ ca, certificate, key }: Identity): Promise<Identity> {
  const tls = { ca: write(ca), certificate: write(certificate), key: write(key) };
  return readIdentity(tls, { name: 'n1', member: 'nodes[0].tls', now: Date.now() });
}

async function faultOf(identity: Identity): Promise<string> {
  const error = await read(identity).then(
    () => new Error('it was taken'),
    (thrown: Error) => thrown,
  );
  assert.instance(error, ConfigError, error.message);
  assert.not.match(error.message, /\n/);
  return error.message;
}

it('three matching files are returned unchanged', async () => {
  assert.equal(await read(good), good);
  const both = await ours.issue({ names: ['other', 'n1'] });
  assert.equal(await read({ ...both, ca: theirs.certificate + ours.certificate }), {
    ...both,
    ca: theirs.certificate + ours.certificate,
  });
});

const WRONG: readonly (readonly [string, () => Promise<Identity>, RegExp])[] = [
  [
    'a key of another certificate',
    async () => ({ ...good, key: (await ours.issue({ names: ['n1'] })).key }),
    /^nodes\[0\]\.tls\.key: .* is not the key of .*give both of one pair/,
  ],
  [
    'an expired certificate',
    () => ours.issue({ names: ['n1'], from: new Date(0), until: new Date(Date.now() - hour) }),
    /^nodes\[0\]\.tls\.certificate: .* expired on .*issue a new one for n1/,
  ],
  [
    'one that is not valid yet',
    () => ours.issue({ names: ['n1'], from: new Date(Date.now() + hour) }),
    /not valid before .*correct the clock/,
  ],
  ["another node's certificate", () => ours.issue({ names: ['n2'] }), /is for DNS:n2 and not for DNS:n1/],
  [
    'one of another authority',
    async () => ({ ...(await theirs.issue({ names: ['n1'] })), ca: ours.certificate }),
    /is not issued by .*issue it with that authority/,
  ],
  [
    'no certificate',
    async () => ({ ...good, certificate: 'nothing' }),
    /tls\.certificate: .* holds no certificate; put a PEM file there/,
  ],
  [
    'a damaged authority',
    async () => ({ ...good, ca: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' }),
    /tls\.ca: .* damaged certificate/,
  ],
  ['a file without a key', async () => ({ ...good, key: good.certificate }), /tls\.key: .* is not a private key/],
];

for (const [title, identity, line] of WRONG) {
  it(`the node does not start, and prints the reason in one line, with ${title}`, async () => {
    assert.match(await faultOf(await identity()), line);
  });
}

it('a missing or unreadable file is named with its member', async () => {
  const gone = { ca: write(good.ca), certificate: join(folder, 'nowhere.pem'), key: write(good.key) };
  const where = { name: 'n1', member: 'nodes[2].tls', now: Date.now() };
  const line = async (tls: typeof gone): Promise<string> =>
    readIdentity(tls, where).then(
      () => 'it was taken',
      (error: Error) => error.message,
    );
  assert.match(await line(gone), /^nodes\[2\]\.tls\.certificate: .*nowhere\.pem does not exist; correct the path/);
  assert.match(await line({ ...gone, certificate: folder }), /cannot be read/);
});

test.run();
