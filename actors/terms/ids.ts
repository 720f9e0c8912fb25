/**
 * Ids, addresses and key texts. Random parts come from the random port; derived parts are derived by fixed rules. A
 * key's text exists only where it is created and in the requests that present it; only its digest is stored.
 */
import { createHash, createHmac } from 'node:crypto';
import type { Random } from '../runtime/index.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LOCAL_LENGTH = 20;
/** Bytes from this value on are skipped to avoid a bias towards the first letters: 248 = 4 x 62. */
const FAIR_BYTES = 248;

/** Prefix of every new key, and the older prefix that is still valid (rule K2). */
export const KEY_PREFIX = 'sk-gw-v1-';
export const LEGACY_KEY_PREFIX = 'sk-legacy-v1-';
const KEY_SHAPE = /^(?:sk-gw-v1-|sk-legacy-v1-)[0-9a-f]{64}$/;

/** `acct_` and 20 letters: 119 random bits. */
export function accountId(random: Random): string {
  return `acct_${base62(random, LOCAL_LENGTH)}`;
}

export function keyId(random: Random): string {
  return `key_${base62(random, LOCAL_LENGTH)}`;
}

/** `ws_` and 20 letters. */
export function workspaceId(random: Random): string {
  return `ws_${base62(random, LOCAL_LENGTH)}`;
}

/** The id of the workspace that every account has from its creation, derived from the account. */
export function defaultWorkspaceId(account: string): string {
  const digest = createHash('sha256').update(`workspace ${account}`).digest();
  return `ws_${[...digest.subarray(0, LOCAL_LENGTH)].map((byte) => letter(byte)).join('')}`;
}

/** True for text with the shape of a workspace id; any other text is not looked up. */
export function isWorkspaceId(text: string): boolean {
  return /^ws_[0-9A-Za-z]{20}$/.test(text);
}

export function depositId(random: Random): string {
  return `dep_${base62(random, LOCAL_LENGTH)}`;
}

/** Of one reading of a models document. */
export function refreshId(random: Random): string {
  return `run_${base62(random, LOCAL_LENGTH)}`;
}

export function adjustmentId(random: Random): string {
  return `adj_${base62(random, LOCAL_LENGTH)}`;
}

/**
 * `gen-<Unix seconds, 10 digits>-<20 letters>`, where the first two letters encode the milliseconds. Ids sort by time,
 * so the rows of one commit are adjacent in every index; 107 bits are random.
 */
export function generationId(random: Random, nowMs: number): string {
  const ms = Math.floor(nowMs) % 1000;
  const seconds = Math.floor(nowMs / 1000)
    .toString()
    .padStart(10, '0');
  return `gen-${seconds}-${letter(ms / BASE62.length)}${letter(ms)}${base62(random, LOCAL_LENGTH - 2)}`;
}

/** `file_` and 32 hex digits: see `timedId`. */
export function fileId(random: Random, nowMs: number): string {
  return `file_${timedId(random, nowMs)}`;
}

/** True for text with the shape of a file id; any other text is not looked up. */
export function isFileId(text: string): boolean {
  return /^file_[0-9a-f]{32}$/.test(text);
}

/** `batch_` and 32 hex digits: see `timedId`. */
export function batchId(random: Random, nowMs: number): string {
  return `batch_${timedId(random, nowMs)}`;
}

/** True for text with the shape of a batch id; any other text is not looked up. */
export function isBatchId(text: string): boolean {
  return /^batch_[0-9a-f]{32}$/.test(text);
}

/** `vjob_` and 32 hex digits: see `timedId`. */
export function videoJobId(random: Random, nowMs: number): string {
  return `vjob_${timedId(random, nowMs)}`;
}

/** True for text with the shape of the id of a video job; any other text is not looked up. */
export function isVideoJobId(text: string): boolean {
  return /^vjob_[0-9a-f]{32}$/.test(text);
}

/** The id of one line of a batch: `breq_` and 32 hex digits, derived from the batch and the line's index. */
export function lineId(batch: string, index: number): string {
  return `breq_${createHash('sha256').update(`line ${batch} ${index}`).digest('hex').slice(0, 32)}`;
}

/**
 * The generation id of one line, fixed with the batch (rule B13): of the form of `generationId`, with the time of the
 * batch, derived from the batch and the line's index.
 */
export function lineGenerationId(batch: string, index: number): string {
  const digest = createHash('sha256').update(`generation ${batch} ${index}`).digest();
  const text = [...digest.subarray(0, LOCAL_LENGTH)].map((byte) => letter(byte)).join('');
  const seconds = Math.floor(timeOfId(batch) / 1000);
  return `gen-${seconds.toString().padStart(10, '0')}-${text}`;
}

/** The id of a webhook event, derived from the job and the type: `evt_` and 32 hex digits. */
export function webhookEventId(job: string, type: string): string {
  return `evt_${createHash('sha256').update(`event ${job} ${type}`).digest('hex').slice(0, 32)}`;
}

/** True for text with the shape of the id of a webhook event; any other text is not looked up. */
export function isWebhookEventId(text: string): boolean {
  return /^evt_[0-9a-f]{32}$/.test(text);
}

const TIME_DIGITS = 12;

