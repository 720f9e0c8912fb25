import { Type } from 'typebox';
import { JsonScan } from '../../json/json-scan.ts';
import { checkOf } from '../../json/schema-check.ts';
import { invalid } from '../../terms/gateway-error.ts';
import type { ReasoningDetail } from '../../terms/turn.ts';
import { maybe } from '../request/members.ts';
import { base64Bytes } from '../request/parse-source.ts';

/** Marks what this gateway wrote: any other text is data that a provider encrypted. */
const MARK = 'rd1.';
const DETAILS_MAX = 4_096;

const fits = checkOf(
  Type.Array(
    Type.Object(
      {
        type: Type.Union(
          (['reasoning.text', 'reasoning.summary', 'reasoning.encrypted'] as const).map((word) => Type.Literal(word)),
        ),
        text: maybe(Type.String()),
        signature: maybe(Type.String()),
        summary: Type.Optional(Type.String()),
        data: Type.Optional(Type.String()),
        index: Type.Optional(Type.Integer({ minimum: 0 })),
        format: maybe(Type.String()),
        id: maybe(Type.String()),
      },
      { additionalProperties: false },
    ),
    { maxItems: DETAILS_MAX },
  ),
);

/**
 * Structured reasoning as one opaque text, the `encrypted_content` of a reasoning item: it is the only member that
 * every client of this dialect sends back unchanged. Not encrypted by us; what a provider signed or encrypted stays so.
 * Null where no entry is signed or encrypted: then the text of the item says everything. (rule I91)
 */
export function sealReasoning(details: readonly ReasoningDetail[]): string | null {
  if (!details.some(({ signature, data }) => signature || data)) return null;
  return MARK + Buffer.from(JSON.stringify(details)).toString('base64');
}

/** The entries of an `encrypted_content`, in order. Throws a 400 that names `member` for a damaged text of ours. */
export function openReasoning(content: string, member: string): readonly ReasoningDetail[] {
  if (!content.startsWith(MARK)) return [{ type: 'reasoning.encrypted', data: content }];
  const base64 = content.slice(MARK.length);
  const details = base64Bytes(base64) === null ? null : parsed(Buffer.from(base64, 'base64'));
  if (!fits(details)) throw invalid(`${member} is not what an earlier answer carried`);
  return details as readonly ReasoningDetail[];
}

/** A list of flat objects; anything that nests deeper is not parsed. */
const SCAN = { depthMax: 2, tokensMax: DETAILS_MAX * 20 };

function parsed(bytes: Buffer): unknown {
  if (!new JsonScan(SCAN).feed(bytes)) return null;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}
