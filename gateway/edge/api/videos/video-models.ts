import { ENDPOINTS_TOPIC } from '../../../../actors/endpoint/endpoint.ts';
import { listVideoModels } from '../../../catalogue/video-models.ts';
import type { Route } from '../../http/route.ts';
import { jsonAnswer } from '../../http/route-answer.ts';

/** `GET /videos/models`: what can be asked of each model that renders videos. (spec: catalogue, Video models listing) */
export const videoModelsRoute: Route = {
  method: 'GET',
  path: '/videos/models',
  policy: 'key',
  body: 'none',
  answer: (_context, { services }) =>
    jsonAnswer(JSON.stringify({ data: listVideoModels(services.cluster.board.topic(ENDPOINTS_TOPIC)) })),
};
