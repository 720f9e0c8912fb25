import { PARAMETER_ROWS } from '../../terms/parameters.ts';
import type { DeclaredDescriptor, DeclaredModel, ModelsDocument, OutputModality } from './document-schema.ts';
import { nearestIds } from './nearest-ids.ts';
import { tariffOf } from './tariff-of.ts';
import { memberOf, type ValidationError } from './validation-error.ts';

type Path = readonly (string | number)[];
type Parameters = Readonly<Record<string, DeclaredDescriptor>>;

const WARNINGS_MAX = 50;
/** Deeper descriptors than the document may nest do not exist. */
const DEPTH_MAX = 32;

/**
 * What is valid in a models document and probably a mistake: a model that is served free, a range that admits no value,
 * a parameter that no request can set, a `wire` without effect. At most 50. The document must be valid.
 */
export function documentWarnings(document: ModelsDocument): readonly ValidationError[] {
  const warnings: ValidationError[] = [];
  for (const [nth, model] of document.data.entries()) {
    const at = ['data', nth];
    warnings.push(...priceWarnings(model, at), ...parameterWarnings(model, at), ...wireWarnings(model, at));
    if (warnings.length >= WARNINGS_MAX) break;
  }
  return warnings.slice(0, WARNINGS_MAX);
}

function priceWarnings(model: DeclaredModel, at: Path): readonly ValidationError[] {
  if (model.is_free === true || model.is_ready === false) return [];
  const { id: _1, discount: _2, overrides = [], videoTiers = [], audioSecondOf: _3, ...plain } = tariffOf(model, at);
  const isPriced = Object.keys(plain).length > 0 || overrides.length > 0 || videoTiers.length > 0;
  if (!isPriced) return [warning(at, `${model.id} has no price and is served free; add prices, or is_free: true`)];
  const answersText = model.output_modalities.some(({ type }) => type === 'text');
  const oneSided = answersText && (plain.prompt === undefined) !== (plain.completion === undefined);
  const isTiered = (key: 'prompt' | 'completion'): boolean => overrides.some((each) => each[key] !== undefined);
  const missing = plain.prompt === undefined ? 'prompt' : 'completion';
  return oneSided && !isTiered(missing)
    ? [warning(at, `${model.id} has no price for ${missing} tokens, which are served free`)]
    : [];
}

function parameterWarnings(model: DeclaredModel, at: Path): readonly ValidationError[] {
  return model.output_modalities.flatMap(({ type, supported_parameters }, nth) => {
    const path = [...at, 'output_modalities', nth, 'supported_parameters'];
    const known = knownParameters(type);
    return Object.entries(supported_parameters as Parameters).flatMap(([name, declared]) => [
      ...(known.length === 0 || known.includes(name) ? [] : [unknownName(name, known, [...path, name])]),
      ...invertedRanges(declared, [...path, name]),
    ]);
  });
}

/** Members that chat requests have without any declaration. */
const UNDECLARED: ReadonlySet<string> = new Set(['user', 'stream_options', 'messages.name']);

function wireWarnings({ wire, output_modalities }: DeclaredModel, at: Path): readonly ValidationError[] {
  if (wire === undefined) return [];
  const declared = new Set(output_modalities.flatMap((output) => Object.keys(output.supported_parameters)));
  const isSent = (name: string): boolean => declared.has(name) || UNDECLARED.has(name);
  const path = [...at, 'wire'];
  const { rename = {}, omit = [], thinking_switch } = wire;
  const lost = Object.keys(rename).filter((name) => !isSent(name) || omit.includes(name));
  const thinks = ['reasoning', 'reasoning_effort', 'enable_thinking'].some((name) => declared.has(name));
  return [
    ...lost.map((name) => warning([...path, 'rename', name], 'renames a member that is never sent')),
    ...(thinking_switch && !thinks
      ? [warning([...path, 'thinking_switch'], 'is never sent: the model declares no reasoning')]
      : []),
  ];
}

/**
 * Parameters that requests can set on this type of output; any other has no effect. None for a type that no request can
 * ask for yet: it declares what it likes.
 */
export function knownParameters(type: OutputModality['type']): readonly string[] {
  const rows = PARAMETER_ROWS.filter(([, { outputs }]) => outputs.some((each) => each === type));
  return rows.map(([name]) => name);
}

function unknownName(name: string, known: readonly string[], path: Path): ValidationError {
  const [meant] = nearestIds(name, known);
  const advice = meant === undefined ? '' : `; did you mean ${meant}?`;
  return warning(path, `is a parameter that no request can set${advice}`);
}

function invertedRanges(declared: DeclaredDescriptor, path: Path, depth = 0): readonly ValidationError[] {
  if (depth > DEPTH_MAX) return [];
  switch (declared.type) {
    case 'range':
    case 'integer':
      return inverted(declared.min, declared.max, path);
    case 'array':
      return [
        ...inverted(declared.min_items, declared.max_items, path),
        ...(declared.items ? invertedRanges(declared.items as DeclaredDescriptor, [...path, 'items'], depth + 1) : []),
      ];
    case 'object':
      return Object.entries((declared.properties ?? {}) as Parameters).flatMap(([name, each]) =>
        invertedRanges(each, [...path, 'properties', name], depth + 1),
      );
    default:
      return [];
  }
}

function inverted(min: number | undefined, max: number | undefined, path: Path): readonly ValidationError[] {
  if (min === undefined || max === undefined || min <= max) return [];
  return [warning(path, `has the minimum ${min} above its maximum ${max} and admits no value`)];
}

function warning(path: Path, what: string): ValidationError {
  const names = path.map(String);
  return { path: names, message: `${memberOf(names)} ${what}` };
}
