/** Which account trades. */
import { AccountDialog as Accounts } from '../parts/account-dialog.tsx';
import { account, openAccount } from './account.ts';
import { close } from './windows.ts';

export function AccountDialog() {
  return <Accounts chosen={account.value} onChoose={openAccount} onClose={close} />;
}
