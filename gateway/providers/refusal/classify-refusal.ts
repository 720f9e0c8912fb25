import { callerPath } from './caller-path.ts';
import { lengthRefusal } from './length-refusal.ts';
import type { ProviderRefusal, RefusalCode } from './provider-refusal.ts';
import { type RefusalFacts, refusalFacts } from './refusal-facts.ts';

/** A class of refusals: its machine words, and the phrases of servers that have no word for it. */
interface Sign {
  readonly words: ReadonlySet<string>;
  readonly phrase?: RegExp;
}

/** The server could not read what its own model wrote: a tool call, or JSON. Nothing is wrong with the request. */
const MALFORMED: Sign = { words: new Set(['tool_use_failed', 'json_validate_failed', 'output_parse_failed']) };

/** The operator's rate at the provider; one server refuses a request that is larger than a minute's tokens with 413. */
const RATE: Sign = {
  words: new Set(['rate_limit_exceeded', 'rate_limit_error']),
  phrase: /^rate limit/im,
};

/**
 * The operator's account or model at the provider, answered as if the caller's request were invalid. A phrase counts at
 * the beginning of a message only: further inside it may be text of the caller.
 */
const OPERATORS: Sign = {
  words: new Set([
    'invalid_api_key',
    'api_key_invalid',
    'authentication_error',
    'account_deactivated',
    'failed_precondition',
    'billing_error',
    'billing_hard_limit_reached',
    'billing_not_active',
    'insufficient_quota',
    'exceeded_current_quota_error',
    'credit_exhausted',
    'model_not_found',
    'invalid_model',
    'model_not_supported',
    'unsupported_country_region_territory',
  ]),
  phrase:
    /^(?:(?:incorrect|invalid) api key|api key (?:not valid|expired)|your (?:credit )?balance|insufficient (?:balance|credits?|quota)|billing|user location|invalid model|unknown model|unable to access model|model not (?:exist|found)|the (?:requested )?model\b[^\n]{1,120} (?:does not exist|not found|is not supported)|model \S{1,120} is not supported)/im,
};

const MODERATION: Sign = {
  words: new Set([
    'content_filter',
    'content_filtered',
    'content_policy_violation',
    'moderation',
    'moderation_blocked',
    'responsibleaipolicyviolation',
    'invalid_prompt',
    'data_inspection_failed',
    'datainspectionfailed',
    'safety',
    'prohibited_content',
    'policy_violation',
    'image_content_policy_violation',
    'usage_policy_violation',
  ]),
  phrase:
    /content exists risk|content (?:management |filtering |moderation )?polic(?:y|ies)|content filter|usage (?:polic(?:y|ies)|guidelines)|acceptable use|safety (?:system|filter|polic(?:y|ies))|\bflagged\b|\bmoderation\b|inappropriate content|prohibited content|sensitive content|considered high risk|blocked (?:in|out)put:|敏感/i,
};

const IMAGE: Sign = {
  words: new Set([
    'invalid_image',
    'invalid_image_url',
    'invalid_image_format',
    'image_parse_error',
    'invalid_base64_image',
    'image_too_large',
    'image_too_small',
    'unsupported_image_media_type',
    'failed_to_download_image',
  ]),
  phrase:
    /(?:process|parse|decode|load|download|fetch|read)(?:ing)? (?:the |your |input )?(?:image|picture)|(?:unsupported|invalid|too large) image|image (?:exceeds|is too|data|url|could not|cannot)|while downloading/i,
};

const SCHEMA: Sign = {
  words: new Set(['invalid_function_parameters', 'invalid_json_schema', 'invalid_schema']),
  phrase: /(?:invalid|unsupported|not a valid)(?: \w+){0,4} schema|schema (?:is invalid|is not valid|must be)/i,
};

const UNSUPPORTED: Sign = {
  words: new Set(['unsupported_parameter', 'unknown_parameter', 'unknown_field', 'extra_forbidden']),
  phrase:
    /unsupported (?:parameter|field)|unrecognized request argument|unknown (?:name|parameter|field)|extra inputs are not permitted|(?:is|are) not supported|does not support/i,
};

