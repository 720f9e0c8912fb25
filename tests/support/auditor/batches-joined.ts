import type { Generation } from '../../../actors/terms/hold.ts';
import type { BatchEvidence, BatchPoll, LineSent, ResultLine, Submission } from './batch-evidence.ts';
import type { CallSeen, LedgerLine } from './evidence.ts';
import type { Joined } from './joined.ts';

export const TERMINAL: ReadonlySet<string> = new Set(['completed', 'failed', 'expired', 'cancelled']);

/** One acknowledged batch with everything that is known of it. */
export interface BatchJoined {
  readonly submission: Submission & { readonly id: string };
  /** By the time of the answer. */
  readonly polls: readonly BatchPoll[];
  /** The first poll that showed the end; null if none did. */
  readonly end: BatchPoll | null;
  /** Null without results. */
  readonly results: readonly ParsedLine[] | null;
  readonly lines: readonly LineJoined[];
}

interface ParsedLine {
  readonly line: ResultLine;
  /** The digits of `usage.cost`, as written. */
  readonly cost: string | null;
  readonly bytes: number;
}

export interface LineJoined {
  readonly sent: LineSent;
  readonly result: ParsedLine | null;
  readonly calls: readonly CallSeen[];
  readonly row: Generation | undefined;
  readonly charges: readonly LedgerLine[];
}

const COST = /"cost":\s*(-?[0-9.]+(?:[eE][+-]?\d+)?)/g;

/** Throws for result lines that are no JSON. */
export function joinBatches(evidence: BatchEvidence, joined: Joined): readonly BatchJoined[] {
  const polls = new Map<string, BatchPoll[]>();
  for (const poll of evidence.polls) polls.set(poll.id, [...(polls.get(poll.id) ?? []), poll]);
  return evidence.submissions.flatMap((submission) => {
    const { id, lines } = submission;
    if (id === null) return [];
    const own = [...(polls.get(id) ?? [])].sort((a, b) => a.endAt - b.endAt);
    const text = own.findLast((poll) => poll.results !== null)?.results ?? null;
    const results = text === null ? null : parse(text);
    const byCustomId = new Map(results?.map((each) => [each.line.custom_id, each]));
    return [
      {
        submission: { ...submission, id },
        polls: own,
        end: own.find((poll) => TERMINAL.has(poll.status)) ?? null,
        results,
        lines: lines.map((sent) => {
          const row = joined.rowByNonce.get(sent.customId);
          return {
            ...{ sent, row, result: byCustomId.get(sent.customId) ?? null },
            calls: joined.callsByNonce.get(sent.customId) ?? [],
            charges: row === undefined ? [] : (joined.chargesByGeneration.get(row.generation) ?? []),
          };
        }),
      },
    ];
  });
}

function parse(text: string): readonly ParsedLine[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({
      line: JSON.parse(line) as ResultLine,
      cost: [...line.matchAll(COST)].at(-1)?.[1] ?? null,
      bytes: Buffer.byteLength(line),
    }));
}
