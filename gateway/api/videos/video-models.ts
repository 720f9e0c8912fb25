import { endpointsOn } from '../../../actors/endpoint/endpoint.ts';
import type { Cluster } from '../../../actors/runtime/index.ts';
import { listingOf } from '../../catalogue/listing.ts';
import { listVideoModels } from '../../catalogue/video-models.ts';
import type { Route } from '../../edge/route.ts';
import type { PreparedAnswers } from '../catalogue/prepared-answers.ts';

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
    body: 'none',
    answer: ({ request }) => {
      const data = listVideoModels(endpointsOn(cluster.board));
      return preparedAnswers.answer(request, listingOf({ data }), 'private, no-cache');
    },
  };
}
