import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FixedWindowCounters } from './fixed-window-counters.ts';
import { OVERALL_BLOCK_MS, RateLimiter, sourceOf } from './rate-limit.ts';

const START = 1_700_000_000_000;
const FILLS = 'GET /api/v3/trade/fills';
const TICKERS = 'GET /api/v3/market/tickers';

test('a user gets twenty calls in a second, told how many remain, then waits for the window to end', () => {
  const limiter = new RateLimiter();
  for (let call = 0; call < 20; call += 1) {
    assert.deepEqual(limiter.takeForUid(FILLS, 20, 1000000001, START + call), {
      allowed: true,
      remaining: 19 - call,
    });
  }
  assert.deepEqual(limiter.takeForUid(FILLS, 20, 1000000001, START + 400), {
    allowed: false,
    retryAfterMs: 500,
  });
  assert.equal(limiter.takeForUid(FILLS, 20, 1000000001, START + 899).allowed, false);
  assert.deepEqual(limiter.takeForUid(FILLS, 20, 1000000001, START + 900), {
    allowed: true,
    remaining: 19,
  });
});

test('calls that others have admitted count; beyond the limit each makes the wait longer by its share', () => {
  const limiter = new RateLimiter();
  const left = (atMs: number) => limiter.takeForUid(FILLS, 10, 1000000001, START + atMs);
  const charge = (calls: number, atMs: number) => {
    for (let call = 0; call < calls; call += 1) limiter.chargeForUid(FILLS, 10, 1000000001, START + atMs);
  };
  assert.deepEqual(left(0), { allowed: true, remaining: 9 });
  charge(4, 1);
  assert.deepEqual(left(2), { allowed: true, remaining: 4 });
  // Four are left; ten more are paid for by a second.
  charge(14, 3);
  assert.deepEqual(left(4), { allowed: false, retryAfterMs: 1_896 });
  assert.deepEqual(left(1_899), { allowed: false, retryAfterMs: 1 });
  assert.deepEqual(left(1_900), { allowed: true, remaining: 9 });
  charge(1_000_000, 2_000);
  const blocked = left(2_000);
  assert.ok(!blocked.allowed && blocked.retryAfterMs <= 11_000, 'no more than ten seconds beyond its window');
});

test('three nodes that admit at the same moments admit the rate of one', () => {
  const nodes = Array.from({ length: 3 }, () => new RateLimiter());
  let admitted = 0;
  for (let ms = 0; ms < 60_000; ms += 10) {
    // Each learns of the others' calls when all have decided.
    const admits = nodes.map((node) => node.takeForUid(FILLS, 10, 1000000001, START + ms).allowed);
    for (const [n, isAdmitted] of admits.entries()) {
      if (!isAdmitted) continue;
      admitted += 1;
      for (const [other, node] of nodes.entries())
        if (other !== n) node.chargeForUid(FILLS, 10, 1000000001, START + ms);
    }
  }
  assert.ok(Math.abs(admitted - 600) <= 30, `${admitted} in 60 s`);
});

test('users, endpoints and addresses do not use up each other', () => {
  const limiter = new RateLimiter();
  assert.equal(limiter.takeForUid(FILLS, 1, 1000000001, START).allowed, true);
  assert.equal(limiter.takeForUid(FILLS, 1, 1000000001, START).allowed, false);
  assert.equal(limiter.takeForUid(FILLS, 1, 1000000002, START).allowed, true);
  assert.equal(limiter.takeForUid('GET /other', 1, 1000000001, START).allowed, true);
  assert.equal(limiter.takeForUid(FILLS, 1, 1000000001 + 2 ** 32, START).allowed, true);
  assert.equal(limiter.takeForIp(TICKERS, 1, '198.51.100.7', START).allowed, true);
  assert.equal(limiter.takeForIp(TICKERS, 1, '198.51.100.7', START).allowed, false);
  assert.equal(limiter.takeForIp(TICKERS, 1, '198.51.100.8', START).allowed, true);
  assert.equal(limiter.takeForIp('GET /other', 1, '198.51.100.7', START).allowed, true);
});

