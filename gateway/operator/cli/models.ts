/** `troupe models`: reloads models documents, validates a document, and prints their JSON Schema. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { systemClock } from '../../../actors/runtime/index.ts';
import type { EndpointDeclaration } from '../../../actors/terms/declaration.ts';
import type { Declared } from '../../catalogue/declare.ts';
import { publishedSchema } from '../../catalogue/published-schema.ts';
import { outboundUrl } from '../../outbound/outbound.ts';
import { Pools } from '../../outbound/pools.ts';
import { ConfigError, lineOf } from '../config/config-error.ts';
import { checkDocument } from './check-document.ts';
import { type FoundCluster, findCluster } from './find-cluster.ts';
import type { GlobalOptions } from './global-options.ts';
import { print, table } from './print.ts';

/** A refresh may fetch documents from slow addresses, one after the other. */
const REFRESH_MS_MAX = 120_000;
const CONNECT_MS = 2_000;
const REPLY_BYTES_MAX = 16 * 1024 * 1024;

const REFRESH_HELP = `
A document that is invalid or cannot be read changes nothing: the provider keeps its last declaration, and the reason
is shown here (exit code 1), in the log, and by \`troupe why provider:SLUG\`.`;

export function addModels(program: Command): void {
  const models = program.command('models').description('reload and check the models documents of providers');
  models
    .command('refresh')
    .argument('[provider]', 'the slug of one provider (default: all)')
    .description('reload models documents now')
    .addHelpText('after', REFRESH_HELP)
    .action(async (provider: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const declared = await refresh(await findCluster(options), provider);
      print(options, declared, () => renderDeclared(declared));
      if (declared.some(({ problem }) => problem !== null)) process.exitCode = 1;
    });
  models
    .command('check')
    .argument('<file>', 'a models document')
    .description('check a models document without a cluster; prints line and member of an error')
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

/** Sent to the first node that answers; any node may load any document. @throws ConfigError */
async function refresh({ nodes, token }: FoundCluster, provider: string | undefined): Promise<readonly Declared[]> {
  const outbound = new Pools({ clock: systemClock, connectionsPerOriginMax: 1, connectMs: CONNECT_MS });
  let unreached = 'no node of this cluster serves now';
  try {
    for (const { operatorUrl, name } of nodes) {
      if (operatorUrl === null) continue;
      const reply = await requestRefresh(outbound, operatorUrl, token, provider).catch((error: unknown) => {
        unreached = `node ${name} does not answer (${lineOf(error)}); try again`;
      });
      if (reply) return declaredIn(reply);
    }
  } finally {
    await outbound.close();
  }
  throw new ConfigError(unreached);
}

interface RefreshReply {
  readonly status: number;
  readonly text: string;
}

async function requestRefresh(
  outbound: Pools,
  at: string,
  token: string,
  provider: string | undefined,
): Promise<RefreshReply> {
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

function declaredIn({ status, text }: RefreshReply): readonly Declared[] {
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
