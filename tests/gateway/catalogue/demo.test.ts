import { Ajv2020 } from 'ajv/dist/2020.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CATALOGUE_SCHEMAS } from '../../../gateway/api/catalogue/catalogue-schema.ts';
import { modelBenchmarks, modelEndpoints, zdrEndpoints } from '../../../gateway/catalogue/endpoint-listings.ts';
import { listFamilies } from '../../../gateway/catalogue/families.ts';
import { catalogueModels, findBareModel } from '../../../gateway/catalogue/models.ts';
import { listProviders } from '../../../gateway/catalogue/providers.ts';
import { filterModels } from '../../../gateway/edge/query/filter-models.ts';
import { guestsOf, simulatedProviders } from '../../../gateway/simulator/models-document.ts';
import { bounded } from '../../support/bounded.ts';
import { demoBoard } from './demo-board.ts';
import { readListing } from './read-listing.ts';

const it = bounded(test);
const NOW = 1_764_000_000_000;
const DEMO = demoBoard({ toolCallSuccess1d: null });

const idsOf = (query: string, topic = DEMO.endpoints): readonly string[] =>
  readListing<{ data: { id: string }[] }>(filterModels(topic, new URLSearchParams(query), NOW)).data.map(
    ({ id }) => id,
  );

it('the demo is a catalogue of a useful size, in no more processes than five', () => {
  const models = catalogueModels(DEMO.endpoints);
  assert.ok(models.length >= 30, `${models.length} models`);
  assert.ok(DEMO.providers.size >= 8, `${DEMO.providers.size} providers`);
  assert.ok(DEMO.endpoints.size >= 80, `${DEMO.endpoints.size} endpoints`);
  const hosts = Object.entries(simulatedProviders()).filter(([, { servedBy }]) => servedBy === undefined);
  assert.is(hosts.length, 5);
  assert.equal(guestsOf('sim-a'), [], 'a cluster of the first simulators alone stays small');
  assert.ok(listFamilies(DEMO.endpoints).length >= 8);
});

it('every filter narrows the demo catalogue, and keeps something', () => {
  const all = idsOf('').length;
  const tried = [
    ...[
      'family=gale',
      'q=aster',
      'supported_parameters=tools,seed',
      'input_modalities=image',
      'output_modalities=video',
    ],
    ...['context=200000', 'min_price=1', 'max_price=0.1', 'min_output_price=5', 'max_output_price=0.5'],
    ...['providers=dune', 'providers=aster,sim-d', 'model_authors=quill', 'zdr=true', 'region=IS', 'region=eu-central'],
    ...['min_age_days=300', 'max_age_days=60', 'max_price=1&min_price=0.5&zdr=true'],
  ];
  for (const query of tried) {
    const kept = idsOf(query).length;
    assert.ok(kept > 0 && kept < all, `${query} keeps ${kept} of ${all}`);
  }
  assert.equal(idsOf('min_tool_success_rate=0'), [], 'nothing is measured yet');
  const rated = demoBoard({ toolCallSuccess1d: 97, toolCallSuccess1dSamples: 40 }).endpoints;
  assert.is(idsOf('min_tool_success_rate=97&max_tool_success_rate=97', rated).length, all);
  assert.equal(idsOf('min_tool_success_rate=97.1', rated), []);
  assert.equal(idsOf('category=programming'), []);
});

/** The schema with no further members, so that a member without a schema fails. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, each]) => [name, closed(each)]));
  return 'properties' in inner && !('additionalProperties' in inner)
    ? { ...inner, additionalProperties: false }
    : inner;
}

const ajv = new Ajv2020({ strict: false });

function conforms(name: string, answer: unknown): void {
  const validate = ajv.compile(
    closed(JSON.parse(JSON.stringify(CATALOGUE_SCHEMAS[name as keyof typeof CATALOGUE_SCHEMAS]))) as object,
  );
  assert.ok(validate(JSON.parse(JSON.stringify(answer))), `${name}: ${JSON.stringify(validate.errors?.slice(0, 3))}`);
}

it('every answer over the demo has the members of its published schema, and no other (rule C2)', () => {
  const { endpoints, providers } = DEMO;
  conforms('ModelList', readListing(filterModels(endpoints, new URLSearchParams(), NOW)));
  conforms('ModelList', readListing(filterModels(endpoints, new URLSearchParams('arch=x'), NOW)));
  const listing = ajv.compile(closed(JSON.parse(JSON.stringify(CATALOGUE_SCHEMAS.ModelEndpoints))) as object);
  for (const { id } of catalogueModels(endpoints)) {
    assert.ok(listing(readListing(modelEndpoints(endpoints, id, NOW))), `${id}: ${JSON.stringify(listing.errors)}`);
  }
  conforms('BareModel', findBareModel(endpoints, 'northwind/gale-70b'));
  conforms('EndpointList', readListing(zdrEndpoints(endpoints, NOW)));
  conforms('ProviderList', { data: listProviders(providers, endpoints) });
  conforms('FamilyList', { data: listFamilies(endpoints) });
  conforms('ModelBenchmarks', modelBenchmarks(endpoints, 'northwind/gale-70b'));
});

it('nothing of a provider’s address or name upstream is published', () => {
  const { endpoints } = DEMO;
  assert.not.match(JSON.stringify(readListing(zdrEndpoints(endpoints, NOW))), /secret|baseUrl|upstream/);
});

test.run();
