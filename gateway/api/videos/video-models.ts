import { Type } from 'typebox';
import { endpointsOn } from '../../../actors/endpoint/endpoint.ts';
import type { Cluster } from '../../../actors/runtime/index.ts';
import { listingOf } from '../../catalogue/listing.ts';
import { listVideoModels } from '../../catalogue/video-models.ts';
import { described, listOf, orNull } from '../../dialects/request/members.ts';
import type { Route } from '../../edge/route.ts';
import type { PreparedAnswers } from '../catalogue/prepared-answers.ts';
import type { Operations } from '../wire/operation.ts';

interface VideoModelsParts {
  readonly cluster: Pick<Cluster, 'board'>;
  readonly preparedAnswers: PreparedAnswers;
}

/** `GET /videos/models`: what can be asked of each model that renders videos. (rule V14) */
export function videoModelsRoute({ cluster, preparedAnswers }: VideoModelsParts): Route {
  return {
    method: 'GET',
    path: '/videos/models',
    policy: 'key',
    answer: ({ request }) => {
      const data = listVideoModels(endpointsOn(cluster.board));
      return preparedAnswers.answer(request, listingOf({ data }), 'private, no-cache');
    },
  };
}

const text = Type.String();
const texts = Type.Array(text);
const union = orNull(texts);

/** The published schema of `GET /videos/models`; null: no live endpoint declares it. */
const videoModelListSchema = Type.Object({
  data: listOf('Models with a live endpoint that renders.', {
    id: described(text, 'Id of the model, `author/slug`, as requests name it.'),
    canonical_slug: described(text, 'The id of the model without a variant.'),
    model_hub_id: orNull(text, "Id of the model's repository; null where none is declared."),
    name: described(text, 'Name of the model, for people.'),
    created: Type.Integer({ description: 'When the model was released, Unix seconds.' }),
    description: Type.Optional(described(text, 'What the model is good for, in the words of its declaration.')),
    supported_resolutions: described(union, 'Words that `resolution` may have; null: not declared.'),
    supported_aspect_ratios: described(
      union,
      'Ratios of width to height that `aspect_ratio` may have; null: not declared.',
    ),
    supported_sizes: described(union, 'Sizes that `size` may have, WIDTHxHEIGHT; null: not declared.'),
    supported_durations: orNull(
      Type.Array(Type.Integer(), { description: 'Whole seconds.' }),
      'Lengths that `duration` may have, whole seconds; null: not declared.',
    ),
    supported_frame_images: described(union, 'Frames of the clip that may be given as a picture; null: not declared.'),
    supported_reference_roles: orNull(
      Type.Object({
        image: Type.Optional(described(texts, 'What a picture may be used for.')),
        audio: Type.Optional(described(texts, 'What a recording may be used for.')),
        video: Type.Optional(described(texts, 'What a clip may be used for.')),
      }),
      'Roles that references may have, by kind; null: not declared.',
    ),
    generate_audio: orNull(Type.Boolean(), 'Whether clips can have a sound track; null: not declared.'),
    seed: orNull(Type.Boolean(), 'Whether `seed` is honoured; null: not declared.'),
    pricing_skus: orNull(
      Type.Record(text, text, {
        description: 'USD per second: `duration_seconds`, and with a suffix for each separately priced resolution.',
      }),
      'USD per second: `duration_seconds`, and with a suffix for each separately priced resolution; null: not declared.',
    ),
    allowed_passthrough_parameters: described(texts, 'Parameters that are sent to the provider unchanged.'),
    upscale_factor: Type.Null({ description: 'Always null: upscaling is not offered.' }),
    creativity: Type.Null({ description: 'Always null: no such control is offered.' }),
  }),
});

/** What the document says of the routes. */
export const VIDEO_MODEL_OPERATIONS: Operations = {
  'GET /videos/models': {
    key: 'inference',
    summary: 'The models that render videos',
    description: 'With what each accepts and costs; null where no live endpoint declares it.',
    answers: 'Every model with a live endpoint that renders.',
    reply: { VideoModelList: videoModelListSchema },
  },
};
