/** What a reader of the API needs first: its address, a credential, a request, streams, and which failures to retry. */
import type { CatalogueModel } from '../../catalogue/models.ts';
import { ERRORS } from '../../dialects/reply/error-table.ts';
import { type Access, copyable, curlText, snippets } from '../catalogue/snippets.ts';
import { type Html, html } from '../kit/html.ts';
import { section, table } from '../kit/parts/elements.ts';
import { methodMark, tagId } from './operation-page.ts';
import type { Published, PublishedOperation } from './published.ts';
import { words } from './schema-view.ts';

interface StartPage {
  readonly api: Published;
  readonly access: Access;
  /** The model of the first request; null: the catalogue is empty. */
  readonly model: CatalogueModel | null;
  /** Path of this page; those of the operations lie below it. */
  readonly index: string;
  /** Path of the document. */
  readonly document: string;
}

export function startContent(page: StartPage): Html {
  const { access, model } = page;
  return html`<div class="page-head"><h1>API</h1><p class="hint"><a href="${page.document}">openapi.json</a> has all of it for tools</p></div>
<div class="columns">
<section class="panel" id="base"><h2>Base address</h2>${baseText(access)}</section>
<section class="panel" id="credential"><h2>Credential</h2>${credentialText()}</section>
</div>
<section class="panel" id="first"><h2>First request</h2>
${model === null ? html`<p>The catalogue is empty: ask your operator for a provider.</p>` : snippets(model, access)}</section>
<section class="panel" id="streaming"><h2>Streaming</h2>${streamText(access, model?.id ?? 'author/model')}</section>
<section class="panel" id="errors"><h2>Errors, and what to retry</h2>${errorText()}</section>
${section('Operations', groups(page))}`;
}

function baseText({ base }: Access): Html {
  return html`${copyable(base, 'base-address')}
<p>The OpenAI SDKs take it as it is. The Anthropic SDK appends <code>/v1/messages</code> itself and takes
<code>${base.replace(/\/v1$/, '')}</code>. Model ids are <code>author/model</code>: <a href="/models">the catalogue</a> has them.</p>`;
}

function credentialText(): Html {
  return html`<p>An API key, in one of two headers:</p>
<pre class="scroll" tabindex="0">Authorization: Bearer sk-gw-v1-...
x-api-key: sk-gw-v1-...</pre>
<p><a href="/account/keys">Create one</a> with a limit of its own. Reading the catalogue needs none; routes that manage
keys need a management key.</p>`;
}

function streamText(access: Access, model: string): Html {
  const members = { model, messages: [{ role: 'user', content: 'Hello' }], stream: true };
  return html`${copyable(curlText({ access, path: '/chat/completions', members, options: ['-N'] }), 'stream-command')}
<p>The answer is a list of server-sent events: each <code>data:</code> line is one chunk as JSON, a line that begins with a
colon keeps the connection open and says nothing. The last chunk carries <code>usage</code> with the exact cost, then
<code>data: [DONE]</code> ends the stream. (<code>/messages</code> and <code>/responses</code> end with their own last event.)</p>
<p>A status of 200 is sent before the model has answered. A failure after that is a chunk with <code>error</code>: it is the end,
and what was delivered before is charged.</p>`;
}

function errorText(): Html {
  return html`<p>Every failure has one form. <code>code</code> equals the status; programs branch on
<code>metadata.error_type</code>, people read <code>message</code>.</p>
<pre class="scroll" tabindex="0">{"error": {"code": 429, "message": "...", "metadata": {"error_type": "rate_limit_exceeded"}}}</pre>
${table({
  caption: 'Failures',
  columns: ['error_type', 'Status', 'Meaning', 'Repeat?'],
  rows: Object.entries(ERRORS).map(([type, { statuses, meaning, repeat }]) => [
    html`<code>${type}</code>`,
    statuses.join(', '),
    words(meaning),
    words(repeat),
  ]),
  empty: '',
})}
<p><code>x-should-retry</code> decides where it is sent: <code>false</code> means that a repeat fails the same way. An
<code>Idempotency-Key</code> makes the repeat of an inference request safe for 24 hours: it is never charged twice.
<code>X-Generation-Id</code> names every request; <code>GET /generation?id=...</code> tells what became of it.</p>`;
}

/** The group that few readers look for. */
const LAST = 'Service';

function groups({ api, index }: StartPage): Html {
  const known = [...new Set(api.operations.map(({ tags: [tag] }) => tag))];
  const tags = [...known.filter((tag) => tag !== LAST), LAST];
  return html`<p class="hint">${tags.map((tag, at) => html`${at > 0 && ' · '}<a href="#${tagId({ tags: [tag] })}">${tag}</a>`)}</p>
${tags.map((tag) =>
  group(
    tag,
    api.operations.filter(({ tags: [own] }) => own === tag),
    index,
  ),
)}`;
}

function group(tag: string, operations: readonly PublishedOperation[], index: string): Html {
  const list = operations.map(
    ({ method, path, operationId, summary }) =>
      html`<li>${methodMark(method)} <a href="${index}/${operationId}"><code>${path}</code></a> <span class="hint">${words(summary)}</span></li>
`,
  );
  return html`<h3 id="${tagId({ tags: [tag] })}">${tag}</h3>
<ul class="operations">${list}</ul>`;
}
