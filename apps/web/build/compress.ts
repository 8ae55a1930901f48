import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

export type Compressed = { readonly brotli: number; readonly gzip: number };

const TEXT = /\.(js|mjs|css|html|svg|json|webmanifest)$/;
/** Below, compression saves nothing. */
const SMALLEST = 256;
/** Named by content: an earlier compression stays valid. */
const HASHED = /\/assets\//;
const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/**
 * Compresses a built client's text files with Brotli and gzip.
 * Gives sizes in bytes, by path from the folder.
 */
export async function compress(
  folder: string,
  isWanted: (path: string) => boolean = () => true,
): Promise<ReadonlyMap<string, Compressed>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = entries
    .filter((entry) => entry.isFile() && TEXT.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  const files = texts.filter((path) => isWanted(relative(folder, path)));
  return new Map(
    await Promise.all(
      files.map(async (path) => [relative(folder, path), await compressFile(path)] as const),
    ),
  );
}

async function compressFile(path: string): Promise<Compressed> {
  const known = await Promise.all([sizeOf(`${path}.br`), sizeOf(`${path}.gz`)]);
  if (HASHED.test(path) && known[0] !== null && known[1] !== null)
    return { brotli: known[0], gzip: known[1] };
  const bytes = await readFile(path);
  if (bytes.length < SMALLEST) return { brotli: bytes.length, gzip: bytes.length };
  const options = {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  };
  const [br, gz] = await Promise.all([
    brotli(bytes, options),
    zip(bytes, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  await Promise.all([writeFile(`${path}.br`, br), writeFile(`${path}.gz`, gz)]);
  return { brotli: br.length, gzip: gz.length };
}

function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ size }) => size,
    () => null,
  );
}
