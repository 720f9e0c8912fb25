import { type TSchema, Type } from 'typebox';
import { chatChunk, chatReply } from '../../dialects/chat/reply-schema.ts';
import { chatRequest } from '../../dialects/chat/request-schema.ts';
import { completionReply } from '../../dialects/completions/reply-schema.ts';
import { completionRequest } from '../../dialects/completions/request-schema.ts';
import { embeddingsReply } from '../../dialects/embeddings/reply-schema.ts';
import { embeddingsRequest } from '../../dialects/embeddings/request-schema.ts';
import { imagesEvent, imagesReply } from '../../dialects/images/reply-schema.ts';
import { imagesRequest } from '../../dialects/images/request-schema.ts';
import { messagesError, messagesEvent, messagesReply, tokenCountReply } from '../../dialects/messages/reply-schema.ts';
import { countRequest, messagesRequest } from '../../dialects/messages/request-schema.ts';
import { errorType } from '../../dialects/reply/reply-members.ts';
import { objectOf } from '../../dialects/request/members.ts';
import { responsesError, responsesEvent, responsesReply } from '../../dialects/responses/reply-schema.ts';
import { responsesRequest } from '../../dialects/responses/request-schema.ts';
import { batchSubmissionSchema } from '../../jobs/batch/parse-submission.ts';
import { videoRequestSchema } from '../../jobs/video/video-schema.ts';
import { approvalSchema } from '../../management/approvals.ts';
import { keyCreateSchema, keyEditSchema, keyImportSchema } from '../../management/key-schema.ts';
import {
  budgetSetSchema,
  membersAddSchema,
  membersRemoveSchema,
  workspaceCreateSchema,
  workspaceEditSchema,
} from '../../management/workspace-schema.ts';
import { auditListSchema } from '../audit/audit-schema.ts';
import { codeTradeSchema, issuedKeySchema } from '../auth/auth-keys.ts';
import { codeIssuedSchema } from '../auth/auth-keys-code.ts';
import { batchListSchema, batchSchema } from '../batches/batch-schema.ts';
import { CATALOGUE_SCHEMAS } from '../catalogue/catalogue-schema.ts';
import { depositListSchema, depositSchema, paymentResultSchema, railsSchema } from '../deposits/deposit-schema.ts';
import { feedEventSchema } from '../events/event-schema.ts';
import { fileDeletedSchema, fileFormSchema, fileListSchema, fileObjectSchema } from '../files/file-schema.ts';
import { deletedSchema, keyCreatedSchema, keyListSchema, keyReplySchema } from '../keys/key-schema.ts';
import { activityListSchema, lowBalanceNoticeSchema } from '../money/credits.ts';
import { PROVIDER_SCHEMAS } from '../provider/provider-schema.ts';
import { sessionListSchema, sessionsEndedSchema } from '../sessions/session-routes.ts';
import { videoModelListSchema } from '../videos/video-models.ts';
import { videoAcceptedSchema, videoJobListSchema, videoJobSchema } from '../videos/video-schema.ts';
import { deliveryListSchema, deliverySchema, webhookSecretSchema } from '../webhooks/webhook-schema.ts';
import type { Operation, Parameter } from '../wire/operation.ts';
import {
  budgetListSchema,
  budgetReplySchema,
  memberListSchema,
  membersAddedSchema,
  membersRemovedSchema,
  workspaceListSchema,
  workspaceReplySchema,
} from '../workspaces/workspace-schema.ts';
import {
  aliveSchema,
  anyDocumentSchema,
  creditsSchema,
  generationSchema,
  lowBalanceSetSchema,
  ownKeySchema,
  readySchema,
  retiredSchema,
  statementListSchema,
} from './account-schemas.ts';
import { parameterWords } from './parameter-words.ts';

/** The envelope of every failure, as the OpenAPI document publishes it. (rule E1) */
export const envelopeSchema = Type.Object({
  error: objectOf('Why the request was refused.', {
    code: Type.Integer({ minimum: 400, maximum: 599, description: 'Equal to the HTTP status.' }),
    message: Type.String({ description: 'What went wrong, for people: not a contract.' }),
    metadata: Type.Object(
      { error_type: errorType },
      { additionalProperties: true, description: 'Facts for programs.' },
    ),
  }),
});

