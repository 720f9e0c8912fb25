/**
 * Runs the simulated facilitator as its own process: `main [--port N] [--ledger FILE]`, with its secret in the variable
 * TROUPE_FACILITATOR_SECRET. Prints `{"port":N}` once it listens, ignores SIGINT, ends on SIGTERM and with its parent.
 */
import { parseArgs } from 'node:util';
import { endWithParent } from '../end-with-parent.ts';
import { startFacilitator } from './facilitator.ts';

const { values } = parseArgs({ options: { port: { type: 'string' }, ledger: { type: 'string' } } });
const facilitator = await startFacilitator({
  secret: process.env.TROUPE_FACILITATOR_SECRET ?? '',
  port: Number(values.port ?? 0),
  ...(values.ledger === undefined ? {} : { ledger: values.ledger }),
});
const end = (): void => void facilitator.close().then(() => process.exit(0));
process.on('SIGINT', () => {});
process.on('SIGTERM', end);
endWithParent(end);
process.stdout.write(`${JSON.stringify({ port: facilitator.port })}\n`);
process.send?.({ port: facilitator.port });
