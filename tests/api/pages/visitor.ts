import { createHash, randomBytes } from 'node:crypto';
import * as assert from 'uvu/assert';
import type { TestCluster } from '../../support/cluster/start-cluster.ts';

interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A browser without a screen: it keeps cookies, sends forms as browsers do, and follows no redirect. */
export class Visitor {
  readonly origin: string;
  readonly cookies = new Map<string, string>();

  constructor(origin: string) {
    this.origin = origin;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Seen> {
    return this.#send(path, { method: 'GET', headers });
  }

  /** `headers` replace those that a browser sends with a form of this site; an empty one is left out. */
  async post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Seen> {
    const usual = { origin: 'null', 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' };
    return this.#send(path, {
      method: 'POST',
      headers: present({ ...usual, 'content-type': 'application/x-www-form-urlencoded', ...headers }),
      body: String(new URLSearchParams(fields)),
    });
  }

  async #send(path: string, init: RequestInit & { headers: Record<string, string> }): Promise<Seen> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = cookie === '' ? init.headers : { ...init.headers, cookie };
    const answer = await fetch(`${this.origin}${path}`, { ...init, headers, redirect: 'manual' });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (/max-age=0/i.test(set)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  /** Opens a session with a management key. */
  async signIn(key: string): Promise<void> {
    const { status, text } = await this.post('/sign-in', { key });
    assert.is(status, 303, text);
  }
}

function present(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
}

export interface Person {
  readonly visitor: Visitor;
  readonly account: string;
  /** The management key of the account, and its address. */
  readonly key: string;
  readonly keyAddress: string;
}

/** A person of a new account who is signed in at the given node. */
export async function signedIn(cluster: TestCluster, node = 0): Promise<Person> {
  const { account } = await cluster.fund('10');
  const { key, keyAddress } = await cluster.issue(account, { kind: 'management' });
  const visitor = new Visitor(originOf(cluster, node));
  await visitor.signIn(key);
  return { visitor, account: account.slice('account:'.length), key, keyAddress };
}

export function originOf(cluster: TestCluster, node = 0): string {
  return new URL(cluster.baseUrls[node] as string).origin;
}

/** The hidden fields of a page's form with this action. */
export function fieldsOf({ text }: Seen, action: string): Record<string, string> {
  const form = new RegExp(`<form[^>]*action="${action}"[^>]*>([\\s\\S]*?)</form>`).exec(text)?.[1];
  if (form === undefined) throw new Error(`the page has no form for ${action}: ${text.slice(0, 2_000)}`);
  const inputs = [...form.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) => input);
  return Object.fromEntries(inputs.map((input) => [attribute(input, 'name'), attribute(input, 'value')]));
}

function attribute(tag: string, name: string): string {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
  return value
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&#96;', '`')
    .replaceAll('&amp;', '&');
}

interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function pkce(verifier = randomBytes(32).toString('base64url')): Pkce {
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** The path of the approval page. */
export function authPath(challenge: string, more: Record<string, string> = {}): string {
  const callback_url = 'https://app.example/callback?state=1';
  return `/auth?${new URLSearchParams({ callback_url, code_challenge: challenge, code_challenge_method: 'S256', ...more })}`;
}

/** Opens the approval page and answers it. */
export async function decide(
  visitor: Visitor,
  path: string,
  decision: 'approve' | 'decline' = 'approve',
): Promise<Seen> {
  const page = await visitor.get(path);
  assert.is(page.status, 200, page.text);
  return visitor.post('/auth', { ...fieldsOf(page, '/auth'), decision });
}

/** The code of an approval, from its redirect or from its page. */
export function codeOf({ headers, text }: Seen): string {
  const location = headers.get('location');
  const code =
    location === null ? /id="code"[^>]*value="([^"]+)"/.exec(text)?.[1] : new URL(location).searchParams.get('code');
  if (!code) throw new Error(`no code in ${location ?? text}`);
  return code;
}

/** Sends `POST /auth/keys`; a node whose process stalled answers 503, and the call is repeated. */
export async function trade(base: string, body: object): Promise<Seen> {
  for (;;) {
    const answer = await fetch(`${base}/auth/keys`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const seen = { status: answer.status, headers: answer.headers, text: await answer.text() };
    if (seen.status !== 503) return seen;
  }
}

export const tradeBody = (code: string, { verifier }: Pkce): object => ({
  ...{ code, code_verifier: verifier, code_challenge_method: 'S256' },
});
