/** Tries what one model of a provider is declared to do, directly at the provider, without an account and a charge. */
import { relative } from 'node:path';
import { systemClock } from '../../../../actors/runtime/index.ts';
import type { Endpoint, EndpointDeclaration } from '../../../../actors/terms/endpoint.ts';
import { compare } from '../../../../actors/terms/usd.ts';
import type { ModelsDocument } from '../../../catalogue/document/document-schema.ts';
import { endpointDeclarations } from '../../../catalogue/document/endpoint-declaration.ts';
import { lineOf } from '../../../catalogue/document/line-of.ts';
import { parseModelsText, parseModelsValue } from '../../../catalogue/document/models-document.ts';
import { readDocument } from '../../../catalogue/document/read-document.ts';
import { type AbilityFinding, testAbilities } from '../../../checks/abilities.ts';
import type { CheckSite } from '../../../checks/ask.ts';
import type { Outbound } from '../../../outbound/outbound.ts';
import { targetOf } from '../../../providers/call/target.ts';
import type { ProviderFailure } from '../../../providers/provider-failure.ts';
import { redactRefusal } from '../../../providers/refusal/redact-refusal.ts';
import type { ClusterConfig } from '../../../terms/config/config.ts';
import type { ProviderDeclaration } from '../../../terms/provider-declaration.ts';
import { ConfigError, lineOf as wordsOf } from '../../config/config-error.ts';
import { loadConfig } from '../../config/load.ts';
import { LiveProviderKeys } from '../../config/provider-keys.ts';
import type { GlobalOptions } from '../frame/command.ts';
import { type OwnConfig, ownConfig, withOutbound } from './own-config.ts';

export interface TestedProvider extends GlobalOptions {
  readonly name: string;
  /** Id at the provider or in the catalogue; absent: the cheapest one that serves. */
  readonly model?: string | undefined;
}

/** `right`: as declared. `undeclared`: it works and no customer can ask for it. `unclear`: nothing was shown. */
type Verdict = 'right' | 'wrong' | 'undeclared' | 'unclear';

interface TestedAbility {
  readonly ability: string;
  readonly verdict: Verdict;
  readonly detail: string;
  /** What to change; null: nothing. */
  readonly change: string | null;
}

export interface TestResult {
  readonly provider: string;
  readonly model: string;
  readonly abilities: readonly TestedAbility[];
}

const WORDS_MAX = 200;
/** Room for thinking, whose smallest budget is 1,024 tokens; the answers are a few words. */
const TOKENS_MAX = 4_096;
const SILENT = { info: () => {}, error: () => {} };

/** @throws ConfigError for a provider or model that the configuration does not declare. */
export async function testProvider(given: TestedProvider): Promise<TestResult> {
  const own = await ownConfig(given);
  const config = await loadConfig({ file: own.path, data: given.data, cwd: process.cwd(), env: null });
  const at = config.providers.findIndex(({ slug }) => slug === given.name);
  const provider = config.providers[at];
  if (provider === undefined) {
    throw new ConfigError(`${own.path} declares no provider ${given.name}; see \`troupe providers add --help\``);
  }
  const keys = await LiveProviderKeys.open({ providers: [provider] }, process.env, { clock: systemClock, log: SILENT });
  return withOutbound(async (outbound) => {
    const text = await readDocument({ outbound, upstream: config.upstream, keys }, provider).catch((error: unknown) => {
      throw new ConfigError(wordsOf(error));
    });
    const { declaration, nth, textAt } = chosen(given, declared(provider, text));
    const words = new Map<ProviderFailure, string>();
    const site = siteOf({ config, outbound, key: keys.get(given.name) ?? null, words });
    const findings = await testAbilities(site, endpointOf(declaration));
    const places = { own, provider, text, at, nth, textAt };
    return {
      provider: given.name,
      model: declaration.target.upstreamId,
      abilities: findings.map((finding) => tested(finding, words, places)),
    };
  });
}

interface Declared {
  readonly declaration: EndpointDeclaration;
  /** Its place among the models of the document, and that of its text among its outputs. */
  readonly nth: number;
  readonly textAt: number;
  readonly isReady: boolean;
}

/** Every model of the document, those that do not serve among them. @throws ConfigError */
function declared(provider: ProviderDeclaration, text: string | null): readonly Declared[] {
  const all = (document: ModelsDocument): readonly Declared[] =>
    document.data.flatMap((model, nth) =>
      endpointDeclarations(provider, { data: [{ ...model, is_ready: true }] }).map((declaration) => ({
        declaration,
        nth,
        textAt: model.output_modalities.findIndex(({ type }) => type === 'text'),
        isReady: model.is_ready !== false,
      })),
    );
  try {
    return text === null ? parseModelsValue(provider.models, all) : parseModelsText(text, all);
  } catch (error) {
    throw new ConfigError(`${String(provider.models)}: ${wordsOf(error)}`);
  }
}

