import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { judge, type Terms } from '../../../../actors/runtime/cluster/handshake.ts';
import { Peers, type PeersHost } from '../../../../actors/runtime/cluster/peers.ts';
import type { NodeRow } from '../../../../actors/runtime/ports/store.ts';
import type { Hello, Link, LinkReceiver, Transport, Welcome } from '../../../../actors/runtime/ports/transport.ts';
import { systemRandom } from '../../../../actors/runtime/system/clock.ts';
import config from '../../../../cluster.config.ts';
import { bounded } from '../../../support/bounded.ts';
import { HandClock } from '../durable/hand-clock.ts';

const it = bounded(test);
const OWN: Terms = { name: 'n1', incarnation: 'one', shards: 256, configDigest: 'd', charts: {}, secret: 'secret' };
const THEIRS: Terms = { ...OWN, name: 'n2', incarnation: 'two' };
const ROW: NodeRow = {
  ...{ name: 'n2', incarnation: 'two', birth: 2, address: 'n2:1', operatorUrl: '', pid: 1, host: '' },
  ...{ beat: 1, beatAt: null, reaches: [], state: 'up', why: null },
};

/** Peers of n1 over a transport that answers each dial as scripted, in one turn. */
function stage(onDial: (link: FakeLink, ear: LinkReceiver) => void, theirs: Terms = THEIRS) {
  const clock = new HandClock();
  const heard: string[] = [];
  const resyncs: number[] = [];
  const links: FakeLink[] = [];
  const transport = {
    dial: async (_address: string, hello: Hello, hear: (link: Link, welcome: Welcome) => LinkReceiver) => {
      const verdict = judge(hello, theirs);
      if (!('welcome' in verdict)) throw new Error(verdict.refused);
      const link = new FakeLink();
      links.push(link);
      link.ear = hear(link, verdict.welcome);
      onDial(link, link.ear);
      return { link, welcome: verdict.welcome };
    },
  } as unknown as Transport;
  const host: PeersHost = {
    ...{
      asked: () => {},
      answered: () => {},
      greeted: () => {},
      parted: () => {},
      resync: () => void resyncs.push(clock.monotonic()),
      fenced: () => {},
      unfit: () => {},
    },
    signalled: (_from, signal) => heard.push(signal.type),
    up: () => heard.push('up'),
    down: () => heard.push('down'),
    suspect: () => heard.push('suspect'),
    isDead: () => false,
    isWanted: () => true,
  };
  const logs: string[] = [];
  const log = (record: { message: string }): void => void logs.push(record.message);
  const parts = { terms: OWN, transport, clock, random: systemRandom, limits: config.runtime, log };
  return { peers: new Peers(parts, host), clock, heard, resyncs, links, logs };
}

class FakeLink implements Link {
  readonly peer = 'n2:1';
  ear: LinkReceiver | null = null;
  open = true;
  send(): 'queued' | 'closed' {
    return this.open ? 'queued' : 'closed';
  }
  control(): boolean {
    return this.open;
  }
  close(reason: string): void {
    if (!this.open) return;
    this.open = false;
    this.ear?.closed(reason, []);
  }
}

it('signals sent from the start of a link are delivered after the link is up', async () => {
  const { peers, clock, heard } = stage((_link, ear) => ear.control('{"type":"board.synced"}'));
  peers.follow([ROW]);
  await clock.advance(1);
  assert.equal(heard, ['up', 'board.synced']);
  assert.is(peers.send('two', { type: 'ping' }), true);
  peers.close();
});

it('a link that ends in the turn of its welcome is down at once, and is dialled again', async () => {
  let endings = 2;
  const { peers, clock, heard, links } = stage((link) => {
    if (endings-- > 0) link.close('gone again');
  });
  peers.follow([ROW]);
  await clock.advance(1);
  assert.equal(heard, ['up', 'down', 'suspect']);
  assert.is(peers.send('two', { type: 'ping' }), false);
  await clock.advance(600);
  assert.is(links.length, 3);
  assert.is(peers.send('two', { type: 'ping' }), true);
  peers.close();
});

it('a node other than the dialled one gets no link', async () => {
  for (const theirs of [
    { ...THEIRS, name: 'n3' },
    { ...THEIRS, incarnation: 'three' },
    { ...THEIRS, secret: 'guess' },
  ]) {
    const { peers, clock, heard, logs } = stage(() => {}, theirs);
    peers.follow([ROW]);
    await clock.advance(1);
    assert.is(heard.includes('up'), false);
    assert.equal(logs, ['no link']);
    peers.close();
  }
});

it('a peer that sends invalid messages loses its link, without other effects', async () => {
  const { peers, clock, heard, links, logs } = stage(() => {});
  peers.follow([ROW]);
  await clock.advance(1);
  links[0]?.ear?.control('{"type":');
  assert.equal(heard, ['up', 'down', 'suspect']);
  assert.ok(logs.includes('a peer sent an invalid signal'));
  links[1]?.ear?.control('{"type":"something newer"}');
  peers.close();
});

it('a peer that is silent is not heard any more; during a stall of the own event loop no peer is silent', async () => {
  const { peers, clock, resyncs } = stage(() => {});
  peers.follow([ROW]);
  await clock.advance(200);
  assert.equal(peers.reaches(), ['two']);
  const before = resyncs.length;
  clock.stall(8_000);
  assert.equal(peers.reaches(), ['two']);
  await clock.advance(config.runtime.reachableMs - 600);
  assert.equal([peers.reaches(), resyncs.length], [['two'], before]);
  await clock.advance(600);
  assert.equal([peers.reaches(), resyncs.length], [[], before + 1]);
  peers.close();
});

test.run();
