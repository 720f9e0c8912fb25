import type { TurnEvent } from '../../terms/turn-event.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { pushSignature } from './thought-signature.ts';

/** Calls in one reply; a reply with more is invalid. */
const CALLS_MAX = 1_536;
const ID_CHARACTERS_MAX = 256;
/** Arguments of all calls whose names have not arrived yet. */
const EARLY_CHARACTERS_MAX = 64 * 1024;

interface Fragment {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly function?: unknown;
  readonly extra_content?: unknown;
}

interface Call {
  readonly index: number;
  id: string;
  name: string | null;
  /** A piece of its arguments was emitted. */
  hasArguments: boolean;
  /** Arguments that came before the name; empty once it is known. */
  early: string;
}

/**
 * Tool calls of one reply, whole or in fragments, in one normal form: a start with id and name, then pieces of the
 * arguments. Normalises the differences between providers: no index, no id, the name in every fragment, one index for
 * several ids, arguments as an object or none at all.
 */
export class ToolCalls {
  readonly #calls: Call[] = [];
  readonly #byIndex = new Map<number, Call>();
  readonly #makeId: (index: number) => string;
  #early = 0;

  constructor(makeId: (index: number) => string) {
    this.#makeId = makeId;
  }

  get count(): number {
    return this.#calls.length;
  }

  /** Adds the events of a `tool_calls` member to `events`. */
  read(fragments: unknown, events: TurnEvent[]): void {
    if (fragments == null) return;
    if (!Array.isArray(fragments)) throw new ProviderFailure('garbage', 'tool_calls is not a list');
    fragments.forEach((fragment: unknown, at) => {
      this.#readFragment(fragment, at, events);
    });
  }

  /** Adds `{}` as the arguments of each call that ended without any: no client can parse an empty text. */
  end(events: TurnEvent[]): void {
    for (const call of this.#calls) if (call.name !== null && !call.hasArguments) addPiece(call, '{}', events);
  }

  #readFragment(fragment: unknown, at: number, events: TurnEvent[]): void {
    if (typeof fragment !== 'object' || fragment === null)
      throw new ProviderFailure('garbage', 'a tool call is not an object');
    const { index, id, function: called, extra_content: extra } = fragment as Fragment;
    const { name, arguments: given } = (called ?? {}) as { name?: unknown; arguments?: unknown };
    const call = this.#callOf(Number.isSafeInteger(index) ? (index as number) : at, id);
    const piece = typeof given === 'string' ? given : given == null ? '' : JSON.stringify(given);
    if (extra != null) pushSignature(extra, call.id, events);
    if (call.name !== null) addPiece(call, piece, events);
    else if (typeof name !== 'string' || name === '') this.#keep(call, piece);
    else {
      call.name = name;
      events.push({ type: 'tool-start', index: call.index, id: call.id, name });
      addPiece(call, call.early + piece, events);
      this.#early -= call.early.length;
      call.early = '';
    }
  }

  /** Keeps a piece until the name of its call arrives. */
  #keep(call: Call, piece: string): void {
    this.#early += piece.length;
    if (this.#early > EARLY_CHARACTERS_MAX) throw new ProviderFailure('garbage', 'a tool call without a name');
    call.early += piece;
  }

  #callOf(index: number, id: unknown): Call {
    const given = typeof id === 'string' && id !== '' ? id.slice(0, ID_CHARACTERS_MAX) : null;
    const known = this.#byIndex.get(index);
    if (known && (given === null || given === known.id)) return known;
    if (known && known.name === null && given !== null) {
      known.id = given;
      return known;
    }
    if (this.#calls.length >= CALLS_MAX) throw new ProviderFailure('garbage', 'too many tool calls');
    const own = this.#calls.length;
    const call: Call = { index: own, id: given ?? this.#makeId(own), name: null, hasArguments: false, early: '' };
    this.#calls.push(call);
    this.#byIndex.set(index, call);
    return call;
  }
}

function addPiece(call: Call, piece: string, events: TurnEvent[]): void {
  if (piece === '') return;
  call.hasArguments = true;
  events.push({ type: 'tool-delta', index: call.index, arguments: piece });
}
