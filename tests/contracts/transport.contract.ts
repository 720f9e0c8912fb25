/** The contract of every transport, run by each implementation. Tests wait for conditions, never for fixed times. */
import * as assert from 'uvu/assert';
import {
  type Envelope,
  EnvelopeTooLarge,
  type Hello,
  type Link,
  LinkFailed,
  type LinkReceiver,
  LinkRefused,
  type Transport,
  type TransportLimits,
  type TransportListener,
} from '../../actors/runtime/ports/transport.ts';
import { bounded } from '../support/bounded.ts';

/** Far above the time of any probe that is answered or refused. */
const PROBE_MS = 30_000;

export const LIMITS: TransportLimits = {
  envelopesPerFrameMax: 256,
  frameBytesMax: 64 * 1024,
  envelopeBytesMax: 1024 * 1024,
};

/** Records everything that one end of a link receives. */
export class Recorder implements LinkReceiver {
  readonly envelopesReceived: Envelope[] = [];
  readonly batches: number[] = [];
  readonly controls: string[] = [];
  ended: { readonly reason: string; readonly unsent: readonly Envelope[] } | null = null;
  onEnvelopes: (batch: readonly Envelope[]) => void = () => {};
  onControl: (text: string) => void = () => {};
  #wake: (() => void)[] = [];

  envelopes(batch: readonly Envelope[]): void {
    this.envelopesReceived.push(...batch);
    this.batches.push(batch.length);
    this.onEnvelopes(batch);
    this.#changed();
  }
  control(text: string): void {
    this.controls.push(text);
    this.onControl(text);
    this.#changed();
  }
  closed(reason: string, unsent: readonly Envelope[]): void {
    assert.is(this.ended, null, 'closed is called once');
    this.ended = { reason, unsent };
    this.#changed();
  }
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#wake.push(resolve));
  }
  #changed(): void {
    const wake = this.#wake;
    this.#wake = [];
    for (const run of wake) run();
  }
}

export function hello(incarnation: string): Hello {
  return {
    name: `node-${incarnation}`,
    incarnation,
    shards: 256,
    wireMajor: 1,
    configDigest: 'd',
    charts: {},
    proof: 'p',
  };
}

export class TestListener implements TransportListener {
  readonly incarnation: string;
  readonly receivers: Recorder[] = [];
  readonly links: Link[] = [];
  readonly hellos: Hello[] = [];
  refusal: string | null = null;
  /** Called when a link is established. */
  onAccepted: (link: Link) => void = () => {};
  constructor(incarnation: string) {
    this.incarnation = incarnation;
  }
  admit(caller: Hello) {
    if (this.refusal !== null) return { refused: this.refusal };
    return {
      welcome: { name: 'callee', incarnation: this.incarnation, charts: {}, proof: `for ${caller.incarnation}` },
    };
  }
  accepted(caller: Hello, link: Link): LinkReceiver {
    const receiver = new Recorder();
    this.hellos.push(caller);
    this.receivers.push(receiver);
    this.links.push(link);
    this.onAccepted(link);
    return receiver;
  }
}

function ask(id: number, body = '{"type":"ping"}'): Envelope {
  return { kind: 'ask', id, to: 'account:acct_1', body, remainingMs: 1_000, trace: id % 2 ? 'trace' : '' };
}

interface Pair {
  readonly near: Link;
  readonly nearReceiver: Recorder;
  readonly far: Link;
  readonly farReceiver: Recorder;
  readonly a: Transport;
  readonly b: Transport;
}

type Register = (title: string, run: () => Promise<void> | void) => void;

