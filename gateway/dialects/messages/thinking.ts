import { JsonScan } from '../../json/json-scan.ts';
import type { ReasoningDetail } from '../../terms/turn.ts';
import { SIGNED_THINKING } from '../../terms/turn.ts';

/**
 * Structured reasoning of any provider as thinking blocks, and back unchanged. A block has room for a text and a
 * signature alone. The other members of an entry (its type, format and id) travel inside the signature, or the data of
 * a redacted block, marked as ours: clients send both back unread.
 */
const MARK = 'troupe1.';

/** One flat object. */
const SCAN = { depthMax: 1, tokensMax: 64 };

const TYPES: ReadonlySet<unknown> = new Set(['reasoning.text', 'reasoning.summary', 'reasoning.encrypted']);

/** The data of the redacted block of an encrypted entry. */
export function redactedData(detail: ReasoningDetail): string {
  return isNative(detail) ? (detail.data ?? '') : packed(detail);
}

/** The signature of the block of an entry, all but its text; '' for an entry that has nothing else. */
export function signatureOf({ text: _text, summary: _summary, ...rest }: ReasoningDetail): string {
  if (isNative(rest)) return rest.signature ?? '';
  const isBare = rest.type === 'reasoning.text' && !rest.signature && rest.format == null && rest.id == null;
  return isBare ? '' : packed(rest);
}

/** The entry of a block that a client sent back; null for thinking that no provider signed. */
export function thinkingDetail(thinking: string, signature: string | null | undefined): ReasoningDetail | null {
  if (!signature) return null;
  const rest = unpacked(signature);
  if (rest === null) return { type: 'reasoning.text', text: thinking, signature, format: SIGNED_THINKING };
  if (rest.type === 'reasoning.summary') return { ...rest, summary: thinking };
  return thinking === '' ? rest : { ...rest, text: thinking };
}

/** The entry of a redacted block that a client sent back. */
export function redactedDetail(data: string): ReasoningDetail {
  return unpacked(data) ?? { type: 'reasoning.encrypted', data, format: SIGNED_THINKING };
}

/** A provider of this dialect signed it: the block is the provider's own, and its place is its index. */
function isNative({ type, format, id }: ReasoningDetail): boolean {
  return format === SIGNED_THINKING && id == null && type !== 'reasoning.summary';
}

function packed(members: object): string {
  return MARK + Buffer.from(JSON.stringify(members)).toString('base64url');
}

/** The known members of a marked text; null for any other text. */
function unpacked(text: string): ReasoningDetail | null {
  if (!text.startsWith(MARK)) return null;
  const bytes = Buffer.from(text.slice(MARK.length), 'base64url');
  if (!new JsonScan(SCAN).feed(bytes)) return null;
  try {
    return checkedDetail(JSON.parse(bytes.toString()));
  } catch {
    return null;
  }
}

function checkedDetail(value: unknown): ReasoningDetail | null {
  if (typeof value !== 'object' || value === null) return null;
  const { type, signature, data, format, id, index } = value as Record<string, unknown>;
  if (!TYPES.has(type)) return null;
  const members: Record<string, unknown> = { type };
  for (const [name, member] of Object.entries({ signature, data, format, id })) {
    if (typeof member === 'string') members[name] = member;
  }
  if (Number.isSafeInteger(index) && (index as number) >= 0) members.index = index;
  return members as unknown as ReasoningDetail;
}