/** The schema objects that validate requests, and the schemas of the replies. */
const SCHEMAS: Readonly<Record<string, TSchema>> = {
  ChatRequest: chatRequest,
  ChatReply: chatReply,
  ChatChunk: chatChunk,
  CompletionRequest: completionRequest,
  CompletionReply: completionReply,
  EmbeddingsRequest: embeddingsRequest,
  EmbeddingsReply: embeddingsReply,
  MessagesRequest: messagesRequest,
  MessagesReply: messagesReply,
  MessagesEvent: messagesEvent,
  MessagesError: messagesError,
  TokenCountRequest: countRequest,
  TokenCount: tokenCountReply,
  ResponsesRequest: responsesRequest,
  ResponsesReply: responsesReply,
  ResponsesEvent: responsesEvent,
  ResponsesError: responsesError,
  ImagesRequest: imagesRequest,
  ImagesReply: imagesReply,
  ImagesEvent: imagesEvent,
  File: fileObjectSchema,
  FileList: fileListSchema,
  FileDeleted: fileDeletedSchema,
  FileForm: fileFormSchema,
  BatchSubmission: batchSubmissionSchema,
  Batch: batchSchema,
  BatchList: batchListSchema,
  VideoJob: videoJobSchema,
  VideoJobList: videoJobListSchema,
  VideoModelList: videoModelListSchema,
  ...CATALOGUE_SCHEMAS,
  VideoRequest: videoRequestSchema,
  VideoAccepted: videoAcceptedSchema,
  WebhookSecret: webhookSecretSchema,
  Key: keyReplySchema,
  KeyList: keyListSchema,
  KeyCreated: keyCreatedSchema,
  KeyCreate: keyCreateSchema,
  KeyImport: keyImportSchema,
  KeyEdit: keyEditSchema,
  Deleted: deletedSchema,
  Workspace: workspaceReplySchema,
  WorkspaceList: workspaceListSchema,
  WorkspaceCreate: workspaceCreateSchema,
  WorkspaceEdit: workspaceEditSchema,
  MemberList: memberListSchema,
  MembersAdd: membersAddSchema,
  MembersAdded: membersAddedSchema,
  MembersRemove: membersRemoveSchema,
  MembersRemoved: membersRemovedSchema,
  Budget: budgetReplySchema,
  BudgetList: budgetListSchema,
  BudgetSet: budgetSetSchema,
  AuditList: auditListSchema,
  ...PROVIDER_SCHEMAS,
  WebhookDelivery: deliverySchema,
  WebhookDeliveryList: deliveryListSchema,
  ActivityList: activityListSchema,
  LowBalanceNotice: lowBalanceNoticeSchema,
  CodeTrade: codeTradeSchema,
  IssuedKey: issuedKeySchema,
  CodeRequest: approvalSchema,
  CodeIssued: codeIssuedSchema,
  SessionList: sessionListSchema,
  SessionsEnded: sessionsEndedSchema,
  DepositRails: railsSchema,
  Deposit: depositSchema,
  DepositList: depositListSchema,
  PaymentResult: paymentResultSchema,
  Alive: aliveSchema,
  Ready: readySchema,
  AnyDocument: anyDocumentSchema,
  Credits: creditsSchema,
  OwnKey: ownKeySchema,
  StatementList: statementListSchema,
  Retired: retiredSchema,
  LowBalanceSet: lowBalanceSetSchema,
  Generation: generationSchema,
  FeedEvent: feedEventSchema,
  Error: envelopeSchema,
};

const HEADERS: readonly Parameter[] = [
  { name: 'X-Session-Id', schema: { type: 'string', maxLength: 256 } as unknown as TSchema },
  { name: 'X-Vendor-Title', schema: { type: 'string' } as unknown as TSchema },
  { name: 'X-Title', schema: { type: 'string' } as unknown as TSchema },
  { name: 'HTTP-Referer', schema: { type: 'string' } as unknown as TSchema },
  {
    name: 'Idempotency-Key',
    schema: { type: 'string', minLength: 1, maxLength: 255 } as unknown as TSchema,
    description: 'A repeat within 24 hours is not served again: 409 names the generation, 422 another body.',
  },
];

/** The order of the operations of one path: what a reader looks for first. */
const METHODS: readonly Operation['method'][] = ['get', 'post', 'put', 'patch', 'delete', 'head'];

