/** What every transport promises, run by each implementation. Tests wait for conditions, never for a while. */
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

export const LIMITS: TransportLimits = {
  envelopesPerFrameMax: 256,
  frameBytesMax: 64 * 1024,
  envelopeBytesMax: 1024 * 1024,
};

/** Remembers everything one end of a link heard. */
export class Recorder implements LinkReceiver {
  readonly envelopesHeard: Envelope[] = [];
  readonly batches: number[] = [];
  readonly controls: string[] = [];
  ended: { readonly reason: string; readonly unsent: readonly Envelope[] } | null = null;
  onEnvelopes: (batch: readonly Envelope[]) => void = () => {};
  onControl: (text: string) => void = () => {};
  #wake: (() => void)[] = [];

  envelopes(batch: readonly Envelope[]): void {
    this.envelopesHeard.push(...batch);
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
    assert.is(this.ended, null, 'closed is told once');
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
  return { name: `node-${incarnation}`, incarnation, shards: 256, wireMajor: 1, configDigest: 'd', proof: 'p' };
}

class TestDoor implements TransportListener {
  readonly incarnation: string;
  readonly ears: Recorder[] = [];
  readonly links: Link[] = [];
  readonly hellos: Hello[] = [];
  refusal: string | null = null;
  /** What this end does with a link in the moment it is there. */
  onAccepted: (link: Link) => void = () => {};
  constructor(incarnation: string) {
    this.incarnation = incarnation;
  }
  admit(caller: Hello) {
    if (this.refusal !== null) return { refused: this.refusal };
    return { welcome: { name: 'callee', incarnation: this.incarnation, proof: `for ${caller.incarnation}` } };
  }
  accepted(caller: Hello, link: Link): LinkReceiver {
    const ear = new Recorder();
    this.hellos.push(caller);
    this.ears.push(ear);
    this.links.push(link);
    this.onAccepted(link);
    return ear;
  }
}

export function ask(id: number, body = '{"type":"ping"}'): Envelope {
  return { kind: 'ask', id, to: 'account:acct_1', body, remainingMs: 1_000, trace: id % 2 ? 'trace' : '' };
}

interface Pair {
  readonly near: Link;
  readonly nearEar: Recorder;
  readonly far: Link;
  readonly farEar: Recorder;
  readonly a: Transport;
  readonly b: Transport;
}

type Register = (title: string, run: () => Promise<void> | void) => void;

/** `make` returns a fresh transport of one network per call. */
export function transportContract(test: Register, make: () => Transport): void {
  const it = bounded(test, 10_000);
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
    const door = new TestDoor('b1');
    const address = await b.listen('127.0.0.1:0', door);
    await a.listen('127.0.0.1:0', new TestDoor('a1'));
    const nearEar = new Recorder();
    const { link: near, welcome } = await a.dial(address, hello('a1'), () => nearEar);
    assert.equal(welcome, { name: 'callee', incarnation: 'b1', proof: 'for a1' });
    assert.equal(door.hellos, [hello('a1')]);
    return { near, nearEar, far: door.links[0] as Link, farEar: door.ears[0] as Recorder, a, b };
  };

  within('envelopes arrive complete and in order, gathered into frames within the bound', async () => {
    const { near, farEar } = await pair();
    const sent = Array.from({ length: 1_000 }, (_, i) =>
      ask(i + 1, JSON.stringify({ type: 'count', n: i, text: 'é€😀' })),
    );
    for (const envelope of sent) assert.is(near.send(envelope), 'queued');
    await farEar.until(() => farEar.envelopesHeard.length === sent.length);
    assert.equal(farEar.envelopesHeard.map(plain), sent);
    assert.ok(farEar.batches.every((size) => size <= LIMITS.envelopesPerFrameMax));
    assert.ok(farEar.batches.length < 50, `${farEar.batches.length} frames`);
  });

  within('a lone envelope leaves at the end of the turn', async () => {
    const { near, farEar } = await pair();
    near.send(ask(1));
    await farEar.until(() => farEar.envelopesHeard.length === 1);
    assert.equal(farEar.batches, [1]);
  });

