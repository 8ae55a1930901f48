import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * Builds the core as one ESM file for browsers: `npm run bundle -w @paraphe/pades [-- path]`.
 * Shape: the file imports nothing; its size is printed.
 */
const file = process.argv[2] ?? here("dist/pades.js");
const bundle = await rolldown({
  input: here("src/index.ts"),
  platform: "browser",
  onLog: (level, log) => {
    if (level === "warn") throw new Error(log.message);
  },
});
const { output } = await bundle.write({
  file,
  format: "esm",
  minify: true,
  codeSplitting: false,
  sourcemap: false,
});
await bundle.close();
const [chunk] = output;
if (output.length !== 1 || chunk.imports.length > 0 || chunk.dynamicImports.length > 0)
  throw new Error(
    `Expected one file without imports, met ${[...output.map(({ fileName }) => fileName), ...chunk.imports].join(", ")}`,
  );
const kilobytes = (length: number): string => `${Math.round(length / 1000)} kB`;
console.log(
  `${file}: ${kilobytes(Buffer.byteLength(chunk.code))}, ${kilobytes(gzipSync(chunk.code).length)} compressed`,
);
