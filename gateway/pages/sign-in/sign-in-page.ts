import { type Html, html } from '../kit/html.ts';
import { layout } from '../kit/layout.ts';
import type { Site } from '../kit/site.ts';

interface SignInPage {
  readonly site: Site;
  /** Path to open after the sign-in. */
  readonly next: string;
  /** Secret of a one-time link; null for a sign-in by key. */
  readonly invitation: string | null;
  /** Why the last try was refused; null before the first. */
  readonly problem: string | null;
  /** A sentence above the form; null for none. */
  readonly note?: string | null;
}

/** The page on which a person signs in, by a management key or by a one-time link. */
export function signInPage({ site, next, invitation, problem, note = null }: SignInPage): Html {
  const content = html`${note !== null && html`<div class="notice" role="status">${note}</div>`}
<div class="panel">
<h1>Sign in</h1>
${site.isSecure ? form(next, invitation, problem) : NOT_SECURE}
</div>`;
  return layout({ title: 'Sign in', person: null, width: 'narrow', content });
}

const NOT_SECURE = html`<p role="alert" class="error">This address has no encryption, so a sign-in would show your key to
everybody on the way. Open this page over HTTPS, or on the machine that runs Troupe as <code>localhost</code>.</p>`;

function form(next: string, invitation: string | null, problem: string | null): Html {
  if (invitation !== null) return linkForm(next, invitation, problem);
  return html`<p class="muted">With a management key of your account. It opens a session in this browser and is not kept.</p>
<form method="post" action="/sign-in" data-once>
<input type="hidden" name="next" value="${next}">
<div class="field">
<label for="key">Management key</label>
<input id="key" name="key" type="password" autocomplete="current-password" spellcheck="false" autofocus required
 ${problem !== null && html`aria-invalid="true"`} aria-describedby="key-hint${problem !== null && ' key-error'}">
${problem !== null && html`<p class="error" id="key-error" role="alert">${problem}</p>`}
<p class="hint" id="key-hint">It begins with <code>sk-gw-v1-</code>. Without one, ask your operator for a sign-in link.</p>
</div>
<div class="actions"><button class="primary" type="submit">Sign in</button></div>
</form>`;
}

/** Opening the link signs nobody in: mail programs and previews open links too. */
function linkForm(next: string, invitation: string, problem: string | null): Html {
  if (problem !== null) {
    return html`<p class="error" role="alert">${problem}</p>
<div class="actions"><a class="button" href="/sign-in">Sign in with a key</a></div>`;
  }
  return html`<p class="muted">Your operator sent you this link. It works once.</p>
<form method="post" action="/sign-in" data-once>
<input type="hidden" name="next" value="${next}">
<input type="hidden" name="invite" value="${invitation}">
<div class="actions"><button class="primary" type="submit">Sign in</button></div>
</form>`;
}
