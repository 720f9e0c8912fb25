/**
 * The endpoint's chart of two versions. Version 1 knew no evidence, and its declarations lacked what nobody could
 * declare then; both are filled in as undeclared and unverified. The way back leaves the evidence out: an older build
 * has no word for it, and the next checks find it again.
 */
import type { SavedState } from '../runtime/index.ts';
import type { EndpointDeclaration } from '../terms/declaration.ts';
import { plain } from '../terms/only.ts';
import { findingsUnder, NO_EVIDENCE, NO_FINDINGS } from './evidence.ts';
import type { EndpointRecord } from './record.ts';

const UNDECLARED = {
  ...{ descriptors: {}, passthrough: {}, inputs: {}, reasoning: null, defaultParameters: {}, envelopes: {} },
  ...{ compliance: null, dataPolicy: null, datacenters: null },
};

export function asVersion2(saved: SavedState): SavedState {
  const before = saved.context as unknown as EndpointRecord;
  const declaration = before.declaration === null ? null : completed(before.declaration);
  const findings = declaration === null ? NO_FINDINGS : findingsUnder(NO_FINDINGS, declaration);
  return { ...saved, context: plain({ ...before, declaration, findings, evidence: NO_EVIDENCE }) };
}

export function asVersion1(saved: SavedState): SavedState {
  const { findings, evidence, ...context } = saved.context as unknown as EndpointRecord;
  return { ...saved, context: plain(context) };
}

function completed(declaration: EndpointDeclaration): EndpointDeclaration {
  return {
    ...UNDECLARED,
    ...declaration,
    target: { ...declaration.target, dialect: declaration.target.dialect ?? 'chat' },
  };
}
