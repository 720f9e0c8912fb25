import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NO_EVIDENCE } from '../../../actors/endpoint/evidence.ts';
import type { Json } from '../../../actors/runtime/index.ts';
import type { EndpointDeclaration } from '../../../actors/terms/endpoint.ts';
import { modelBenchmarks, modelEndpoints, zdrEndpoints } from '../../../gateway/catalogue/endpoint-listings.ts';
import { listFamilies } from '../../../gateway/catalogue/families.ts';
import { catalogueModel, findModel } from '../../../gateway/catalogue/models.ts';
import { listProviders } from '../../../gateway/catalogue/providers.ts';
import { MODEL } from '../../fixtures/models/plain.ts';
import { bounded } from '../../support/bounded.ts';
import { board, boardEndpoint, UNMEASURED } from '../../support/model/endpoints.ts';
import { declared } from './declared.ts';
import { demoBoard } from './demo-board.ts';
import { readListing } from './read-listing.ts';

const it = bounded(test);
const NOW = 1_760_000_000_000;

function onBoard(...declarations: readonly EndpointDeclaration[]): ReturnType<typeof board> {
  const facts = { health: 'unknown', healthReason: '', evidence: NO_EVIDENCE, measured: UNMEASURED } as const;
  return board(...declarations.map((each) => ({ ...each, ...facts })));
}

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

const READING = {
  read_at: 1_764_547_200,
  availability: 'open',
  languages: ['en', 'de'],
  papers: ['2501.00001'],
  datasets: ['org/set'],
  weights_revision: 'abc',
  weights_updated_at: 1_764_000_000,
  downloads: 12,
  likes: 0,
  evaluations: [{ dataset: 'mmlu', score: 71.2 }],
};

it('a summary shows family, tags and the newest reading of its repository, with the facts that were stated (rule C4)', () => {
  // rule C4
  const family = { id: 'fam-1', name: 'Fam One', hugging_face_id: 'Org/Fam' };
  const older = { read_at: 5, downloads: 1 };
  const topic = onBoard(
    declared({ slug: 'm/one', hugging_face_id: 'Org/One', model_hub: older, tags: ['code', 'open'] }, { slug: 'a' }),
    declared(
      { slug: 'm/one', hugging_face_id: 'Org/One', model_hub: READING, family, tags: ['open', 'fast'] },
      { slug: 'b' },
    ),
  );
  const summary = findModel(topic, 'm/one');
  assert.equal(summary?.family, { id: 'fam-1', name: 'Fam One' });
  assert.equal(summary?.tags, ['code', 'fast', 'open']);
  assert.is(summary?.model_hub_id, 'Org/One');
  assert.equal(summary?.model_hub, { ...READING, id: 'Org/One' });
  const bare = findModel(onBoard(declared({})), 'm/one');
  assert.equal(
    [bare?.tags, bare?.model_hub_id, bare && 'family' in bare, bare && 'model_hub' in bare],
    [[], null, false, false],
  );
});

it('a reading names one repository', () => {
  assert.match(
    refusal(() => declared({ model_hub: READING })),
    /data\[0\]\.model_hub is a reading of no repository/,
  );
  assert.match(
    refusal(() => declared({ model_hub: { ...READING, id: 'Org/Two' }, hugging_face_id: 'Org/One' })),
    /model_hub\.id is "Org\/Two" and not hugging_face_id/,
  );
  assert.match(
    refusal(() => declared({ model_hub: { downloads: 1 } })),
    /read_at/,
  );
  assert.match(
    refusal(() => declared({ family: { id: 'Über', name: 'x' } })),
    /family\.id/,
  );
});

const OUTPUT = MODEL.output_modalities[0] as object;
const priced = (cost: string): object => ({
  input_modalities: MODEL.input_modalities.map((one) => ({
    ...one,
    pricing: [{ type: 'prompt', unit: 'token', cost_usd: cost }],
  })),
});

it('voices are a union; widths and languages come from the cheapest endpoint that makes vectors or speech (rule C7)', () => {
  const vectors = (values: readonly number[] | null): object => ({
    type: 'embeddings',
    supported_parameters: values === null ? {} : { dimensions: { type: 'enum', values } },
  });
  const speech = (voice: string, languages: readonly string[]): object => ({
    type: 'audio',
    supported_parameters: {
      voice: { type: 'enum', values: [voice] },
      format: { type: 'enum', values: ['wav'] },
      language: { type: 'enum', values: languages },
      speed: { type: 'range', min: 0.5, max: 2 },
      input_references: { type: 'array', max_items: 1 },
    },
  });
  const topic = onBoard(
    declared({ ...priced('0.3'), output_modalities: [OUTPUT, vectors([64]), speech('b', ['fr'])] }, { slug: 'dear' }),
    declared(
      { ...priced('0.2'), output_modalities: [OUTPUT, vectors([512, 256]), speech('a', ['de', 'en'])] },
      { slug: 'mid' },
    ),
    declared({ ...priced('0.1'), output_modalities: [OUTPUT] }, { slug: 'cheap' }),
  );
  const summary = findModel(topic, 'm/one');
  assert.equal(summary?.supported_voices, ['a', 'b']);
  assert.equal(summary?.supported_dimensions, [512, 256]);
  assert.equal(summary?.supported_languages, ['de', 'en']);
  const [cheap, , dear] = catalogueModel(topic, 'm/one')?.endpoints ?? [];
  assert.equal([cheap?.envelopes.speech, dear?.envelopes.speech?.clones], [undefined, true]);
  const undeclared = findModel(onBoard(declared({ output_modalities: [OUTPUT, vectors(null)] })), 'm/one');
  assert.is(undeclared?.supported_dimensions, null);
  const plain = findModel(onBoard(declared({})), 'm/one');
  assert.equal([plain?.supported_voices, plain?.supported_languages], [null, null]);
});

