/**
 * `bourse/timewarp`: a Node program lives by the time of an exchange on a driven clock. Loaded before the program
 * (`node --require`, `--import`), it replaces Date, timers and performance.now. While the program has anything to do, time
 * stands still; when it only waits, for a timer or for the exchange, it waits in the exchange (`POST /lab/clock/wait`).
 *
 * Plain JavaScript without dependencies, for every Node from 18 on. Does nothing unless BOURSE_TIMEWARP_URL is set.
 */
'use strict';

const { env } = process;
/** Programs that only start others must not take part: they never wait for the exchange. */
const STARTERS = /[\\/](npm|npx|yarn|pnpm|corepack)(-cli)?(\.c?js)?$/;

if (env.BOURSE_TIMEWARP_URL && !STARTERS.test(process.argv[1] || '')) install();

function install() {
  const http = require('node:http');
  const { syncBuiltinESMExports } = require('node:module');
  const { performance } = require('node:perf_hooks');
  const timers = require('node:timers');
  const timersPromises = require('node:timers/promises');
  const util = require('node:util');

  const real = {
    Date,
    setTimeout: timers.setTimeout,
    clearTimeout: timers.clearTimeout,
    clearInterval: timers.clearInterval,
    setImmediate: timers.setImmediate,
    hrtime: process.hrtime,
  };
  const address = new URL('/lab/clock/wait', env.BOURSE_TIMEWARP_URL);
  const session = `node-${process.pid}-${require('node:worker_threads').threadId}`;
  const agent = new http.Agent({ keepAlive: true });
  const started = Number(env.BOURSE_TIMEWARP_TIME || real.Date.now());
  const TIMER_MAX = 2 ** 31 - 1;
  const RETRY_MS = 5;
  /** Timers end on this grid, as on a busy machine: some libraries look every millisecond whether they may go on. */
  const GRAIN_MS = 10;

  /** Time of the exchange, in milliseconds. */
  let now = started;
  let lastId = 0;
  /** @type {Map<number, Timer>} */
  const pending = new Map();
  /** The wait that is under way, and the instant that it is for. */
  let waiting;
  let looking = false;
  /** Requests of the program that are not answered. */
  let asked = 0;

  class Timer {
    constructor(callback, ms, args, repeats) {
      if (typeof callback !== 'function') {
        const error = new TypeError('The "callback" argument must be of type function.');
        error.code = 'ERR_INVALID_ARG_TYPE';
        throw error;
      }
      const span = Number(ms);
      this.span = span >= 1 && span <= TIMER_MAX ? Math.trunc(span) : 1;
      this.callback = callback;
      this.args = args;
      this.repeats = repeats;
      this.refed = true;
      this.id = ++lastId;
      this.enter();
    }

    enter() {
      this.due = started + Math.ceil((now + this.span - started) / GRAIN_MS) * GRAIN_MS;
      // The order of timers of one instant is that in which they were set.
      this.order = ++lastId;
      pending.set(this.id, this);
      lookLater();
    }

    ref() {
      this.refed = true;
      lookLater();
      return this;
    }

    unref() {
      this.refed = false;
      return this;
    }

    hasRef() {
      return this.refed;
    }

    refresh() {
      this.enter();
      return this;
    }

    close() {
      clear(this);
      return this;
    }

    [Symbol.toPrimitive]() {
      return this.id;
    }

    [Symbol.dispose ?? Symbol.for('nodejs.dispose')]() {
      clear(this);
    }
  }

  function clear(timer) {
    if (timer instanceof Timer) pending.delete(timer.id);
    else if (typeof timer === 'number' || typeof timer === 'string') pending.delete(Number(timer));
    // One that was set before the program began, or by Node itself.
    else if (timer) real.clearTimeout(timer);
  }

  const setTimeout = (callback, ms, ...args) => new Timer(callback, ms, args, false);
  const setInterval = (callback, ms, ...args) => new Timer(callback, ms, args, true);

  /** As `timers/promises` has it, with a signal and `ref`. */
  function sleep(ms, value, { signal, ref = true } = {}) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(abortError(signal));
        return;
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort);
        resolve(value);
      }, ms);
      if (!ref) timer.unref();
      const abort = () => {
        clear(timer);
        reject(abortError(signal));
      };
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  async function* sleepAgain(ms, value, options) {
    for (;;) yield await sleep(ms, value, options);
  }

  function abortError({ reason }) {
    const error = new Error('The operation was aborted', { cause: reason });
    error.name = 'AbortError';
    error.code = 'ABORT_ERR';
    return error;
  }

  Object.defineProperty(setTimeout, util.promisify.custom, { enumerable: true, value: sleep });

  const WarpedDate = new Proxy(real.Date, {
    construct: (target, args, newTarget) =>
      Reflect.construct(
        target,
        args.length === 0 ? [now] : args,
        newTarget === WarpedDate ? target : newTarget,
      ),
    apply: () => new real.Date(now).toString(),
    get: (target, key, receiver) => (key === 'now' ? dateNow : Reflect.get(target, key, receiver)),
  });
  const dateNow = () => Math.floor(now);
  // `new Date().constructor` and `Date` stay the same.
  Object.defineProperty(real.Date.prototype, 'constructor', {
    value: WarpedDate,
    writable: true,
    configurable: true,
  });

  const hrtime = (before) => {
    const nanoseconds = hrtime.bigint();
    const [seconds, rest] = [Number(nanoseconds / 1_000_000_000n), Number(nanoseconds % 1_000_000_000n)];
    if (before === undefined) return [seconds, rest];
    const difference = nanoseconds - (BigInt(before[0]) * 1_000_000_000n + BigInt(before[1]));
    return [Number(difference / 1_000_000_000n), Number(difference % 1_000_000_000n)];
  };
  hrtime.bigint = () => BigInt(Math.round((now - started) * 1e6)) + 1_000_000_000n;

  globalThis.Date = WarpedDate;
  for (const place of [globalThis, timers]) {
    place.setTimeout = setTimeout;
    place.setInterval = setInterval;
    place.clearTimeout = clear;
    place.clearInterval = clear;
  }
  timersPromises.setTimeout = sleep;
  timersPromises.setInterval = sleepAgain;
  if (timersPromises.scheduler) {
    const { scheduler } = timersPromises;
    Object.defineProperty(scheduler, 'wait', {
      value: (ms, options) => sleep(ms, undefined, options),
      configurable: true,
    });
  }
  Object.defineProperty(performance, 'now', {
    value: () => now - started,
    writable: true,
    configurable: true,
  });
  process.hrtime = hrtime;
  syncBuiltinESMExports();

  /** The exchange is asked, and its answer is due: no time passes. */
  function begun() {
    asked += 1;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      asked -= 1;
      lookLater();
    };
  }

  if (typeof globalThis.fetch === 'function') {
    const { fetch } = globalThis;
    globalThis.fetch = function (...args) {
      const ended = begun();
      const answer = fetch.apply(this, args);
      answer.then(ended, ended);
      return answer;
    };
  }

  const ownRequest = http.request;
  for (const module of [http, require('node:https')]) {
    const { request } = module;
    const watched = function (...args) {
      const made = request.apply(this, args);
      const ended = begun();
      // A socket that is handed over is no longer a request.
      for (const event of ['close', 'upgrade', 'error']) made.once(event, ended);
      return made;
    };
    module.request = watched;
    module.get = function (...args) {
      const made = watched.apply(this, args);
      made.end();
      return made;
    };
  }
  syncBuiltinESMExports();

  /** Work of the process that is under way and ends by itself; time must not pass meanwhile. */
  const WORK =
    /^(FSReq|GetAddrInfo|GetNameInfo|TCPConnect|PipeConnect|Write|Shutdown|Zlib|.*Request$|.*Job$|Worker|UDPSendWrap|FileHandleCloseReq)/;

  /** Turns in which nothing new has begun, before the program counts as idle. */
  const QUIET_TURNS = 8;

  /** When this turn and what it causes is done. */
  function lookLater() {
    if (looking || asked > 0 || isWaitedFor()) return;
    looking = true;
    turns(QUIET_TURNS);
  }

  function turns(left) {
    real.setImmediate(() => (left === 0 ? look() : turns(left - 1)));
  }

  /** A wait that was for later, or for nothing, is begun anew. */
  function isWaitedFor() {
    return waiting !== undefined && !(earliest() < waiting.until);
  }

  function look() {
    looking = false;
    if (asked > 0 || isWaitedFor()) return;
    const resources =
      typeof process.getActiveResourcesInfo === 'function' ? process.getActiveResourcesInfo() : [];
    if (resources.some((name) => WORK.test(name))) {
      looking = true;
      real.setTimeout(look, 1);
      return;
    }
    const until = earliest();
    // Nothing keeps the program: it may end.
    const held = resources.some(
      (name) => !/^(Immediate|Timeout|TickInfo|TTYWrap|PipeWrap|SignalWrap)/.test(name),
    );
    if (until === undefined && !held) return;
    const mine = { until: until ?? Number.POSITIVE_INFINITY };
    waiting = mine;
    wait(until, (time) => {
      if (waiting !== mine) return;
      waiting = undefined;
      void arrive(time);
    });
  }

  function earliest() {
    let least;
    for (const { refed, due } of pending.values()) if (refed && !(due >= least)) least = due;
    return least;
  }

  /** Timers up to this time, each at its own; what one causes happens before the next. */
  async function arrive(time) {
    for (let next = nextDue(time); next !== undefined; next = nextDue(time)) {
      now = Math.max(now, next.due);
      pending.delete(next.id);
      if (next.repeats) next.enter();
      try {
        next.callback(...next.args);
      } catch (error) {
        // As from any timer: it is for the program's own handlers.
        real.setImmediate(() => {
          throw error;
        });
      }
      await new Promise(real.setImmediate);
    }
    now = Math.max(now, time);
    lookLater();
  }

  function nextDue(time) {
    let first;
    for (const timer of pending.values()) {
      if (timer.due > time) continue;
      if (
        first === undefined ||
        timer.due < first.due ||
        (timer.due === first.due && timer.order < first.order)
      )
        first = timer;
    }
    return first;
  }

  function wait(until, done) {
    const body = JSON.stringify({ session, ...(until !== undefined && { idleUntil: Math.ceil(until) }) });
    const headers = {
      authorization: `Bearer ${env.BOURSE_TIMEWARP_TOKEN || ''}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const request = ownRequest(address, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => {
        if (response.statusCode === 200) done(JSON.parse(text).time);
        else if (response.statusCode === 409) real.setTimeout(() => wait(until, done), RETRY_MS);
        else gone(`the exchange refuses to wait: ${text}`);
      });
    });
    // Waiting for others alone does not keep a program alive.
    request.on('socket', (socket) => (until === undefined ? socket.unref() : socket.ref()));
    request.on('error', ({ message }) => gone(`the exchange has ended: ${message}`));
    request.end(body);
  }

  /** There is no time any more. */
  function gone(message) {
    process.stderr.write(`timewarp: ${message}\n`);
    process.exit(1);
  }

  // The program begins to wait with its first idle turn.
  lookLater();
}
