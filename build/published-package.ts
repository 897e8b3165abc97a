/**
 * The package that is published: the program bundled with the packages that it uses, because Node compiles no TypeScript under
 * `node_modules`, and so that an installation is one file and needs no other. `npm run package` makes and packs it; nothing
 * in the tree is changed by it.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundle, PROGRAM } from './bundle.ts';

const ROOT = join(import.meta.dirname, '..');

/** Beside what the program reads (`bundle.ts`). */
const FILES: Readonly<Record<string, string>> = {
  'bourse.cjs': 'bourse.cjs',
  'CHANGELOG.md': 'CHANGELOG.md',
  LICENSE: 'LICENSE',
  'build/package-readme.md': 'README.md',
};

/**
 * What the manifest takes from that of the repository. Left out: scripts, tools, and the packages of Node, which are for
 * a checkout that must run wherever npm does.
 */
const KEPT = ['name', 'version', 'description', 'license', 'type', 'engines', 'bin'] as const;

/** What users import, by the name after `bourse/`. */
const EXPORTED = {
  testkit: 'src/testkit/index',
  'testkit/capsule-on-failure': 'src/testkit/capsule-on-failure',
  config: 'src/config',
};
/** What declares it: none of these mentions a type from elsewhere. */
const DECLARED = [
  'src/testkit/index',
  'src/testkit/capsule-on-failure',
  'src/testkit/interface',
  'src/testkit/explain',
  'src/testkit/errors',
  'src/config',
  'src/app/config/config',
];
/** `npm start`, which a checkout alone has. */
const OF_THE_CHECKOUT = 'src/main.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

export async function buildPackage(directory: string): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const entries = [
    ...PROGRAM.filter((file) => file !== OF_THE_CHECKOUT),
    ...Object.values(EXPORTED).map((file) => `${file}.ts`),
  ];
  const packages = await bundle(directory, entries, { whole: true });
  declareTypes(directory);
  renameInPages(directory);
  for (const [from, to] of Object.entries(FILES)) cpSync(join(ROOT, from), join(directory, to));
  writeFileSync(join(directory, 'LICENSES.md'), licences(packages));
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
}

function manifest(): Record<string, unknown> {
  const ours = manifestOf(ROOT) as unknown as Record<string, unknown>;
  return {
    ...Object.fromEntries(KEPT.map((name) => [name, ours[name]])),
    keywords: ['exchange', 'trading', 'matching engine', 'testing', 'ccxt', 'simulator'],
    exports: {
      ...Object.fromEntries(
        Object.entries(EXPORTED).map(([name, file]) => [
          `./${name}`,
          { types: `./${file}.d.ts`, default: `./${file}.js` },
        ]),
      ),
      './timewarp': './timewarp/node.cjs',
      './package.json': './package.json',
    },
    sideEffects: ['./timewarp/node.cjs'],
  };
}

/** Built pages cannot ask `src/program-name.ts`. */
function renameInPages(directory: string): void {
  for (const file of globSync('web/dist/**/*.{html,js}', { cwd: directory })) {
    const text = readFileSync(join(directory, file), 'utf8');
    const renamed = text.replaceAll('npm run bourse -- ', 'bourse ');
    if (renamed !== text) writeFileSync(join(directory, file), renamed);
  }
}

function declareTypes(directory: string): void {
  const made = join(directory, 'types');
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const options = [
    '--noEmit',
    'false',
    '--declaration',
    '--emitDeclarationOnly',
    '--rewriteRelativeImportExtensions',
  ];
  const project = [
    '-p',
    join(ROOT, 'build/tsconfig.types.json'),
    '--outDir',
    made,
    '--rootDir',
    join(ROOT, 'src'),
  ];
  execFileSync(process.execPath, [compiler, ...options, ...project], { stdio: 'pipe' });
  for (const name of DECLARED) {
    const text = readFileSync(join(made, `${name.replace(/^src\//, '')}.d.ts`), 'utf8');
    const file = join(directory, `${name}.d.ts`);
    mkdirSync(dirname(file), { recursive: true });
    // The compiler leaves the endings of imports in declarations as they are.
    writeFileSync(file, text.replaceAll(/(from '\.[a-z/-]+)\.ts'/g, "$1.js'"));
  }
  rmSync(made, { recursive: true });
}

/** Each package with its own text, as its licence asks for. */
function licences(packages: readonly string[]): string {
  const parts = packages.map((directory) => {
    const { name, version, license = 'unknown' } = manifestOf(directory);
    const [file] = globSync('{LICEN[CS]E,licen[cs]e}*', { cwd: directory }).sort();
    const text =
      file === undefined ? `Licence: ${license}.` : readFileSync(join(directory, file), 'utf8').trim();
    return `## ${name} ${version}\n\n\`\`\`text\n${text}\n\`\`\`\n`;
  });
  return ['# Packages in this one\n', ...parts].join('\n');
}

function manifestOf(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;
}