  within('every kind of envelope keeps its fields, and answers return on the same link', async () => {
    const { near, nearEar, far, farEar } = await pair();
    const tell: Envelope = { kind: 'tell', id: 0, to: 'key:a/b', body: '{}', remainingMs: 0, trace: '' };
    near.send(tell);
    near.send(ask(4_000_000_000));
    await farEar.until(() => farEar.envelopesHeard.length === 2);
    assert.equal(farEar.envelopesHeard.map(plain), [tell, ask(4_000_000_000)]);
    const answers: Envelope[] = [
      { kind: 'reply', id: 4_000_000_000, to: '', body: 'null', remainingMs: 0, trace: '' },
      { kind: 'failure', id: 7, to: '', body: '{"code":"absent"}', remainingMs: 0, trace: '' },
    ];
    for (const answer of answers) far.send(answer);
    await nearEar.until(() => nearEar.envelopesHeard.length === 2);
    assert.equal(nearEar.envelopesHeard.map(plain), answers);
  });

  within('control texts go both ways in order', async () => {
    const { near, nearEar, far, farEar } = await pair();
    for (const text of ['one', 'zwei ü', '']) assert.ok(near.control(text));
    assert.ok(far.control('back'));
    await farEar.until(() => farEar.controls.length === 3);
    await nearEar.until(() => nearEar.controls.length === 1);
    assert.equal(farEar.controls, ['one', 'zwei ü', '']);
    assert.equal(nearEar.controls, ['back']);
  });

  within('an envelope beyond the bound is refused with its size, and the link goes on', async () => {
    const { near, farEar } = await pair();
    assert.throws(
      () => near.send(ask(1, 'x'.repeat(LIMITS.envelopeBytesMax))),
      (error: unknown) => error instanceof EnvelopeTooLarge && /1048576/.test(error.message),
    );
    near.send(ask(2, 'y'.repeat(LIMITS.envelopeBytesMax - 200)));
    await farEar.until(() => farEar.envelopesHeard.length === 1);
    assert.is(farEar.envelopesHeard[0]?.body.length, LIMITS.envelopeBytesMax - 200);
  });

  within('a buffer at its bound turns asks away, takes answers, and takes asks again once it drained', async () => {
    const { near, far, farEar } = await pair();
    const body = 'z'.repeat(500_000);
    let taken = 0;
    while (near.send(ask(taken + 1, body)) === 'queued') {
      taken += 1;
      assert.ok(taken < 1_000, 'never full');
    }
    assert.is(near.send({ kind: 'reply', id: 1, to: '', body: '1', remainingMs: 0, trace: '' }), 'queued');
    await farEar.until(() => farEar.envelopesHeard.length === taken + 1);
    assert.is(near.send(ask(taken + 2)), 'queued');
    await farEar.until(() => farEar.envelopesHeard.length === taken + 2);
    assert.is(far.send(ask(1)), 'queued');
  });

  within('a closed link tells both ends once and hands back what was never written', async () => {
    const { near, nearEar, farEar } = await pair();
    near.send(ask(1));
    near.close('enough');
    assert.is(nearEar.ended?.reason, 'enough');
    assert.equal(nearEar.ended?.unsent.map(plain), [ask(1)]);
    assert.is(near.send(ask(2)), 'closed');
    assert.is(near.control('x'), false);
    near.close('again');
    await farEar.until(() => farEar.ended !== null);
    assert.is(farEar.envelopesHeard.length, 0);
  });

  within('a link that ends with much still unwritten ends all the same, both ways', async () => {
    const { near, nearEar, far, farEar, a } = await pair();
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
    await Promise.all([nearEar, farEar].map((ear) => ear.until(() => ear.ended !== null)));
  });

  within('a transport that ends abruptly closes its links at the other end', async () => {
    const { nearEar, b } = await pair();
    await b.close();
    await nearEar.until(() => nearEar.ended !== null);
  });

  within('the accepting end can close too', async () => {
    const { nearEar, far } = await pair();
    far.close('known dead');
    await nearEar.until(() => nearEar.ended !== null);
  });

  within('what the accepting end sends at once is heard after the dialler was handed the link', async () => {
    const [a, b] = [open(), open()];
    const door = new TestDoor('b1');
    door.onAccepted = (link) => {
      for (let i = 0; i < 20; i++) link.control(`early ${i}`);
    };
    const address = await b.listen('127.0.0.1:0', door);
    const ear = new Recorder();
    let handed = false;
    ear.onControl = () => assert.ok(handed, 'a text came before the link');
    await a.dial(address, hello('a1'), () => {
      handed = true;
      assert.equal(ear.controls, []);
      return ear;
    });
    await ear.until(() => ear.controls.length === 20);
    assert.equal(
      ear.controls,
      Array.from({ length: 20 }, (_, i) => `early ${i}`),
    );
  });