test('an IPv4 address counts alike in both spellings, an IPv6 subscriber by /64', () => {
  const limiter = new RateLimiter();
  const allowed = (address: string | undefined) => limiter.takeForIp(TICKERS, 1, address, START).allowed;
  assert.equal(allowed('198.51.100.7'), true);
  assert.equal(allowed('::ffff:198.51.100.7'), false);
  assert.equal(allowed('2001:db8:1:2::1'), true);
  assert.equal(allowed('2001:db8:1:2:ffff::9'), false);
  assert.equal(allowed('2001:db8:1:3::1'), true);
  assert.equal(allowed(undefined), true);
  assert.equal(allowed('nonsense'), false);
});

test('the /64 is cut from every way to write an address', () => {
  assert.deepEqual(sourceOf('2001:db8::1'), [0x20010db8, 0, 6]);
  assert.deepEqual(sourceOf('::1'), [0, 0, 6]);
  assert.deepEqual(sourceOf('1:2:3:4:5:6:7:8'), [0x10002, 0x30004, 6]);
  assert.deepEqual(sourceOf('1::4:5:6:7:8'), [0x10000, 0x4, 6]);
  assert.deepEqual(sourceOf('64:ff9b::192.0.2.1'), [0x64ff9b, 0, 6]);
  assert.deepEqual(sourceOf('10.0.0.1'), [0, 0x0a000001, 4]);
});

test('under constant pressure the rate admitted is within 5 % of the limit', () => {
  const limiter = new RateLimiter();
  for (const limit of [1, 3, 5, 10, 20, 100]) {
    let admitted = 0;
    const seconds = 60;
    for (let ms = 0; ms < seconds * 1_000; ms += 3) {
      if (limiter.takeForUid(`limit ${limit}`, limit, 1000000001, START + ms).allowed) admitted += 1;
    }
    assert.ok(
      Math.abs(admitted - limit * seconds) <= limit * seconds * 0.05,
      `${limit}/s: ${admitted} in ${seconds} s`,
    );
  }
});

test('a client that paces itself exactly at the limit is never refused, though its calls arrive up to 20 ms early or late and its first gap is 50 ms short', () => {
  const limiter = new RateLimiter();
  for (const limit of [1, 3, 5, 10, 20]) {
    for (let call = 0; call < limit * 60; call += 1) {
      const shakenMs = ((call * 7_919) % 41) - 20;
      const aheadMs = call === 0 ? 0 : 50;
      const arrivesMs = START + Math.round((call * 1_000) / limit) - aheadMs + shakenMs;
      assert.ok(
        limiter.takeForUid(`paced ${limit}`, limit, 1000000001, arrivesMs).allowed,
        `${limit}/s: call ${call}`,
      );
    }
  }
});

test('the 6001st call of a minute shuts the address out for five minutes', () => {
  const limiter = new RateLimiter();
  for (let call = 0; call < 6_000; call += 1)
    assert.equal(limiter.takeOverall('198.51.100.7', START).allowed, true);
  const refused = { allowed: false, retryAfterMs: OVERALL_BLOCK_MS };
  assert.deepEqual(limiter.takeOverall('198.51.100.7', START + 59_000), refused);
  assert.deepEqual(limiter.takeOverall('198.51.100.7', START + 61_000), {
    allowed: false,
    retryAfterMs: 298_000,
  });
  assert.equal(limiter.takeOverall('198.51.100.8', START + 61_000).allowed, true);
  assert.equal(limiter.takeOverall('198.51.100.7', START + 59_000 + OVERALL_BLOCK_MS).allowed, true);
});

