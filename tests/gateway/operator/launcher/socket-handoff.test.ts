import type { Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Clock } from '../../../../actors/runtime/index.ts';
import type { ToNode } from '../../../../gateway/operator/launcher/message.ts';
import { type HandoffNode, SocketHandoff } from '../../../../gateway/operator/launcher/socket-handoff.ts';

class FakeTaker implements HandoffNode {
  readonly said: ToNode[] = [];
  readonly offered: { id: number; socket: Socket }[] = [];
  open = true;
  say(message: ToNode): void {
    this.said.push(message);
  }
  offer(id: number, socket: Socket): void {
    this.offered.push({ id, socket });
  }
  get last(): number {
    return this.offered.at(-1)?.id ?? 0;
  }
}

class FakeSocket {
  destroyed = false;
  destroy(): void {
    this.destroyed = true;
  }
}

function table(takers: FakeTaker[], options: { max?: number; waitMs?: number } = {}) {
  let now = 0;
  let due: { at: number; run: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    after(delayMs, run) {
      const one = { at: now + delayMs, run };
      due.push(one);
      return () => {
        due = due.filter((other) => other !== one);
      };
    },
  };
  const refused: FakeSocket[] = [];
  let turn = 0;
  const handOffs = new SocketHandoff({
    clock,
    ackMs: 300,
    max: options.max ?? 10,
    waitMs: options.waitMs ?? 10_000,
    next: (busy) => {
      for (let i = 0; i < takers.length; i++) {
        const taker = takers[(turn + i) % takers.length];
        if (!taker?.open || busy(taker)) continue;
        turn = (turn + i + 1) % takers.length;
        return taker;
      }
      return null;
    },
    refuse: (socket) => refused.push(socket as unknown as FakeSocket),
  });
  const connect = (): FakeSocket => {
    const socket = new FakeSocket();
    handOffs.accept(socket as unknown as Socket);
    return socket;
  };
  const pass = (ms: number): void => {
    now += ms;
    for (const one of due.filter(({ at }) => at <= now)) {
      due = due.filter((other) => other !== one);
      one.run();
    }
  };
  return { handOffs, connect, pass, refused };
}

test('the copy is kept until the node has taken the connection', () => {
  const node = new FakeTaker();
  const { handOffs, connect } = table([node]);
  const socket = connect();
  handOffs.ack(node, node.last);
  assert.equal(node.said, [{ type: 'go', id: node.last }]);
  assert.is(socket.destroyed, false);
  handOffs.taken(node, node.last);
  assert.is(socket.destroyed, true);
  assert.is(handOffs.size, 0);
});

test('an offer not acknowledged in time goes to another node, and the late acknowledgement gets a no', () => {
  const [a, b] = [new FakeTaker(), new FakeTaker()];
  const { handOffs, connect, pass } = table([a, b]);
  connect();
  const late = a.last;
  pass(299);
  assert.is(b.offered.length, 0);
  pass(1);
  assert.is(b.offered.length, 1);
  assert.is.not(b.last, late);
  handOffs.ack(a, late);
  assert.equal(a.said, [{ type: 'no', id: late }]);
  handOffs.ack(b, b.last);
  handOffs.taken(b, b.last);
  assert.is(handOffs.size, 0);
});

test('a node that owes an acknowledgement is offered nothing more until it comes', () => {
  const [a, b] = [new FakeTaker(), new FakeTaker()];
  const { handOffs, connect, pass } = table([a, b]);
  connect();
  const late = a.last;
  pass(300);
  handOffs.ack(b, b.last);
  for (let i = 0; i < 3; i++) {
    connect();
    handOffs.ack(b, b.last);
  }
  assert.is(a.offered.length, 1);
  handOffs.ack(a, late);
  connect();
  connect();
  assert.is(a.offered.length, 2);
});

test('after go a connection comes back only with the end of the process', () => {
  const [a, b] = [new FakeTaker(), new FakeTaker()];
  const { handOffs, connect, pass } = table([a, b]);
  const socket = connect();
  handOffs.ack(a, a.last);
  pass(60_000);
  assert.is(b.offered.length, 0);
  a.open = false;
  handOffs.gone(a);
  assert.is(b.offered.length, 1);
  assert.is(socket.destroyed, false);
});

test('what a dead node had taken is not offered again', () => {
  const [a, b] = [new FakeTaker(), new FakeTaker()];
  const { handOffs, connect } = table([a, b]);
  connect();
  handOffs.ack(a, a.last);
  handOffs.taken(a, a.last);
  a.open = false;
  handOffs.gone(a);
  assert.is(b.offered.length, 0);
});

test('a declined connection goes on to the next node', () => {
  const [a, b] = [new FakeTaker(), new FakeTaker()];
  const { handOffs, connect } = table([a, b]);
  connect();
  a.open = false;
  handOffs.decline(a, a.last);
  assert.is(b.offered.length, 1);
});

test('words of a node about an offer of another change nothing', () => {
  const [a, b] = [new FakeTaker(), new FakeTaker()];
  const { handOffs, connect } = table([a, b]);
  const socket = connect();
  handOffs.taken(b, a.last);
  handOffs.ack(b, a.last);
  assert.equal(b.said, [{ type: 'no', id: a.last }]);
  assert.is(socket.destroyed, false);
  assert.is(handOffs.size, 1);
});

test('connections wait while no node is free, in order, up to the bound', () => {
  const node = new FakeTaker();
  node.open = false;
  const { handOffs, connect, refused } = table([node], { max: 3 });
  const sockets = [connect(), connect(), connect(), connect()];
  assert.equal(refused, [sockets[3]]);
  node.open = true;
  handOffs.pump();
  for (const socket of sockets.slice(0, 3)) {
    assert.is(node.offered.at(-1)?.socket as unknown, socket);
    handOffs.ack(node, node.last);
  }
});

test('a connection nobody took for too long is refused', () => {
  const node = new FakeTaker();
  node.open = false;
  const { handOffs, connect, pass, refused } = table([node], { waitMs: 1_000 });
  const first = connect();
  pass(500);
  connect();
  pass(500);
  handOffs.expire();
  assert.equal(refused, [first]);
  assert.is(handOffs.size, 1);
});

test('once closed, what waits and what comes back is refused, what is on its way may arrive', () => {
  const [a, b] = [new FakeTaker(), new FakeTaker()];
  const { handOffs, connect, refused } = table([a, b]);
  const taken = connect();
  const lost = connect();
  const waiting = connect();
  handOffs.close();
  assert.equal(refused, [waiting]);
  handOffs.ack(a, a.last);
  handOffs.taken(a, a.last);
  assert.is(taken.destroyed, true);
  handOffs.gone(b);
  assert.equal(refused, [waiting, lost]);
  assert.is(handOffs.size, 0);
});

test.run();
