import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

/** `options` by `--name`, and words that `isWord` accepts; `usage` lists both. */
type CommandLine<T> = {
  readonly usage: string;
  readonly options: T;
  isWord(word: string): boolean;
};
type Words<T extends ParseArgsOptionsConfig> = {
  readonly values: ReturnType<typeof parseArgs<{ options: T }>>["values"];
  readonly words: readonly string[];
};

/**
 * Parses a command's words; prints the usage and exits for `--help`, or with 2 for unknown ones.
 */
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
    return refuseWords(String((error as Error).message).replace(/\. .*/s, ""), usage);
  }
}

function refuseWords(why: string, usage: string): never {
  console.error(`${why}\n\n${usage}`);
  process.exit(2);
}