const CEILING = /max[_ ]?(?:completion_?|output_?|new_?)?tokens/i;
const CEILING_MAX = [
  /> (\d{1,9}), which is the maximum/i,
  /at most (\d{1,9}) (?:completion |output )?tokens/i,
  /range (?:of \w{1,40} )?is \[\d{1,9}, (\d{1,9})\]/i,
  /(?:less than or equal to|at most|must be <=|no more than|maximum(?: value)? (?:of|is)) (\d{1,9})/i,
];
/** Google names the first ceiling beyond the range. */
const CEILING_END = /to (\d{1,9}) \(exclusive\)/i;

/** A refusal of the request, or the cause of a failure that is not the request's. */
type Verdict = ProviderRefusal | 'garbage' | 'misconfigured' | 'overloaded';

/**
 * What the error of an answer says: `misconfigured` where the account or the model of the operator is at fault. Only
 * codes, paths of a chat request and numbers leave this function. How much of it a status lets count: see `refused.ts`.
 */
export function classifyRefusal(answer: unknown, status: number | null): Verdict {
  // One server says nothing else of a prompt that is too long.
  if (answer === '' && status === 400) return { code: 'context_length_exceeded' };
  const facts = refusalFacts(answer);
  if (shows(facts, MALFORMED)) return 'garbage';
  const sizes = lengthRefusal(facts);
  if (sizes !== null) return { code: 'context_length_exceeded', sizes };
  if (shows(facts, OPERATORS)) return 'misconfigured';
  if (shows(facts, RATE)) return 'overloaded';
  if (shows(facts, MODERATION)) return { code: 'content_policy_violation' };
  if (facts.paths.includes('model')) return 'misconfigured';
  const param = paramOf(facts);
  if (param === 'max_tokens' || (param === undefined && CEILING.test(facts.text))) return ceilingRefusal(facts);
  if (shows(facts, IMAGE)) return refusal('invalid_image', param);
  if (shows(facts, SCHEMA) || isSchema(param)) return refusal('invalid_schema', param);
  if (shows(facts, UNSUPPORTED)) return refusal('unsupported_parameter', param);
  if (param !== undefined) return refusal('invalid_parameter', param);
  return { code: status === 413 || facts.words.has('request_too_large') ? 'payload_too_large' : 'invalid_request' };
}

function paramOf({ paths }: RefusalFacts): string | undefined {
  for (const path of paths) {
    const param = callerPath(path);
    if (param !== undefined) return param;
  }
  return undefined;
}

function ceilingRefusal(facts: RefusalFacts): ProviderRefusal {
  const { text } = facts;
  const end = CEILING_END.exec(text)?.[1];
  const most = CEILING_MAX.map((pattern) => pattern.exec(text)?.[1]).find((found) => found !== undefined);
  const ceilingMax = most === undefined ? (end === undefined ? undefined : Number(end) - 1) : Number(most);
  if (ceilingMax !== undefined) return { code: 'max_tokens_exceeded', param: 'max_tokens', ceilingMax };
  if (shows(facts, UNSUPPORTED)) return { code: 'unsupported_parameter', param: 'max_tokens' };
  const code = /too (?:large|high)|exceed|above|greater/i.test(text) ? 'max_tokens_exceeded' : 'invalid_parameter';
  return { code, param: 'max_tokens' };
}

function isSchema(param: string | undefined): boolean {
  return param !== undefined && /\.parameters$|\.json_schema$/.test(param);
}

function shows({ words, text }: RefusalFacts, sign: Sign): boolean {
  for (const word of words) if (sign.words.has(word)) return true;
  return sign.phrase?.test(text) ?? false;
}

function refusal(code: RefusalCode, param: string | undefined): ProviderRefusal {
  return param === undefined ? { code } : { code, param };
}
