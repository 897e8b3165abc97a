/** A record whose fields are all text. The list of its fields is what tables, answers and types are made from. */
export type StringFields<Fields extends readonly string[]> = Readonly<Record<Fields[number], string>>;
