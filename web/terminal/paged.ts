/** A history of the account, page by page as the exchange gives it. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { client } from './account.ts';

interface PageOf<Row> {
  readonly list: readonly Row[];
  readonly cursor: string;
}

const PAGE = 50;

export interface Paged<Row> {
  readonly rows: readonly Row[];
  readonly more: (() => void) | undefined;
  readonly loading: boolean;
}

/** `fresh` asks again from the start when it changes. */
export function usePages<Row>(
  path: string,
  query: Readonly<Record<string, string>>,
  fresh: unknown,
): Paged<Row> {
  const rows = useSignal<readonly Row[]>([]);
  const cursor = useSignal('');
  const loading = useSignal(true);
  const asked = client.value;
  const question = JSON.stringify(query);
  const load = async (from: string) => {
    loading.value = true;
    const answer = await asked?.get<PageOf<Row>>(path, {
      ...query,
      limit: String(PAGE),
      ...(from !== '' && { cursor: from }),
    });
    loading.value = false;
    if (!answer?.ok || asked !== client.peek()) return;
    rows.value = from === '' ? answer.data.list : [...rows.peek(), ...answer.data.list];
    cursor.value = answer.data.list.length === PAGE ? answer.data.cursor : '';
  };
  useEffect(() => void load(''), [asked, question, fresh]);
  return {
    rows: rows.value,
    more: cursor.value === '' ? undefined : () => void load(cursor.value),
    loading: loading.value,
  };
}
