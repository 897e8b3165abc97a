#!/usr/bin/env node
'use strict';
/** `bourse`, the command line, where this package is installed. */
const path = require('path');
const { launch } = require('./launch.cjs');

launch([path.join(__dirname, 'src/bourse.ts')].concat(process.argv.slice(2)));