/** `make` returns a fresh transport of one network per call. */
export function transportContract(test: Register, make: () => Transport): void {
  const it = bounded(test);
  const started: Transport[] = [];
  const open = (): Transport => {
    const transport = make();
    started.push(transport);
    return transport;
  };
  const within = (title: string, run: () => Promise<void>): void =>
    it(title, async () => {
      try {
        await run();
      } finally {
        await Promise.all(started.splice(0).map((transport) => transport.close()));
      }
    });
  const pair = async (): Promise<Pair> => {
    const [a, b] = [open(), open()];
    const listener = new TestListener('b1');
    const address = await b.listen('127.0.0.1:0', listener);
    await a.listen('127.0.0.1:0', new TestListener('a1'));
    const nearReceiver = new Recorder();
    const { link: near, welcome } = await a.dial(address, hello('a1'), () => nearReceiver);
    assert.equal(welcome, { name: 'callee', incarnation: 'b1', charts: {}, proof: 'for a1' });
    assert.equal(listener.hellos, [hello('a1')]);
    return { near, nearReceiver, far: listener.links[0] as Link, farReceiver: listener.receivers[0] as Recorder, a, b };
  };

  within('envelopes arrive complete and in order, batched into frames within the bound', async () => {
    const { near, farReceiver } = await pair();
    const sent = Array.from({ length: 1_000 }, (_, i) =>
      ask(i + 1, JSON.stringify({ type: 'count', n: i, text: 'é€😀' })),
    );
    for (const envelope of sent) assert.is(near.send(envelope), 'queued');
    await farReceiver.until(() => farReceiver.envelopesReceived.length === sent.length);
    assert.equal(farReceiver.envelopesReceived.map(plain), sent);
    assert.ok(farReceiver.batches.every((size) => size <= LIMITS.envelopesPerFrameMax));
    assert.ok(farReceiver.batches.length < 50, `${farReceiver.batches.length} frames`);
  });

  within('a single envelope is sent at the end of the turn', async () => {
    const { near, farReceiver } = await pair();
    near.send(ask(1));
    await farReceiver.until(() => farReceiver.envelopesReceived.length === 1);
    assert.equal(farReceiver.batches, [1]);
  });

  within('every kind of envelope keeps its members, and answers return on the same link', async () => {
    const { near, nearReceiver, far, farReceiver } = await pair();
    const tell: Envelope = { kind: 'tell', id: 0, to: 'key:a/b', body: '{}', remainingMs: 0, trace: '' };
    near.send(tell);
    near.send(ask(4_000_000_000));
    await farReceiver.until(() => farReceiver.envelopesReceived.length === 2);
    assert.equal(farReceiver.envelopesReceived.map(plain), [tell, ask(4_000_000_000)]);
    const answers: Envelope[] = [
      { kind: 'reply', id: 4_000_000_000, to: '', body: 'null', remainingMs: 0, trace: '' },
      { kind: 'failure', id: 7, to: '', body: '{"code":"absent"}', remainingMs: 0, trace: '' },
    ];
    for (const answer of answers) far.send(answer);
    await nearReceiver.until(() => nearReceiver.envelopesReceived.length === 2);
    assert.equal(nearReceiver.envelopesReceived.map(plain), answers);
  });

  within('control texts are delivered in order in both directions', async () => {
    const { near, nearReceiver, far, farReceiver } = await pair();
    for (const text of ['one', 'zwei ü', '']) assert.ok(near.control(text));
    assert.ok(far.control('back'));
    await farReceiver.until(() => farReceiver.controls.length === 3);
    await nearReceiver.until(() => nearReceiver.controls.length === 1);
    assert.equal(farReceiver.controls, ['one', 'zwei ü', '']);
    assert.equal(nearReceiver.controls, ['back']);
  });

  within('an envelope above the bound is refused with its size, and the link stays usable', async () => {
    const { near, farReceiver } = await pair();
    assert.throws(
      () => near.send(ask(1, 'x'.repeat(LIMITS.envelopeBytesMax))),
      (error: unknown) => error instanceof EnvelopeTooLarge && /1048576/.test(error.message),
    );
    near.send(ask(2, 'y'.repeat(LIMITS.envelopeBytesMax - 200)));
    await farReceiver.until(() => farReceiver.envelopesReceived.length === 1);
    assert.is(farReceiver.envelopesReceived[0]?.body.length, LIMITS.envelopeBytesMax - 200);
  });

  within('a full buffer refuses asks, accepts answers, and accepts asks again once it has drained', async () => {
    const { near, far, farReceiver } = await pair();
    const body = 'z'.repeat(500_000);
    let taken = 0;
    while (near.send(ask(taken + 1, body)) === 'queued') {
      taken += 1;
      assert.ok(taken < 1_000, 'never full');
    }
    assert.is(near.send({ kind: 'reply', id: 1, to: '', body: '1', remainingMs: 0, trace: '' }), 'queued');
    await farReceiver.until(() => farReceiver.envelopesReceived.length === taken + 1);
    assert.is(near.send(ask(taken + 2)), 'queued');
    await farReceiver.until(() => farReceiver.envelopesReceived.length === taken + 2);
    assert.is(far.send(ask(1)), 'queued');
  });

  within('a closed link notifies both ends once and returns unsent envelopes', async () => {
    const { near, nearReceiver, farReceiver } = await pair();
    near.send(ask(1));
    near.close('enough');
    assert.is(nearReceiver.ended?.reason, 'enough');
    assert.equal(nearReceiver.ended?.unsent.map(plain), [ask(1)]);
    assert.is(near.send(ask(2)), 'closed');
    assert.is(near.control('x'), false);
    near.close('again');
    await farReceiver.until(() => farReceiver.ended !== null);
    assert.is(farReceiver.envelopesReceived.length, 0);
  });

  within('a link with much unsent data still ends, in both directions', async () => {
    const { near, nearReceiver, far, farReceiver, a } = await pair();
    for (let i = 1; i < 200; i++) {
      near.send(ask(i, 'x'.repeat(1_000)));
      far.send({ kind: 'reply', id: i, to: '', body: 'y'.repeat(1_000), remainingMs: 0, trace: '' });
    }
    await new Promise<void>((resolve) => setImmediate(resolve));
    for (let i = 0; i < 50; i++) {
      near.control('z'.repeat(100));
      far.control('z'.repeat(100));
    }
    await a.close();
    await Promise.all([nearReceiver, farReceiver].map((receiver) => receiver.until(() => receiver.ended !== null)));
  });

  within('a transport that ends abruptly closes its links at the other end', async () => {
    const { nearReceiver, b } = await pair();
    await b.close();
    await nearReceiver.until(() => nearReceiver.ended !== null);
  });

  within('the accepting end can close too', async () => {
    const { nearReceiver, far } = await pair();
    far.close('known dead');
    await nearReceiver.until(() => nearReceiver.ended !== null);
  });

  within(
    'messages that the accepting end sends at once are delivered after the dialler has received the link',
    async () => {
      const [a, b] = [open(), open()];
      const listener = new TestListener('b1');
      listener.onAccepted = (link) => {
        for (let i = 0; i < 20; i++) link.control(`early ${i}`);
      };
      const address = await b.listen('127.0.0.1:0', listener);
      const receiver = new Recorder();
      let handed = false;
      receiver.onControl = () => assert.ok(handed, 'a text arrived before the link');
      await a.dial(address, hello('a1'), () => {
        handed = true;
        assert.equal(receiver.controls, []);
        return receiver;
      });
      await receiver.until(() => receiver.controls.length === 20);
      assert.equal(
        receiver.controls,
        Array.from({ length: 20 }, (_, i) => `early ${i}`),
      );
    },
  );

  within('a link that ends with its welcome is reported as closed or never opened; it does not stay open', async () => {
    for (let i = 0; i < 20; i++) {
      const [a, b] = [open(), open()];
      const listener = new TestListener('b1');
      listener.onAccepted = (link) => {
        if (i % 2) link.control('last words');
        link.close('changed my mind');
      };
      const address = await b.listen('127.0.0.1:0', listener);
      const receiver = new Recorder();
      try {
        const { link } = await a.dial(address, hello('a1'), () => receiver);
        await receiver.until(() => receiver.ended !== null);
        assert.is(link.send(ask(1)), 'closed');
      } catch (error) {
        assert.instance(error, LinkFailed);
      }
      const far = listener.receivers[0] as Recorder;
      await far.until(() => far.ended !== null);
    }
  });

  within('a link that the dialler closes while receiving it is reported as closed', async () => {
    const [a, b] = [open(), open()];
    const listener = new TestListener('b1');
    const address = await b.listen('127.0.0.1:0', listener);
    const receiver = new Recorder();
    await a.dial(address, hello('a1'), (link) => {
      link.close('not now');
      return receiver;
    });
    await receiver.until(() => receiver.ended !== null);
    assert.is(receiver.ended?.reason, 'not now');
  });

  within('an error thrown by the dialler while receiving a link ends the link and rejects the dial', async () => {
    const [a, b] = [open(), open()];
    const listener = new TestListener('b1');
    const address = await b.listen('127.0.0.1:0', listener);
    const dialled = a.dial(address, hello('a1'), () => {
      throw new RangeError('not you');
    });
    await rejects(dialled, RangeError, /not you/);
    const far = listener.receivers[0];
    if (far) await far.until(() => far.ended !== null);
  });

  within('an incompatible hello is refused with the reason', async () => {
    const [a, b] = [open(), open()];
    const listener = new TestListener('b1');
    listener.refusal = 'shard count 128 here, 256 there';
    const address = await b.listen('127.0.0.1:0', listener);
    await rejects(
      a.dial(address, hello('a1'), () => new Recorder()),
      LinkRefused,
      /shard count 128/,
    );
    assert.is(listener.links.length, 0);
    listener.refusal = null;
    await a.dial(address, hello('a1'), () => new Recorder());
  });

  within('a port without a listener fails the dial and the probe at once', async () => {
    const [a, b] = [open(), open()];
    const address = await b.listen('127.0.0.1:0', new TestListener('b1'));
    assert.equal(await a.probe(address, PROBE_MS), { incarnation: 'b1' });
    await b.close();
    const before = performance.now();
    assert.is(await a.probe(address, PROBE_MS), 'refused');
    const error = await rejects(
      a.dial(address, hello('a1'), () => new Recorder()),
      LinkFailed,
      /./,
    );
    assert.is((error as LinkFailed).refusedByPort, true);
    assert.ok(performance.now() - before < PROBE_MS, 'a refusal returns before the time-out');
  });

  within('an address in use causes an error that names it', async () => {
    const [a, b] = [open(), open()];
    const address = await b.listen('127.0.0.1:0', new TestListener('b1'));
    await rejects(a.listen(address, new TestListener('a1')), Error, new RegExp(address));
  });

  within('a pair can have one link in each direction, and links of two incarnations at once', async () => {
    const [a, b] = [open(), open()];
    const [listenerA, listenerB] = [new TestListener('a1'), new TestListener('b1')];
    const [addressA, addressB] = [await a.listen('127.0.0.1:0', listenerA), await b.listen('127.0.0.1:0', listenerB)];
    const dials = await Promise.all([
      a.dial(addressB, hello('a1'), () => new Recorder()),
      b.dial(addressA, hello('b1'), () => new Recorder()),
      a.dial(addressB, hello('a2'), () => new Recorder()),
    ]);
    for (const { link } of dials) link.send(ask(1));
    await Promise.all(
      [...listenerA.receivers, ...listenerB.receivers].map((receiver) =>
        receiver.until(() => receiver.envelopesReceived.length === 1),
      ),
    );
    assert.is(listenerA.receivers.length + listenerB.receivers.length, 3);
  });
}

/** Generated message classes compare by value. */
function plain(envelope: Envelope): Envelope {
  return { ...envelope };
}

async function rejects(promise: Promise<unknown>, kind: new (...args: never[]) => Error, text: RegExp): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    assert.instance(error, kind);
    assert.match((error as Error).message, text);
    return error as Error;
  }
  throw new Error('it did not reject');
}
