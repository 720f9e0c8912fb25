import type { CatalogueModel } from '../../../catalogue/models.ts';
import { type Html, html } from '../html.ts';

interface Snippet {
  readonly name: string;
  readonly text: string;
}

/** Requests to paste, in the languages of the common SDKs. `base` is the address of the API. */
export function snippets({ id, endpoints }: CatalogueModel, base: string): Html {
  const writes = new Set(endpoints.flatMap(({ outputModalities }) => outputModalities));
  const made = writes.has('text') || !writes.has('video') ? chat(id, base) : video(id, base);
  const parts = made.map(({ name, text }, at) => {
    const target = `snippet-${at}`;
    return html`<details${at === 0 && html` open`}><summary>${name}</summary>
<div class="snippet"><pre class="scroll" id="${target}" tabindex="0">${text}</pre><button class="second small" type="button" data-copy="${target}" hidden>Copy</button></div></details>`;
  });
  return html`<div class="snippets">${parts}</div>`;
}

function chat(model: string, base: string): readonly Snippet[] {
  const body = [`"model": ${JSON.stringify(model)}`, '"messages": [{"role": "user", "content": "Hello"}]'];
  return [
    { name: 'curl', text: curl(`${base}/chat/completions`, body) },
    {
      name: 'TypeScript',
      text: `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${base}' }); // the key is in OPENAI_API_KEY
const completion = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(completion.choices[0].message.content);`,
    },
    {
      name: 'Python',
      text: `from openai import OpenAI

client = OpenAI(base_url="${base}")  # the key is in OPENAI_API_KEY
completion = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello"}],
)
print(completion.choices[0].message.content)`,
    },
  ];
}

function video(model: string, base: string): readonly Snippet[] {
  const body = [`"model": ${JSON.stringify(model)}`, '"prompt": "A river in the morning"'];
  return [{ name: 'curl', text: curl(`${base}/videos`, body) }];
}

/** `members`: the lines of the body. */
function curl(url: string, members: readonly string[]): string {
  return `curl ${url} \\
  -H "Authorization: Bearer $OPENAI_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{
    ${members.join(',\n    ')}
  }'`;
}
