import type { Clock, Random } from '../../../actors/runtime/ports/clock.ts';
import type { Envelope, LinkReceiver, Transport } from '../../../actors/runtime/ports/transport.ts';

/** Shares are 0 to 1, applied to each envelope on its own; control texts pass. */
export interface Weather {
  readonly loss: number;
  readonly duplicates: number;
  /** Maximum delay of each copy; copies overtake each other. */
  readonly delayMsMax: number;
}

export interface Tally {
  lost: number;
  duplicated: number;
}

/** A transport that loses, doubles and reorders incoming envelopes: worse than the transport contract allows. */
export function inWeather(
  transport: Transport,
  weather: Weather,
  { clock, random, tally }: { readonly clock: Clock; readonly random: Random; readonly tally: Tally },
): Transport {
  const exposed = (ear: LinkReceiver): LinkReceiver => {
    let over = false;
    const arrive = (envelope: Envelope): void => {
      clock.after(random.fraction() * weather.delayMsMax, () => {
        if (!over) ear.envelopes([envelope]);
      });
    };
    return {
      envelopes: (batch) => {
        for (const envelope of batch) {
          if (random.fraction() < weather.loss) tally.lost += 1;
          else arrive(envelope);
          if (random.fraction() >= weather.duplicates) continue;
          tally.duplicated += 1;
          arrive(envelope);
        }
      },
      control: (text) => ear.control(text),
      closed: (reason, unsent) => {
        over = true;
        ear.closed(reason, unsent);
      },
    };
  };
  return {
    listen: (address, door) =>
      transport.listen(address, {
        incarnation: door.incarnation,
        admit: (hello) => door.admit(hello),
        accepted: (hello, link) => exposed(door.accepted(hello, link)),
      }),
    dial: (address, hello, hear) => transport.dial(address, hello, (link, welcome) => exposed(hear(link, welcome))),
    probe: (address, withinMs) => transport.probe(address, withinMs),
    close: () => transport.close(),
  };
}
