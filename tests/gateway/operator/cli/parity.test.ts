/**
 * Everything that a command does for the owner of an account is a route too, and the other way round. A command or a
 * management route without a row here fails, so that a new one is placed on purpose.
 */
import { Command } from 'commander';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { COMMANDS } from '../../../../gateway/operator/cli/commands.ts';
import { bounded } from '../../../support/bounded.ts';
import { apiTable } from '../../../support/route-table.ts';

const it = bounded(test);

/** Why a command has no route. (docs/keys.md, The operator alone) */
const OPERATOR = 'operator';
const MODULES = ['accounts', 'deposits', 'keys', 'workspaces', 'audit', 'generation', 'webhooks'];

/** Each command with the routes that do the same for an owner's key. */
const ROWS: Readonly<Record<string, readonly string[] | typeof OPERATOR>> = {
  'accounts create': OPERATOR,
  'accounts list': OPERATOR,
  'accounts top': OPERATOR,
  'accounts deposit': OPERATOR,
  'accounts adjust': OPERATOR,
  'accounts refund': OPERATOR,
  'accounts suspend': OPERATOR,
  'accounts resume': OPERATOR,
  'accounts refused': OPERATOR,
  'accounts recent': OPERATOR,
  'accounts invite': OPERATOR,
  'accounts show': ['GET /credits'],
  'accounts generations': ['GET /activity', 'GET /generation'],
  'accounts ledger': ['GET /statements/:month'],
  'accounts sessions': ['GET /sessions'],
  'accounts sign-out': ['DELETE /sessions', 'DELETE /sessions/:id'],
  'deposits list': ['GET /deposits', 'GET /deposits/:id'],
  'deposits review': OPERATOR,
  'deposits resolve': OPERATOR,
  'deposits notice': ['POST /credits/notice'],
  statements: ['GET /statements', 'GET /statements/:month'],
  'keys create': ['POST /keys'],
  'keys list': ['GET /keys'],
  'keys show': ['GET /keys/:hash'],
  'keys import': ['POST /keys/import'],
  'keys approve': ['POST /auth/keys/code'],
  'keys revoke': ['DELETE /keys/:hash'],
  'keys disable': ['PATCH /keys/:hash'],
  'keys enable': ['PATCH /keys/:hash'],
  'keys limit': ['PATCH /keys/:hash'],
  'keys rename': ['PATCH /keys/:hash'],
  'keys expire': ['PATCH /keys/:hash'],
  'keys assign': ['PATCH /keys/:hash'],
  'keys move': ['PATCH /keys/:hash'],
  'workspaces list': ['GET /workspaces'],
  'workspaces create': ['POST /workspaces'],
  'workspaces show': [
    ...['GET /workspaces/:id', 'GET /workspaces/:id/members', 'GET /workspaces/:id/budgets'],
    'GET /workspaces/:id/budgets/:interval',
  ],
  'workspaces set': ['PATCH /workspaces/:id'],
  'workspaces delete': ['DELETE /workspaces/:id'],
  'workspaces add-member': ['POST /workspaces/:id/members/add'],
  'workspaces remove-member': ['POST /workspaces/:id/members/remove'],
  'workspaces budget': ['PUT /workspaces/:id/budgets/:interval', 'DELETE /workspaces/:id/budgets/:interval'],
  audit: ['GET /audit'],
  generation: ['GET /generation'],
  'webhooks list': ['GET /webhooks/deliveries'],
  'webhooks show': ['GET /webhooks/deliveries'],
  'webhooks retry': ['POST /webhooks/deliveries/:id/retry'],
};

it('every command about an account has its row, and so has every route of a management key (rule N41)', async () => {
  const program = new Command('troupe').exitOverride();
  for (const { names, load } of COMMANDS) {
    if (names.some((name) => MODULES.includes(name))) (await load())(program, { entry: '', ports: {} });
  }
  assert.equal(leavesOf(program).sort(), Object.keys(ROWS).sort());
  const routes = apiTable().map(({ method, path, policy }) => ({ name: `${method} ${path}`, policy }));
  const named = Object.values(ROWS).flatMap((row) => (row === OPERATOR ? [] : row));
  const existing = new Set(routes.map(({ name }) => name));
  assert.equal(
    named.filter((name) => !existing.has(name)),
    [],
  );
  const managed = routes.filter(({ policy }) => policy === 'management').map(({ name }) => name);
  assert.equal(
    managed.filter((name) => !named.includes(name)),
    [],
  );
});

function leavesOf(command: Command, before = ''): string[] {
  return command.commands.flatMap((one) => {
    const name = `${before}${one.name()}`;
    return one.commands.length > 0 ? leavesOf(one, `${name} `) : [name];
  });
}

test.run();
