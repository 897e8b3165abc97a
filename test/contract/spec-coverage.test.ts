/** Every sentence of the interface that can be checked has its check, and every endpoint its rate and its parameters. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SENTENCES } from './spec-coverage.ts';

const { unusedStandIns } = await import('./mutation/replaced-imports.ts');
const { titlesOf } = await import('./mutation/check-runner.ts');
const { breakage } = await import('./breakage.contract.ts');
const { ENDPOINTS } = await import('./endpoints.ts');
const { rates } = await import('./rates.contract.ts');
const { contract } = await import('./suites.ts');
type ContractVenue = Parameters<typeof contract>[0];

/** Titles are told without a venue: nothing is run. */
const nowhere = new Proxy({}, { get: () => nowhere }) as ContractVenue;
const titles = titlesOf(() => {
  contract(nowhere);
  rates();
  breakage();
});

/** Sections of the document that say something; 6 says that events are not shown. */
const SECTIONS = [
  ...['1', '2.1', '2.1.1', ...Array.from({ length: 11 }, (_, n) => `2.${n + 2}`), '3'],
  ...['4.1', '4.2', '4.3', '4.4', '4.5', '4.6', '5', '7', '8', '9'],
];

describe('interface: sentence by sentence', () => {
  it('a recording of the contract replaces all that reaches a server', () => {
    assert.deepEqual(unusedStandIns(), []);
  });

  it('every section has its sentences', () => {
    assert.deepEqual(Object.keys(SENTENCES).sort(), [...SECTIONS].sort());
  });

  it('every title names a section', () => {
    assert.deepEqual(
      titles.filter((title) => !/^(interface [0-9]|every enumeration)/.test(title)),
      [],
    );
  });

  for (const [section, sentences] of Object.entries(SENTENCES)) {
    it(`interface ${section}: ${sentences.length} sentences are checked`, () => {
      const unchecked = sentences.filter(([, check]) => !titles.some((title) => title.includes(check)));
      assert.deepEqual(unchecked, []);
    });
  }

  for (const endpoint of Object.keys(ENDPOINTS)) {
    it(`interface 4 ${endpoint} has a rate, and checks of its own`, () => {
      assert.ok(titles.some((title) => title.startsWith(`interface 5, 8 ${endpoint}:`)));
      const name = endpoint.split('/')[1]!;
      const own = titles.filter((title) => title.includes(name) && !title.startsWith('interface 5, 8'));
      assert.ok(own.length > 1, own.join('; '));
    });
  }
});