  within('a link that ends with its welcome is told as over, or never was: it does not stay open', async () => {
    for (let i = 0; i < 20; i++) {
      const [a, b] = [open(), open()];
      const door = new TestDoor('b1');
      door.onAccepted = (link) => {
        if (i % 2) link.control('last words');
        link.close('changed my mind');
      };
      const address = await b.listen('127.0.0.1:0', door);
      const ear = new Recorder();
      try {
        const { link } = await a.dial(address, hello('a1'), () => ear);
        await ear.until(() => ear.ended !== null);
        assert.is(link.send(ask(1)), 'closed');
      } catch (error) {
        assert.instance(error, LinkFailed);
      }
      const far = door.ears[0] as Recorder;
      await far.until(() => far.ended !== null);
    }
  });

  within('a link that the dialler closes while it is handed over is told as over', async () => {
    const [a, b] = [open(), open()];
    const door = new TestDoor('b1');
    const address = await b.listen('127.0.0.1:0', door);
    const ear = new Recorder();
    await a.dial(address, hello('a1'), (link) => {
      link.close('not now');
      return ear;
    });
    await ear.until(() => ear.ended !== null);
    assert.is(ear.ended?.reason, 'not now');
  });

  within('what the dialler throws when it is handed a link ends the link and is the rejection', async () => {
    const [a, b] = [open(), open()];
    const door = new TestDoor('b1');
    const address = await b.listen('127.0.0.1:0', door);
    const dialled = a.dial(address, hello('a1'), () => {
      throw new RangeError('not you');
    });
    await rejects(dialled, RangeError, /not you/);
    const far = door.ears[0];
    if (far) await far.until(() => far.ended !== null);
  });

  within('a hello that does not fit is refused with the reason', async () => {
    const [a, b] = [open(), open()];
    const door = new TestDoor('b1');
    door.refusal = 'shard count 128 here, 256 there';
    const address = await b.listen('127.0.0.1:0', door);
    await rejects(
      a.dial(address, hello('a1'), () => new Recorder()),
      LinkRefused,
      /shard count 128/,
    );
    assert.is(door.links.length, 0);
    door.refusal = null;
    await a.dial(address, hello('a1'), () => new Recorder());
  });

  within('a port nobody listens on fails the dial and the probe at once', async () => {
    const [a, b] = [open(), open()];
    const address = await b.listen('127.0.0.1:0', new TestDoor('b1'));
    assert.equal(await a.probe(address, 500), { incarnation: 'b1' });
    await b.close();
    const before = performance.now();
    assert.is(await a.probe(address, 2_000), 'refused');
    const error = await rejects(
      a.dial(address, hello('a1'), () => new Recorder()),
      LinkFailed,
      /./,
    );
    assert.is((error as LinkFailed).refusedByPort, true);
    assert.ok(performance.now() - before < 500, 'a refusal needs no time-out');
  });

  within('an address in use is an error that names it', async () => {
    const [a, b] = [open(), open()];
    const address = await b.listen('127.0.0.1:0', new TestDoor('b1'));
    await rejects(a.listen(address, new TestDoor('a1')), Error, new RegExp(address));
  });

  within('a pair may have one link each way, and links of two incarnations at once', async () => {
    const [a, b] = [open(), open()];
    const [doorA, doorB] = [new TestDoor('a1'), new TestDoor('b1')];
    const [addressA, addressB] = [await a.listen('127.0.0.1:0', doorA), await b.listen('127.0.0.1:0', doorB)];
    const dials = await Promise.all([
      a.dial(addressB, hello('a1'), () => new Recorder()),
      b.dial(addressA, hello('b1'), () => new Recorder()),
      a.dial(addressB, hello('a2'), () => new Recorder()),
    ]);
    for (const { link } of dials) link.send(ask(1));
    await Promise.all([...doorA.ears, ...doorB.ears].map((ear) => ear.until(() => ear.envelopesHeard.length === 1)));
    assert.is(doorA.ears.length + doorB.ears.length, 3);
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
