/** Builds the pages into `web/dist`, which is committed: an installation needs no build. The same sources give the same bytes. */
import { defineConfig } from 'vite';

/** The first versions with everything that the style sheets use, so that nothing is rewritten for older ones. */
const BROWSERS = ['chrome125', 'firefox128', 'safari17.5'];

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  logLevel: 'error',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: BROWSERS,
    cssTarget: BROWSERS,
    // The policy of the pages takes scripts only from files.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rollupOptions: {
      input: ['index.html', 'inspector.html', 'licences.html', 'reference.html', 'console.html'].map(
        (name) => `${import.meta.dirname}/${name}`,
      ),
    },
  },
});
