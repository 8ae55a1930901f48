import { readFileSync } from "node:fs";
import { createSecureServer } from "node:http2";

/** A server of Node alone: the floor for the cost of unfinished streams. */
const pair = readFileSync(process.argv[2] ?? "", "utf8");
const page = "x".repeat(5_000);

const server = createSecureServer(
  { allowHTTP1: true, noDelay: true, key: pair, cert: pair },
  (request, response) => {
    if (request.method === "GET") response.end(page);
    else request.resume();
  },
);
server.listen(0, "127.0.0.1", () => process.send?.(server.address()));
