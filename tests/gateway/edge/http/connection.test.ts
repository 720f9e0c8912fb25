import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readCredential } from '../../../../gateway/edge/auth/request-credential.ts';
import { ClientConnection } from '../../../../gateway/edge/http/connection.ts';
import type { RequestContext } from '../../../../gateway/edge/request-context.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test, 5_000);

/** A request as far as a connection looks at it; its answer has a `socket` while it is the one that is sent. */
function asked(socket: object | null, writableFinished = false): RequestContext {
  const response = Object.assign(new EventEmitter(), { socket, writableFinished, destroy: () => {} });
  return { response } as unknown as RequestContext;
}

it('is idle since the last answer that was owed, and not while one is', () => {
  const connection = new ClientConnection({} as Socket, 5);
  assert.is(connection.idleSince, 5);
  const [first, second] = [asked({}), asked(null)];
  connection.owe(first);
  connection.owe(second);
  assert.is(connection.current, second);
  assert.is(connection.settle(first, 7), true);
  assert.is(connection.idleSince, null);
  assert.is(connection.settle(second, 9), true);
  assert.is(connection.settle(second, 11), false);
  assert.is(connection.idleSince, 9);
  assert.is(connection.current, null);
});

it('tells those who wait behind the answer whose turn it is that their caller left', () => {
  const connection = new ClientConnection({} as Socket, 0);
  const told: string[] = [];
  const owed = { turn: asked({}), waiting: asked(null), done: asked(null, true), last: asked(null) };
  for (const [name, context] of Object.entries(owed)) {
    connection.owe(context);
    context.response.on('close', () => {
      connection.settle(context, 1);
      told.push(name);
    });
  }
  connection.end();
  assert.equal(told, ['waiting', 'last']);
});

it('reads the same credential as any reader, whatever the request before it had', () => {
  const connection = new ClientConnection({} as Socket, 0);
  const bearer = 'Bearer sk-1';
  const heads: (readonly [readonly string[], readonly string[]])[] = [
    [[bearer], []],
    [[bearer], []],
    [['Bearer sk-2'], []],
    [['Basic sk-2'], []],
    [[], []],
    [[bearer], ['sk-1']],
    [[bearer], ['sk-2']],
    [[bearer, bearer], []],
    [[], ['sk-2']],
    [[bearer], []],
  ];
  for (const [authorizations, apiKeys] of heads) {
    const head = { authorizations, apiKeys, hosts: 1, count: 2 };
    assert.equal(connection.presented(head), readCredential(head));
  }
});

test.run();
