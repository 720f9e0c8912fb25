import { Type } from 'typebox';
import { findCode, tradeCode } from '../../../actors/issuance-code/issuance-code.ts';
import { AskError, ownerOf } from '../../../actors/runtime/index.ts';
import { keyAddress, keyDigest, keyHandle, keyId, keyText, maskKey } from '../../../actors/terms/ids.ts';
import { challengeOf, secretDigest } from '../../../actors/terms/one-time.ts';
import { JSON_BODY } from '../../edge/body/route-body.ts';
import { type RequestContext, takeBody } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import type { ManagementServices } from '../../management/services.ts';
import type { GatewayError } from '../../terms/gateway-error.ts';
import { invalid } from '../../terms/gateway-error.ts';
import type { Operations } from '../wire/operation.ts';

/**
 * `POST /auth/keys`: trades the code of an approval for its key. Whoever sends a code with a well-formed verifier has
 * read it, and a code is read once. Every refusal is the same, whatever its reason. (rule K23, rule K24)
 */
export function authKeysRoute(services: ManagementServices): Route {
  return {
    method: 'POST',
    path: '/auth/keys',
    policy: 'open',
    body: JSON_BODY,
    answer: (context) => trade(context, services),
  };
}

/** The published schemas. */
const codeTradeSchema = Type.Object({
  code: Type.String({ description: 'The one-time code of the approval.' }),
  code_verifier: Type.String({
    pattern: '^[A-Za-z0-9._~-]{43,128}$',
    description: 'The text whose SHA-256 the application sent as `code_challenge`.',
  }),
  code_challenge_method: Type.Literal('S256', {
    description: 'S256, the only method: the challenge is the SHA-256 of the verifier.',
  }),
});
const issuedKeySchema = Type.Object({
  key: Type.String({ description: 'The key; shown here only.' }),
  user_id: Type.String({ description: 'The account of the person who approved.' }),
});

/** What the document says of the routes. */
export const AUTH_OPERATIONS: Operations = {
  'POST /auth/keys': {
    summary: 'Trades the one-time code of an approval for its key',
    description: 'A code is read once, within ten minutes. Every refusal is the same 400.',
    answers: 'The issued key.',
    body: { CodeTrade: codeTradeSchema },
    reply: { IssuedKey: issuedKeySchema },
  },
};

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;
const CODE = /^[A-Za-z0-9_-]{43}$/;

function refused(): GatewayError {
  return invalid('Invalid code or code_verifier');
}

async function trade(context: RequestContext, services: ManagementServices): Promise<RouteAnswer> {
  const { code, verifier } = tradeOf(takeBody(context).value);
  const { cluster, pepper, random, askMs } = services;
  const found = await findCode(cluster, secretDigest(pepper, 'code', code));
  if (found === null) throw refused();
  const account = ownerOf(found.code);
  const text = keyText(random);
  const issued = {
    key: keyAddress(account, keyId(random)),
    digest: keyDigest(pepper, text),
    label: maskKey(text),
    handle: keyHandle(text),
  };
  const trade = { trade: context.id, challenge: challengeOf(verifier), issued };
  if (!(await tradeCode(cluster, found.code, trade, askMs).catch(refusedByWorkspace))) throw refused();
  return { ...jsonAnswer(JSON.stringify({ key: text, user_id: account })), headers: ['cache-control', 'no-store'] };
}

/** The workspace that the approval names was deleted, or full, by then. */
function refusedByWorkspace(thrown: unknown): false {
  if (thrown instanceof AskError && thrown.failure.code === 'rejected') return false;
  throw thrown;
}

function tradeOf(body: unknown): { readonly code: string; readonly verifier: string } {
  const { code, code_verifier: verifier, code_challenge_method: method } = (body ?? {}) as Record<string, unknown>;
  if (typeof code !== 'string' || typeof verifier !== 'string' || method !== 'S256') throw refused();
  if (!CODE.test(code) || !VERIFIER.test(verifier)) throw refused();
  return { code, verifier };
}
