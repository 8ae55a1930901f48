import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../need-tools.ts";
import { NETWORK } from "./open-machines.ts";
import { type RunningProgram, startProgram } from "./start-process.ts";

type Behind = { readonly name: string; readonly port: number; readonly checkPort?: number };
type Ports = {
  readonly web: number;
  readonly primary: number;
  readonly replica: number;
  readonly store: number;
};
type Options = {
  readonly folder: string;
  readonly ports: Ports;
  readonly web: readonly Behind[];
  readonly nodes: readonly Behind[];
};

/** Starts HAProxy before the web processes, the database's primary and the object store. */
export function startHaproxy({ folder, ports, web, nodes }: Options): RunningProgram {
  makeCertificate(folder);
  const list = (servers: readonly Behind[], words: string) =>
    servers
      .map(
        ({ name, port, checkPort }) =>
          `  server ${name} 127.0.0.1:${port} check${checkPort ? ` port ${checkPort}` : ""} ${words}`,
      )
      .join("\n");
  const text = readFileSync(
    join(import.meta.dirname, "../../../deploy/haproxy/haproxy.cfg"),
    "utf8",
  )
    .replaceAll("/etc/haproxy/paraphe.pem", join(folder, "certificate.pem"))
    .replace("bind :443", `bind 127.0.0.1:${ports.web}`)
    .replace("bind 127.0.0.1:5000", `bind 127.0.0.1:${ports.primary}`)
    .replace("bind 127.0.0.1:5001", `bind 127.0.0.1:${ports.replica}`)
    .replace("bind 127.0.0.1:3900", `bind 127.0.0.1:${ports.store}`)
    .replace(/( {2}server web.*\n)+/, `${list(web, "")}\n`)
    .replace(/( {2}server garage.*\n)+/, `${list(nodes, "")}\n`)
    .replaceAll("10.0.0.", NETWORK);
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, text);
  run("haproxy", ["-c", "-f", file]);
  return startProgram({ name: "haproxy", folder, command: ["haproxy", "-db", "-f", file] });
}

/** Certificate and key in one file, as HAProxy reads them. */
function makeCertificate(folder: string): void {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const made = [
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-subj",
    "/CN=localhost",
  ];
  run("openssl", ["req", "-x509", ...made, "-keyout", key, "-out", certificate]);
  writeFileSync(certificate, readFileSync(certificate, "utf8") + readFileSync(key, "utf8"));
}
