import type { Principal } from '../../../../actors/terms/principal.ts';

/** The principal of every change by a command of `troupe`, which holds the operator's token. */
export const COMMAND_LINE: Principal = { kind: 'operator', id: 'troupe' };
