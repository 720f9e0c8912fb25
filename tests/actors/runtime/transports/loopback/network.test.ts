import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../../actors/runtime/system/clock.ts';
import { LoopbackNetwork } from '../../../../../actors/runtime/transports/loopback/network.ts';
import { ask, hello, LIMITS, Recorder, transportContract } from '../../../../contracts/transport.contract.ts';
import { bounded } from '../../../../support/bounded.ts';

const network = new LoopbackNetwork();
transportContract(test, () => network.transport(systemClock, LIMITS));

const it = bounded(test);

it('a cut direction loses its own traffic and no other', async () => {
  const own = new LoopbackNetwork();
  const [a, b] = [own.transport(systemClock, LIMITS), own.transport(systemClock, LIMITS)];
  const receivedByB = new Recorder();
  const receivedByA = new Recorder();
  const links: { send(e: ReturnType<typeof ask>): unknown }[] = [];
  const welcome = { name: 'b', incarnation: 'b1', proof: '' };
  const addressB = await b.listen('b:0', {
    incarnation: 'b1',
    admit: () => ({ welcome }),
    accepted: (_, link) => {
      links.push(link);
      return receivedByB;
    },
  });
  const addressA = await a.listen('a:0', {
    incarnation: 'a1',
    admit: () => ({ welcome }),
    accepted: () => receivedByA,
  });
  const { link } = await a.dial(addressB, hello('a1'), () => receivedByA);
  own.cut(addressA, addressB);
  link.send(ask(1));
  links[0]?.send(ask(2));
  await receivedByA.until(() => receivedByA.envelopesReceived.length === 1);
  assert.is(receivedByB.envelopesReceived.length, 0);
  assert.is(await a.probe(addressB, 10), 'silent');
  own.heal();
  link.send(ask(3));
  await receivedByB.until(() => receivedByB.envelopesReceived.length === 1);
  assert.is(receivedByB.envelopesReceived[0]?.id, 3);
  await Promise.all([a.close(), b.close()]);
});

test.run();
