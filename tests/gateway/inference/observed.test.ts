/** What the endpoint learns from a turn besides its outcome: whether a long reply ran away, and how long a render took. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ObservedAttempt } from '../../../actors/endpoint/window.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { endTurn } from '../../../gateway/inference/end-turn.ts';
import { runTurn } from '../../../gateway/inference/run-turn.ts';
import { bounded } from '../../support/bounded.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';
import { stage } from '../stage.ts';
import { drain, openScene, sim } from './scene.ts';

const it = bounded(test);
const scene = await openScene();
test.after(() => scene.close());

const plain = boardEndpoint('a', scene.a.baseUrl);
const painter: Endpoint = {
  ...plain,
  ...{ model: 'sim/painter', outputModalities: ['text', 'image'] },
  supportedParameters: [...plain.supportedParameters, 'image_config', 'modalities'],
  target: { ...plain.target, upstreamId: 'sim/painter' },
  envelopes: { image: { sizes: ['500x400', '1000x400'], imagesMax: 4 } },
};

/** The one observation of a turn. */
async function observed(body: object, served: Endpoint = plain): Promise<ObservedAttempt> {
  const on = stage();
  const turn = await runTurn(on.services, on.request({ model: served.model, ...body }, board(served)));
  await drain(turn);
  await endTurn(on.services, turn);
  await on.end();
  const attempts = on.tells.flatMap(({ event }) => (event as unknown as { attempts: ObservedAttempt[] }).attempts);
  assert.is(attempts.length, 1);
  return attempts[0] as ObservedAttempt;
}

const LOOP = 'I will check that again. '.repeat(40);
const long = { usage: { completion_tokens: 256 } };

it('a long reply that ended in a loop is a runaway; an ordinary one and a short one are not (rule C36)', async () => {
  for (const stream of [true, false]) {
    assert.is((await observed({ ...sim({ text: LOOP, ...long }), stream })).runaway, true);
    assert.is((await observed({ ...sim({ tokens: 300, ...long }), stream })).runaway, false);
    const short = await observed({ ...sim({ text: LOOP, usage: { completion_tokens: 255 } }), stream });
    assert.not('runaway' in short, 'below 256 tokens a reply is not judged');
  }
  assert.not('runaway' in (await observed(sim({ text: LOOP, usage: false }))), 'nor one of unknown length');
  assert.not('runaway' in (await observed(sim({ text: '', ...long }))), 'nor one without text');
});

it('a reply with one image is a render of its pixels; one of several images, or of none, is no sample (rule C34)', async () => {
  const painted = (image_config: object, stream = false): Promise<ObservedAttempt> =>
    observed({ ...sim({ tokens: 2 }), stream, modalities: ['image', 'text'], image_config }, painter);
  assert.is((await painted({ size: '500x400' })).renderPixels, 200_000);
  assert.is((await painted({ size: '1000x400' }, true)).renderPixels, 400_000);
  assert.not('renderPixels' in (await painted({ size: '500x400', n: 2 })));
  assert.not('renderPixels' in (await observed(sim({ tokens: 2 }))));
});

test.run();
