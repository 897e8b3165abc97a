/** A withdrawal that has left its wallets and not yet the venue. */
import type { Fields } from './bytes.ts';

export interface PendingWithdrawal {
  id: number;
  uid: number;
  coin: number;
  /** Taken from each wallet; together the amount of the request. */
  fromFunding: bigint;
  fromUnified: bigint;
  fee: bigint;
  address: string;
  chain: string;
  tag: string;
  clientOid: string;
  createdTime: number;
}

export function blankWithdrawal(): PendingWithdrawal {
  return {
    id: 0,
    uid: 0,
    coin: 0,
    fromFunding: 0n,
    fromUnified: 0n,
    fee: 0n,
    address: '',
    chain: '',
    tag: '',
    clientOid: '',
    createdTime: 0,
  };
}

/** For snapshots. */
export function withdrawalFields(f: Fields, w: PendingWithdrawal): void {
  w.id = f.f64(w.id);
  w.uid = f.uid(w.uid);
  w.coin = f.u16(w.coin);
  w.fromFunding = f.money(w.fromFunding);
  w.fromUnified = f.money(w.fromUnified);
  w.fee = f.money(w.fee);
  w.address = f.text(w.address);
  w.chain = f.text(w.chain);
  w.tag = f.text(w.tag);
  w.clientOid = f.text(w.clientOid);
  w.createdTime = f.f64(w.createdTime);
}
