import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { needTools, run } from "./need-tools.ts";

const DEPLOY = join(import.meta.dirname, "../../deploy");
let folder: string;
beforeAll(async () => {
  needTools("nginx", "caddy", "docker-compose", "promtool", "systemd-analyze");
  folder = await mkdtemp(join(tmpdir(), "paraphe-deploy-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each(["paraphe.service", "paraphe-worker@.service"])(
  "systemd accepts %s and rates it as well confined",
  async (unit) => {
    const root = join(folder, unit);
    const program = join(root, "opt/paraphe/node_modules/node/bin/node");
    await mkdir(dirname(program), { recursive: true });
    await writeFile(program, "");
    await chmod(program, 0o755);
    await mkdir(join(root, "etc/systemd/system"), { recursive: true });
    await cp(join(DEPLOY, "systemd", unit), join(root, "etc/systemd/system", unit));
    const name = unit.replace("@.", "@1.");
    const said = run("systemd-analyze", [
      "--man=no",
      "--recursive-errors=no",
      `--root=${root}`,
      "verify",
      name,
    ]);
    expect(said.split("\n").filter((line) => line.includes(unit.split(".")[0] ?? unit))).toEqual(
      [],
    );
    // Exposure in tenths: 10 is the worst, systemd calls 2 « OK ».
    run("systemd-analyze", [
      "security",
      "--offline=true",
      "--threshold=25",
      "--no-pager",
      `--root=${root}`,
      name,
    ]);
  },
);

test("nginx accepts its example", async () => {
  const certificate = join(folder, "certificate.pem");
  const key = join(folder, "key.pem");
  run("openssl", [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-subj",
    "/CN=a",
    "-keyout",
    key,
    "-out",
    certificate,
  ]);
  const example = (await readFile(join(DEPLOY, "nginx/paraphe.conf"), "utf8"))
    .replace("/etc/ssl/paraphe/certificat.pem", certificate)
    .replace("/etc/ssl/paraphe/cle.pem", key);
  await writeFile(
    join(folder, "nginx.conf"),
    `pid ${folder}/pid;\nevents {}\nhttp {\n${example}\n}\n`,
  );
  expect(run("nginx", ["-t", "-c", join(folder, "nginx.conf")])).toContain("test is successful");
});

test("Caddy accepts its example", () => {
  expect(
    run("caddy", [
      "validate",
      "--config",
      join(DEPLOY, "caddy/Caddyfile"),
      "--adapter",
      "caddyfile",
    ]),
  ).toContain("Valid configuration");
});

test("compose accepts compose.yaml with two secrets, asks for a missing one, and passes each setting of .env on", async () => {
  const site = join(folder, "site");
  const configOf = async (lines: readonly string[]) => {
    await writeFile(join(site, ".env"), lines.map((line) => `${line}\n`).join(""));
    return run("docker-compose", ["config"], { cwd: site });
  };
  await mkdir(site);
  for (const file of ["compose.yaml", "deploy/compose/trying.env"])
    await cp(join(DEPLOY, "..", file), join(site, file));
  const secrets = ["POSTGRES_PASSWORD=un", "STORE_SECRET=deux"];
  const config = await configOf([...secrets, "MASTER_KEY=trois", "TRUST_PROXY=10.89.0.1"]);
  // For the web process and the worker.
  for (const line of ["MASTER_KEY: trois", "TRUST_PROXY: 10.89.0.1", "TLS: local"])
    expect(config.split(line)).toHaveLength(3);
  for (const service of ["web:", "worker:", "postgres:", "store:", "mail:"])
    expect(config).toContain(service);
  // podman-compose 1.3.0 (Debian 13) leaves `X: ${X:-…}` as it is.
  expect(await readFile(join(site, "compose.yaml"), "utf8")).not.toContain(":-");
  await expect(configOf(secrets.slice(0, 1))).rejects.toThrow(/STORE_SECRET/);
});

test("Kubernetes knows each property of the manifests", () => {
  const python = join(folder, "python");
  run("python3", ["-m", "venv", python]);
  run(join(python, "bin/pip"), ["-q", "install", "kubernetes-validate==1.37.0"]);
  const said = run(join(python, "bin/kubernetes-validate"), [
    "--strict",
    join(DEPLOY, "kubernetes/paraphe.yaml"),
  ]);
  expect(said.match(/passed for resource/g)).toHaveLength(11);
});

test("Prometheus accepts the alerts", () => {
  expect(run("promtool", ["check", "rules", join(DEPLOY, "prometheus/alerts.yaml")])).toContain(
    "SUCCESS",
  );
});
