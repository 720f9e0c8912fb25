import {
  type AcceptedInput,
  type Endpoint,
  type EndpointDeclaration,
  type EndpointOutput,
  LONE_OUTPUTS,
  type LoneOutput,
  type Modality,
  type ProviderFacts,
  type TargetDialect,
  type TurnDialect,
} from '../../../actors/terms/endpoint.ts';
import { endpointId, providerId } from '../../../actors/terms/ids.ts';
import type { ProviderDeclaration } from '../../terms/provider-declaration.ts';
import { checkVideo } from './check-video.ts';
import { descriptorsOf } from './descriptor-of.ts';
import type { DeclaredDescriptor, DeclaredModel, InputModality, ModelsDocument } from './document-schema.ts';
import { envelopesOf } from './envelopes-of.ts';
import { factsOf } from './facts-of.ts';
import { reasoningOf } from './reasoning-of.ts';
import { tariffOf } from './tariff-of.ts';
import { InvalidDocument, invalidDocument, memberOf, type ValidationError } from './validation-error.ts';
import { presetOf, wireOf } from './wire-of.ts';

type Path = readonly (string | number)[];
type Parameters = Readonly<Record<string, DeclaredDescriptor>>;

/** Output modalities of this build; models without any of them are left out. */
const SERVED: ReadonlySet<string> = new Set<EndpointOutput>(['text', 'image', 'audio', 'video', ...LONE_OUTPUTS]);
/** The wire formats of turns that have a form of their own for an output that is served alone. */
const OWN_FORMS: Readonly<Record<LoneOutput, ReadonlySet<TurnDialect>>> = {
  embeddings: new Set(['ollama', 'gemini', 'cohere']),
  rerank: new Set(['cohere']),
};
/** One declaration fits one envelope, and every node's board holds it. */
const DECLARATION_CHARS_MAX = 128 * 1024;
const CATALOGUE_ID = /^[A-Za-z0-9._~-]+\/[A-Za-z0-9._~:-]+$/;
/** The request member that carries the parameters of a media output. */
const CARRIER: Readonly<Record<string, string>> = { image: 'image_config', audio: 'audio' };

/**
 * The models of one provider as declarations for its endpoint actors. Leaves out models that are not ready or have no
 * served output modality. Throws `InvalidDocument` with the faults of every model.
 */
export function endpointDeclarations(
  provider: ProviderDeclaration,
  document: ModelsDocument,
): readonly EndpointDeclaration[] {
  const seen = new Set<string>();
  const faults: ValidationError[] = [];
  const declared = document.data.flatMap((model, nth) => {
    const at = ['data', nth];
    try {
      if (seen.has(model.id))
        throw new InvalidDocument([...at, 'id'], `data[${nth}].id: ${model.id} is declared twice`);
      seen.add(model.id);
      const declaration = declarationOf(provider, model, at);
      return declaration === null || model.is_ready === false ? [] : [declaration];
    } catch (error) {
      if (!(error instanceof InvalidDocument)) throw error;
      faults.push(...faultsOf(model, at, error));
      return [];
    }
  });
  if (faults.length > 0) throw invalidDocument(faults);
  return declared;
}

function declarationOf(provider: ProviderDeclaration, model: DeclaredModel, at: Path): EndpointDeclaration | null {
  if (!model.output_modalities.some(({ type }) => SERVED.has(type))) return null;
  const declaration = endpointDeclaration(provider, model, at);
  if (JSON.stringify(declaration).length <= DECLARATION_CHARS_MAX) return declaration;
  throw new InvalidDocument(
    at,
    `${memberOf(at.map(String))} is longer than ${DECLARATION_CHARS_MAX} characters; shorten it`,
  );
}

/** The parts of a declaration that may have a fault, each independent of the others. */
const CHECKED_PARTS: readonly ((model: DeclaredModel, at: Path) => unknown)[] = [
  checkVideo,
  catalogueId,
  factsOf,
  lengthsOf,
  tariffOf,
  (model, at) => wireOf({}, model, at),
];

/** The fault that was thrown, and the first one of every other part of the model. */
function faultsOf(model: DeclaredModel, at: Path, thrown: InvalidDocument): readonly ValidationError[] {
  const faults = new Map(thrown.faults.map((fault) => [fault.message, fault]));
  for (const part of CHECKED_PARTS) {
    try {
      part(model, at);
    } catch (error) {
      if (!(error instanceof InvalidDocument)) throw error;
      for (const fault of error.faults) faults.set(fault.message, fault);
    }
  }
  return [...faults.values()];
}

