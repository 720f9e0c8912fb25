import { Type } from 'typebox';
import { chatChunk, chatReply } from '../../dialects/chat/reply-schema.ts';
import { chatRequest } from '../../dialects/chat/request-schema.ts';
import { completionReply } from '../../dialects/completions/reply-schema.ts';
import { completionRequest } from '../../dialects/completions/request-schema.ts';
import { DIALECTS } from '../../dialects/dialect-table.ts';
import { embeddingsReply } from '../../dialects/embeddings/reply-schema.ts';
import { embeddingsRequest } from '../../dialects/embeddings/request-schema.ts';
import { imagesEvent, imagesReply } from '../../dialects/images/reply-schema.ts';
import { imagesRequest } from '../../dialects/images/request-schema.ts';
import { messagesError, messagesEvent, messagesReply } from '../../dialects/messages/reply-schema.ts';
import { messagesRequest } from '../../dialects/messages/request-schema.ts';
import type { Dialect } from '../../dialects/reply/dialect.ts';
import { rerankReply } from '../../dialects/rerank/reply-schema.ts';
import { rerankRequest } from '../../dialects/rerank/request-schema.ts';
import { responsesError, responsesEvent, responsesReply } from '../../dialects/responses/reply-schema.ts';
import { responsesRequest } from '../../dialects/responses/request-schema.ts';
import { JSON_BODY } from '../../edge/body/route-body.ts';
import { takeBody } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import type { AnswerParts } from '../../edge/turns/answer-parts.ts';
import { answerTurn } from '../../edge/turns/answer-turn.ts';
import type { Operation, Operations } from '../wire/operation.ts';

const unread = Type.String({ description: 'Accepted without effect.' });
const turn = { key: 'inference', inference: true } as const;
const images: Pick<Operation, 'answers' | 'body' | 'reply' | 'frame'> = {
  answers: 'The pictures, whole or one by one as events.',
  body: { ImagesRequest: imagesRequest },
  reply: { ImagesReply: imagesReply },
  frame: { ImagesEvent: imagesEvent },
};

const ranking: Pick<Operation, 'answers' | 'body' | 'reply'> = {
  answers: 'The best documents, the best one first.',
  body: { RerankRequest: rerankRequest },
  reply: { RerankReply: rerankReply },
};

/** What the document says of the routes. */
export const TURN_OPERATIONS: Operations = {
  'POST /chat/completions': {
    ...turn,
    summary: 'Answers a conversation',
    description: 'The dialect of the OpenAI chat API, with provider preferences and exact costs.',
    answers: 'The answer of the model, whole or as chunks.',
    body: { ChatRequest: chatRequest },
    reply: { ChatReply: chatReply },
    frame: { ChatChunk: chatChunk },
  },
  'POST /completions': {
    ...turn,
    summary: 'Continues a text',
    description: 'Reasoning, tool calls and media have no place in this dialect.',
    answers: 'The continuation, whole or in pieces.',
    body: { CompletionRequest: completionRequest },
    reply: { CompletionReply: completionReply },
    frame: { CompletionReply: completionReply },
  },
  'POST /embeddings': {
    ...turn,
    summary: 'Answers each text with a vector',
    description: 'Takes texts or token ids, at most 2,048 of them; never streamed.',
    answers: 'One vector for each input, in the order of the inputs.',
    body: { EmbeddingsRequest: embeddingsRequest },
    reply: { EmbeddingsReply: embeddingsReply },
  },
  'POST /rerank': {
    ...turn,
    ...ranking,
    summary: 'Ranks documents by how well they answer a query',
    description: 'Takes at most 2,048 documents; never streamed.',
  },
  'POST /v2/rerank': {
    ...turn,
    ...ranking,
    summary: 'Ranks documents, under the path of Cohere',
    description: 'The same route as POST /rerank.',
  },
  'POST /messages': {
    ...turn,
    summary: 'Answers a conversation in the messages dialect',
    description: 'The dialect of the Anthropic API. A refusal has the envelope of that dialect.',
    answers: 'The message of the model, whole or as events.',
    headers: { 'anthropic-version': unread, 'anthropic-beta': unread },
    body: { MessagesRequest: messagesRequest },
    reply: { MessagesReply: messagesReply },
    frame: { MessagesEvent: messagesEvent },
    failure: { MessagesError: messagesError },
  },
  'POST /responses': {
    ...turn,
    summary: 'Answers a conversation of items',
    description:
      'The dialect of the OpenAI responses API; nothing is stored. A stream that is refused has its envelope.',
    answers: 'The response of the model, whole or as events.',
    body: { ResponsesRequest: responsesRequest },
    reply: { ResponsesReply: responsesReply },
    frame: { ResponsesEvent: responsesEvent },
    failure: { ResponsesError: responsesError },
  },
  'GET /responses': {
    key: 'inference',
    summary: 'Turns of the responses dialect over a WebSocket',
    description: 'Frames response.create and response.cancel in; the events of a stream out, one turn at a time.',
    answers: 'The connection goes on as a WebSocket.',
    frame: { ResponsesEvent: responsesEvent },
    status: 101,
  },
  'POST /images/generations': {
    ...turn,
    ...images,
    summary: 'Draws pictures',
    description:
      'Takes the members of the OpenAI and of the OpenRouter image API; GET /images/models lists the settings.',
  },
  'POST /images': {
    ...turn,
    ...images,
    summary: 'Draws pictures, under the path of OpenRouter',
    description: 'The same route as POST /images/generations.',
  },
};

/** The inference route of one dialect. */
export function turnRoute(path: string, dialect: Dialect, parts: AnswerParts): Route {
  return {
    method: 'POST',
    path,
    policy: 'admit',
    body: JSON_BODY,
    answer: (context) => answerTurn(parts, dialect, context, takeBody(context)),
  };
}

/**
 * The inference routes. Image generation and rankings have a path for each of the two APIs that clients know them from.
 * (rule I6, rule I100, rule I150)
 */
export function turnRoutes(parts: AnswerParts): readonly Route[] {
  const route = (path: string, dialect: Dialect): Route => turnRoute(path, dialect, parts);
  return [
    route('/chat/completions', DIALECTS.chat),
    route('/completions', DIALECTS.completions),
    route('/messages', DIALECTS.messages),
    route('/responses', DIALECTS.responses),
    route('/images/generations', DIALECTS.images),
    route('/images', DIALECTS.images),
    route('/embeddings', DIALECTS.embeddings),
    route('/rerank', DIALECTS.rerank),
    route('/v2/rerank', DIALECTS.rerank),
  ];
}
