import { createReadStream, existsSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, normalize } from "node:path";
import type { Plugin } from "vite";
import { createHash } from "node:crypto";
import { compress, refuseWeight } from "./first-load.ts";

const PREFIX = "assets/pdfjs/";
const TYPES: Readonly<Record<string, string>> = { ".js": "text/javascript", ".ttf": "font/ttf" };

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

/** The server has the same table. */
function entryOf(pathname: string): "index.html" | "sign.html" | "verify.html" | "verifier.html" {
  if (/^\/sign\/[^/]+\/?$/.test(pathname) || /^\/signature\/guest\/success\/?$/.test(pathname))
    return "sign.html";
  if (/^\/verify\/|^\/journal-de-transparence\/?$/.test(pathname)) return "verify.html";
  if (/^\/verifier(\.html|\/?)$/.test(pathname)) return "verifier.html";
  return "index.html";
}

export function entryRoutes(): Plugin {
  return {
    name: "paraphe:entry-routes",
    configureServer(server) {
      server.middlewares.use((request, _response, next) => {
        const pathname = new URL(request.url ?? "/", "https://localhost").pathname;
        const isPage =
          request.headers.accept?.includes("text/html") &&
          !pathname.startsWith("/api/") &&
          !pathname.startsWith("/@");
        if (isPage) request.url = `/${entryOf(pathname)}`;
        next();
      });
    },
  };
}

/**
 * Gives the development server the certificate of `npm start` in `DATA_DIR/tls`:
 * the client refuses a base without HTTPS (specification §7).
 */
export function localTls(dataDir: string | undefined): { cert: string; key: string } {
  const path = join(dataDir ?? join(import.meta.dirname, "../../../data"), "tls/server-key.pem");
  if (!existsSync(path))
    throw new Error(
      `no local certificate at ${path}: run \`npm start\` once, then \`npm run dev -w apps/web\``,
    );
  const pem = readFileSync(path, "utf8");
  const start = pem.indexOf("-----BEGIN CERTIFICATE-----");
  return { key: pem.slice(0, start), cert: pem.slice(start) };
}

const SOURCE = "src/worker/service-worker.ts";
/** Served at the root, because the path limits the scope. */
const FILE_NAME = "sw.js";

/** A classic script: not every browser takes a module worker. */
export function serviceWorker(): Plugin {
  return {
    name: "paraphe:service-worker",
    buildStart() {
      if (this.meta.watchMode || this.environment.mode !== "build") return;
      this.emitFile({ type: "chunk", id: SOURCE, fileName: FILE_NAME });
    },
    generateBundle(_options, bundle) {
      const built = bundle[FILE_NAME];
      if (built?.type === "chunk" && (built.imports.length > 0 || built.exports.length > 0)) {
        this.error(
          `${FILE_NAME} is not one script: it imports ${built.imports.join(", ")}, exports ${built.exports.join(", ")}`,
        );
      }
    },
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        if (request.url === `/${FILE_NAME}`) {
          request.url = `/${SOURCE}`;
          response.setHeader("Service-Worker-Allowed", "/");
        }
        next();
      });
    },
  };
}

const LIBRARY = /\/pdfjs-dist\/build\/pdf\.mjs$/;
const GLOBALS = /^ *globalThis\.\w+ = \{[^}]*\};$/gm;
const CLASSES = /^class (\w+)(?: extends \w+)? \{\n[^]*?^\}$/gm;
const EDITED = /\binstanceof AnnotationEditor\b/g;

/**
 * Halves the PDF engine. Its editors, forms and layers, unused here, stay in the published file
 * through global objects, static fields and tests of stored values.
 * Errors: a version of the library in another form.
 */
