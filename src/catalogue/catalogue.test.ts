import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { InstrumentSpec } from '../core/model/listing-spec.ts';
import { type Catalogue, loadCatalogue } from './catalogue.ts';
import { CatalogueError } from './catalogue-error.ts';
import { digestOf, SHIPPED_DIGEST } from './shipped-digest.ts';

const SHIPPED = fileURLToPath(new URL('../../catalogue', import.meta.url));

function ofCategory({ instruments }: Catalogue, category: string): InstrumentSpec[] {
  return instruments.filter((spec) => spec.category === category);
}

test('the shipped catalogue passes the check that a start spares it, and is known by its digest', () => {
  const files = ['coins', 'spot', 'margin', 'usdt-futures', 'coin-futures', 'usdc-futures'];
  const text = (name: string) => readFileSync(join(SHIPPED, `${name}.json`), 'utf8');
  const digest = digestOf(new Map(files.map((name) => [`${name}.json`, text(name)])));
  assert.equal(SHIPPED_DIGEST, digest, 'the digest of the files as they are now goes into shipped-digest.ts');
  withCopy((folder) => {
    for (const name of files) writeFileSync(join(folder, `${name}.json`), `${text(name)}\n`);
    assert.deepEqual(loadCatalogue(folder), loadCatalogue(SHIPPED));
  });
});

test('the shipped catalogue offers every category; spot and margin are open', () => {
  const catalogue = loadCatalogue(SHIPPED);
  const count = (category: string) => ofCategory(catalogue, category).length;
  assert.ok(count('SPOT') >= 8);
  assert.ok(count('MARGIN') >= 8);
  assert.ok(count('USDT-FUTURES') >= 6);
  assert.ok(count('USDC-FUTURES') >= 3);
  assert.ok(count('COIN-FUTURES') >= 4);
  for (const { category, symbol, status } of catalogue.instruments) {
    const open = category === 'SPOT' || category === 'MARGIN';
    assert.equal(status, open ? 'online' : 'listed', `${category} ${symbol}`);
  }
});

test('spot BTCUSDT has the numbers of the worked examples (rules 0.5)', () => {
  const btc = ofCategory(loadCatalogue(SHIPPED), 'SPOT').find(({ symbol }) => symbol === 'BTCUSDT')!;
  assert.deepEqual(
    [btc.pricePrecision, btc.quantityPrecision, btc.quotePrecision, btc.minOrderAmount, btc.openingPrice],
    ['2', '6', '6', '1', '60000'],
  );
  assert.deepEqual([btc.buyLimitPriceRatio, btc.sellLimitPriceRatio], ['0.05', '0.05']);
  assert.deepEqual([btc.makerFeeRate, btc.takerFeeRate], ['0.001', '0.001']);
});

test('price and quantity steps are powers of ten, so that clients may round by decimals (wire 3.2)', () => {
  const step = (places: string) => (places === '0' ? '1' : `0.${'1'.padStart(Number(places), '0')}`);
  for (const { symbol, futures, pricePrecision, quantityPrecision } of loadCatalogue(SHIPPED).instruments) {
    if (futures === undefined) continue;
    assert.equal(futures.priceMultiplier, step(pricePrecision), symbol);
    assert.equal(futures.quantityMultiplier, step(quantityPrecision), symbol);
  }
});

test('quarterly futures are delivered on the last Friday of the quarter at 08:00 UTC (rules 5.15)', () => {
  const delivery = loadCatalogue(SHIPPED).instruments.filter(({ futures }) => futures?.type === 'delivery');
  assert.ok(delivery.length >= 2);
  for (const { symbol, futures } of delivery) {
    const date = new Date(Number(futures!.deliveryTime));
    const weekLater = new Date(date.getTime() + 7 * 24 * 60 * 60 * 1000);
    assert.equal(date.getUTCDay(), 5, symbol);
    assert.equal(date.toISOString().slice(11), '08:00:00.000Z', symbol);
    assert.equal(date.getUTCMonth() % 3, 2, symbol);
    assert.notEqual(weekLater.getUTCMonth(), date.getUTCMonth(), symbol);
    assert.ok(Number(futures!.deliveryStartTime) < date.getTime(), symbol);
  }
});

type Entry = Record<string, unknown>;

interface Mistake {
  readonly what: string;
  readonly file: string;
  readonly make: (entries: Entry[]) => void;
  readonly says: string;
}

