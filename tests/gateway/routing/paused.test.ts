/** An operator's pause of a provider or an endpoint, as routing, callers and the catalogue see it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ENDPOINTS_TOPIC, endpointsOn } from '../../../actors/endpoint/endpoint.ts';
import type { Json } from '../../../actors/runtime/index.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { PAUSES_TOPIC } from '../../../actors/terms/pause.ts';
import { modelEndpoints } from '../../../gateway/catalogue/endpoint-listings.ts';
import { bounded } from '../../support/bounded.ts';
import { MemoryBoard } from '../../support/memory-board.ts';
import { board } from '../../support/model/endpoints.ts';
import { readListing } from '../catalogue/read-listing.ts';
import { at, cheap, planned, refused } from './scene.ts';

const it = bounded(test);
const [A, B] = [at('a', cheap), at('b')];
const PAUSE = { reason: 'the contract ended', since: 1 } as unknown as Json;

function paused(...keys: readonly string[]): readonly Endpoint[] {
  const pauses = new Map(keys.map((key) => [key, PAUSE]));
  const memory = new MemoryBoard({ [ENDPOINTS_TOPIC]: board(A, B), [PAUSES_TOPIC]: pauses });
  return [...endpointsOn(memory).values()] as unknown as readonly Endpoint[];
}

it('no turn goes to a paused endpoint, nor to an endpoint of a paused provider (rule I131)', () => {
  for (const key of [A.id, 'a']) {
    const { candidates, rejections } = planned({}, paused(key));
    assert.equal(
      candidates.map(({ endpoint }) => endpoint.id),
      [B.id],
    );
    assert.equal(rejections, [{ provider: 'a', endpoint: A.tag, reason: 'health', detail: 'paused by the operator' }]);
  }
  assert.is(planned({}, paused()).candidates.length, 2);
});

it('where all are paused the caller may try again, and does not learn the reason', () => {
  const error = refused({}, paused('a', 'b'));
  assert.is(error.status, 503);
  assert.is(error.headers['x-should-retry'], undefined);
  assert.match(
    error.message,
    /^None of the 2 live endpoints of m\/one can serve this request: paused by the operator\.$/,
  );
  assert.equal(error.log, { provider: 'a', endpoint: A.tag, reason: 'health' });
  assert.not.match(JSON.stringify([error.message, error.metadata]), /contract/);
});

it('the catalogue shows it as down and paused, and the others as they are (rule I131)', () => {
  const listing = modelEndpoints(board(...paused('a')), 'm/one', 0);
  const { data } = readListing<{ data: { endpoints: Record<string, unknown>[] } }>(listing);
  assert.equal(
    data.endpoints.map(({ provider_slug, health, status, paused }) => [provider_slug, health, status, paused]),
    [
      ['a', 'down', -1, true],
      ['b', B.health, B.health === 'healthy' ? 0 : -1, undefined],
    ],
  );
});

it('the list of endpoints is the same object until an endpoint or a pause changes', () => {
  const pauses = new Map([['a', PAUSE]]);
  const memory = new MemoryBoard({ [ENDPOINTS_TOPIC]: board(A, B), [PAUSES_TOPIC]: pauses });
  const before = endpointsOn(memory);
  assert.is(endpointsOn(memory), before);
  memory.set(ENDPOINTS_TOPIC, board(A, B));
  const after = endpointsOn(memory);
  assert.is.not(after, before);
  assert.is(after.get(A.id), before.get(A.id), 'what is computed per endpoint stays');
  memory.set(PAUSES_TOPIC, new Map());
  assert.is(endpointsOn(memory).get(A.id), A as unknown as Json);
});

test.run();
