/** Side of the position that an order or fill belongs to; one-way mode has one. */
export const holdSide = (posSide: string, futures: boolean) => (futures && posSide === '' ? 'net' : posSide);