const MISTAKES: readonly Mistake[] = [
  {
    what: 'a missing field',
    file: 'spot.json',
    make: ([btc]) => delete btc!.minOrderAmount,
    says: 'BTCUSDT: minOrderAmount (missing) must be a decimal in quotes, or "" for none',
  },
  {
    what: 'a misspelt field',
    file: 'spot.json',
    make: ([btc]) => Object.assign(btc!, { minOrderAmout: '1' }),
    says: 'BTCUSDT: minOrderAmout is not a known field',
  },
  {
    what: 'a number without quotes',
    file: 'spot.json',
    make: ([btc]) => Object.assign(btc!, { pricePrecision: 2 }),
    says: 'BTCUSDT: pricePrecision 2 must be a whole number in quotes, such as "8"',
  },
  {
    what: 'an unknown status',
    file: 'spot.json',
    make: ([btc]) => Object.assign(btc!, { status: 'open' }),
    says: 'BTCUSDT: status "open" must be one of "listed", "online"',
  },
  {
    what: 'a misspelt field of a part',
    file: 'usdt-futures.json',
    make: ([btc]) => Object.assign(btc!.futures as Entry, { levarage: '5' }),
    says: 'BTCUSDT: futures.levarage is not a known field',
  },
  {
    what: 'a missing part',
    file: 'margin.json',
    make: ([btc]) => delete btc!.margin,
    says: 'BTCUSDT: margin is missing',
  },
  {
    what: 'a part of another category',
    file: 'spot.json',
    make: ([btc]) => Object.assign(btc!, { margin: marginPart() }),
    says: 'BTCUSDT: margin has no place in SPOT',
  },
  {
    what: 'an instrument in the wrong file',
    file: 'spot.json',
    make: ([btc]) => Object.assign(btc!, { category: 'MARGIN' }),
    says: 'BTCUSDT: category "MARGIN" must be "SPOT" in this file',
  },
  {
    what: 'a coin that is not listed',
    file: 'spot.json',
    make: ([btc]) => Object.assign(btc!, { baseCoin: 'XBT' }),
    says: 'SPOT BTCUSDT: base coin XBT is not listed',
  },
  {
    what: 'precisions that would make values inexact',
    file: 'spot.json',
    make: ([btc]) => Object.assign(btc!, { pricePrecision: '4' }),
    says: 'pricePrecision + quantityPrecision must be at most 8',
  },
  {
    what: 'a margin instrument on another grid than its spot twin',
    file: 'margin.json',
    make: ([btc]) => Object.assign(btc!, { pricePrecision: '1' }),
    says: 'BTCUSDT: pricePrecision "1" must be "2" as in SPOT',
  },
  {
    what: 'a margin instrument without a spot twin',
    file: 'margin.json',
    make: ([btc]) => Object.assign(btc!, { symbol: 'NONE' }),
    says: 'NONE: there is no SPOT instrument of this symbol',
  },
  {
    what: 'the same symbol twice',
    file: 'spot.json',
    make: (entries) => entries.push(entries[0]!),
    says: 'BTCUSDT: is listed twice',
  },
  {
    what: 'index weights that do not add up',
    file: 'spot.json',
    make: ([btc]) => (btc!.indexComponents as Entry[]).pop(),
    says: 'BTCUSDT: the weights of indexComponents must add up to 1',
  },
  {
    what: 'a delivery contract without a delivery time',
    file: 'coin-futures.json',
    make: (entries) => Object.assign(entries.at(-1)!.futures as Entry, { deliveryTime: '' }),
    says: 'futures.deliveryTime "" does not suit the type "delivery"',
  },
  {
    what: 'a perpetual contract without funding',
    file: 'usdt-futures.json',
    make: ([btc]) => Object.assign(btc!.futures as Entry, { fundInterval: '' }),
    says: 'BTCUSDT: futures.fundInterval "" does not suit the type "perpetual"',
  },
  {
    what: 'a misspelt field of a chain',
    file: 'coins.json',
    make: ([btc]) => Object.assign((btc!.chains as Entry[])[0]!, { fee: '1' }),
    says: 'BTC: chains[0].fee is not a known field',
  },
  {
    what: 'a coin that counts as margin without an index',
    file: 'coins.json',
    make: (entries) => entries.push({ ...entries[0]!, coin: 'GEM' }),
    says: 'GEM: collateral needs an index price: list GEMUSDT or GEMUSD with indexComponents',
  },
  {
    what: 'an entry that is no object',
    file: 'coins.json',
    make: (entries) => entries.splice(1, 1, null as unknown as Entry),
    says: 'entry 2: must be an object',
  },
];

for (const { what, file, make, says } of MISTAKES) {
  test(`${what} is named`, () => {
    withCopy((folder) => {
      const path = join(folder, file);
      const entries = JSON.parse(readFileSync(path, 'utf8')) as Entry[];
      make(entries);
      writeFileSync(path, JSON.stringify(entries));
      refuses(folder, file, says);
    });
  });
}

test('broken JSON and unknown files are named', () => {
  withCopy((folder) => {
    writeFileSync(join(folder, 'spots.json'), '[]');
    refuses(folder, 'spots.json', 'is not one of coins.json, spot.json');
  });
  withCopy((folder) => {
    writeFileSync(join(folder, 'spot.json'), '[{]');
    refuses(folder, 'spot.json', 'JSON');
  });
  withCopy((folder) => {
    writeFileSync(join(folder, 'spot.json'), '{}');
    refuses(folder, 'spot.json', 'must hold a list');
  });
});

test('a folder is read again when a file of it was written, and what was read cannot be changed', () => {
  withCopy((folder) => {
    const first = loadCatalogue(folder);
    assert.equal(loadCatalogue(folder), first);
    assert.throws(() => Object.assign(first.coins[0]!.chains[0]!, { chain: 'other' }), TypeError);
    writeFileSync(join(folder, 'margin.json'), '[]');
    assert.equal(ofCategory(loadCatalogue(folder), 'MARGIN').length, 0);
    assert.ok(ofCategory(first, 'MARGIN').length > 0);
  });
});

function refuses(folder: string, file: string, says: string): void {
  assert.throws(
    () => loadCatalogue(folder),
    (error: unknown) => {
      assert.ok(error instanceof CatalogueError);
      assert.ok(error.message.startsWith(`${join(folder, file)}: `), error.message);
      assert.ok(error.message.includes(says), error.message);
      return true;
    },
  );
}

function withCopy(run: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'bourse-catalogue-'));
  try {
    cpSync(SHIPPED, folder, { recursive: true });
    run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function marginPart(): unknown {
  return ofCategory(loadCatalogue(SHIPPED), 'MARGIN')[0]!.margin;
}