/** @throws ConfigError */
function chosen({ name, model }: TestedProvider, all: readonly Declared[]): Declared {
  const talking = all.filter(({ declaration }) => declaration.outputModalities.includes('text'));
  if (model !== undefined) {
    const named = talking.find(({ declaration }) => [declaration.target.upstreamId, declaration.model].includes(model));
    if (named !== undefined) return named;
    throw new ConfigError(`--model ${model}: ${name} declares no such model that answers with text`);
  }
  const [cheapest] = talking
    .filter(({ isReady }) => isReady)
    .sort((one, other) => compare(priceOf(one), priceOf(other)));
  if (cheapest !== undefined) return cheapest;
  throw new ConfigError(`no model of ${name} serves yet; name one with --model ID, or fill in what its document lacks`);
}

function priceOf({ declaration: { tariff } }: Declared): string {
  return tariff.completion ?? tariff.prompt ?? '0';
}

/** The declaration as an endpoint without any traffic. */
function endpointOf(declaration: EndpointDeclaration): Endpoint {
  const evidence = { withheld: [], refutedEfforts: [], refutedInputs: [], dispatchVerified: false };
  return { ...declaration, health: 'unknown', healthReason: '', evidence } as unknown as Endpoint;
}

interface SiteParts {
  readonly config: ClusterConfig;
  readonly outbound: Outbound;
  readonly key: string | null;
  readonly words: Map<ProviderFailure, string>;
}

/** The provider's own words of a refusal are kept for the operator, redacted. */
function siteOf({ config, outbound, key, words }: SiteParts): CheckSite {
  const { checks, upstream } = config;
  const learnt = {};
  return {
    outbound,
    clock: systemClock,
    targetOf: (endpoint) => targetOf(endpoint, key, undefined, learnt),
    limits: { timeoutMs: checks.timeoutMs, completionTokensMax: TOKENS_MAX },
    lineBytesMax: upstream.lineBytesMax,
    bodyBytesMax: upstream.bodyBytesMax,
    begun: () => {},
    refusals: (raw, failure, { turn, body }) => {
      const keys = key === null ? [] : [key];
      words.set(failure, redactRefusal(raw, { body, messages: turn.messages, keys }).slice(0, WORDS_MAX));
    },
  };
}

interface Places {
  readonly own: OwnConfig;
  readonly provider: ProviderDeclaration;
  /** Null: the document stands in the configuration. */
  readonly text: string | null;
  /** Of the provider in the configuration, of the model in the document. */
  readonly at: number;
  readonly nth: number;
  readonly textAt: number;
}

function tested(finding: AbilityFinding, words: ReadonlyMap<ProviderFailure, string>, places: Places): TestedAbility {
  const { ability, failure } = finding;
  const said = failure === undefined ? undefined : words.get(failure);
  const detail = said ? `${finding.detail}; the provider says: ${said}` : finding.detail;
  const verdict = verdictOf(finding);
  const changes = verdict === 'wrong' || verdict === 'undeclared';
  return { ability, verdict, detail, change: changes ? changeOf(finding, places) : null };
}

function verdictOf({ works, declared: isDeclared }: AbilityFinding): Verdict {
  if (works === null) return 'unclear';
  if (works === isDeclared) return 'right';
  return works ? 'undeclared' : 'wrong';
}

function changeOf({ member, better, works }: AbilityFinding, places: Places): string {
  const model = ['data', String(places.nth)];
  switch (member.kind) {
    case 'parameter': {
      const path = [...model, 'output_modalities', String(places.textAt), 'supported_parameters'];
      if (works) return `${inDocument(places, path)}: add "${member.name}": {"type": "unknown"}`;
      return `${inDocument(places, [...path, member.name])}: remove "${member.name}"`;
    }
    case 'input': {
      const what = `{"type": "${member.name}"}`;
      return `${inDocument(places, [...model, 'input_modalities'])}: ${works ? 'add' : 'remove'} ${what}`;
    }
    case 'wire':
      return wireChange(member.name, better, places);
    case 'provider':
      return `${inConfig(places, [])}: check baseUrl, dialect, preset and the key`;
  }
}

function wireChange(name: string, better: string | undefined, places: Places): string {
  const place = inConfig(places, ['wire']);
  if (name === 'omit') return `${place}: remove "stream_options" from "omit" of "wire", or accept an estimate`;
  if (better === undefined) return `${place}: no form of "reasoning_history" in "wire" is accepted; see the refusal`;
  return `${place}: set "reasoning_history": "${better}" in "wire"`;
}

function inDocument({ own, provider, text, at }: Places, path: readonly string[]): string {
  if (text === null)
    return `${placed(own.path)}:${lineOf(own.text ?? '{}', ['providers', String(at), 'models', ...path])}`;
  return `${placed(String(provider.models))}:${lineOf(text, path)}`;
}

function inConfig({ own, at }: Places, path: readonly string[]): string {
  return `${placed(own.path)}:${lineOf(own.text ?? '{}', ['providers', String(at), ...path])}`;
}

/** As it is shortest from here. */
function placed(path: string): string {
  const here = relative(process.cwd(), path);
  return here.startsWith('..') || /^https?:/.test(path) ? path : here;
}
