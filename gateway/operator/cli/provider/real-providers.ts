/** `troupe providers add` and `troupe providers test`: a real provider in the configuration, and what it really does. */
import { perToken } from '../../../catalogue/listed/listed-models.ts';
import { PRESETS } from '../../../catalogue/presets/presets.ts';
import { ConfigError } from '../../config/config-error.ts';
import { local } from '../frame/command.ts';
import { count } from '../frame/names.ts';
import { table } from '../frame/print.ts';
import type { AddedProvider } from './add-provider.ts';
import type { TestResult } from './test-provider.ts';

const ADD_HELP = `
The entry goes into the file of --config, or else of the data folder's last start, or ./troupe.json; one that does not
exist is made. Its models come from the provider's own list. A model whose price or context length the list does not
state is written with "is_ready": false, so that nothing is sold by accident: state both with --price and --context, or
fill them in and remove the member. docs/providers.md has the presets.`;

const TEST_HELP = `
Sends about ten small requests to one model, directly: no account, no charge here, a charge there. Exit code 1 if a
declaration is wrong.`;

const SHOWN_MAX = 5;

export const realProviders = [
  local('add', 'declare a real provider in the configuration, with the models that it lists itself', {
    arguments: { '<name>': { meaning: 'the slug of the new provider, such as groq', parse: slugFrom } },
    options: {
      '--preset <preset>': { meaning: 'the provider or server', choices: Object.keys(PRESETS), required: true },
      '--key-file <file>': 'a file that holds its key alone, with mode 0600',
      '--base-url <url>': { meaning: "its address (default: the preset's)", parse: addressFrom },
      '--price <prices>': {
        meaning: 'PROMPT,COMPLETION in USD per million tokens, where the list has none',
        parse: pricesFrom,
      },
      '--context <tokens>': count(
        'context length where the list has none, and the most of a server of your own',
        'context length (--context)',
      ),
      '--models <ids>': { meaning: 'only these models, their ids at the provider with commas between', parse: idsFrom },
    },
    help: ADD_HELP,
    run: async ({ price, context, ...given }) => {
      const { addProvider } = await import('./add-provider.ts');
      return addProvider({
        ...given,
        ...(price === undefined ? {} : { price }),
        ...(context === undefined ? {} : { contextLength: context }),
      });
    },
    print: renderAdded,
  }),
  local('test', 'try what a declared provider does, ability by ability, and print what its declaration has wrong', {
    arguments: { '<name>': 'the slug of a provider in the configuration' },
    options: { '--model <id>': 'the model to try (default: the cheapest that serves)' },
    help: TEST_HELP,
    run: async (given) => {
      const { testProvider } = await import('./test-provider.ts');
      const result = await testProvider(given);
      if (result.abilities.some(({ verdict }) => verdict === 'wrong')) process.exitCode = 1;
      return result;
    },
    print: renderTested,
  }),
];

/** @throws ConfigError */
function slugFrom(text: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,63}$/.test(text)) return text;
  throw new ConfigError(`"${text}" is no name for a provider; write lower case letters, digits and dashes`);
}

/** @throws ConfigError */
function addressFrom(text: string): string {
  if (/^https?:\/\/\S+$/.test(text) && URL.canParse(text)) return text;
  throw new ConfigError(`--base-url ${text} is no address; write one such as https://api.example.com/v1`);
}

/** @throws ConfigError */
function pricesFrom(text: string): { readonly prompt: string; readonly completion: string } {
  const [prompt = null, completion = null, ...more] = text.split(',').map((each) => perToken(each.trim()));
  if (prompt !== null && completion !== null && more.length === 0 && prompt !== '0' && completion !== '0') {
    return { prompt, completion };
  }
  throw new ConfigError(
    `--price ${text} must be two prices of a million tokens in USD above 0, such as 0.15,0.60; a free model is declared in its document`,
  );
}

/** @throws ConfigError */
function idsFrom(text: string): readonly string[] {
  const ids = text.split(',').map((id) => id.trim());
  if (ids.every((id) => id !== '') && new Set(ids).size === ids.length) return ids;
  throw new ConfigError(`--models ${text} must be ids with commas between, each once`);
}

function renderAdded(added: AddedProvider): string {
  const { provider, config, document, models, serving, unpriced, unmeasured, others } = added;
  const lines = [`added ${provider} to ${config} with ${models} models, ${serving} of which serve: ${document}`];
  if (unpriced.length > 0) {
    lines.push(`without a price, so not served: ${some(unpriced)}; fill in "pricing", or state --price`);
  }
  if (unmeasured.length > 0) {
    lines.push(
      `without a context length, so not served: ${some(unmeasured)}; fill in "max_context_length", or state --context`,
    );
  }
  if (unpriced.length + unmeasured.length > 0) lines.push(`then remove "is_ready": false of these models`);
  if (others.length > 0) lines.push(`left out, since they answer no conversation: ${some(others)}`);
  lines.push(`next: troupe providers test ${provider} --config ${config}`);
  lines.push(
    `then: troupe up --config ${config}, or troupe reload-config --config ${config} --yes --reason "..." where it runs`,
  );
  return lines.join('\n');
}

function some(ids: readonly string[]): string {
  const more = ids.length - SHOWN_MAX;
  return `${ids.slice(0, SHOWN_MAX).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function renderTested({ model, abilities }: TestResult): string {
  const rows = abilities.map(({ ability, verdict, detail, change }) => [ability, verdict, detail, change ?? '']);
  return `${model}\n${table(['ABILITY', 'DECLARATION', 'WHAT WAS SHOWN', 'CHANGE'], rows)}`;
}