/** One model at one provider. `at` is its path in the document. */
function endpointDeclaration(provider: ProviderDeclaration, model: DeclaredModel, at: Path = []): EndpointDeclaration {
  const { slug, name, baseUrl } = provider;
  checkVideo(model, at);
  const id = catalogueId(model, at);
  const quantization = model.quantization ?? null;
  const outputs = servedOutputs(model);
  const wire = wireOf(provider, model, at);
  return {
    id: endpointId(slug, model.id),
    model: id,
    modelName: model.name,
    author: id.slice(0, id.indexOf('/')),
    created: model.created,
    ...(model.deprecation_date === undefined ? {} : { expiresOn: model.deprecation_date.slice(0, 10) }),
    description: model.description ?? null,
    ...factsOf(model, at),
    provider: { id: providerId(slug), slug, name },
    tag: quantization === null ? slug : `${slug}/${quantization}`,
    quantization,
    ...lengthsOf(model, at),
    ...parametersOf(model, wire?.omit),
    cancellable: model.cancellable ?? false,
    inputModalities: unique(['text', ...model.input_modalities.map(({ type }) => type)]),
    inputs: inputsOf(model.input_modalities),
    outputModalities: unique(outputs.map(({ type }) => type as EndpointOutput)),
    envelopes: envelopesOf(outputs),
    ...trustOf(provider, model),
    tokenizer: model.tokenizer ?? null,
    target: {
      dialect: dialectOf(provider, model),
      baseUrl,
      upstreamId: model.id,
      ...(wire === undefined ? {} : { wire }),
    },
    tariff: chargedTariff(model, at),
  };
}

/**
 * Vectors and rankings are no tokens: their completion is published as free, since clients require that price. Where
 * searches are priced, so is what they read.
 */
function chargedTariff(model: DeclaredModel, at: Path): Endpoint['tariff'] {
  const tariff = tariffOf(model, at);
  if (loneOutput(model) === undefined) return tariff;
  return { completion: '0', ...(tariff.search === undefined ? {} : { prompt: '0' }), ...tariff };
}

function loneOutput(model: DeclaredModel): LoneOutput | undefined {
  return LONE_OUTPUTS.find((lone) => servedOutputs(model).some(({ type }) => type === lone));
}

/** An endpoint has one wire format: beside another output, embeddings and rankings are facts of the model, not served. */
function servedOutputs({ output_modalities }: DeclaredModel): DeclaredModel['output_modalities'] {
  const served = output_modalities.filter(({ type }) => SERVED.has(type));
  const others = served.filter(({ type }) => !LONE_OUTPUTS.some((lone) => lone === type));
  return others.length === 0 ? served : others;
}

/**
 * The model's own, or else its provider's. Videos have wire formats of their own, and so have outputs that are served
 * alone, unless the declared one has them.
 */
function dialectOf(provider: ProviderDeclaration, model: DeclaredModel): TargetDialect {
  const declared = model.dialect ?? provider.dialect ?? presetOf(provider)?.dialect ?? 'chat';
  const lone = loneOutput(model);
  if (lone !== undefined) return OWN_FORMS[lone].has(declared) ? declared : lone;
  const { output_modalities } = model;
  const output = output_modalities.find(({ type }) => type === 'video');
  if (output === undefined) return declared;
  return output.video?.generation === 'synchronous' ? 'video-sync' : 'video-jobs';
}

/** A declared provider in the form that its actor receives. Members that the config omits are null. */
export function providerFacts(provider: ProviderDeclaration, declared: readonly EndpointDeclaration[]): ProviderFacts {
  const { slug, name, website, privacyPolicyUrl, termsOfServiceUrl, statusPageUrl, headquarters, feeFraction } =
    provider;
  const countries = unique(declared.flatMap(({ datacenters }) => datacenters ?? []).map((each) => each.countryCode));
  return {
    id: providerId(slug),
    slug,
    name,
    website: website ?? null,
    privacyPolicyUrl: privacyPolicyUrl ?? null,
    termsOfServiceUrl: termsOfServiceUrl ?? null,
    statusPageUrl: statusPageUrl ?? null,
    headquarters: headquarters ?? null,
    datacenters: countries.length === 0 ? null : [...countries].sort(),
    ...(feeFraction === undefined ? {} : { feeFraction }),
  };
}

/** The declared catalogue id; without one the provider's own id must have the form author/slug. */
function catalogueId({ id, slug, is_free }: DeclaredModel, at: Path): string {
  const named = slug ?? id;
  if (!CATALOGUE_ID.test(named)) {
    const path = [...at, 'id'];
    throw new InvalidDocument(
      path,
      `${memberOf(path.map(String))} is "${named}", which is not author/slug; add a slug member of that form`,
    );
  }
  return is_free && !named.endsWith(':free') ? `${named}:free` : named;
}

