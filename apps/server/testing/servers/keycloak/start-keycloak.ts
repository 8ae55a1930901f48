import { spawn } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { TEST_JVM_OF_KEYCLOAK } from "../../../../../packages/pades/interop/tool.ts";
import { findFreePort } from "../../run-main.ts";
import { TEST_CLIENT } from "../identity-provider.ts";
import { walk } from "../real-provider.ts";
import { issueTrusted } from "../trusted-server.ts";

const FOLDER = fileURLToPath(new URL("../../../../../.cache/interop/keycloak/", import.meta.url));
const PASSWORD = "un mot de passe";

export type KeycloakPerson = {
  readonly username: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly groups: readonly string[];
};
export type TestKeycloak = {
  readonly issuer: string;
  /** Goes through Keycloak's own login page as this person does. */
  signIn(location: string, username: string): Promise<Record<string, string>>;
  close(): Promise<void>;
};

/** Why it cannot be started, or false. An error under CI. */
export function missingKeycloak(): string | false {
  if (existsSync(join(FOLDER, "installed"))) return false;
  const why = "Keycloak is not installed: npm test -- tools";
  if (process.env["CI"]) throw new Error(`${why}, and CI is set`);
  return why;
}

/** A realm with these people, in memory, by https on loopback. */
export async function startKeycloak(
  returnTo: string,
  people: readonly KeycloakPerson[],
): Promise<TestKeycloak> {
  const [home = ""] = globSync(join(FOLDER, "keycloak-*"));
  const folder = await mkdtemp(join(tmpdir(), "paraphe-keycloak-"));
  const port = await findFreePort();
  const tls = await issueTrusted();
  const [certificate, key] = [join(folder, "tls.pem"), join(folder, "tls.key")];
  await writeFile(certificate, tls.cert);
  await writeFile(key, tls.key);
  const imported = join(home, "data", "import");
  await mkdir(imported, { recursive: true });
  await writeFile(join(imported, "cabinet.json"), JSON.stringify(realmOf(returnTo, people)));
  const origin = `https://localhost:${port}`;
  const child = spawn(
    join(home, "bin", "kc.sh"),
    [
      "start",
      "--optimized",
      "--import-realm",
      "--cache=local",
      `--hostname=${origin}`,
      "--http-host=127.0.0.1",
      `--https-port=${port}`,
      `--https-certificate-file=${certificate}`,
      `--https-certificate-key-file=${key}`,
    ],
    {
      // Java is a child of the script: both go as one group.
      detached: true,
      stdio: "ignore",
      env: {
        ...process.env,
        JAVA_OPTS_KC_HEAP: "-Xms64m -Xmx512m",
        JAVA_OPTS_APPEND: TEST_JVM_OF_KEYCLOAK,
      },
    },
  );
  let ended = false;
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => {
      ended = true;
      resolve();
    });
  });
  const issuer = `${origin}/realms/cabinet`;
  const answers = () =>
    fetch(`${issuer}/.well-known/openid-configuration`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await answers())) {
    if (ended) throw new Error("Keycloak ended as it started");
    await sleep(200);
  }
  return {
    issuer,
    signIn: (location, username) => walk(location, () => ({ username, password: PASSWORD })),
    async close() {
      if (!ended && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** As an administrator of Keycloak sets it up: docs/operations/accounts.md. */
function realmOf(returnTo: string, people: readonly KeycloakPerson[]) {
  const names = [...new Set(people.flatMap(({ groups }) => groups))];
  return {
    realm: "cabinet",
    enabled: true,
    groups: names.map((name) => ({ name })),
    clients: [
      {
        clientId: TEST_CLIENT.client_id,
        secret: TEST_CLIENT.client_secret,
        redirectUris: [returnTo],
        attributes: {
          "pkce.code.challenge.method": "S256",
          "post.logout.redirect.uris": new URL("/login", returnTo).href,
        },
        protocolMappers: [
          {
            name: "groups",
            protocol: "openid-connect",
            protocolMapper: "oidc-group-membership-mapper",
            config: {
              "claim.name": "groups",
              "full.path": "false",
              "id.token.claim": "true",
              "userinfo.token.claim": "true",
            },
          },
        ],
      },
    ],
    users: people.map(({ groups, ...person }) => ({
      ...person,
      enabled: true,
      emailVerified: true,
      groups: groups.map((name) => `/${name}`),
      credentials: [{ type: "password", value: PASSWORD }],
    })),
  };
}
