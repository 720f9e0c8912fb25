import { Ajv2020 } from 'ajv/dist/2020.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NO_EVIDENCE } from '../../../actors/endpoint/evidence.ts';
import type { Endpoint, Evidence } from '../../../actors/terms/endpoint.ts';
import { endpointDeclarations } from '../../../gateway/catalogue/document/endpoint-declaration.ts';
import { parseModelsValue } from '../../../gateway/catalogue/document/models-document.ts';
import { publishedSchema } from '../../../gateway/catalogue/document/published-schema.ts';
import { modelEndpoints } from '../../../gateway/catalogue/endpoint-listings.ts';
import { findModel } from '../../../gateway/catalogue/models.ts';
import { simulatedProviders } from '../../../gateway/simulator/models-document.ts';
import { MODEL } from '../../fixtures/models/plain.ts';
import { bounded } from '../../support/bounded.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';
import { modelsDocument, simulatedProvider } from '../../support/provider/simulated-provider.ts';
import { declared } from './declared.ts';
import { readListing } from './read-listing.ts';

const it = bounded(test);
const NOW = 1_760_000_000_000;
const { health, healthReason, measured } = boardEndpoint('x', 'http://x/v1');
type Members = Readonly<Record<string, unknown>>;

/** The demo's endpoints as on the board, with the given evidence. */
function demo(found: Partial<Evidence> = {}): ReturnType<typeof board> {
  const endpoints = ['sim-a', 'sim-b', 'sim-c', 'sim-d', 'sim-v'].flatMap((slug) => {
    const provider = simulatedProvider(slug, 'http://secret/v1');
    return parseModelsValue(provider.models, (document) => endpointDeclarations(provider, document));
  });
  return board(
    ...endpoints.map(
      (each): Endpoint => ({
        ...{ ...each, health, healthReason, measured },
        evidence: { ...NO_EVIDENCE, ...found },
      }),
    ),
  );
}
function endpointOf(model: string, slug: string, found: Partial<Evidence> = {}): Members {
  const { data } = readListing<{ data: { endpoints: readonly Members[] } }>(modelEndpoints(demo(found), model, NOW));
  const endpoint = data.endpoints.find(({ provider_slug }) => provider_slug === slug);
  if (!endpoint) throw new Error(`${slug} does not serve ${model}`);
  return endpoint;
}

it('prices are published under their names with overrides and discount (rule C19)', () => {
  // rule C19, rule C21
  assert.equal(findModel(demo(), 'sim/tiered')?.pricing, {
    prompt: '0.0000009',
    completion: '0.0000036',
    input_cache_read: '0.00000009',
    input_cache_write: '0.000001125',
    input_cache_write_1h: '0.0000018',
    overrides: [
      { min_prompt_tokens: 1_000, prompt: '0.0000018', completion: '0.0000054' },
      { min_prompt_tokens: 100_000, prompt: '0.0000036' },
      { utc_start: 2_200, utc_end: 600, prompt: '0.00000045' },
      { utc_start: 2_200, utc_end: 600, utc_days: ['saturday', 'sunday'], completion: '0.0000018' },
    ],
    discount: 0.1,
  });
  assert.is(endpointOf('sim/tiered', 'sim-c').supports_implicit_caching, true);
  assert.is(endpointOf('sim/fast', 'sim-a').supports_implicit_caching, false);
});

it('a summary shows what its endpoints declare (rule C1, rule C3, rule C6)', () => {
  // rule C2
  const tiered = findModel(demo(), 'sim/tiered');
  assert.equal(tiered?.default_parameters, { temperature: 0.7, top_p: 0.95 });
  assert.is(tiered?.reasoning, undefined);
  assert.is(tiered?.supported_voices, null);
  assert.equal(findModel(demo(), 'sim/speaker')?.supported_voices, ['alto', 'bass', 'tenor']);
  assert.equal(findModel(demo(), 'sim/thinker')?.reasoning, {
    supported_efforts: ['xhigh', 'high', 'medium', 'low', 'minimal', 'none'],
    mandatory: false,
    default_effort: 'medium',
    default_enabled: true,
    supports_max_tokens: true,
  });
  const architecture = findModel(demo(), 'sim/painter')?.architecture as Members;
  assert.is(architecture.modality, 'text+image->text+image');
  const ending = {
    ...declared({ deprecation_date: '2027-01-31', hugging_face_id: 'M/One' }),
    ...{ health, healthReason, measured, evidence: NO_EVIDENCE },
  };
  const summary = findModel(board(ending), 'm/one');
  assert.equal([summary?.expiration_date, summary?.model_hub_id], ['2027-01-31', 'M/One']);
});

