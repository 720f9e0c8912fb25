import { redactRefusal, type SentRequest } from './refusal/redact-refusal.ts';
import { refusalFacts } from './refusal/refusal-facts.ts';
import { answerOf } from './refused.ts';

/** A longer request is not compared with what its provider said, which would block the loop: its words are not shown. */
const BODY_CHARACTERS_MAX = 256 * 1024;
const TEXT_CHARACTERS_MAX = 400;
export const WORDS_CHARACTERS_MAX = 160;
/** Providers quote the beginning and the end of a key that they refuse. */
const KEY_PART_CHARACTERS_MIN = 4;
const MASKED = '[request]';

/** The words of error messages. One that a request holds too says nothing about that request. */
const COMMON: ReadonlySet<string> = new Set(
  (
    'a account accepted again allowed an and api are as at available bad balance be because been below billing busy by ' +
    'call capacity cannot check closed code complete completion completions concurrent connection content context ' +
    'could credit credits currently day deprecated did disabled do does down due empty endpoint error exceed exceeded ' +
    'exceeds exist expired failed failure few find for forbidden format found from full function gateway generate has ' +
    'have help high hour id if image in input insufficient internal invalid is it json key later length less limit ' +
    'limits loaded loading long maintenance many max maximum message messages minute minutes missing model more must ' +
    'name no not now of on only operation or organization out output overloaded owner parameter per permission plan ' +
    'please priority processing prompt proxy quota rate reach reached refused request requests required reset resource ' +
    'response retry role second seconds see server service so start stream support supported system temporarily ' +
    'temperature text than that the there this time timed timeout to token tokens too tool tools try type unable ' +
    'unauthorized unavailable unexpected unknown unsupported upstream usage use user using valid value version wait ' +
    'was we were while with within would you your'
  ).split(' '),
);

/**
 * What a provider said instead of an answer, in a line for operators: without keys, without anything of their form, and
 * without any word that the request holds, unless error messages are made of it. Null where it said nothing, or where the
 * request is too long to be compared. Pure.
 */
export function refusalWords(raw: string, sent: SentRequest): string | null {
  if (sent.body === null || sent.body.length > BODY_CHARACTERS_MAX) return null;
  const { text, words } = refusalFacts(answerOf(raw));
  const said = (text === '' ? [...words].join(' ') : text).replace(/<[^<>]{0,200}>/g, ' ');
  const secrets: Secrets = { request: sent.body.toLowerCase(), keys: [...sent.keys].join('\n').toLowerCase() };
  const masked = redactRefusal(said, sent)
    .slice(0, TEXT_CHARACTERS_MAX)
    .replace(/[\p{L}\p{M}\p{N}]+/gu, (word) => (isSecret(word.toLowerCase(), secrets) ? MASKED : word));
  const line = masked.replaceAll(`[${MASKED}]`, MASKED).replace(/\s+/g, ' ').trim();
  return line.replace(/\[request\](?: \[request\])+/g, MASKED).slice(0, WORDS_CHARACTERS_MAX) || null;
}

/** In lower case. */
interface Secrets {
  readonly request: string;
  readonly keys: string;
}

/** A run of letters that no space divides is a sentence in some languages: two letters in common are enough. */
function isSecret(word: string, { request, keys }: Secrets): boolean {
  if (word.length < 2 || COMMON.has(word)) return false;
  if (word.length >= KEY_PART_CHARACTERS_MIN && keys.includes(word)) return true;
  if (/^[\x20-\x7e]*$/.test(word)) return request.includes(word);
  for (let at = 0; at + 2 <= word.length; at++) if (request.includes(word.slice(at, at + 2))) return true;
  return false;
}
