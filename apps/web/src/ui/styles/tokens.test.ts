import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const ROOT = `${import.meta.dirname}/../..`;
const read = (pattern: string) =>
  globSync(pattern, { cwd: ROOT }).map((file) => ({
    file,
    text: readFileSync(`${ROOT}/${file}`, "utf8"),
  }));

it("every property that a style uses without a fallback is set somewhere", () => {
  const styles = read("**/*.css");
  const all = [...styles, ...read("**/*.{ts,tsx}")].map(({ text }) => text).join("\n");
  const set = new Set(
    [...all.matchAll(/(--[\w-]+)\s*:|"(--[\w-]+)"/g)].map(([, one, other]) => one ?? other),
  );
  // The organisation's own, in a sheet of the service.
  const isOurs = (name: string | undefined) => !name?.startsWith("--brand-");
  const unset = styles.flatMap(({ file, text }) =>
    [...text.matchAll(/var\((--[\w-]+)\)/g)]
      .map(([, name]) => name)
      .filter((name) => isOurs(name) && !set.has(name))
      .map((name) => `${file}: ${name}`),
  );
  expect(unset).toEqual([]);
});
