import type { Adapter } from '../adapter.ts';
import { ChatReader } from './reply-reader.ts';
import { type ChatEndpoint, requestBody } from './request-body.ts';

/** The generic adapter: a provider that speaks chat completions. */
export const chatAdapter: Adapter = {
  path: '/chat/completions',
  credentials: (apiKey) => (apiKey === null ? [] : ['authorization', `Bearer ${apiKey}`]),
  writer: (offer) => {
    const declared = new Set(offer.supportedParameters);
    const endpoint: ChatEndpoint = {
      upstreamId: offer.target.upstreamId,
      ceilingName: offer.ceilingName,
      declares: (parameter) => declared.has(parameter),
    };
    return (turn, ceiling) => requestBody(turn, endpoint, ceiling);
  },
  reader: (makeCallId) => new ChatReader(makeCallId),
};
