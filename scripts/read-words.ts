import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

/** What stands behind a command: `options` by `--name`, and words of which `isWord` knows each. `usage` is the list of both. */
type CommandLine<T> = {
  readonly usage: string;
  readonly options: T;
  isWord(word: string): boolean;
};
type Words<T extends ParseArgsOptionsConfig> = {
  readonly values: ReturnType<typeof parseArgs<{ options: T }>>["values"];
  readonly words: readonly string[];
};

/** Reads the words of a command. Ends it at once with the list of those that there are: for `--help`, and (code 2) for one that is unknown. */
export function readWords<T extends ParseArgsOptionsConfig>({
  usage,
  options,
  isWord,
}: CommandLine<T>): Words<T> {
  if (process.argv.includes("--help")) {
    console.log(usage);
    process.exit(0);
  }
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const unknown = positionals.filter((word) => !isWord(word));
    if (unknown.length === 0) return { values, words: positionals };
    return refuseWords(`Unknown: ${unknown.join(", ")}`, usage);
  } catch (error) {
    // Node's own sentence, without its advice.
    return refuseWords(String((error as Error).message).replace(/\. .*/s, ""), usage);
  }
}

/** Ends a command whose words ask for what cannot be done. */
function refuseWords(why: string, usage: string): never {
  console.error(`${why}\n\n${usage}`);
  process.exit(2);
}
