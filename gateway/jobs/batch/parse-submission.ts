import { type Static, Type } from 'typebox';
import { BATCH_ENDPOINTS, type BatchEndpoint } from '../../../actors/batch/batch-record.ts';
import type { BatchBounds } from '../../../actors/batch/batch-state.ts';
import { LINES_MAX } from '../../../actors/batch/line-record.ts';
import {
  described,
  LABEL_CHARACTERS_MAX,
  maybe,
  NAMES_MAX,
  named,
  oneOf,
  opaque,
} from '../../dialects/request/members.ts';
import { membersOf } from '../../dialects/request/read-members.ts';
import { validationError } from '../../dialects/request/validation-error.ts';
import type { KeptTexts } from '../../json/json-sinks.ts';
import { checkOf } from '../../json/schema-check.ts';
import type { ClusterConfig } from '../../terms/config/config.ts';
import { invalid } from '../../terms/gateway-error.ts';
import type { LineDefaults, LineProvider } from './line-body.ts';

/** Code points of a `custom_id`. (rule B2) */
const CUSTOM_ID_CHARACTERS_MAX = 128;

/** The bodies of a submission stay text until each is validated alone. */
export const SUBMISSION_TEXTS: KeptTexts = { places: [['requests', '*', 'body']], judgedLater: true };
/** The same in one line of an input file. */
export const INPUT_LINE_TEXTS: KeptTexts = { places: [['body']], judgedLater: true };

const customId = Type.String({
  minLength: 1,
  maxLength: CUSTOM_ID_CHARACTERS_MAX,
  description: 'Printable characters, unique in the batch.',
});
const provider = Type.Object({
  only: maybe(
    Type.Array(named(LABEL_CHARACTERS_MAX), { maxItems: NAMES_MAX }),
    'Provider slugs or endpoint tags that may serve; no others.',
  ),
  allow_fallbacks: maybe(Type.Boolean(), 'false: each request tries one endpoint only.'),
});
const members = {
  endpoint: described(oneOf(...BATCH_ENDPOINTS), 'The inference route that every request of the batch is sent to.'),
  model: maybe(named(LABEL_CHARACTERS_MAX), 'Id of the model of requests that name none.'),
  provider: maybe(provider, 'Which providers may serve the requests of the batch.'),
  completion_window: maybe(oneOf('24h'), 'Time within which the batch ends: always 24h.'),
  input_file_id: maybe(
    Type.String({ maxLength: LABEL_CHARACTERS_MAX }),
    'Id of a stored JSON Lines file with the requests, instead of `requests`.',
  ),
};
const requests = { minItems: 1, maxItems: LINES_MAX };
const envelope = Type.Object({ ...members, requests: maybe(Type.Array(opaque(), requests)) });
const fits = checkOf(envelope);
/** The members of a submission that are read. */
export const SUBMISSION_MEMBERS = membersOf(envelope);

/** The submission of a batch, as the OpenAPI document publishes it; each request is checked by `requestOf`. */
export const batchSubmissionSchema = Type.Object({
  ...members,
  requests: maybe(
    Type.Array(
      Type.Object({
        custom_id: described(customId, 'Names the request in the results; distinct within the batch.'),
        body: opaque('The request body, as `endpoint` takes it.'),
      }),
      requests,
    ),
    'The requests, 1 to 1,000, instead of `input_file_id`.',
  ),
});

/** One request of a batch: its body is a `JsonText`, or a value that is no JSON object. */
export interface SubmittedRequest {
  readonly customId: string;
  readonly body: unknown;
}

/** A checked submission, whose bodies are not validated yet. */
export interface Submission extends LineDefaults {
  /** The requests, or the id of the stored file that holds them. */
  readonly source: readonly SubmittedRequest[] | { readonly fileId: string };
}

