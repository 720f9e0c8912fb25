import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Connection } from '../../../../gateway/edge/http/connection.ts';
import { readPresented } from '../../../../gateway/edge/presented.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test, 5_000);

/** An answer as far as a connection looks at it; `socket` while it is its turn. */
function answer(socket: object | null, writableFinished = false): ServerResponse {
  return Object.assign(new EventEmitter(), {
    socket,
    writableFinished,
    destroy: () => {},
  }) as unknown as ServerResponse;
}

it('is idle since the last answer that was owed, and not while one is', () => {
  const connection = new Connection({} as Socket, 5);
  assert.is(connection.idleSince, 5);
  const [first, second] = [answer({}), answer(null)];
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
  const connection = new Connection({} as Socket, 0);
  const told: string[] = [];
  const owed = { turn: answer({}), waiting: answer(null), done: answer(null, true), last: answer(null) };
  for (const [name, response] of Object.entries(owed)) {
    connection.owe(response);
    response.on('close', () => {
      connection.settle(response, 1);
      told.push(name);
    });
  }
  connection.end();
  assert.equal(told, ['waiting', 'last']);
});

it('reads the same credential as any reader, whatever the request before it had', () => {
  const connection = new Connection({} as Socket, 0);
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
    assert.equal(connection.presented(head), readPresented(head));
  }
});

test.run();
