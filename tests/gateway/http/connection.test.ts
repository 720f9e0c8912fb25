import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ClientConnection } from '../../../gateway/http/connection.ts';
import type { HttpExchange } from '../../../gateway/http/exchange.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

type Request = Pick<HttpExchange<unknown>, 'response'>;

/** A request as far as a connection reads it; the answer being sent has a `socket`. */
function requestOn(socket: object | null, writableFinished = false): Request {
  const response = Object.assign(new EventEmitter(), { socket, writableFinished, destroy: () => {} });
  return { response } as unknown as Request;
}

it('is idle since its last answer, and not while a request is unanswered', () => {
  const connection = new ClientConnection<Request>({} as Socket, 5, () => requestOn(null));
  assert.is(connection.idleSince, 5);
  const [first, second] = [requestOn({}), requestOn(null)];
  connection.begin(first);
  connection.begin(second);
  assert.is(connection.current, second);
  assert.is(connection.settle(first, 7), true);
  assert.is(connection.idleSince, null);
  assert.is(connection.settle(second, 9), true);
  assert.is(connection.settle(second, 11), false);
  assert.is(connection.idleSince, 9);
  assert.is(connection.current, null);
});

it('notifies the answers queued behind the current one that their client left', async () => {
  const connection = new ClientConnection<Request>({} as Socket, 0, () => requestOn(null));
  const closed: string[] = [];
  const contexts = {
    turn: requestOn({}),
    waiting: requestOn(null),
    done: requestOn(null, true),
    last: requestOn(null),
  };
  for (const [name, context] of Object.entries(contexts)) {
    connection.begin(context);
    context.response.on('close', () => {
      connection.settle(context, 1);
      closed.push(name);
    });
  }
  connection.end();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(closed, ['waiting', 'last']);
});

it('notifies no answer a second time where Node does so itself, as from version 24 on', async () => {
  const connection = new ClientConnection<Request>({} as Socket, 0, () => requestOn(null));
  let closed = 0;
  const context = requestOn(null);
  const destroy = (): void => {
    process.nextTick(() => {
      Object.assign(context.response, { closed: true });
      context.response.emit('close');
    });
  };
  Object.assign(context.response, { destroy }).on('close', () => closed++);
  connection.begin(context);
  connection.end();
  await new Promise((resolve) => setImmediate(resolve));
  assert.is(closed, 1);
});

test.run();