/** Checks the whole envelope of a submission. Throws GatewayError 400 naming the member. (rule B1) */
export function parseSubmission(value: unknown): Submission {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('The request body must be a JSON object');
  }
  if (!fits(value)) throw invalid(validationError(envelope, value));
  const { endpoint, model, provider } = value;
  refuseOtherPreferences(provider);
  return {
    endpoint,
    model: model ?? null,
    provider: provider == null ? null : preferencesOf(provider),
    source: sourceOf(value),
  };
}

/** A preference that a batch does not apply, such as `zdr`, must not be dropped in silence; null is as left out. */
function refuseOtherPreferences(given: object | null | undefined): void {
  const other = Object.entries(given ?? {}).find(
    ([name, value]) => value !== null && !Object.hasOwn(provider.properties, name),
  );
  if (other === undefined) return;
  throw invalid(`provider.${other[0].slice(0, 64)} is not supported for a batch; set it in the bodies`);
}

/** Without the preferences that are null. */
function preferencesOf(given: object): LineProvider {
  return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(provider.properties, name)));
}

function sourceOf({ requests, input_file_id: fileId }: Static<typeof envelope>): Submission['source'] {
  if (requests != null && fileId != null) throw invalid('input_file_id must be absent where requests is given');
  if (fileId != null) return { fileId };
  if (requests == null) throw invalid('requests is required');
  const unique = new UniqueIds();
  return requests.map((request, at) => {
    const member = `requests[${at}]`;
    const parsed = requestOf(request, member);
    unique.add(parsed.customId, `${member}.custom_id`);
    return parsed;
  });
}

/** Refuses a repeated `custom_id`. */
export class UniqueIds {
  readonly #seen = new Set<string>();

  /** Throws GatewayError 400 naming the member. */
  add(id: string, member: string): void {
    if (this.#seen.has(id)) throw invalid(`${member} repeats ${JSON.stringify(id)}`);
    this.#seen.add(id);
  }
}

/** Reads `custom_id` and `body` of one request; `member` names it in a refusal. Throws GatewayError 400. */
function requestOf(request: object, member: string): SubmittedRequest {
  const { custom_id: customId, body } = request as { readonly custom_id?: unknown; readonly body?: unknown };
  if (customId == null) throw invalid(`${member}.custom_id is required`);
  if (typeof customId !== 'string') throw invalid(`${member}.custom_id must be a string`);
  if (!isCustomId(customId)) {
    throw invalid(`${member}.custom_id must have 1 to ${CUSTOM_ID_CHARACTERS_MAX} printable characters`);
  }
  if (body == null) throw invalid(`${member}.body is required`);
  return { customId, body };
}

/** Control characters, separators of lines and halves of surrogate pairs are not printable. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

function isCustomId(text: string): boolean {
  // Each character has one or two units, so this bounds the work before it is counted.
  if (text === '' || text.length > 2 * CUSTOM_ID_CHARACTERS_MAX) return false;
  return [...text].length <= CUSTOM_ID_CHARACTERS_MAX && !UNPRINTABLE.test(text);
}

/** One line of an input file in the common format, whose address must be that of the batch. Throws GatewayError 400. */
export function parseInputLine(value: unknown, nth: number, endpoint: BatchEndpoint): SubmittedRequest {
  const line = `line ${nth} of the input file`;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(`${line} is not a JSON object`);
  const { method, url } = value as { readonly method?: unknown; readonly url?: unknown };
  if (method != null && method !== 'POST') throw invalid(`${line}: method must be "POST"`);
  if (url != null && url !== endpoint) throw invalid(`${line}: url must be ${JSON.stringify(endpoint)}`);
  return requestOf(value, `${line}: request`);
}

/** The bounds that a new batch keeps to its end, whatever the configuration becomes meanwhile. */
export function batchBounds({ batches, files, upstream }: ClusterConfig): BatchBounds {
  return {
    resultsBytesMax: files.fileBytesMax,
    resultsLifetimeMs: files.lifetimeMs,
    retentionMs: batches.retentionMs,
    lineMs: upstream.totalMs + upstream.holdSlackMs,
  };
}
