import { createReadStream } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, normalize } from "node:path";
import type { Plugin } from "vite";

const PREFIX = "assets/pdfjs/";
const TYPES: Readonly<Record<string, string>> = { ".js": "text/javascript", ".ttf": "font/ttf" };

/** Character maps, standard fonts, decoders without WebAssembly. */
async function listFiles(root: string): Promise<string[]> {
  const folders = await Promise.all(
    ["cmaps", "standard_fonts", "wasm"].map(async (folder) =>
      (await readdir(join(root, folder))).map((name) => `${folder}/${name}`),
    ),
  );
  return folders
    .flat()
    .filter(
      (path) =>
        !path.includes("LICENSE") &&
        (!path.startsWith("wasm/") || path.endsWith("_nowasm_fallback.js")),
    );
}

export function pdfjsAssets(): Plugin {
  const root = dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json"));
  return {
    name: "paraphe:pdfjs-assets",
    async generateBundle() {
      for (const path of await listFiles(root))
        this.emitFile({
          type: "asset",
          fileName: PREFIX + path,
          source: await readFile(join(root, path)),
        });
    },
    async configureServer(server) {
      const known = new Set(await listFiles(root));
      server.middlewares.use((request, response, next) => {
        const path = normalize((request.url ?? "").split("?")[0] ?? "").slice(1);
        const name = path.startsWith(PREFIX) ? path.slice(PREFIX.length) : "";
        if (!known.has(name)) return next();
        response.setHeader(
          "Content-Type",
          TYPES[name.slice(name.lastIndexOf("."))] ?? "application/octet-stream",
        );
        createReadStream(join(root, name)).pipe(response);
      });
    },
  };
}
