import { ASPECT_RATIOS, FRAME_TYPES, RESOLUTIONS } from '../../terms/video-request.ts';
import type { DeclaredDescriptor, DeclaredModel, OutputModality } from './document-schema.ts';
import { InvalidDocument, memberOf } from './validation-error.ts';

type Path = readonly (string | number)[];
type Parameters = Readonly<Record<string, DeclaredDescriptor | undefined>>;

const SIZE = /^[1-9]\d{0,4}x[1-9]\d{0,4}$/;
/** Durations below have an exponent as text; longer ones are no clips. */
const SECONDS_MIN = 0.001;
const SECONDS_MAX = 86_400;

/** Values on the wire of each parameter whose declaration is a closed list. */
const NAMED: Readonly<Record<string, { readonly isOne: (value: unknown) => boolean; readonly words: string }>> = {
  resolution: among(RESOLUTIONS),
  aspect_ratio: among(ASPECT_RATIOS),
  frame_images: among(FRAME_TYPES),
  size: { isOne: (value) => typeof value === 'string' && SIZE.test(value), words: 'WIDTHxHEIGHT in pixels' },
};

function among(values: readonly unknown[]): { isOne: (value: unknown) => boolean; words: string } {
  return { isOne: (value) => values.includes(value), words: `one of ${values.join(', ')}` };
}

/**
 * Checks what the schema cannot: limits belong to their kind of output, a video output stands alone, its parameters declare values that a request can name, and
 * its adapters are known to each other and priced. Throws `InvalidDocument`.
 */
export function checkVideo(model: DeclaredModel, at: Path): void {
  model.output_modalities.forEach((output, nth) => {
    const path = [...at, 'output_modalities', nth];
    if (output.image !== undefined && output.type !== 'image') {
      refuse([...path, 'image'], 'belongs to an output modality of type image');
    }
    if (output.type !== 'video') {
      if (output.video !== undefined) refuse([...path, 'video'], 'belongs to an output modality of type video');
      return;
    }
    if (model.output_modalities.length > 1)
      refuse(path, 'must be the only output of its model; declare the others apart');
    const parameters = output.supported_parameters as Parameters;
    for (const [name, declared] of Object.entries(parameters)) {
      // A declared frame is a list of sizes of its own.
      const isFramed = name === 'size' && declared?.type === 'unknown' && output.video?.frame !== undefined;
      if (declared && !isFramed) checkParameter(name, declared, [...path, 'supported_parameters', name]);
    }
    checkAdapters(output, [...path, 'video', 'adapters']);
  });
}

function checkParameter(name: string, declared: DeclaredDescriptor, path: Path): void {
  const given = 'default' in declared ? declared.default : undefined;
  if (name === 'duration') checkDuration(declared, given, path);
  if (name === 'generate_audio' && !admitsBooleans(declared)) {
    refuse(path, 'must be {"type": "boolean"}, or {"type": "enum"} of true and false');
  }
  const named = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
  if (named === undefined) return;
  const values = listed(name === 'frame_images' && declared.type === 'array' ? declared.items : declared);
  if (values === null) refuse(path, 'must be {"type": "enum", "values": [...]}');
  for (const value of given === undefined ? values : [...values, given]) {
    if (!named.isOne(value)) refuse(path, `names ${JSON.stringify(value)}; a value is ${named.words}`);
  }
}

function checkDuration(declared: DeclaredDescriptor, given: unknown, path: Path): void {
  const numbers =
    declared.type === 'range' || declared.type === 'integer' ? [declared.min, declared.max] : listed(declared);
  if (numbers === null) refuse(path, 'must be a range, an integer or an enum of seconds');
  const step = declared.type === 'range' ? [declared.step] : [];
  for (const value of [...numbers, ...step, given]) {
    if (value !== undefined && !isSeconds(value))
      refuse(path, `names ${JSON.stringify(value)}; seconds are 0.001 to 86400`);
  }
}

function isSeconds(value: unknown): boolean {
  return typeof value === 'number' && value >= SECONDS_MIN && value <= SECONDS_MAX;
}

function admitsBooleans(declared: DeclaredDescriptor): boolean {
  if (declared.type === 'boolean') return declared.default === undefined || typeof declared.default === 'boolean';
  return listed(declared)?.every((value) => typeof value === 'boolean') ?? false;
}

function listed(declared: unknown): readonly unknown[] | null {
  const { type, values } = Object(declared) as { readonly type?: unknown; readonly values?: readonly unknown[] };
  return type === 'enum' && values !== undefined ? values : null;
}

/** An adapter that the plain price does not include has a conditional price. */
function checkAdapters({ video, pricing = [] }: OutputModality, path: Path): void {
  const adapters = video?.adapters ?? [];
  const ids = adapters.map(({ id }) => id);
  const priced = JSON.stringify(pricing);
  adapters.forEach(({ id, included, combines_with = [], strength }, nth) => {
    if (ids.indexOf(id) !== nth) refuse([...path, nth], `declares ${id} twice`);
    const stranger = combines_with.find((other) => !ids.includes(other));
    if (stranger !== undefined) refuse([...path, nth], `combines with ${stranger}, which is not declared`);
    if (strength && strength.min > strength.max) refuse([...path, nth, 'strength'], 'has a min above its max');
    if (included !== true && pricing.length > 0 && !priced.includes(`"adapter":{"equals":${JSON.stringify(id)}}`)) {
      const tier = `{"when": {"adapter": {"equals": ${JSON.stringify(id)}}}, "cost_usd": "..."}`;
      refuse([...path, nth], `has no price; set included or add the override ${tier}`);
    }
  });
}

function refuse(path: Path, what: string): never {
  throw new InvalidDocument(path, `${memberOf(path.map(String))} ${what}`);
}
