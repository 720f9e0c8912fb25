import { invalid } from '../../terms/gateway-error.ts';

interface Named {
  readonly model?: string | null;
  readonly models?: readonly string[] | null;
}

const SHOWN_CHARACTERS_MAX = 100;

/**
 * `model` first, then `models`, each once. Throws a 400 for the unsupported suffix `:online`. (rule I11)
 */
export function parseModels({ model, models }: Named): readonly string[] {
  if (model != null && !models) {
    refuseOnline(model);
    return [model];
  }
  const all = model == null ? [] : [model];
  const each = [...new Set(all.concat(models ?? []))];
  each.forEach(refuseOnline);
  return each;
}

function refuseOnline(id: string): void {
  if (!id.endsWith(':online')) return;
  throw invalid(`model ${id.slice(0, SHOWN_CHARACTERS_MAX)}: the suffix :online is not supported`);
}
