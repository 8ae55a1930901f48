import type { Plugin } from "vite";

const SOURCE = "src/worker/service-worker.ts";
/** At the root for its scope; browsers look for updates under a fixed name. */
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
