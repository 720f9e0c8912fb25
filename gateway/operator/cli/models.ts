/** `troupe models`: reads models documents anew, checks one before it is used, and prints their JSON Schema. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { systemClock } from '../../../actors/runtime/index.ts';
import type { EndpointDeclaration } from '../../../actors/terms/declaration.ts';
import type { Declared } from '../../catalogue/declare.ts';
import { publishedSchema } from '../../catalogue/published-schema.ts';
import { outboundUrl } from '../../outbound/outbound.ts';
import { Pools } from '../../outbound/pools.ts';
import { ConfigError, lineOf } from '../config/config-error.ts';
import { type ConnectionInfo, readConnection } from '../launcher/connection.ts';
import { checkDocument } from './check-document.ts';
import { dataFolderOf, type GlobalOptions } from './global-options.ts';
import { print, table } from './print.ts';

/** A refresh waits for documents at slow addresses, one after the other. */
const REFRESH_MS_MAX = 120_000;
const CONNECT_MS = 2_000;
const REPLY_BYTES_MAX = 16 * 1024 * 1024;

const REFRESH_HELP = `
A document that is broken, or cannot be read, changes nothing: what its provider declared last stays, and the
reason is told here (exit code 1), in the log, and by \`troupe why provider:SLUG\`.`;

export function addModels(program: Command): void {
  const models = program.command('models').description('read, check and describe the models documents of providers');
  models
    .command('refresh')
    .argument('[provider]', 'the slug of one provider (default: all of them)')
    .description('read models documents anew, now')
    .addHelpText('after', REFRESH_HELP)
    .action(async (provider: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const declared = await refresh(await readConnection(await dataFolderOf(options)), provider);
      print(options, declared, () => renderDeclared(declared));
      if (declared.some(({ problem }) => problem !== null)) process.exitCode = 1;
    });
  models
    .command('check')
    .argument('<file>', 'a models document')
    .description('check a models document without a cluster; says line and member of what is wrong')
    .action(async (file: string, _: unknown, command: Command) => {
      const declared = await checkDocument(resolve(file));
      print(command.optsWithGlobals<GlobalOptions>(), declared, () => renderEndpoints(declared));
    });
  models
    .command('schema')
    .description('print the JSON Schema of a models document')
    .action(() => {
      process.stdout.write(`${JSON.stringify(publishedSchema(), null, 2)}\n`);
    });
}

/** Asked of the first node that answers: any may read any document. @throws Fault */
async function refresh(connection: ConnectionInfo, provider: string | undefined): Promise<readonly Declared[]> {
  const outbound = new Pools({ clock: systemClock, connectionsPerOriginMax: 1, connectMs: CONNECT_MS });
  let unreached = 'no node of this cluster serves now';
  try {
    for (const { operator_url, name } of connection.nodes) {
      const reply = await asked(outbound, operator_url, connection.operator_token, provider).catch((error: unknown) => {
        unreached = `node ${name} does not answer (${lineOf(error)}); repeat it`;
      });
      if (reply) return declaredIn(reply);
    }
  } finally {
    await outbound.close();
  }
  throw new ConfigError(unreached);
}

interface Answered {
  readonly status: number;
  readonly text: string;
}

async function asked(outbound: Pools, at: string, token: string, provider: string | undefined): Promise<Answered> {
  const query = provider === undefined ? '' : `?provider=${encodeURIComponent(provider)}`;
  const reply = await outbound.send({
    method: 'POST',
    url: outboundUrl(at, `/models/refresh${query}`),
    headers: ['authorization', `Bearer ${token}`, 'accept', 'application/json'],
    body: null,
    limits: {
      connectMs: CONNECT_MS,
      firstByteMs: REFRESH_MS_MAX,
      idleMs: REFRESH_MS_MAX,
      totalMs: REFRESH_MS_MAX,
      bodyBytesMax: REPLY_BYTES_MAX,
    },
  });
  return { status: reply.status, text: await reply.body.text() };
}

function declaredIn({ status, text }: Answered): readonly Declared[] {
  const { data, error } = JSON.parse(text) as { readonly data?: readonly Declared[]; readonly error?: string };
  if (status === 200 && data) return data;
  throw new ConfigError(error ?? `the node answered ${status}; see its log`);
}

function renderDeclared(declared: readonly Declared[]): string {
  const rows = declared.map(({ provider, endpoints, changes, problem }) =>
    problem === null ? [provider, String(endpoints.length), String(changes), 'declared'] : [provider, '', '', problem],
  );
  return table(['PROVIDER', 'ENDPOINTS', 'CHANGES', 'DOCUMENT'], rows);
}

function renderEndpoints(declared: readonly EndpointDeclaration[]): string {
  const rows = declared.map((endpoint) => [
    endpoint.model,
    endpoint.target.upstreamId,
    String(endpoint.contextLength),
    endpoint.inputModalities.join('+'),
    endpoint.outputModalities.join('+'),
    endpoint.tariff.prompt ?? 'unpriced',
    endpoint.tariff.completion ?? 'unpriced',
  ]);
  return table(['MODEL', 'AT THE PROVIDER', 'CONTEXT', 'INPUT', 'OUTPUT', 'PROMPT USD', 'COMPLETION USD'], rows);
}
