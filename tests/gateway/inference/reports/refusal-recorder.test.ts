import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RECORDINGS_TOPIC } from '../../../../actors/provider/refusals.ts';
import type { ActorEvent, Cluster, Json } from '../../../../actors/runtime/index.ts';
import { RefusalRecorder } from '../../../../gateway/inference/reports/refusal-recorder.ts';
import { ProviderFailure } from '../../../../gateway/providers/provider-failure.ts';
import { bounded } from '../../../support/bounded.ts';
import { endpointOf } from '../../../support/model/endpoints.ts';
import { turnOf } from '../../providers/scene.ts';

const it = bounded(test, 5_000);

const FAILURE = new ProviderFailure('rejected', 'status 400', 400, { code: 'invalid_schema' });
const ENDPOINT = endpointOf();

function scene(recordings: ReadonlyMap<string, Json>) {
  const told: { readonly to: string; readonly event: ActorEvent }[] = [];
  const world = { now: 10_000, told };
  const cluster = {
    board: { topic: (name: string) => (name === RECORDINGS_TOPIC ? recordings : new Map()) },
    now: () => world.now,
    tell: (to: string, event: ActorEvent) => void told.push({ to, event }),
  } as unknown as Cluster;
  return { world, recorder: new RefusalRecorder(cluster, new Map([['a', 'the-operators-key']])) };
}

it('a refusal is sent redacted to its provider, at most one a second', () => {
  const { slug } = ENDPOINT.provider;
  const { world, recorder } = scene(new Map([[slug, { until: 20_000 }]]));
  const sent = { turn: turnOf(), body: '{"messages":[{"role":"user","content":"words of the caller, to be masked"}]}' };
  const note = () =>
    recorder.sinkFor(ENDPOINT, 'gen-1')('no: words of the caller, to be masked, the-operators-key', FAILURE, sent);
  note();
  note();
  assert.equal(world.told, [
    {
      to: `provider:${slug}`,
      event: {
        type: 'refusals.note',
        refusal: {
          at: 10_000,
          endpoint: ENDPOINT.id,
          generation: 'gen-1',
          status: 400,
          code: 'invalid_schema',
          text: 'no: [request], [key]',
        },
      },
    },
  ]);
  world.now += 1_000;
  note();
  assert.is(world.told.length, 2);
});

it('nothing is recorded of another provider, or after the end', () => {
  const { slug } = ENDPOINT.provider;
  for (const recordings of [new Map([['other', { until: 20_000 }]]), new Map([[slug, { until: 10_000 }]])]) {
    const { world, recorder } = scene(recordings);
    recorder.sinkFor(ENDPOINT, 'gen-1')('no', FAILURE, { turn: turnOf(), body: '{}' });
    assert.equal(world.told, []);
  }
});

it("a failure of the provider gets the provider's redacted words; a refusal of the request gets none", () => {
  const { recorder } = scene(new Map());
  const sent = { turn: turnOf(), body: '{"messages":[{"role":"user","content":"my zanzibar"}]}' };
  const raw = '{"error":{"message":"The server is overloaded after zanzibar, the-operators-key"}}';
  const failed = new ProviderFailure('unavailable', 'status 500', 500);
  recorder.sinkFor(ENDPOINT, 'gen-1')(raw, failed, sent);
  assert.equal(failed.shown, {
    category: 'unavailable',
    text: 'status 500: The server is overloaded after [request], [key]',
  });
  recorder.sinkFor(ENDPOINT, 'gen-1')(raw, FAILURE, sent);
  assert.equal(FAILURE.shown, { category: 'invalid_schema', text: 'status 400' });
});

test.run();
