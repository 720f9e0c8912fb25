import type { Json } from '../../../actors/runtime/index.ts';
import type { Release, Settlement } from '../../../actors/terms/hold.ts';
import type { RunningTurn } from '../../../gateway/inference/running-turn.ts';
import { type Simulator, startSimulator } from '../../../gateway/simulator/simulator.ts';
import { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import type { TurnEvent } from '../../../gateway/terms/turn-event.ts';
import { failureOf } from '../../support/failure-of.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';
import type { Stage } from '../stage.ts';

const DEAR = { pricing: { prompt: '0.00001', completion: '0.00002' } };

/** Two simulated providers of one model; `b` costs ten times as much as `a`. */
interface Scene {
  readonly a: Simulator;
  readonly b: Simulator;
  readonly both: ReadonlyMap<string, Json>;
  readonly onlyA: ReadonlyMap<string, Json>;
  close(): Promise<void>;
}

/** Each test file opens its own: files of one run share a process. */
export async function openScene(): Promise<Scene> {
  const a = await startSimulator({ name: 'a', keep: true });
  const b = await startSimulator({ name: 'b', keep: true });
  const cheap = boardEndpoint('a', a.baseUrl);
  return {
    a,
    b,
    both: board(cheap, boardEndpoint('b', b.baseUrl, DEAR)),
    onlyA: board(cheap),
    close: async () => {
      await a.close();
      await b.close();
    },
  };
}

let directives = 0;
export function sim(directive: object): object {
  return { messages: [{ role: 'user', content: `@sim ${JSON.stringify({ id: `d${++directives}`, ...directive })}` }] };
}

export async function drain(turn: RunningTurn): Promise<TurnEvent[]> {
  const all: TurnEvent[] = [];
  for (let events = await turn.read(); events !== null; events = await turn.read()) all.push(...events);
  return all;
}

export function textOf(events: readonly TurnEvent[]): string {
  return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
}

export function typesOf(events: readonly TurnEvent[]): string {
  return [...new Set(events.map(({ type }) => type))].join(' ');
}

export const failed = (work: Promise<unknown>): Promise<GatewayError> => failureOf(work, GatewayError);

export function eventsOf(on: Stage): string[] {
  return on.asks.map(({ event }) => event.type);
}

export function releaseOf(on: Stage): Release | undefined {
  return on.asks.find(({ event }) => event.type === 'hold.release')?.event.release;
}

export function settlementOf(on: Stage): Settlement | undefined {
  return on.asks.find(({ event }) => event.type === 'hold.settle')?.event.settlement;
}

export function callsAt(simulator: Simulator, body: object): number {
  const id = JSON.stringify(body).match(/"id\\":\\"(d\d+)/)?.[1];
  return simulator.calls.filter((call) => call.id === id).length;
}

export function outcomesOf(on: Stage): string[] {
  const observed = on.tells.filter(({ event }) => event.type === 'attempts.observed');
  return observed.flatMap(({ event }) =>
    (event as unknown as { attempts: { outcome: string }[] }).attempts.map(({ outcome }) => outcome),
  );
}
