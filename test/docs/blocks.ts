/** The fenced blocks of a document. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

export interface Block {
  readonly file: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

export function blocksOf(file: string): Block[] {
  const markdown = readFileSync(join(ROOT, file), 'utf8');
  return [...markdown.matchAll(/^```([a-z]*)\n(.*?)^```$/gms)].map((match) => ({
    file,
    line: markdown.slice(0, match.index).split('\n').length,
    language: match[1]!,
    text: match[2]!,
  }));
}

export function documents(): string[] {
  const docs = readdirSync(join(ROOT, 'docs')).filter((file) => file.endsWith('.md'));
  return ['README.md', ...docs.map((file) => `docs/${file}`)];
}
