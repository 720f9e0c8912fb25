/** A signed post passes the verifiers that users are given, and nothing else does. */
import { createHmac } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { secretsAt, signatureOf, signingSecret } from '../../../../gateway/jobs/webhook/signing-secret.ts';
import { bounded } from '../../../support/bounded.ts';
import { type Received, verifyInNode, verifyInPython } from '../../../support/webhook/documented-verifier.ts';

const it = bounded(test, 30_000);
const SECRET = `whsec_${'5a'.repeat(32)}`;
const NOW = 1_763_690_000;
const BODIES = [
  '',
  '{}',
  '{"text":"añ🎬\\u0000"}',
  '{ "b": 1.0, "a": 0.100000000000000000000001 }',
  JSON.stringify('x'.repeat(1024 * 1024)),
];

function received(body: string, members: Partial<Received> = {}): Received {
  return { body, header: signatureOf(body, [SECRET], NOW * 1_000 + 999), secret: SECRET, now: NOW, ...members };
}

function holds(one: Received): boolean {
  try {
    verifyInNode(one);
    return true;
  } catch (error) {
    // An empty body is signed as any other; only its JSON cannot be read.
    if (one.body === '' && error instanceof SyntaxError) return true;
    assert.match(String(error), /signature/);
    return false;
  }
}

it('the signature is the HMAC of time, dot and exact bytes, in the published form (rule V41)', () => {
  const hex = createHmac('sha256', SECRET)
    .update(Buffer.from(`${NOW}.{"a":"ä"}`))
    .digest('hex');
  assert.is(signatureOf('{"a":"ä"}', [SECRET], NOW * 1_000 + 999), `t=${NOW},v1=${hex}`);
  assert.match(signatureOf('', [SECRET, 'other'], NOW * 1_000), /^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
});

it('the documented verifiers accept every body, with UTF-8, empty, and of 1 MiB (rule V41)', () => {
  for (const body of BODIES) assert.ok(holds(received(body)), body.slice(0, 40));
  assert.equal(verifyInNode(received(BODIES[2] as string)), { text: 'añ🎬\u0000' });
});

const CASES: readonly (readonly [boolean, Received])[] = [
  [true, received('{"a":1}')],
  [true, received('{"a":1}', { now: NOW + 300 })],
  [true, received('{"a":1}', { now: NOW - 300 })],
  [true, received('{"a":1}', { header: signatureOf('{"a":1}', ['another', SECRET], NOW * 1_000) })],
  [false, received('{"a":1}', { now: NOW + 301 })],
  [false, received('{"a":1}', { now: NOW - 301 })],
  [false, received('{"a":1}', { secret: `whsec_${'5b'.repeat(32)}` })],
  [false, received('{"a":1}', { body: '{"a": 1}' })],
  [false, received('{"a":1}', { body: JSON.stringify({ a: 1, b: 2 }) })],
  [false, received('{"a":1}', { header: '' })],
  [false, received('{"a":1}', { header: `t=${NOW}` })],
  [false, received('{"a":1}', { header: `t=${NOW},v1=` })],
  [false, received('{"a":1}', { header: `t=${NOW},v1=zz` })],
  [false, received('{"a":1}', { header: signatureOf('{"a":1}', [SECRET], NOW * 1_000).replace('v1=', 'v0=') })],
  [false, received('{"a":1}', { header: signatureOf('{"a":1}', [SECRET], NOW * 1_000).slice(0, -2) })],
  [false, received('{"a":1}', { header: signatureOf('{"a":1}', [SECRET], NOW * 1_000).replace('t=', 't=1') })],
  [false, received('{"a":1}', { header: signatureOf('{"a":1}', [SECRET], NOW * 1_000).replace(/t=\d+/, 't=NaN') })],
];

it('a written-again body, a replay, another secret and a damaged header are refused (rule V41)', () => {
  for (const [at, [accepted, one]] of CASES.entries()) assert.is(holds(one), accepted, `case ${at}: ${one.header}`);
});

it('the verifier in Python agrees, where there is a Python', () => {
  const answers = verifyInPython(CASES.map(([, one]) => one));
  if (answers !== null) {
    assert.equal(
      answers,
      CASES.map(([accepted]) => accepted),
    );
  }
});

it('a secret follows from pepper, account and version alone, and two sign during an overlap (rule V42)', () => {
  const pepper = Buffer.alloc(32, 7);
  const version = { version: 1, mintedAt: 5 };
  const secret = signingSecret(pepper, 'acct_1', version);
  assert.match(secret, /^whsec_[0-9a-f]{64}$/);
  assert.is(signingSecret(pepper, 'acct_1', { ...version }), secret);
  const others = [
    signingSecret(pepper, 'acct_2', version),
    signingSecret(pepper, 'acct_1', { version: 2, mintedAt: 5 }),
    signingSecret(pepper, 'acct_1', { version: 1, mintedAt: 6 }),
    signingSecret(Buffer.alloc(32, 8), 'acct_1', version),
  ];
  assert.is(new Set([secret, ...others]).size, 5);
  const current = { version: 2, mintedAt: 9 };
  const signing = { current, previous: { ...version, validUntil: 100 } };
  const both = [signingSecret(pepper, 'acct_1', current), secret];
  assert.equal(secretsAt(pepper, 'acct_1', { signing, now: 99 }), both);
  assert.equal(secretsAt(pepper, 'acct_1', { signing, now: 100 }), both.slice(0, 1));
});

test.run();
