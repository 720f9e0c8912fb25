import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chatDialect } from '../../../gateway/dialects/chat/chat-dialect.ts';
import { messagesDialect } from '../../../gateway/dialects/messages/messages-dialect.ts';
import type { Dialect } from '../../../gateway/dialects/reply/dialect.ts';
import { responsesDialect } from '../../../gateway/dialects/responses/responses-dialect.ts';
import type { Adapter } from '../../../gateway/providers/adapter.ts';
import { messagesAdapter } from '../../../gateway/providers/messages/adapter.ts';
import { responsesAdapter } from '../../../gateway/providers/responses/adapter.ts';
import type { TurnEvent } from '../../../gateway/terms/turn-event.ts';
import { bounded } from '../../support/bounded.ts';
import { endpointOf } from '../../support/model/endpoints.ts';
import { MESSAGES_TARGET } from './scene.ts';

/**
 * An answer of several pieces of reasoning, calls and a text, read from its provider, shown to a client in each dialect,
 * sent back as this client has it, and written to the same provider: its contents come in the order in which they were made.
 */
const it = bounded(test, 120_000);
const RUNS = Number(process.env.ROUND_TRIPS ?? 200);
const HEAD = { id: 'gen-1', created: 1_750_000_000, model: 'a/b', provider: 'P' };

type Members = Readonly<Record<string, unknown>>;
/** `r0`, `c1`, `text`: a piece of the answer, with its place. */
type Piece = string;

/** An answer begins with reasoning and does not end with it. The text stands before the calls, as in chat. */
const answer = fc
  .record({
    before: fc.array(fc.constant('r'), { minLength: 1, maxLength: 2 }),
    text: fc.boolean(),
    more: fc.array(fc.constantFrom('r', 'c', 'c'), { maxLength: 6 }),
  })
  .map(({ before, text, more }): readonly Piece[] =>
    [...before, ...(text ? ['text'] : []), ...more, 'c'].map((kind, at) => (kind === 'text' ? kind : `${kind}${at}`)),
  );

interface WireRow {
  readonly adapter: Adapter;
  /** An answer of these pieces, as the provider writes it. */
  answer(pieces: readonly Piece[]): Members;
  /** The pieces of the first answer in a request. */
  piecesIn(body: Members): readonly Piece[];
}

const WIRES: Readonly<Record<string, WireRow>> = {
  messages: {
    adapter: messagesAdapter,
    answer: (pieces) => ({ id: 'msg_1', content: pieces.map(blockOf), stop_reason: 'tool_use' }),
    piecesIn: ({ messages }) => {
      const said = (messages as readonly { role: string; content: readonly Members[] }[]).find(
        ({ role }) => role === 'assistant',
      );
      return (said?.content ?? []).map(({ type, signature, id }) => (type === 'text' ? type : String(signature ?? id)));
    },
  },
  responses: {
    adapter: responsesAdapter,
    answer: (pieces) => ({ id: 'resp_1', status: 'completed', output: pieces.map(itemOf) }),
    piecesIn: ({ input }) =>
      (input as readonly Members[])
        .filter(({ type, role }) => role === 'assistant' || type === 'reasoning' || type === 'function_call')
        .map(({ type, encrypted_content: sealed, call_id: id }) =>
          type === 'message' ? 'text' : String(sealed ?? id),
        ),
  },
};

function blockOf(piece: Piece): Members {
  if (piece === 'text') return { type: 'text', text: 'Said.' };
  if (piece.startsWith('r')) return { type: 'thinking', thinking: `thought ${piece}`, signature: piece };
  return { type: 'tool_use', id: piece, name: 'f', input: {} };
}

function itemOf(piece: Piece): Members {
  if (piece === 'text') {
    return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Said.' }] };
  }
  if (piece.startsWith('c')) return { type: 'function_call', call_id: piece, name: 'f', arguments: '{}' };
  const summary = ['one', 'two'].map((text) => ({ type: 'summary_text', text: `${text} ${piece}` }));
  return { type: 'reasoning', id: `rs_${piece}`, summary, encrypted_content: piece };
}

interface DialectRow {
  readonly dialect: Dialect;
  /** A request of this dialect, with an answer of it and the results of the calls, if any, behind the question. */
  request(answer?: Members, calls?: readonly Piece[]): Members;
}

const DIALECTS: Readonly<Record<string, DialectRow>> = {
  chat: {
    dialect: chatDialect,
    request: (reply, calls = []) => ({
      model: 'a/b',
      messages: [
        { role: 'user', content: 'Hi' },
        ...((reply?.choices ?? []) as readonly { message: object }[]).map(({ message }) => message),
        ...calls.map((id) => ({ role: 'tool', tool_call_id: id, content: 'done' })),
      ],
    }),
  },
  messages: {
    dialect: messagesDialect,
    request: (reply, calls = []) => ({
      ...{ model: 'a/b', max_tokens: 100 },
      messages: [
        { role: 'user', content: 'Hi' },
        ...(reply === undefined ? [] : [{ role: 'assistant', content: reply.content }]),
        { role: 'user', content: calls.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'done' })) },
      ].filter(({ content }) => (content as unknown[]).length > 0),
    }),
  },
  responses: {
    dialect: responsesDialect,
    request: (reply, calls = []) => ({
      model: 'a/b',
      input: [
        { role: 'user', content: 'Hi' },
        ...((reply?.output ?? []) as readonly object[]),
        ...calls.map((id) => ({ type: 'function_call_output', call_id: id, output: 'done' })),
      ],
    }),
  },
};

for (const [wire, { adapter, answer: answerOf, piecesIn }] of Object.entries(WIRES)) {
  for (const [name, { dialect, request }] of Object.entries(DIALECTS)) {
    it(`reasoning of ${wire} that a client of ${name} sends back keeps its place between calls and texts (rule I149)`, () => {
      const endpoint = endpointOf({
        target: { ...MESSAGES_TARGET, dialect: wire as 'messages' | 'responses' },
        supportedParameters: ['tools'],
      });
      const write = adapter.writer(endpoint);
      fc.assert(
        fc.property(answer, (pieces) => {
          const events: TurnEvent[] = [];
          adapter
            .reader((at) => `made_${at}`, undefined, undefined, undefined, endpoint.provider.slug)
            .readWhole(answerOf(pieces), events);
          const { reply } = dialect.parse(request(), null);
          const shown = JSON.parse(reply.whole(HEAD, events, null)) as Members;
          const calls = pieces.filter((piece) => piece.startsWith('c'));
          const { turn } = dialect.parse(request(shown, calls), null);
          assert.equal(piecesIn(JSON.parse(write(turn, 100) as string) as Members), pieces);
        }),
        { numRuns: RUNS },
      );
    });
  }
}

test.run();
