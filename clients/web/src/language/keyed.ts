// Texts by key, out of two files: the keys, which are the same in every language, and the texts in their order.

interface File<T> {
  default: readonly T[];
}

/** Both, when both are loaded. */
export async function keyed(keys: Promise<File<string>>, texts: Promise<File<unknown>>): Promise<{ default: object }> {
  const [{ default: names }, { default: patterns }] = await Promise.all([keys, texts]);
  return { default: Object.fromEntries(names.map((name, at) => [name, patterns[at]])) };
}
