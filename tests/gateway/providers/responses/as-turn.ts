import { parse } from '../../../../gateway/dialects/responses/parse.ts';
import { sealReasoning } from '../../../../gateway/dialects/responses/sealed-reasoning.ts';
import { RESPONSES_FORMAT, type Turn, type TurnMessage } from '../../../../gateway/terms/turn.ts';

/** The slug of the provider of the endpoint. */
const PROVIDER = 'alpha';

type Members = Readonly<Record<string, unknown>>;

/**
 * The turn that a responses body asks of a provider. Callers of the dialect name no user, and send their reasoning sealed;
 * `asked` decides whether a medium effort is what switches reasoning on.
 */
export function readResponses({ input, tools, safety_identifier: user, ...body }: Members, asked: Turn): Turn {
  const { turn } = parse({
    ...body,
    input: (input as readonly Members[]).map(sealed),
    ...(tools === undefined ? {} : { tools: (tools as readonly Members[]).map(unlessStrict) }),
  });
  const switched = asked.reasoning?.enabled === true && turn.reasoning?.effort === 'medium';
  return {
    ...turn,
    messages: turn.messages.map(withoutName),
    ...(user === undefined ? {} : { user: user as string }),
    ...(switched ? { reasoning: { enabled: true } } : {}),
  };
}

function sealed(item: Members): Members {
  if (item.type !== 'reasoning') return item;
  const { id, encrypted_content: data } = item as { readonly id?: string; readonly encrypted_content: string };
  const entry = { type: 'reasoning.encrypted', data: `${PROVIDER}:${data}`, format: RESPONSES_FORMAT } as const;
  return { ...item, encrypted_content: sealReasoning([id === undefined ? entry : { ...entry, id }]) };
}

/** A tool that says nothing is strict in this dialect alone. */
function unlessStrict({ strict, ...tool }: Members): Members {
  return strict === false ? tool : { ...tool, strict };
}

/** A document has to have some name. */
function withoutName(message: TurnMessage): TurnMessage {
  if (message.role === 'assistant' || message.parts === undefined) return message;
  const parts = message.parts.map((part) => {
    if (part.type === 'text' || part.filename !== 'document') return part;
    const { filename: _, ...rest } = part;
    return rest;
  });
  return { ...message, parts };
}
