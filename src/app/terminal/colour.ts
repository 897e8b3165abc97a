/** Colour by `--color`, NO_COLOR and FORCE_COLOR; never into a pipe by default. */
import { styleText } from 'node:util';

export type ColourChoice = 'auto' | 'always' | 'never';
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
export type Paint = (style: Style, text: string) => string;

export const plain: Paint = (_style, text) => text;

export function painter(choice: ColourChoice, stream: NodeJS.WriteStream): Paint {
  if (choice === 'never') return plain;
  if (choice === 'always') return (style, text) => styleText(style, text, { validateStream: false });
  return (style, text) => styleText(style, text, { stream });
}
