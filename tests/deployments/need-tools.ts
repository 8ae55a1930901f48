import { spawnSync } from "node:child_process";

/** Debian package of each program. */
const PACKAGES: Readonly<Record<string, string>> = {
  buildah: "buildah",
  mmdebstrap: "mmdebstrap",
  nginx: "nginx-light",
  caddy: "caddy",
  promtool: "prometheus",
  "docker-compose": "docker-compose",
  "systemd-analyze": "systemd",
  etcd: "etcd-server",
  nft: "nftables",
  ip: "iproute2",
  "/usr/lib/postgresql/15/bin/postgres": "postgresql-15",
};

/** Installs missing programs with apt, as root. Errors: throws what apt says. */
export function needTools(...programs: readonly string[]): void {
  const missing = programs.filter((program) => spawnSync("which", [program]).status !== 0);
  if (missing.length === 0) return;
  const packages = missing.map((program) => PACKAGES[program] ?? program);
  run("apt-get", ["update", "-qq"]);
  run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages]);
}

/** Runs a program; gives both outputs together. Errors: throws them when it fails. */
export function run(
  program: string,
  args: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string } = {},
): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: "utf8",
    maxBuffer: 64 << 20,
    cwd: options.cwd,
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", ...options.env },
  });
  const said = `${stdout ?? ""}${stderr ?? ""}`;
  if (status !== 0)
    throw new Error(
      `${program} ${args.join(" ")} ended with ${status ?? error?.message}:\n${said.slice(-4_000)}`,
    );
  return said;
}
