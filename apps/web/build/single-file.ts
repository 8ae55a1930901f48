import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "vite";
import { compress } from "./first-load.ts";

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
      if (size > budgetKb) this.error(`over budget:\n${line}`);
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