it('an endpoint shows the limits of its pictures, the range of its speech, and whether it imitates a voice (rule C26)', () => {
  const { endpoints } = demoBoard();
  const shown = (model: string, slug: string): Readonly<Record<string, unknown>> => {
    const { data } = readListing<{ data: { endpoints: Readonly<Record<string, unknown>>[] } }>(
      modelEndpoints(endpoints, model, NOW),
    );
    return data.endpoints.find(({ provider_slug }) => provider_slug === slug) ?? {};
  };
  const { image_envelope, speech_envelope } = shown('lumen/lumen-draw-1', 'aster');
  const frame = { max_pixels: 4_194_304, min_edge: 256, max_edge: 2_048, grid: 64 };
  assert.equal({ ...(image_envelope as object), ...frame }, image_envelope);
  assert.is(speech_envelope, null);
  const voice = shown('cadence/cadence-voice-2', 'aster');
  assert.equal((voice.speech_envelope as { speed: object }).speed, { min: 0.5, max: 2 });
  assert.equal(
    [voice.supports_voice_cloning, shown('cadence/cadence-voice-2', 'borealis').supports_voice_cloning],
    [true, false],
  );
  const clips = { sources: ['base64'], formats: ['audio/wav', 'audio/mpeg'], max_items: 1 };
  assert.equal((voice.reference_inputs as { speech: object }).speech, clips, 'clips of a voice to imitate');
  assert.not('speech' in (shown('cadence/cadence-voice-2', 'borealis').reference_inputs as object));
  const languages = findModel(endpoints, 'cadence/cadence-voice-2')?.supported_languages;
  assert.equal(languages, ['de', 'en', 'es', 'fr', 'it', 'ja', 'pt']);
  const misplaced = [{ ...OUTPUT, image: { frame: { grid: 64 } } }];
  assert.match(
    refusal(() => declared({ output_modalities: misplaced })),
    /output_modalities\[0\]\.image belongs to an output modality of type image/,
  );
});

it('families list their models, endpoints and providers (rule C8)', () => {
  const fam = (id: string): object => ({ family: { id, name: `Family ${id}` } });
  const topic = onBoard(
    declared({ ...fam('b'), slug: 'm/one', created: 10 }, { slug: 'p' }),
    declared({ ...fam('b'), slug: 'm/one', created: 10 }, { slug: 'a' }),
    declared({ ...fam('b'), id: 'two', slug: 'n/two', created: 20 }, { slug: 'p' }),
    declared({ ...fam('a'), slug: 'm/three' }, { slug: 'q' }),
    declared({ slug: 'm/alone' }, { slug: 'r' }),
  );
  assert.equal(listFamilies(topic), [
    {
      ...{ id: 'a', name: 'Family a', author: 'm', model_hub_id: null },
      ...{ models: ['m/three'], endpoint_count: 1, providers: ['q'] },
    },
    {
      ...{ id: 'b', name: 'Family b', author: 'n', model_hub_id: null },
      ...{ models: ['n/two', 'm/one'], endpoint_count: 3, providers: ['a', 'p'] },
    },
  ]);
});

it('providers are listed by name, with their facts and the number of models they serve (rule C9)', () => {
  const facts = { website: 'https://a.example', privacyPolicyUrl: null, termsOfServiceUrl: null, statusPageUrl: null };
  const one = { id: 'prov_1', slug: 'z', name: 'Alpha', headquarters: 'DE', datacenters: ['DE', 'US'], ...facts };
  const other = { ...one, id: 'prov_2', slug: 'a', name: 'Beta', headquarters: null, datacenters: null };
  const endpoints = board(
    boardEndpoint('z', 'http://x/v1', { id: 'm/one' }),
    boardEndpoint('z', 'http://x/v1', { id: 'm/two' }),
  );
  const listed = listProviders(
    new Map<string, Json>([
      ['a', other],
      ['z', one],
    ]),
    endpoints,
  );
  assert.equal(
    listed.map(({ slug, model_count }) => [slug, model_count]),
    [
      ['z', 2],
      ['a', 0],
    ],
  );
  assert.equal(listed[0], {
    ...{ id: 'prov_1', name: 'Alpha', slug: 'z', website: 'https://a.example', headquarters: 'DE', model_count: 2 },
    ...{ privacy_policy_url: null, terms_of_service_url: null, status_page_url: null, datacenters: ['DE', 'US'] },
  });
});

it('only approved claims are listed as zero data retention, and benchmarks name who earned them (rule C12)', () => {
  const claim = (zdr: 'approved' | 'pending' | 'denied' | null, slug: string) => ({
    ...boardEndpoint(slug, 'http://x/v1', { id: 'm/one' }),
    compliance: { hipaa: null, zdr },
  });
  const topic = board(claim('pending', 'a'), claim('approved', 'b'), claim('denied', 'c'), claim(null, 'd'));
  const { data } = readListing<{ data: { provider_slug: string }[] }>(zdrEndpoints(topic, NOW));
  assert.equal(
    data.map(({ provider_slug }) => provider_slug),
    ['b'],
  );
  assert.equal(modelBenchmarks(topic, 'm/one'), {
    data: [],
    benchmarks_note: 'No benchmark has been run for these endpoints.',
  });
  assert.is(modelBenchmarks(topic, 'm/none'), null);
});

test.run();
