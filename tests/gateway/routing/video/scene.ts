import type { EndpointDeclaration } from '../../../../actors/terms/endpoint.ts';
import { endpointDeclarations } from '../../../../gateway/catalogue/document/endpoint-declaration.ts';
import { parseModelsValue } from '../../../../gateway/catalogue/document/models-document.ts';
import { promptNeeds } from '../../../../gateway/routing/prompt-needs.ts';
import { planVideo, type VideoPlan } from '../../../../gateway/routing/video/plan-video.ts';
import { videoTurn } from '../../../../gateway/routing/video/video-turn.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import type { Rejection } from '../../../../gateway/terms/plan.ts';
import type { Asset, VideoRequest } from '../../../../gateway/terms/video-request.ts';
import { measurePromptNow } from '../../../../gateway/tokens/measure-prompt.ts';
import { CLIPS, video } from '../../../fixtures/models/clips.ts';
import { thrownBy } from '../../../support/failure-of.ts';
import '../../../support/prompt-sizes.ts';
import { board, boardEndpoint } from '../../../support/model/endpoints.ts';
import { simulatedProvider } from '../../../support/provider/simulated-provider.ts';
import { declared } from '../../catalogue/declared.ts';

export const live = boardEndpoint('x', 'http://x/v1');
export type Board = ReturnType<typeof board>;

export const ASK: VideoRequest = {
  ...{ model: 'm/one', prompt: 'a lake', duration: null, size: null, resolution: null, aspectRatio: null },
  ...{ seed: null, generateAudio: null, assets: [], callbackUrl: null },
  preferences: { allowFallbacks: true },
  adapters: new Map(),
};

export function clips(slug: string, output: object, model: object = {}): EndpointDeclaration {
  return declared({ ...CLIPS, output_modalities: [video(output)], ...model }, { slug, name: slug.toUpperCase() });
}
export function onBoard(declarations: readonly EndpointDeclaration[]): Board {
  const { health, healthReason, measured, evidence } = live;
  return board(...declarations.map((each) => ({ ...each, health, healthReason, measured, evidence })));
}
export function demo(): Board {
  const provider = simulatedProvider('sim-v', 'http://x/v1');
  return onBoard(parseModelsValue(provider.models, (document) => endpointDeclarations(provider, document)));
}
export function plan(topic: Board, ask: Partial<VideoRequest>, at = 0): VideoPlan {
  const request = { ...ASK, ...ask };
  const turn = videoTurn(request);
  const sizes = measurePromptNow(turn, promptNeeds(turn, topic));
  return planVideo(request, topic, { seed: 0.5, at, defaults: {}, sizes });
}
export function refusal(topic: Board, ask: Partial<VideoRequest>): GatewayError {
  return thrownBy(() => plan(topic, ask), GatewayError);
}
export function rejectionsOf({ metadata = {} }: GatewayError): readonly Rejection[] {
  return metadata.rejections as readonly Rejection[];
}
export function asset(
  kind: Asset['kind'],
  role: Asset['role'],
  mediaType = `${kind}/${kind === 'image' ? 'png' : kind === 'audio' ? 'wav' : 'mp4'}`,
): Asset {
  const member = role.endsWith('_frame') ? 'frame_images[0]' : 'input_references[0]';
  return { kind, role, mediaType, base64: 'AAAA', bytes: 3, member };
}
export const FILM = { model: 'sim/filmstrip' };
export const BOOK = { model: 'sim/flipbook' };
export const STORY = { model: 'sim/storyboard' };