/** The API as an OpenAPI 3.1 document: the registered routes with the schemas in use. */
export function openApiDocument(operations: readonly Operation[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const { path } of operations) {
    paths[path] ??= Object.fromEntries(
      METHODS.flatMap((method) => operations.filter((one) => one.path === path && one.method === method)).map(
        (operation) => [operation.method, operationObject(operation)],
      ),
    );
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Troupe',
      version: '1',
      description: 'A model marketplace behind one API. Unknown members of a request are accepted and ignored.',
    },
    servers: [{ url: '/api/v1' }],
    security: [],
    paths,
    components: {
      schemas: SCHEMAS,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      },
    },
  };
}

function operationObject(operation: Operation): object {
  const parameters = [
    ...[...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
      description: parameterWords(String(name)),
    })),
    ...(operation.query ?? []).map((each) => ({
      in: 'query',
      required: false,
      description: parameterWords(each.name),
      ...each,
    })),
    ...[...(operation.inference ? HEADERS : []), ...(operation.headers ?? [])].map((each) => ({
      in: 'header',
      required: false,
      description: parameterWords(each.name),
      ...each,
    })),
  ];
  return {
    operationId: operationId(operation),
    summary: operation.summary,
    description: operation.description ?? sentence(operation),
    tags: [tagOf(operation.path)],
    ...(operation.key ? { security: [{ bearer: [] }, { apiKey: [] }] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBody(operation),
    responses: { [operation.status ?? 200]: answered(operation), default: failed(operation) },
  };
}

/** What a caller needs beside the summary: the credential, and how often the route may be called. */
function sentence({ summary, key, inference }: Operation): string {
  const needs = key ? 'Needs an API key.' : 'Needs no key.';
  return `${summary}. ${needs}${inference ? ' The charge is recorded before the end of the answer is sent.' : ''}`;
}

/** Groups operations by the first part of their path. */
function tagOf(path: string): string {
  const first = path.split('/')[1] ?? '';
  return TAGS[first] ?? (first === '' ? 'Service' : `${first[0]?.toUpperCase()}${first.slice(1)}`);
}

const TAGS: Readonly<Record<string, string>> = {
  ...{ ready: 'Service', 'openapi.json': 'Service', chat: 'Inference', completions: 'Inference' },
  ...{
    messages: 'Inference',
    responses: 'Inference',
    images: 'Inference',
    embeddings: 'Inference',
    generation: 'Inference',
    model: 'Catalogue',
  },
  ...{ models: 'Catalogue', providers: 'Catalogue', families: 'Catalogue', endpoints: 'Catalogue', stats: 'Catalogue' },
  ...{ key: 'Keys', auth: 'Keys', sessions: 'Keys', audit: 'Keys', credits: 'Money', deposits: 'Money' },
  ...{ activity: 'Money', statements: 'Money' },
};

function requestBody({ body, form }: Operation): object {
  const schema = body ?? form;
  if (schema === undefined) return {};
  const type = body === undefined ? 'multipart/form-data' : 'application/json';
  return { requestBody: { required: true, content: { [type]: { schema: ref(schema) } } } };
}

function operationId({ method, path }: Operation): string {
  const words = path.split(/[^A-Za-z]+/).filter(Boolean);
  return [method, ...words.map((word) => word[0]?.toUpperCase() + word.slice(1))].join('');
}

function answered({ reply, frame, inference, namesUnread, bytes, status }: Operation): object {
  if (status === 101) return { description: 'The connection goes on as a WebSocket' };
  if (bytes) return { description: 'The bytes', content: { 'application/octet-stream': {} } };
  const stream =
    frame === undefined ? {} : { 'text/event-stream': { schema: { type: 'string' }, 'x-frame': ref(frame) } };
  if (frame !== undefined && reply === undefined) return { description: 'A stream of frames', content: stream };
  const json = { schema: reply === undefined ? { type: 'object' } : ref(reply) };
  const header = (description: string): object => ({ description, schema: { type: 'string' } });
  const headers = {
    ...(inference
      ? {
          'X-Generation-Id': header('Id of the generation; sent on failures too.'),
          'X-Provider-Name': header('The provider that served the request; absent on streams.'),
        }
      : {}),
    ...(inference || namesUnread
      ? { 'X-Unread-Members': header('What the request names and nothing reads, at most 16; absent without any.') }
      : {}),
  };
  return {
    description: frame === undefined ? 'The answer' : 'The answer, whole or as a stream of frames',
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: { 'application/json': json, ...stream },
  };
}

function failed({ failure }: Operation): object {
  const schema = failure === undefined ? ref('Error') : { anyOf: [ref('Error'), ref(failure)] };
  return { description: 'A failure', content: { 'application/json': { schema } } };
}

function ref(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}
