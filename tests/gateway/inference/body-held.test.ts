import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DIALECTS } from '../../../gateway/dialects/dialect-table.ts';
import { CallerAbort } from '../../../gateway/inference/turn-request.ts';
import { bounded } from '../../support/bounded.ts';
import { bytesHeld } from '../../support/bytes-held.ts';
import { ACCOUNT, KEY } from '../../support/model/words.ts';
import { stage } from '../stage.ts';
import { openScene, sim } from './scene.ts';
import { start } from './start.ts';

const it = bounded(test);
const { onlyA, close } = await openScene();
test.after(close);

it('no waiting turn keeps the body that it was parsed from', async () => {
  const on = stage({ endpoints: onlyA });
  const signal = new CallerAbort();
  let waiting = 0;
  const begin = (): WeakRef<object> => {
    const body = { model: 'sim/fast', max_tokens: 50, ...sim({ hang: 'headers' }) };
    const starting = start(on.services, {
      ...{ dialect: DIALECTS.chat, body, session: null, generation: 'gen-1', bytes: 100 },
      caller: { account: ACCOUNT, key: KEY, kind: 'inference' },
      ...{ attribution: { appTitle: null, appUrl: null }, startedAt: performance.now(), signal },
      onHeld: () => waiting++,
    });
    starting.catch(() => {});
    return new WeakRef(body);
  };
  const body = begin();
  while (waiting === 0) await new Promise((resolve) => setImmediate(resolve));
  // A WeakRef keeps its target until the turn of the event loop in which it was made has ended.
  await new Promise((resolve) => setImmediate(resolve));
  bytesHeld();
  assert.is(body.deref(), undefined);
  signal.abort();
  await on.end();
});

test.run();
