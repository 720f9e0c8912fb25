import { parse } from '../../../../gateway/dialects/messages/parse.ts';
import { type ConverseBody, messagesBodyOf } from '../../../../gateway/simulator/wires/converse-request.ts';
import type { Turn } from '../../../../gateway/terms/turn.ts';

type Members = Readonly<Record<string, unknown>>;

/** Beside a document alone the service demands a text. */
const FILLER = 'See the document.';

/** The turn that a Converse body asks for, with the members of thinking as the messages dialect has them. */
export function readConverse(body: Members, asked: Turn): Turn {
  const converse = body as unknown as ConverseBody;
  const messages = converse.messages.map(({ role, content }) => ({
    role,
    content: content.filter(({ text }) => text !== FILLER),
  }));
  const { thinking, output_config, seed, frequency_penalty, system, ...members } = messagesBodyOf({
    ...converse,
    messages,
  });
  const prompt = system as readonly { readonly text: string }[] | undefined;
  const turn = parse({
    ...members,
    ...(prompt === undefined ? {} : { system: prompt.map(afterBlankLine) }),
    ...(output_config === undefined ? {} : { output_config }),
    model: 'author/model',
    stream: asked.stream,
  });
  const fields = Object.entries({ seed, frequency_penalty }).filter(([, value]) => value !== undefined);
  return {
    ...turn,
    sampling: { ...turn.sampling, ...Object.fromEntries(fields) },
    messages: named(turn.messages, asked.messages),
    ...({ thinking, output_config } as object),
  } as Turn;
}

/** Blocks of the service's system prompt are texts of their own. */
function afterBlankLine<T extends { readonly text: string }>(block: T, at: number): T {
  return at === 0 ? block : { ...block, text: `\n\n${block.text}` };
}

/** Documents carry a name in other characters: the same documents, in their order, have the names that were asked. */
function named(sent: Turn['messages'], asked: Turn['messages']): Turn['messages'] {
  const names = asked.flatMap(filesOf).map(({ filename }) => filename);
  return sent.map((message) => {
    if (!('parts' in message) || message.parts === undefined) return message;
    const parts = message.parts.map((part) => {
      const filename = part.type === 'file' ? names.shift() : undefined;
      return filename === undefined ? part : { ...part, filename };
    });
    return { ...message, parts };
  }) as Turn['messages'];
}

function filesOf(message: Turn['messages'][number]): readonly { readonly filename?: string }[] {
  const parts = 'parts' in message ? (message.parts ?? []) : [];
  return parts.flatMap((part) => (part.type === 'file' ? [part] : []));
}
