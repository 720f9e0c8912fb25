import { ImagesJudge } from './images-judge.ts';
import { MessagesJudge } from './messages-judge.ts';
import { ResponsesJudge } from './responses-judge.ts';
import { StreamJudge, type StreamRules } from './stream-judge.ts';

/**
 * While a watch is active, a wrapped `globalThis.fetch` checks the answers of every test and every SDK: each stream of
 * the watched origins against the grammar, each refusal against the error envelope. A violation fails the body in which
 * it occurs, and `end` throws it again. (rule E2, rule E1)
 */
interface Watch {
  /** Ends the watch and throws if there were violations. */
  end(): Promise<void>;
}

type Fetch = typeof globalThis.fetch;

const PATHS: Readonly<Record<string, StreamRules['dialect']>> = {
  '/api/v1/chat/completions': 'chat',
  '/api/v1/completions': 'completions',
};

export function watchFetch(origins: readonly string[]): Watch {
  const inner = globalThis.fetch;
  const faults: string[] = [];
  const open = new Set<Promise<void>>();
  const watched: Fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    if (!origins.includes(url.origin)) return inner(input, init);
    const body = await bodyOf(input, init);
    const answer = await inner(input, init);
    const note = (fault: string): void => void faults.push(`${url.pathname} ${body.slice(0, 300)}: ${fault}`);
    if (isPage(url, answer)) return answer;
    if (answer.status >= 400 || PATHS[url.pathname] !== undefined) expectId(answer, note);
    if (answer.status >= 400) {
      // A stream of the responses dialect that was refused once its body was read. (rule I89)
      const isNull = url.pathname === '/api/v1/responses' && /"stream":\s*true/.test(body);
      const isOwn = url.pathname === '/api/v1/messages' && /"stream":\s*true/.test(body);
      const judged = isOwn
        ? ownEnvelope(answer.clone(), note)
        : envelope(answer.clone(), isNull ? [null, answer.status] : [answer.status], note);
      open.add(judged);
      void judged.finally(() => open.delete(judged));
      return answer;
    }
    return isStream(answer) ? judgedStream(answer, judgeOf(url.pathname, body), note) : answer;
  };
  globalThis.fetch = watched;
  return {
    async end() {
      if (globalThis.fetch === watched) globalThis.fetch = inner;
      await Promise.all(open);
      if (faults.length > 0) throw new Error(`violations on the wire:\n${faults.slice(0, 20).join('\n')}`);
    },
  };
}

async function bodyOf(input: Parameters<Fetch>[0], init: Parameters<Fetch>[1]): Promise<string> {
  if (typeof init?.body === 'string') return init.body;
  if (input instanceof Request && input.body !== null) return input.clone().text();
  return '';
}

/** Checks a stream in pieces, whatever its dialect. */
interface Judge {
  feed(text: string): void;
  left(): { readonly faults: readonly string[] };
  end(): { readonly faults: readonly string[] };
}

function judgeOf(path: string, body: string): Judge {
  if (path === '/api/v1/messages') return new MessagesJudge();
  if (path === '/api/v1/responses') return new ResponsesJudge();
  if (path.startsWith('/api/v1/images')) return new ImagesJudge();
  const dialect = PATHS[path] ?? 'chat';
  return new StreamJudge({ dialect, dispatch: /"include_tool_dispatch":\s*true/.test(body) });
}

/** Pages answer in HTML, their refusals too. */
function isPage({ pathname }: URL, answer: Response): boolean {
  return !pathname.startsWith('/api/') && answer.headers.get('content-type') === 'text/html; charset=utf-8';
}

function isStream(answer: Response): boolean {
  return answer.body !== null && /^text\/event-stream/.test(answer.headers.get('content-type') ?? '');
}

function expectId(answer: Response, note: (fault: string) => void): void {
  const id = answer.headers.get('x-generation-id');
  if (!/^gen-/.test(id ?? '')) note(`${answer.status} with X-Generation-Id ${id}`);
}

async function envelope(
  answer: Response,
  codes: readonly (number | null)[],
  note: (fault: string) => void,
): Promise<void> {
  const text = await answer.text().catch(() => null);
  // Cut off by a node that died, or left by its reader: no envelope to check.
  if (text === null || text === '') return;
  try {
    const { error } = JSON.parse(text) as {
      error: { code: number | null; message: string; metadata: { error_type: string } };
    };
    if (!codes.includes(error.code)) note(`error.code ${error.code} under status ${answer.status}`);
    // The retired purchase route alone has no error_type. (rule K50)
    const isRetired = answer.status === 410 && answer.url.endsWith('/credits/coinbase');
    if (typeof error.metadata.error_type !== (isRetired ? 'undefined' : 'string') || typeof error.message !== 'string')
      note(`no envelope: ${text}`);
    if (answer.status === 500 && error.message !== 'Internal Server Error') note(`a 500 with detail: ${text}`);
  } catch {
    note(`no envelope under ${answer.status}: ${text.slice(0, 200)}`);
  }
}

/** Of the messages dialect; a refusal before the body was read has the common envelope. (rule I82) */
async function ownEnvelope(answer: Response, note: (fault: string) => void): Promise<void> {
  const text = await answer
    .clone()
    .text()
    .catch(() => '');
  if (!text.startsWith('{"type":"error",')) return envelope(answer, [answer.status], note);
  const { error, request_id: id } = JSON.parse(text) as { error: Record<string, unknown>; request_id: unknown };
  if (id !== answer.headers.get('x-generation-id')) note(`request_id ${id}`);
  if (![error.type, error.message, error.error_type].every((member) => typeof member === 'string')) {
    note(`no envelope: ${text}`);
  }
}

/** The same answer; its body is passed on piece by piece on demand. */
function judgedStream(answer: Response, judge: Judge, note: (fault: string) => void): Response {
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  const report = (faults: readonly string[]): boolean => {
    for (const fault of faults) note(fault);
    return faults.length > 0;
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await reader.read().catch((error: unknown) => {
          report(judge.left().faults);
          throw error;
        });
        if (!next.done) {
          judge.feed(decoder.decode(next.value, { stream: true }));
          return controller.enqueue(next.value);
        }
        const { faults } = judge.end();
        if (report(faults)) controller.error(new Error(`the stream breaks its grammar: ${faults.join('; ')}`));
        else controller.close();
      },
      cancel(reason) {
        report(judge.left().faults);
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const judged = new Response(body, { status: answer.status, statusText: answer.statusText, headers: answer.headers });
  Object.defineProperty(judged, 'url', { value: answer.url });
  return judged;
}
