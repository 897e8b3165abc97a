/** An account in responses of the operator's API. */

import type { State } from '../../core/state/state.ts';
import type { User } from '../../identity/identity.ts';
import { Type } from '../../validation/schema.ts';
import { CommandSeq } from '../fields.ts';

export const AccountView = Type.Object({
  uid: Type.Integer(),
  name: Type.String(),
  kind: Type.String(),
  master: Type.Union([Type.Integer(), Type.Null()]),
  frozen: Type.Boolean(),
  marketMaker: Type.Boolean(),
  note: Type.String(),
  created: Type.Integer(),
  /** False for a user whose opening was interrupted: create it again. */
  open: Type.Boolean(),
});

export const Changed = Type.Object({ account: AccountView, command: CommandSeq });

export function viewOf(state: State, user: User) {
  const account = state.accountByUid.get(user.uid);
  const kind = user.mainUid !== undefined ? 'sub' : user.broker ? 'broker' : 'main';
  return {
    uid: user.uid,
    name: user.name,
    kind,
    master: user.mainUid ?? null,
    frozen: user.frozen,
    marketMaker: account?.marketMaker ?? false,
    note: user.note,
    created: user.regisTime,
    open: account !== undefined,
  };
}

/** For the audit log. */
export const accountDetail = ({ account }: { account: { uid: number } }) => `account ${account.uid}`;