function lengthsOf(
  { input_modalities, output_modalities }: DeclaredModel,
  at: Path,
): Pick<Endpoint, 'contextLength' | 'promptTokensMax' | 'completionTokensMax'> {
  const nth = input_modalities.findIndex(({ type }) => type === 'text');
  const text = input_modalities[nth] as Extract<InputModality, { type: 'text' }> | undefined;
  const length = text?.supported_inputs?.max_context_length?.value;
  if (length === undefined) {
    const path = [...at, 'input_modalities', ...(nth < 0 ? [] : [nth])];
    const what = 'supported_inputs.max_context_length of its text is missing; add it as {"value": 131072}';
    throw new InvalidDocument(path, `${memberOf(path.map(String))}: ${what}`);
  }
  return {
    contextLength: length,
    promptTokensMax: text?.supported_inputs?.max_prompt_length?.value ?? null,
    completionTokensMax: output_modalities.find(({ type }) => type === 'text')?.max_length?.value ?? null,
  };
}

/**
 * Parameters of text, videos and embeddings are members of the request; those of pictures and speech lie inside their
 * carrier member. A parameter that is never sent is not supported, whatever the model declares.
 */
function parametersOf(
  model: DeclaredModel,
  omitted: readonly string[] = [],
): Pick<
  Endpoint,
  'supportedParameters' | 'descriptors' | 'passthrough' | 'ceilingName' | 'reasoning' | 'defaultParameters'
> {
  const own = servedOutputs(model).find(({ type }) => !Object.hasOwn(CARRIER, type));
  const text = (own?.supported_parameters ?? {}) as Parameters;
  const media = model.output_modalities.filter(({ type }) => Object.hasOwn(CARRIER, type));
  const carried = media.map(({ type, supported_parameters }) => {
    const properties = supported_parameters as Parameters;
    return [CARRIER[type] as string, { type: 'object', properties } as DeclaredDescriptor] as const;
  });
  const parameters: Parameters = {
    ...text,
    ...Object.fromEntries(carried),
    ...(media.length === 0 ? {} : { modalities: { type: 'unknown' } }),
  };
  const known = Object.entries(descriptorsOf(parameters)).filter(([, { type }]) => type !== 'unknown');
  const passed = [model, ...model.input_modalities, ...model.output_modalities].map(
    ({ passthrough_parameters }) => (passthrough_parameters ?? {}) as Parameters,
  );
  const older = Object.hasOwn(text, 'max_tokens') || !Object.hasOwn(text, 'max_completion_tokens');
  return {
    supportedParameters: Object.keys(parameters)
      .filter((name) => !omitted.includes(name))
      .sort(),
    descriptors: Object.fromEntries(known),
    passthrough: descriptorsOf(Object.fromEntries(passed.flatMap(Object.entries))),
    ceilingName: model.ceiling_parameter ?? (older ? 'max_tokens' : 'max_completion_tokens'),
    reasoning: reasoningOf(text),
    defaultParameters: model.default_parameters ?? {},
  };
}

function inputsOf(inputs: readonly InputModality[]): Endpoint['inputs'] {
  const accepted: { [modality in Exclude<Modality, 'text'>]?: AcceptedInput } = {};
  for (const input of inputs) {
    if (input.type === 'text') continue;
    const { sources, formats } = input.supported_inputs ?? {};
    accepted[input.type] = {
      // Both sources are accepted unless the document names them.
      sources:
        sources === undefined ? ['url', 'data'] : sources.values.map((each) => (each === 'url' ? 'url' : 'data')),
      containers: formats?.values ?? null,
    };
  }
  return accepted;
}

/** A claim of zero data retention is pending until the operator decides on it. */
function trustOf(
  { zdr: verdict }: ProviderDeclaration,
  { compliance, data_policy, datacenters }: DeclaredModel,
): Pick<Endpoint, 'compliance' | 'dataPolicy' | 'datacenters'> {
  const { zdr, hipaa } = compliance ?? {};
  const declared = zdr !== undefined || hipaa !== undefined;
  const status = zdr === undefined ? null : zdr ? (verdict ?? 'pending') : 'denied';
  return {
    compliance: declared ? { hipaa: hipaa ?? null, zdr: status } : null,
    dataPolicy: data_policy
      ? { training: data_policy.training, retentionDays: data_policy.retention_days ?? null }
      : null,
    datacenters:
      datacenters?.map(({ country_code, region }) => ({
        countryCode: country_code,
        ...(region === undefined ? {} : { region }),
      })) ?? null,
  };
}

function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}
