import { RESPONSES_FORMAT, type ReasoningDetail, type TurnMessage } from '../../terms/turn.ts';
import { listText, memberText } from '../json-text.ts';

type Assistant = Extract<TurnMessage, { role: 'assistant' }>;

/** The slug of the provider that made it, before what it encrypted: no other provider of this dialect can read that. */
export function sealedBy(provider: string | undefined, data: string): string {
  return provider === undefined ? data : `${provider}:${data}`;
}

/**
 * Earlier reasoning as items for a provider, in JSON. None for entries of other providers, and for an item that nothing
 * encrypts: a provider that stores nothing cannot find it.
 */
export function reasoningItems(details: readonly ReasoningDetail[], provider: string): string[] {
  return gathered(details, provider).items.map(itemText);
}

/**
 * Every entry of an answer's reasoning goes back. Behind reasoning another item has to follow: an answer of reasoning
 * alone has none.
 */
export function goesBack({ text, refusal, toolCalls, reasoningDetails }: Assistant, provider: string): boolean {
  if (reasoningDetails === undefined || (!text && !refusal && toolCalls === undefined)) return false;
  return !gathered(reasoningDetails, provider).loses;
}

interface Item {
  readonly id: string | undefined;
  readonly encrypted: string;
  /** The entries of it that can be read. */
  readonly readable: readonly ReasoningDetail[];
}

/** The items of the entries, each of which ends with what its provider encrypted. */
function gathered(
  details: readonly ReasoningDetail[],
  provider: string,
): { readonly items: readonly Item[] /** An entry belongs to no item. */; readonly loses: boolean } {
  const mark = sealedBy(provider, '');
  const items: Item[] = [];
  let readable: ReasoningDetail[] = [];
  let loses = false;
  const forget = (): void => {
    loses ||= readable.length > 0;
    readable = [];
  };
  for (const detail of details) {
    const { id, data, format } = detail;
    const [first] = readable;
    if (first?.id != null && id != null && first.id !== id) forget();
    if (format === RESPONSES_FORMAT && !data) readable.push(detail);
    else if (format === RESPONSES_FORMAT && data?.startsWith(mark)) {
      items.push({ id: id ?? undefined, encrypted: data.slice(mark.length), readable });
      readable = [];
    } else {
      forget();
      loses = true;
    }
  }
  forget();
  return { items, loses };
}

function itemText({ id, encrypted, readable }: Item): string {
  const summary = readable.flatMap(({ summary: text }) => (text ? [{ type: 'summary_text', text }] : []));
  const content = readable.flatMap(({ text }) => (text ? [{ type: 'reasoning_text', text }] : []));
  const head = `{"type":"reasoning"${memberText('id', id)},"summary":${JSON.stringify(summary)}`;
  const words = content.length === 0 ? '' : `,"content":${listText(content, JSON.stringify)}`;
  return `${head}${words}${memberText('encrypted_content', encrypted)}}`;
}
