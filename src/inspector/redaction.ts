/** Keeps secrets out of what is recorded. Nearly all traffic passes with one look for the names that secrets have. */

/** An escaped letter could hide one of the names. */
const SUSPICIOUS = /pass|secret|\bsign\b|\\u/i;
const SECRET_NAME = /pass|secret|^sign$/i;
export const LEFT_OUT = '(a secret, left out)';
const QUERY_LEFT_OUT = '?(query left out: it may hold a secret)';

/** Was a part of the text left out here? */
export const hasGap = (text: string): boolean => text.includes(' left out');

/** Values of fields that are named like secrets are left out; a text that cannot be read so, in whole. */
export function withoutSecrets(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  try {
    const clean: unknown = JSON.parse(text, (name, value: unknown) =>
      SECRET_NAME.test(name) ? LEFT_OUT : value,
    );
    return JSON.stringify(clean);
  } catch {
    return `(${text.length} characters left out: they may hold a secret)`;
  }
}

export function targetWithoutSecrets(target: string): string {
  const question = target.indexOf('?');
  if (question < 0) return target;
  const query = target.slice(question);
  return SUSPICIOUS.test(query) || SUSPICIOUS.test(decoded(query))
    ? target.slice(0, question) + QUERY_LEFT_OUT
    : target;
}

/** Any percent sign that stands for nothing could stand for anything. */
function decoded(query: string): string {
  if (!query.includes('%')) return '';
  try {
    return decodeURIComponent(query);
  } catch {
    return 'secret';
  }
}
