import type { Plugin } from "vite";

/** The server has the same table. */
function entryOf(pathname: string): "index.html" | "sign.html" | "verify.html" | "verifier.html" {
  if (/^\/sign\/[^/]+\/?$/.test(pathname) || /^\/signature\/guest\/success\/?$/.test(pathname))
    return "sign.html";
  if (/^\/verify\/|^\/journal-de-transparence\/?$/.test(pathname)) return "verify.html";
  if (/^\/verifier(\.html|\/?)$/.test(pathname)) return "verifier.html";
  return "index.html";
}

/** Development serves each address the HTML entry of production. */
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
