'use strict';
/**
 * Compiled code stays for the next start, for threads and for programs that this one starts: most of a start is
 * compiling. Before the first TypeScript is read, so that not even that has its types stripped again.
 */
const { enableCompileCache } = require('module');
const { tmpdir } = require('os');
const path = require('path');

function keepCompiledCode() {
  if (process.env.NODE_COMPILE_CACHE === undefined) {
    process.env.NODE_COMPILE_CACHE = path.join(tmpdir(), 'node-compile-cache');
  }
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
}

module.exports = { keepCompiledCode };