export function shakePdfjs(): Plugin {
  return {
    name: "paraphe:shake-pdfjs",
    apply: "build",
    transform(code, id) {
      if (!LIBRARY.test(id)) return null;
      const [globals = 0, classes = 0, edited = 0] = [GLOBALS, CLASSES, EDITED].map(
        (part) => code.match(part)?.length,
      );
      if (globals < 2 || classes < 100 || edited < 3)
        throw new Error(
          `pdf.js has another form: expected 2 globals, 100 classes and 3 questions on editors, met ${globals}, ${classes} and ${edited}`,
        );
      const shaken = code
        .replace(GLOBALS, "")
        .replace(CLASSES, (text, name) => `const ${name} = /* @__PURE__ */ (() => ${text})();`)
        .replace(EDITED, "instanceof NeverEdited");
      return { code: `${shaken}\nclass NeverEdited {}\n`, map: null };
    },
  };
}

/** Marks calls that make a schema as pure: a page loads none that it does not use. */
export function shakeSchemas(): Plugin {
  return {
    name: "paraphe:shake-schemas",
    apply: "build",
    transform: {
      filter: { id: /packages\/contracts\/src\/[^/]+\.ts$/ },
      handler: (code) => ({
        code: code.replaceAll(/(?<![\w.])z\.\w+\(/g, "/* @__PURE__ */ $&"),
        map: null,
      }),
    },
  };
}

type Options = {
  readonly page: string;
  /** Limit of the whole compressed page, in kilobytes of 1,000 bytes. */
  readonly budgetKb: number;
};

/**
 * Inlines a page's script and style into one HTML file, named by SHA-256 in its policy.
 * Source: CSP Level 3 §2.3.1, §3.3.
 */
export function singleFile({ page, budgetKb }: Options): Plugin {
  return {
    name: "paraphe:single-file",
    apply: "build",
    enforce: "post",
    generateBundle(_options, bundle) {
      const html = bundle[page];
      if (html?.type !== "asset") this.error(`the build has no ${page}`);
      const others = Object.entries(bundle).filter(([name]) => name !== page);
      const scripts = others.flatMap(([, file]) => (file.type === "chunk" ? [file.code] : []));
      const styles = others.flatMap(([name, file]) =>
        file.type === "asset" && name.endsWith(".css") ? [String(file.source)] : [],
      );
      const [script, style] = [scripts[0], styles[0]];
      if (script === undefined || style === undefined || others.length !== 2)
        this.error(
          `${page} is not one script and one style: ${others.map(([name]) => name).join(", ")}`,
        );
      // Vite leaves this name undefined in a page without chunks.
      if (script.includes("__VITE_PRELOAD__"))
        this.error(`${page} is one file: its parts are imported, not loaded later`);
      html.source = inlined(String(html.source), {
        script: script.replaceAll("</script", "<\\/script"),
        style,
      });
      for (const [name] of others) delete bundle[name];
    },
    async writeBundle({ dir }) {
      const folder = dir ?? this.error("the build has no folder");
      const size =
        ((await compress(folder, (name) => name === page)).get(page)?.brotli ?? 0) / 1000;
      const raw = (await readFile(join(folder, page))).length / 1000;
      const line = `${page.padEnd(13)} ${size.toFixed(1).padStart(6)} ko in all, fonts and all (budget ${budgetKb}); ${raw.toFixed(0)} ko kept as a file`;
      this.info(line);
      if (size > budgetKb) refuseWeight(this, `over budget:\n${line}`);
    },
  };
}

function inlined(
  html: string,
  { script, style }: { readonly script: string; readonly style: string },
): string {
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${digest(script)}'`,
    `style-src 'sha256-${digest(style)}'`,
    "style-src-attr 'unsafe-inline'",
    "font-src data:",
    "img-src data:",
    "worker-src blob:",
    // For the service's published certificates, which a copy on disk lacks.
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const bare = html
    .replace(/\s*<script [^>]*src="[^"]*"[^>]*><\/script>/, "")
    .replace(/\s*<link rel="stylesheet"[^>]*>/, "");
  // A function, because a replacement string would interpret `$`.
  return bare
    .replace(
      '<meta charset="utf-8" />',
      (charset) =>
        `${charset}\n    <meta http-equiv="content-security-policy" content="${policy}" />`,
    )
    .replace("</head>", () => `<style>${style}</style>\n  </head>`)
    .replace("</body>", () => `<script type="module">${script}</script>\n  </body>`);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
