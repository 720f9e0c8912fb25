import { endpointsOn } from '../../../actors/endpoint/endpoint.ts';
import { listingOf } from '../../catalogue/listing.ts';
import { listVideoModels } from '../../catalogue/video-models.ts';
import type { Route } from '../../edge/route.ts';

/** `GET /videos/models`: what can be asked of each model that renders videos. (rule V14) */
export const videoModelsRoute: Route = {
  method: 'GET',
  path: '/videos/models',
  policy: 'key',
  body: 'none',
  answer: ({ request }, { services, preparedAnswers }) => {
    const data = listVideoModels(endpointsOn(services.cluster.board));
    return preparedAnswers.answer(request, listingOf({ data }), 'private, no-cache');
  },
};
