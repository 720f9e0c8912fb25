import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { catalogueModel, catalogueModels } from '../../../gateway/catalogue/models.ts';
import { bounded } from '../../support/bounded.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';

const it = bounded(test);

const MODELS = ['m/one', 'm/two', 'n/three'];
const PRICES = ['0.1', '0.2', '0.3'];

/** One thing that happens to the board between two reads. */
type Change = {
  readonly kind: 'figures' | 'price' | 'release' | 'gone' | 'new' | 'move';
  readonly nth: number;
  readonly value: number;
};

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('figures', 'figures', 'figures', 'price', 'release', 'gone', 'new', 'move'),
  nth: fc.nat({ max: 7 }),
  value: fc.nat({ max: 2 }),
});

function apply(endpoints: readonly Endpoint[], { kind, nth, value }: Change): readonly Endpoint[] {
  const model = MODELS[value] as string;
  if (kind === 'new') {
    const endpoint = boardEndpoint(`p${endpoints.length}-${nth}`, 'http://x/v1', { id: model });
    return endpoints.some(({ id }) => id === endpoint.id) ? endpoints : [...endpoints, endpoint];
  }
  if (kind === 'gone') return endpoints.filter((_, at) => at !== nth);
  return endpoints.map((endpoint, at) => {
    if (at !== nth) return endpoint;
    if (kind === 'figures') return { ...endpoint, measured: { ...endpoint.measured, uptime5m: value } };
    if (kind === 'release') return { ...endpoint, created: 1_700_000_000 + value };
    if (kind === 'move') return { ...endpoint, model };
    return { ...endpoint, tariff: { ...endpoint.tariff, prompt: PRICES[value] as string } };
  });
}

/** The same catalogue from objects and an order that no index has seen. */
function afresh(endpoints: readonly Endpoint[]): ReturnType<typeof board> {
  return board(...[boardEndpoint('other', 'http://x/v1', { id: 'z/z' }), ...structuredClone([...endpoints]).reverse()]);
}

it('an index that follows changes equals one that is made afresh', () => {
  fc.assert(
    fc.property(fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 8 }), (steps) => {
      let endpoints: readonly Endpoint[] = MODELS.flatMap((id) =>
        ['a', 'b'].map((slug) => boardEndpoint(slug, 'http://x/v1', { id })),
      );
      // Both indexes follow each other in one process: what is followed is read first.
      const seen = steps.map((changes) => {
        endpoints = changes.reduce(apply, endpoints);
        return { endpoints, models: catalogueModels(board(...endpoints)) };
      });
      for (const { endpoints: at, models } of seen) {
        const fresh = catalogueModels(afresh(at)).filter(({ id }) => id !== 'z/z');
        assert.equal(
          models.map(({ entry }) => entry.text),
          fresh.map(({ entry }) => entry.text),
        );
        assert.equal(
          models.map((each) => each.endpoints.map(({ id }) => id)),
          fresh.map((each) => each.endpoints.map(({ id }) => id)),
        );
        for (const model of models)
          assert.ok(
            model.endpoints.every((endpoint) => at.includes(endpoint)),
            'the present endpoints',
          );
      }
    }),
    { numRuns: 200 },
  );
});

it('new figures leave the text of a summary as it is, and a changed declaration replaces it', () => {
  const first = boardEndpoint('a', 'http://x/v1', { id: 'm/one' });
  const other = boardEndpoint('b', 'http://x/v1', { id: 'm/one' });
  const before = catalogueModel(board(first, other), 'm/one');
  const measured = { ...first, measured: { ...first.measured, uptime5m: 99 } };
  const after = catalogueModel(board(measured, other), 'm/one');
  assert.is(after?.entry, before?.entry, 'the same text, not rendered for a new digest');
  assert.is(after?.endpoints.includes(measured), true);
  const renamed = catalogueModel(board({ ...measured, modelName: 'Other' }, { ...other, modelName: 'Other' }), 'm/one');
  assert.is.not(renamed?.entry.digest, before?.entry.digest);
  assert.is(catalogueModel(board(other), 'm/one')?.summary.endpoint_count, 1);
});

test.run();
