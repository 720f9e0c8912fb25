/** One operation: a command to paste, its parameters, its body, its answers, and how it fails. */
import { type Access, copyable, curlText } from '../catalogue/snippets.ts';
import { type Html, html } from '../kit/html.ts';
import { section, table } from '../kit/parts/elements.ts';
import { exampleBody } from './example-body.ts';
import { nameOf, type Published, type PublishedOperation, type PublishedReply, type Schema } from './published.ts';
import { schemaView, typeText, words } from './schema-view.ts';

interface OperationPage {
  readonly operation: PublishedOperation;
  readonly api: Published;
  /** Path of the page that lists all operations. */
  readonly index: string;
  readonly access: Access;
  /** Id of a model that an example names. */
  readonly model: string;
}

export function operationContent(page: OperationPage): Html {
  const { operation, index } = page;
  const { method, path, summary, description, parameters = [], requestBody, security } = operation;
  const [type, body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  return html`<div><nav class="crumbs" aria-label="Path"><a href="${index}">API</a> / <a href="${index}#${tagId(operation)}">${operation.tags[0]}</a></nav>
<h1>${words(summary)}</h1>
<p class="copyable">${methodMark(method)} <code id="path">${page.access.base}${path}</code></p>
<p class="muted">${words(description.replace(`${summary}. `, ''))}</p></div>
${section('Request', html`${copyable(commandOf(page), 'command')}${security !== undefined && html`<p class="hint">The key is in the variable <code>OPENAI_API_KEY</code>. <a href="${index}#credential">How keys are sent</a></p>`}`)}
${parameters.length > 0 && section('Parameters', parameterTable(operation))}
${body?.schema !== undefined && section('Body', html`<p class="hint">${type}</p>${named(page.api, body.schema)}`)}
${Object.entries(operation.responses).map(([status, reply]) => section(replyTitle(status), replyView(page, status, reply)))}`;
}

/** The mark of a method, which colours and words tell apart. */
export function methodMark(method: string): Html {
  return html`<span class="method ${method}">${method.toUpperCase()}</span>`;
}

/** The id of an operation's group on the page that lists them. */
export function tagId({ tags: [tag] }: Pick<PublishedOperation, 'tags'>): string {
  return `group-${tag.toLowerCase()}`;
}

function commandOf({ operation, api, access, model }: OperationPage): string {
  const { method, path, requestBody, parameters = [], security } = operation;
  const [type, body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const asked = parameters.filter((one) => one.in === 'query' && one.required).map(({ name }) => `${name}=...`);
  const address = `${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase())}${asked.length > 0 ? `?${asked.join('&')}` : ''}`;
  const isForm = type === 'multipart/form-data';
  const hasBody = body?.schema !== undefined;
  const usual = hasBody ? 'post' : 'get';
  return curlText({
    ...(security === undefined
      ? { access: null, path: `${access.base}${quoted(address)}` }
      : { access, path: quoted(address) }),
    ...(method === usual ? {} : method === 'head' ? { options: ['--head'] } : { method: method.toUpperCase() }),
    ...(isForm ? { options: ['-F purpose=user_data', '-F file=@report.pdf'] } : {}),
    ...(hasBody && !isForm && body.schema !== undefined
      ? { members: exampleBody(body.schema, api.resolve(body.schema), model) }
      : {}),
  });
}

/** A shell would read the query's characters. */
function quoted(address: string): string {
  return address.includes('?') ? `'${address}'` : address;
}

function parameterTable({ parameters = [] }: PublishedOperation): Html {
  return table({
    caption: 'Parameters',
    columns: ['Name', 'In', 'Type', 'Meaning'],
    rows: parameters.map(({ name, in: place, required, schema, description }) => [
      html`<code>${name}</code>${required && html` <span class="badge">required</span>`}`,
      place,
      typeText(schema),
      words(description ?? ''),
    ]),
    empty: '',
  });
}

function replyTitle(status: string): string {
  return status === 'default' ? 'Failure' : `Answer ${status}`;
}

function replyView(
  { api, index }: OperationPage,
  status: string,
  { description, headers, content = {} }: PublishedReply,
): Html {
  const failed =
    status === 'default' &&
    html`<p>Any other status. <a href="${index}#errors">What each means, and what to retry</a></p>`;
  const parts = Object.entries(content).map(([type, { schema, 'x-frame': frame }]) => {
    if (frame !== undefined) {
      return html`<h3>${type}</h3><p class="hint">With <code>"stream": true</code>, or always where no other form is listed. Each <code>data:</code> line is one of these.</p>${named(api, frame)}`;
    }
    if (schema === undefined) return html`<h3>${type}</h3>`;
    return html`<h3>${type}</h3>${named(api, schema)}`;
  });
  return html`${failed === false ? html`<p>${description}.</p>` : failed}
${headers !== undefined && html`<dl class="facts">${Object.entries(headers).map(([name, header]) => html`<dt><code>${name}</code></dt><dd>${header.description}</dd>`)}</dl>`}
${parts}`;
}

/** A schema under its name in the document; each of several where any may come. */
function named(api: Published, schema: Schema): Html {
  if (schema.$ref === undefined) return html`${(schema.anyOf ?? []).map((form) => named(api, form))}`;
  return html`<p class="hint">${nameOf(schema)}</p>${schemaView(api.resolve(schema))}`;
}
