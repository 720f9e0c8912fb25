import type { Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Clock } from '../../../../actors/runtime/index.ts';
import type { ToNode } from '../../../../gateway/operator/launcher/message.ts';
import { type HandoffNode, SocketHandoff } from '../../../../gateway/operator/launcher/socket-handoff.ts';

class FakeNode implements HandoffNode {
  readonly sent: ToNode[] = [];
  readonly offered: { id: number; socket: Socket }[] = [];
  open = true;
  send(message: ToNode): void {
    this.sent.push(message);
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
  readonly remoteAddress: string;
  constructor(remoteAddress = '10.0.0.1') {
    this.remoteAddress = remoteAddress;
  }
  destroy(): void {
    this.destroyed = true;
  }
}

function table(nodes: FakeNode[], options: { max?: number; waitMs?: number } = {}) {
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
  const handoff = new SocketHandoff({
    clock,
    ackMs: 300,
    max: options.max ?? 10,
    waitMs: options.waitMs ?? 10_000,
    next: (busy) => {
      for (let i = 0; i < nodes.length; i++) {
        const node = nodes[(turn + i) % nodes.length];
        if (!node?.open || busy(node)) continue;
        turn = (turn + i + 1) % nodes.length;
        return node;
      }
      return null;
    },
    refuse: (socket) => refused.push(socket as unknown as FakeSocket),
  });
  const connect = (address?: string): FakeSocket => {
    const socket = new FakeSocket(address);
    handoff.accept(socket as unknown as Socket);
    return socket;
  };
  const pass = (ms: number): void => {
    now += ms;
    for (const one of due.filter(({ at }) => at <= now)) {
      due = due.filter((other) => other !== one);
      one.run();
    }
  };
  return { handoff, connect, pass, refused };
}

test('the launcher keeps its copy until the node has taken the connection', () => {
  const node = new FakeNode();
  const { handoff, connect } = table([node]);
  const socket = connect();
  handoff.ack(node, node.last);
  assert.equal(node.sent, [{ type: 'go', id: node.last }]);
  assert.is(socket.destroyed, false);
  handoff.taken(node, node.last);
  assert.is(socket.destroyed, true);
  assert.is(handoff.size, 0);
});

test('an offer without a timely acknowledgement goes to another node, and the late acknowledgement gets a no', () => {
  const [a, b] = [new FakeNode(), new FakeNode()];
  const { handoff, connect, pass } = table([a, b]);
  connect();
  const late = a.last;
  pass(299);
  assert.is(b.offered.length, 0);
  pass(1);
  assert.is(b.offered.length, 1);
  assert.is.not(b.last, late);
  handoff.ack(a, late);
  assert.equal(a.sent, [{ type: 'no', id: late }]);
  handoff.ack(b, b.last);
  handoff.taken(b, b.last);
  assert.is(handoff.size, 0);
});

test('a node with an unanswered offer receives no other', () => {
  const [a, b] = [new FakeNode(), new FakeNode()];
  const { handoff, connect, pass } = table([a, b]);
  connect();
  const late = a.last;
  pass(300);
  handoff.ack(b, b.last);
  for (let i = 0; i < 3; i++) {
    connect();
    handoff.ack(b, b.last);
  }
  assert.is(a.offered.length, 1);
  handoff.ack(a, late);
  connect();
  connect();
  assert.is(a.offered.length, 2);
});

test('after go a connection returns only at the end of the process', () => {
  const [a, b] = [new FakeNode(), new FakeNode()];
  const { handoff, connect, pass } = table([a, b]);
  const socket = connect();
  handoff.ack(a, a.last);
  pass(60_000);
  assert.is(b.offered.length, 0);
  a.open = false;
  handoff.gone(a);
  assert.is(b.offered.length, 1);
  assert.is(socket.destroyed, false);
});

test('a connection that a dead node had taken is not offered again', () => {
  const [a, b] = [new FakeNode(), new FakeNode()];
  const { handoff, connect } = table([a, b]);
  connect();
  handoff.ack(a, a.last);
  handoff.taken(a, a.last);
  a.open = false;
  handoff.gone(a);
  assert.is(b.offered.length, 0);
});

test('a declined connection goes to the next node', () => {
  const [a, b] = [new FakeNode(), new FakeNode()];
  const { handoff, connect } = table([a, b]);
  connect();
  a.open = false;
  handoff.decline(a, a.last);
  assert.is(b.offered.length, 1);
});

test('messages of a node about an offer of another are ignored', () => {
  const [a, b] = [new FakeNode(), new FakeNode()];
  const { handoff, connect } = table([a, b]);
  const socket = connect();
  handoff.taken(b, a.last);
  handoff.ack(b, a.last);
  assert.equal(b.sent, [{ type: 'no', id: a.last }]);
  assert.is(socket.destroyed, false);
  assert.is(handoff.size, 1);
});

test('connections wait while no node is free, in order, up to the bound', () => {
  const node = new FakeNode();
  node.open = false;
  const { handoff, connect, refused } = table([node], { max: 3 });
  const sockets = [connect(), connect(), connect(), connect()];
  assert.equal(refused, [sockets[3]]);
  node.open = true;
  handoff.pump();
  for (const socket of sockets.slice(0, 3)) {
    assert.is(node.offered.at(-1)?.socket as unknown, socket);
    handoff.ack(node, node.last);
  }
});

test('a connection that no node takes in time is refused', () => {
  const node = new FakeNode();
  node.open = false;
  const { handoff, connect, pass, refused } = table([node], { waitMs: 1_000 });
  const first = connect();
  pass(500);
  connect();
  pass(500);
  handoff.expire();
  assert.equal(refused, [first]);
  assert.is(handoff.size, 1);
});

test('once closed, waiting and returned connections are refused, and offered ones may still be taken', () => {
  const [a, b] = [new FakeNode(), new FakeNode()];
  const { handoff, connect, refused } = table([a, b]);
  const taken = connect();
  const lost = connect();
  const waiting = connect();
  handoff.close();
  assert.equal(refused, [waiting]);
  handoff.ack(a, a.last);
  handoff.taken(a, a.last);
  assert.is(taken.destroyed, true);
  handoff.gone(b);
  assert.equal(refused, [waiting, lost]);
  assert.is(handoff.size, 0);
});

test('addresses are offered in turn: thousands of connections of one do not delay the first of another', () => {
  const node = new FakeNode();
  const { handoff, connect } = table([node], { max: 100 });
  for (let nth = 0; nth < 50; nth++) connect('10.0.0.1');
  const other = connect('10.0.0.2');
  const next = (): Socket | undefined => {
    handoff.ack(node, node.last);
    handoff.taken(node, node.last);
    return node.offered.at(-1)?.socket;
  };
  const offered = [next(), next()];
  assert.ok(offered.includes(other as unknown as Socket));
});

test('a full table refuses a connection of the address with the most, not the first one of another (rule E27)', () => {
  const node = new FakeNode();
  const { connect, refused } = table([node], { max: 10 });
  const flood = Array.from({ length: 11 }, () => connect('10.0.0.1'));
  assert.equal(refused, [flood[10]]);
  connect('10.0.0.2');
  assert.equal(refused, [flood[10], flood[9]]);
  connect('10.0.0.1');
  assert.is(refused.length, 3, 'which gains nothing by trying again');
});

test.run();