it('an endpoint shows envelopes, inputs, render parameters and passthrough parameters (rule C25)', () => {
  // rule C25
  const painter = endpointOf('sim/painter', 'sim-c');
  assert.equal((painter.image_envelope as Members).max_images, 4);
  assert.equal((painter.image_envelope as Members).formats, ['png']);
  assert.is(painter.speech_envelope, null);
  assert.equal(((painter.render_parameters as Members).image as Members).n, { type: 'integer', min: 1, max: 4 });
  assert.equal(Object.keys(painter.passthrough_parameters as Members), ['guidance', 'style']);
  assert.equal(endpointOf('sim/speaker', 'sim-c').speech_envelope, {
    voices: ['alto', 'bass', 'tenor'],
    codecs: ['wav', 'pcm16'],
  });
  const inputs = endpointOf('sim/vision', 'sim-c').reference_inputs as Members;
  assert.equal(inputs.audio, { sources: ['base64'], formats: ['audio/wav', 'audio/mpeg'] });
  assert.not.match(JSON.stringify(painter), /secret/);
});

it('a claim of zero retention shows its review (rule C12)', () => {
  // rule C12
  assert.equal(endpointOf('sim/vision', 'sim-c').compliance, { hipaa: true, zdr: true, zdr_status: 'approved' });
  assert.equal(endpointOf('sim/scribe', 'sim-d').compliance, { hipaa: null, zdr: null, zdr_status: 'pending' });
  assert.is(endpointOf('sim/fast', 'sim-a').compliance, null);
  assert.equal(endpointOf('sim/fast', 'sim-a').data_policy, { training: false, retention_days: 30 });
  assert.equal(endpointOf('sim/fast', 'sim-b').datacenters, [{ country_code: 'US', region: 'us-east' }]);
});

it('withheld parameters are not shown as supported, and tool choice not below the fidelity minimum (rule C28)', () => {
  // rule I111, rule C28
  const plain = endpointOf('sim/tools', 'sim-a');
  assert.ok((plain.supported_parameters as string[]).includes('tools'));
  assert.is(plain.supports_tool_choice, true);
  const withheld = { withheld: ['tools', 'tool_choice'] };
  assert.not.ok((endpointOf('sim/tools', 'sim-a', withheld).supported_parameters as string[]).includes('tools'));
  assert.is(endpointOf('sim/tools', 'sim-a', withheld).supports_tool_choice, false);
  const summary = findModel(demo(withheld), 'sim/tools')?.supported_parameters as string[];
  assert.not.ok(summary.includes('tools'));
  const poor = endpointOf('sim/tools', 'sim-a', { toolCallSuccess1d: 84.9, toolCallSuccess1dSamples: 40 });
  assert.equal(
    [poor.supports_tool_choice, poor.tool_call_success_1d, poor.tool_call_success_1d_samples],
    [false, 84.9, 40],
  );
  assert.is(endpointOf('sim/tools', 'sim-a', { toolCallSuccess1d: 85 }).supports_tool_choice, true);
  const checked = endpointOf('sim/thinker', 'sim-c', {
    refutedEfforts: ['low'],
    checks: [
      { check: 'effort:low', verdict: 'failed', triedAt: 1_700_009_000_500, verdictAt: 1_700_000_000_500, version: 1 },
      { check: 'tools', verdict: null, triedAt: 1_700_000_000_500 },
    ],
  });
  assert.equal(checked.refuted_reasoning_efforts, ['low']);
  assert.equal(checked.capability_qualification, [
    {
      ...{ capability: 'effort:low', verdict: 'failed', probe_version: 1 },
      ...{ observed_at: 1_700_000_000, expires_at: 1_700_086_400 },
    },
  ]);
});

it('the published JSON Schema accepts every demo document and refuses what the gateway refuses (rule C46)', () => {
  const validate = new Ajv2020({ strict: true, strictTypes: false }).compile(publishedSchema());
  for (const slug of Object.keys(simulatedProviders())) {
    assert.ok(validate(modelsDocument(slug)), JSON.stringify(validate.errors));
  }
  assert.ok(validate({ $schema: './x.json', object: 'list', data: [{ ...MODEL, object: 'model', owned_by: 'm' }] }));
  for (const broken of [
    {},
    { data: [{ ...MODEL, extra: 1 }] },
    { data: [{ ...MODEL, input_modalities: [{ type: 'smell' }] }] },
  ]) {
    assert.not.ok(validate(broken));
  }
  const nested = { type: 'array', items: { type: 'array', items: { type: 'odd' } } };
  const output = { type: 'text', supported_parameters: { nested } };
  assert.not.ok(
    validate({ data: [{ ...MODEL, output_modalities: [output] }] }),
    'the shape that contains itself is checked',
  );
});

test.run();
