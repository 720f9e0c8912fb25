import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { DeclaredDescriptor, DeclaredModel } from './document-schema.ts';
import { InvalidDocument, memberOf } from './validation-error.ts';

type Parameters = Readonly<Record<string, DeclaredDescriptor | undefined>>;
type Facts = Pick<Endpoint, 'modelHubId' | 'modelHub' | 'family' | 'tags' | 'dimensions' | 'languages'>;

/** Outputs whose language a request chooses. */
const SPOKEN: ReadonlySet<string> = new Set(['audio', 'speech', 'transcription']);

/**
 * The facts that a document states of a model: its repository and a reading of it, its family, its tags, and the vector
 * widths and languages of its outputs. Throws `InvalidDocument`.
 */
export function factsOf(model: DeclaredModel, at: readonly (string | number)[]): Facts {
  const { family, tags, output_modalities } = model;
  const hub = hubOf(model, at);
  const vectors = output_modalities.find(({ type }) => type === 'embeddings');
  const dimensions = vectors && wholeValues((vectors.supported_parameters as Parameters).dimensions);
  const spoken = output_modalities.filter(({ type }) => SPOKEN.has(type));
  const languages = spoken.map(({ supported_parameters }) => listed((supported_parameters as Parameters).language));
  const named = languages.flatMap((each) => each ?? []).map(String);
  return {
    ...hub,
    ...(family === undefined
      ? {}
      : {
          family: {
            id: family.id,
            name: family.name,
            ...(family.hugging_face_id === undefined ? {} : { modelHubId: family.hugging_face_id }),
          },
        }),
    ...(tags === undefined ? {} : { tags: [...new Set(tags)] }),
    ...(vectors === undefined ? {} : { dimensions: dimensions ?? null }),
    ...(spoken.length === 0 ? {} : { languages: named.length === 0 ? null : [...new Set(named)] }),
  };
}

/** A reading needs the id of its repository, which may be given once in either place. */
function hubOf(
  { hugging_face_id, model_hub }: DeclaredModel,
  at: readonly (string | number)[],
): Pick<Facts, 'modelHubId' | 'modelHub'> {
  const id = hugging_face_id || model_hub?.id;
  const own = id ? { modelHubId: id } : {};
  if (model_hub === undefined) return own;
  const name = memberOf([...at, 'model_hub'].map(String));
  if (!id) throw new InvalidDocument([...at, 'model_hub'], `${name} is a reading of no repository; add its id`);
  if (model_hub.id !== undefined && model_hub.id !== id) {
    throw new InvalidDocument([...at, 'model_hub', 'id'], `${name}.id is "${model_hub.id}" and not hugging_face_id`);
  }
  return { ...own, modelHub: { ...model_hub, id } };
}

function wholeValues(declared: DeclaredDescriptor | undefined): readonly number[] | null {
  const values = listed(declared);
  return values === null ? null : (values.filter((value) => Number.isSafeInteger(value)) as number[]);
}

function listed(declared: DeclaredDescriptor | undefined): readonly unknown[] | null {
  return declared?.type === 'enum' ? declared.values : null;
}
