import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Member } from './membership.ts';
import { StateComparison } from './state-comparison.ts';

const MINE = 7;
const mine = (no: number) => (no <= 10 ? MINE : undefined);
const member = (name: string, digest: number, applied = 10): Member => ({
  ...{ name, run: name.charCodeAt(0), role: 'node' as const },
  ...{ applied, digest },
});

test('a node that differs from two others stops; what is not applied here yet says nothing', () => {
  const states = new StateComparison();
  assert.equal(states.byRows([member('a', 1, 11), member('b', 1)], mine), undefined);
  assert.match(
    states.byRows([member('a', 1), member('b', 1)], mine)!.message,
    /most of the cluster \(a, b\)/,
  );
});

test('of one against one nobody is right; a majority goes on', () => {
  const states = new StateComparison();
  assert.equal(states.byRows([member('a', MINE), member('b', 1)], mine), undefined);
  assert.equal(states.disagreement, undefined);
  assert.equal(states.byRows([member('b', 1)], mine), undefined);
  assert.match(states.disagreement!, /\(b and this one\) and no majority/);
});

test('by packs: the second node that differs stops it, an equal one before does not count for ever', () => {
  const states = new StateComparison();
  const others = [member('a', 0), member('b', 0)];
  assert.equal(states.byPack(others[1]!.run, true, others), undefined);
  assert.equal(states.byPack(others[0]!.run, false, others), undefined);
  assert.match(states.byPack(others[1]!.run, false, others)!.message, /\(a, b\)/);
});
