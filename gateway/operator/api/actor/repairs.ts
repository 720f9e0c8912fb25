/** What an operator does with an actor that does not go on by itself: its dead letters, and its reload. */
import { Type } from 'typebox';
import { AskError, type Cluster, type Reloaded } from '../../../../actors/runtime/index.ts';
import { findAddress } from '../../find-address.ts';
import { type ChangePlan, change, quoted } from '../../http/change.ts';
import { isAbsent, OperatorFault, type OperatorRoute } from '../../http/operator-route.ts';

export const repairRoutes: readonly OperatorRoute[] = [
  change({
    path: '/api/actors/:address/reload',
    summary: 'Load a quarantined actor again after its stored state was repaired.',
    answers: { address: Type.String(), outcome: Type.String() },
    plan: async ({ cluster, params, body }): Promise<ChangePlan> => {
      const address = await addressIn(cluster, params.address);
      return {
        would: `load ${address} again, if it is quarantined`,
        command: `troupe reload ${quoted(address)} --reason ${quoted(body.reason)}`,
        audit: { action: 'actor.reload', target: address, detail: {} },
        run: async () => {
          const reloaded = await cluster.operator.reload(address);
          return { did: wordsOf(address, reloaded), address, ...reloaded };
        },
      };
    },
  }),
  deadLetter('retry', 'Deliver a dead letter to its actor once more.', 'delivered'),
  deadLetter('skip', 'Drop a dead letter for good.', 'dropped'),
];

function deadLetter(verb: 'retry' | 'skip', summary: string, done: string): OperatorRoute {
  return change({
    path: `/api/actors/:address/dead-letters/:id/${verb}`,
    summary,
    plan: async ({ cluster, params: { address: name, id }, body }): Promise<ChangePlan> => {
      const address = await addressIn(cluster, name);
      return {
        would: `${verb} the dead letter ${id} of ${address}`,
        command: `troupe ${verb} ${quoted(address)} ${quoted(id)} --reason ${quoted(body.reason)}`,
        audit: { action: `dead-letter.${verb}`, target: address, detail: { id } },
        run: async () => {
          if (await cluster.operator[verb](address, id)) return { did: `${id} was ${done}` };
          const why = `${address} has no dead letter ${id}; \`troupe inspect ${address}\` shows its dead letters`;
          throw new OperatorFault(404, 'not_found', why);
        },
      };
    },
  });
}

/** Throws where the actor still does not serve. */
function wordsOf(address: string, reloaded: Reloaded): string {
  switch (reloaded.outcome) {
    case 'loaded':
      return `${address} is loaded; its deferred inputs run now`;
    case 'was-not-quarantined':
      return `${address} is not quarantined`;
    case 'quarantined':
      throw new OperatorFault(409, 'quarantined', `${address} is still quarantined: ${reloaded.fault}`);
    case 'absent':
      throw isAbsent(address);
    case 'not-served':
      throw new AskError(address, { code: 'moved', owner: null, epoch: 0 });
    default:
      throw new Error(`unknown outcome ${JSON.stringify(reloaded satisfies never)}`);
  }
}

async function addressIn({ operator }: Cluster, name: string): Promise<string> {
  const address = await findAddress(operator, name);
  if (address === null) throw isAbsent(name);
  return address;
}