/** 32 hex digits: 12 of the time in ms, so that ids sort by age, and 20 random ones (80 bits). */
function timedId(random: Random, nowMs: number): string {
  const time = Math.floor(nowMs).toString(16).padStart(TIME_DIGITS, '0');
  return time + Buffer.from(random.bytes(10)).toString('hex');
}

/** The time in an id that `timedId` made, ms. */
export function timeOfId(id: string): number {
  const at = id.lastIndexOf('_') + 1;
  return Number.parseInt(id.slice(at, at + TIME_DIGITS), 16);
}

function letter(n: number): string {
  return BASE62.charAt(Math.floor(n) % BASE62.length);
}

/** Derived from the provider's slug. */
export function providerId(slug: string): string {
  return `prov_${hex16(slug)}`;
}

/** The id of the account that belongs to a provider, derived from the slug: no two providers share one. */
export function providerAccountId(slug: string): string {
  const digest = createHash('sha256').update(`provider account ${slug}`).digest();
  return `acct_${[...digest.subarray(0, LOCAL_LENGTH)].map((byte) => letter(byte)).join('')}`;
}

/** Derived from provider and model. A slug contains no slash, so the joint is unambiguous. */
export function endpointId(providerSlug: string, model: string): string {
  return `ep_${hex16(`${providerSlug}/${model}`)}`;
}

export function accountAddress(account: string): string {
  return `account:${account}`;
}

export function keyAddress(account: string, key: string): string {
  return `key:${account}/${key}`;
}

export function workspaceAddress(account: string, workspace: string): string {
  return `workspace:${account}/${workspace}`;
}

export function fileAddress(account: string, file: string): string {
  return `file:${account}/${file}`;
}

export function batchAddress(account: string, batch: string): string {
  return `batch:${account}/${batch}`;
}

export function webhookAddress(account: string, event: string): string {
  return `webhook:${account}/${event}`;
}

/** The audit log of an account, or with `OPERATOR_LOG` of what concerns no account. */
export function auditAddress(account: string): string {
  return `audit:${account}/log`;
}

/** The actor with the versions of an account's signing secret. */
export function signingAddress(account: string): string {
  return `signing:${account}`;
}

export function videoJobAddress(account: string, job: string): string {
  return `video-job:${account}/${job}`;
}

export function endpointAddress(endpoint: string): string {
  return `endpoint:${endpoint}`;
}

export function providerAddress(slug: string): string {
  return `provider:${slug}`;
}

/** Creates the text of a new key: 256 random bits. Shown once and never stored. */
export function keyText(random: Random): string {
  return KEY_PREFIX + Buffer.from(random.bytes(32)).toString('hex');
}

/** True for text with the shape of a key; any other text is refused without a look-up. */
export function isKeyText(text: string): boolean {
  return KEY_SHAPE.test(text);
}

/** The stored digest of a key: HMAC-SHA256 of its SHA-256 under the pepper, 64 hex digits. */
export function keyDigest(pepper: Uint8Array, key: string): string {
  return hmac(pepper, createHash('sha256').update(key).digest());
}

/** The public handle of a key: the SHA-256 of its text. It names the key and authenticates nothing. */
export function keyHandle(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** True for text with the shape of a handle; any other text is not looked up. */
export function isKeyHandle(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** The id of an imported key, derived from its digest, so that a repeated import meets the same key. */
export function importedKeyId(digest: string): string {
  const bytes = createHash('sha256').update(`imported ${digest}`).digest();
  return `key_${[...bytes.subarray(0, LOCAL_LENGTH)].map((byte) => letter(byte)).join('')}`;
}

/** The same digest for an imported key, of which only the SHA-256 (64 hex digits) is available. */
export function importedKeyDigest(pepper: Uint8Array, sha256Hex: string): string {
  if (!/^[0-9a-f]{64}$/.test(sha256Hex))
    throw new RangeError('an imported key must be given as 64 lower case hex digits');
  return hmac(pepper, Buffer.from(sha256Hex, 'hex'));
}

/**
 * The stored digest of an idempotency key or of the body that came with it: 32 hex digits of an HMAC under the pepper.
 * Never equal for a key and a body.
 */
export function idempotencyDigest(pepper: Uint8Array, of: 'key' | 'body', text: string): string {
  return hmac(pepper, createHash('sha256').update(`idempotency ${of} ${text}`).digest()).slice(0, 32);
}

/** `sk-gw-v1-abc...xyz`: tells an owner's keys apart and reveals too little to use one. */
export function maskKey(key: string): string {
  const prefix = key.startsWith(LEGACY_KEY_PREFIX) ? LEGACY_KEY_PREFIX : KEY_PREFIX;
  const secret = key.slice(prefix.length);
  return `${prefix}${secret.slice(0, 3)}...${secret.slice(-3)}`;
}

function hmac(pepper: Uint8Array, digest: Uint8Array): string {
  return createHmac('sha256', pepper).update(digest).digest('hex');
}

function hex16(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function base62(random: Random, length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of random.bytes(length - text.length + 4)) {
      if (byte < FAIR_BYTES && text.length < length) text += BASE62[byte % BASE62.length];
    }
  }
  return text;
}
