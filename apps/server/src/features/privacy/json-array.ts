/** Gives the text of a JSON array, an item at a time. */
export async function* jsonArray(items: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<string, void> {
  let separator = "[\n";
  for await (const item of items) {
    yield `${separator}${JSON.stringify(item, null, 2)}`;
    separator = ",\n";
  }
  yield separator === "[\n" ? "[]\n" : "\n]\n";
}
