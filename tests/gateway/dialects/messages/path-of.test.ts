import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pathOf } from '../../../../gateway/dialects/messages/path-of.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

it('a path that a provider named is told as the caller wrote it, or not at all', () => {
  for (const [chat, own] of [
    ['max_completion_tokens', 'max_tokens'],
    ['max_tokens', 'max_tokens'],
    ['temperature', 'temperature'],
    ['stop[1]', 'stop_sequences'],
    ['messages[3].content[0].image_url.url', 'messages'],
    ['tools[2].function.parameters', 'tools[2].input_schema'],
    ['tools[2].function.name', 'tools[2].name'],
    ['tool_choice.function.name', 'tool_choice.name'],
    ['response_format.json_schema', 'output_config.format'],
    ['messages.reasoning', 'messages.thinking'],
    ['messages.media', 'messages.media'],
    ['provider.only', 'provider.only'],
    ['seed', null],
    ['reasoning.max_tokens', null],
    ['constructor', null],
  ] as const) {
    assert.is(pathOf(chat), own, chat);
  }
});

test.run();
