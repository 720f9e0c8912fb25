import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Adapter } from '../../../gateway/providers/adapter.ts';
import { StreamAttempt } from '../../../gateway/providers/call/stream-attempt.ts';
import { chatAdapter } from '../../../gateway/providers/chat/adapter.ts';
import { cohereAdapter } from '../../../gateway/providers/cohere/adapter.ts';
import { completionsAdapter } from '../../../gateway/providers/completions/adapter.ts';
import { geminiAdapter } from '../../../gateway/providers/gemini/adapter.ts';
import { messagesAdapter } from '../../../gateway/providers/messages/adapter.ts';
import { ollamaAdapter } from '../../../gateway/providers/ollama/adapter.ts';
import { responsesAdapter } from '../../../gateway/providers/responses/adapter.ts';
import type { TurnEvent } from '../../../gateway/terms/turn-event.ts';
import { bounded } from '../../support/bounded.ts';
import { eventsOf, failureOfReading, joined, played, UNSHARED } from './played.ts';

/**
 * Transcripts of streams of text: the bytes of a provider and the expected events; beside some of them the same answer
 * in one piece, as `whole`.
 */
const FOLDER = join(import.meta.dirname ?? '.', '../../fixtures/transcripts');
const LINE_MAX = 64 * 1024;

const it = bounded(test);

/** A wire by the beginning of its transcripts' names. */
interface Wire {
  readonly adapter: Adapter;
  /** Up to the end of the frame after which the finish is known. */
  readonly finish: RegExp;
  readonly lineEnds: readonly string[];
}

const EVENT_LINE_ENDS = ['\n', '\r\n', '\r'];
const WIRES: Readonly<Record<string, Wire>> = {
  chat: { adapter: chatAdapter, finish: /"finish_reason":"[^"]*"[^\n]*\r?\n\r?\n/, lineEnds: EVENT_LINE_ENDS },
  messages: { adapter: messagesAdapter, finish: /"stop_reason":"[^"]*"[^\n]*\r?\n\r?\n/, lineEnds: EVENT_LINE_ENDS },
  responses: {
    adapter: responsesAdapter,
    finish: /event: response\.(?:completed|incomplete)\r?\n[^\n]*\r?\n\r?\n/,
    lineEnds: EVENT_LINE_ENDS,
  },
  cohere: { adapter: cohereAdapter, finish: /"finish_reason":"[^"]*"[^\n]*\r?\n\r?\n/, lineEnds: EVENT_LINE_ENDS },
  completions: {
    adapter: completionsAdapter,
    finish: /"finish_reason":"[^"]*"[^\n]*\r?\n\r?\n/,
    lineEnds: EVENT_LINE_ENDS,
  },
  gemini: { adapter: geminiAdapter, finish: /"finishReason":"[^"]*"[^\n]*\r?\n\r?\n/, lineEnds: EVENT_LINE_ENDS },
  ollama: { adapter: ollamaAdapter, finish: /"done":true[^\n]*/, lineEnds: ['\n', '\r\n'] },
};

interface Transcript {
  readonly name: string;
  readonly wire: Wire;
  readonly bytes: Buffer;
  readonly upstreamId: string | null;
  readonly events: readonly TurnEvent[];
  readonly whole?: Readonly<Record<string, unknown>>;
}

function transcripts(): Transcript[] {
  const files = readdirSync(FOLDER).filter((file) => !file.endsWith('.json'));
  return files.map((file) => ({
    ...partsOf(file),
    bytes: readFileSync(join(FOLDER, file)),
    ...(JSON.parse(readFileSync(join(FOLDER, `${partsOf(file).name}.json`), 'utf8')) as Pick<
      Transcript,
      'upstreamId' | 'events' | 'whole'
    >),
  }));
}

function partsOf(file: string): { readonly name: string; readonly wire: Wire } {
  const name = file.slice(0, file.lastIndexOf('.'));
  const wire = WIRES[name.slice(0, name.indexOf('-'))];
  if (wire === undefined) throw new Error(`${file} is of no wire`);
  return { name, wire };
}

function streamOf({ adapter }: Wire, pieces: readonly Uint8Array[]): StreamAttempt {
  return new StreamAttempt(
    played(pieces),
    adapter.reader((index) => `made_${index}`),
    { ...UNSHARED, lineCharactersMax: LINE_MAX, framing: adapter.framing },
  );
}

/** All text, all scores, and the rest in its order: a whole answer does not interleave them. */
function gathered(events: readonly TurnEvent[]): readonly unknown[] {
  const text = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []));
  const scores = events.flatMap((event) => (event.type === 'logprobs' ? event.content : []));
  return [text.join(''), scores, ...events.filter(({ type }) => type !== 'text-delta' && type !== 'logprobs')];
}

/** After this byte the finish is known, so an end of the connection is clean. */
function finishedAt(bytes: Buffer, { finish }: Wire): number {
  const match = finish.exec(bytes.toString('latin1'));
  assert.ok(match);
  return (match as RegExpExecArray).index + (match as RegExpExecArray)[0].length;
}

const ALL = transcripts();
assert.ok(ALL.length >= 5);

for (const { name, wire, bytes, upstreamId, events, whole } of ALL) {
  if (whole !== undefined) {
    it(`${name} says the same in one piece`, () => {
      const reader = wire.adapter.reader((index) => `made_${index}`);
      const found: TurnEvent[] = [];
      reader.readWhole(whole, found);
      assert.equal(gathered([...found, { type: 'usage', usage: reader.usage }]), gathered(events));
      assert.equal([reader.upstreamId, reader.finished], [upstreamId, true]);
    });
  }

  it(`${name} reads the same split at any byte, inside characters and line ends too (rule I61)`, async () => {
    for (let at = 0; at <= bytes.length; at++) {
      const attempt = streamOf(wire, [bytes.subarray(0, at), bytes.subarray(at)]);
      assert.equal(joined(await eventsOf(attempt)), events, `split at ${at}`);
      assert.is(attempt.upstreamId, upstreamId);
    }
  });

  it(`${name} reads the same byte by byte`, async () => {
    const pieces = [...bytes].map((byte) => Buffer.from([byte]));
    assert.equal(joined(await eventsOf(streamOf(wire, pieces))), events);
  });

  it(`${name} reads the same with line ends of every kind, split at any byte`, async () => {
    for (const lineEnd of wire.lineEnds) {
      const other = Buffer.from(bytes.toString('utf8').replace(/\r?\n/g, lineEnd));
      for (let at = 0; at <= other.length; at++) {
        const attempt = streamOf(wire, [other.subarray(0, at), other.subarray(at)]);
        assert.equal(joined(await eventsOf(attempt)), events, `${JSON.stringify(lineEnd)} split at ${at}`);
      }
    }
  });

  it(`${name} cut at any byte before its finish is a failure, and after it a clean end (rule I60)`, async () => {
    const finished = finishedAt(bytes, wire);
    for (let at = 0; at < bytes.length; at++) {
      const attempt = streamOf(wire, [bytes.subarray(0, at)]);
      // With CRLF the frame is complete after the first half of its empty line.
      if (at < finished - 1) assert.is((await failureOfReading(attempt)).reason, 'garbage', `cut at ${at}`);
      else if (at >= finished) assert.is((await eventsOf(attempt)).filter(({ type }) => type === 'finish').length, 1);
    }
  });
}

test.run();