test('going over an endpoint limit does not shut anybody out', () => {
  const limiter = new RateLimiter();
  for (let call = 0; call < 1_000; call += 1) limiter.takeForIp(TICKERS, 20, '198.51.100.7', START);
  assert.equal(limiter.takeForIp(TICKERS, 20, '198.51.100.7', START + 1_000).allowed, true);
});

test('a failed authentication costs five of the overall limit', () => {
  const limiter = new RateLimiter();
  for (let attempt = 0; attempt < 1_200; attempt += 1) {
    assert.equal(limiter.takeOverall('198.51.100.7', START).allowed, true, `attempt ${attempt}`);
    limiter.chargeFailedAuthentication('198.51.100.7', START);
  }
  assert.equal(limiter.takeOverall('198.51.100.7', START).allowed, false);
});

test('a clock that is moved back does not lock anybody out', () => {
  const limiter = new RateLimiter();
  assert.equal(limiter.takeForUid(FILLS, 1, 1000000001, START).allowed, true);
  assert.equal(limiter.takeForUid(FILLS, 1, 1000000001, START - 86_400_000).allowed, true);
});

test('limits can be switched off', () => {
  const off = new RateLimiter({ rateLimits: 'off' });
  for (let call = 0; call < 10_000; call += 1) {
    assert.equal(off.takeOverall('198.51.100.7', START).allowed, true);
    assert.deepEqual(off.takeForUid(FILLS, 20, 1000000001, START), { allowed: true, remaining: 20 });
    assert.equal(off.takeForIp(TICKERS, 20, '198.51.100.7', START).allowed, true);
  }
});

test('a name per URL instead of per route is a mistake that shows', () => {
  const limiter = new RateLimiter();
  assert.throws(() => {
    for (let url = 0; url < 2_000; url += 1) limiter.takeForUid(`GET /x?${url}`, 1, 1, START);
  }, /endpoints/);
});

test('five million sources take no memory, and who is over the limit stays over it', () => {
  const table = new FixedWindowCounters(131_072);
  const rule = { limit: 6_000, windowMs: 60_000, blockMs: OVERALL_BLOCK_MS };
  const bytes = table.bytes;
  const before = process.memoryUsage();
  for (let call = 0; call < 6_001; call += 1) table.take([0x20010db8, 0xdeadbeef, 6], rule, START);
  for (let source = 0; source < 5_000_000; source += 1) table.take([0x20010db9, source, 6], rule, START + 1);
  const after = process.memoryUsage();
  assert.equal(table.bytes, bytes);
  assert.ok(after.arrayBuffers - before.arrayBuffers <= 2 ** 20, 'tables grew');
  assert.ok(after.heapUsed - before.heapUsed <= 64 * 2 ** 20, 'heap grew');
  assert.equal(table.take([0x20010db8, 0xdeadbeef, 6], rule, START + 2).allowed, false);
});

test('all tables together stay below 16 MiB, also after a hundred thousand IPv6 subscribers', () => {
  const limiter = new RateLimiter();
  const bytes = limiter.bytes;
  assert.ok(bytes <= 16 * 2 ** 20, `${bytes} bytes`);
  for (let source = 0; source < 100_000; source += 1) {
    limiter.takeForIp(
      TICKERS,
      20,
      `2001:db8:${(source >>> 16).toString(16)}:${(source & 0xffff).toString(16)}::1`,
      START,
    );
  }
  assert.equal(limiter.bytes, bytes);
});

test('the table tells names apart when it is nearly full', () => {
  const table = new FixedWindowCounters(1_024);
  const rule = { limit: 1, windowMs: 1_000 };
  let allowedTwice = 0;
  for (let name = 0; name < 256; name += 1) assert.equal(table.take([0, name, 1], rule, START).allowed, true);
  for (let name = 0; name < 256; name += 1)
    if (table.take([0, name, 1], rule, START).allowed) allowedTwice += 1;
  assert.ok(allowedTwice <= 12, `${allowedTwice} of 256 were forgotten`);
});
