/** The console starts: a code in the address is dropped from it at once and traded for a session. */
import { render } from 'preact';
import '../parts/tokens.css';
import './console.css';
import '../parts/theme.ts';
import { Console } from './console.tsx';
import { signedOut, signInWithCode } from './operator.ts';
import { openFromAddress } from './places.ts';

const [, code] = /^#code=([\w-]+)$/.exec(location.hash) ?? [];
if (code !== undefined) {
  history.replaceState(null, '', '/');
  const refusal = await signInWithCode(code);
  if (refusal !== undefined) signedOut.value = refusal;
}
openFromAddress();
window.addEventListener('hashchange', openFromAddress);
render(<Console />, document.getElementById('root')!);
