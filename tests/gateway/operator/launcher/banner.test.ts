import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { renderBanner } from '../../../../gateway/operator/launcher/banner.ts';

const CONNECTION = {
  base_url: 'http://127.0.0.1:8080/api/v1',
  api_key: 'sk-demo',
  management_key: 'sk-manage',
  customers_management_key: null,
  operator_url: null,
  operator_token: 't',
  nodes: [],
};
const REST = { connectionFile: 'c.json', data: null, model: 'sim/fast', startedInMs: 1 };

test('a demo cluster prints the variables that SDKs read, and one beside real providers has no key to print', () => {
  const lines = renderBanner({ connection: CONNECTION, ...REST }).split('\n');
  assert.ok(lines.includes('  export OPENAI_BASE_URL=http://127.0.0.1:8080/api/v1'));
  assert.ok(lines.includes('  export OPENAI_API_KEY=sk-demo'));
  assert.not.match(renderBanner({ connection: { ...CONNECTION, api_key: null }, ...REST }), /OPENAI/);
});

test('the banner says where the pages are and how to sign in', () => {
  const text = renderBanner({ connection: CONNECTION, ...REST });
  assert.match(text, /Account +http:\/\/127\.0\.0\.1:8080\/account\n +sign in with the management key sk-manage\n/);
  assert.match(text, /Catalogue +http:\/\/127\.0\.0\.1:8080\/models\n/);
  const real = renderBanner({ connection: { ...CONNECTION, management_key: null }, ...REST });
  assert.match(real, /sign in with a management key\n/);
  const operated = renderBanner({ connection: { ...CONNECTION, operator_url: 'http://127.0.0.1:9' }, ...REST });
  assert.match(
    operated,
    /Console +http:\/\/127\.0\.0\.1:9\/console\/\n +sign in with the link of `npx troupe console`\n/,
  );
});

test.run();
