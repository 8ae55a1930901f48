import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  issueAuthority,
  issueServer,
} from "../../apps/server/src/platform/tls/issue-local-certificates.ts";
import { writeJournals } from "../../apps/server/testing/journals.ts";
import { createTestPlatform } from "../../apps/server/testing/platform.ts";
import { makeCheckpoint } from "../../apps/server/src/features/journal/transparency/make-checkpoint.ts";
import { presentCheckpoint } from "../../apps/server/src/features/journal/transparency/read-inclusion.ts";
import { createTrust } from "../../apps/server/src/features/trust/public.ts";
import { runToolBeside } from "../support/run-tool.ts";

let authority: string;
let kept: string;
let folder: string;
let answered: { readonly status: number; readonly body: string };
let server: ReturnType<typeof createServer>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraphe-absent-"));
  const now = new Date();
  const issued = await issueAuthority(now, 2);
  server = createServer(
    await issueServer({ authority: issued, names: ["127.0.0.1"], now, days: 2 }),
    (_request, response) => response.writeHead(answered.status).end(answered.body),
  );
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const platform = await createTestPlatform({
    settings: { publicUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}` },
  });
  await writeJournals(platform, 1);
  const made = await makeCheckpoint({ platform, trust: await createTrust(platform) });
  await platform.close();
  [authority, kept] = [join(folder, "authority.pem"), join(folder, "garde.json")];
  await writeFile(authority, issued.cert);
  await writeFile(kept, JSON.stringify(made && presentCheckpoint(made)));
}, 60_000);
afterAll(async () => {
  await new Promise((closed) => server.close(closed));
  await rm(folder, { recursive: true });
});

const runCommand = (settings: NodeJS.ProcessEnv = {}) =>
  runToolBeside(process.execPath, ["apps/cli/src/main.ts", "log", kept], settings);

test.each([
  ["fails", { status: 500, body: "panne" }, "(500)"],
  ["answers something else", { status: 200, body: "<p>Bonjour</p>" }, "(JSON)"],
])("the log command draws no conclusion from a service that %s", async (_what, answer, why) => {
  answered = answer;
  const { code, output } = await runCommand({ NODE_EXTRA_CA_CERTS: authority });
  expect([code, output]).toEqual([
    2,
    expect.stringContaining(
      `n’a pas répondu comme il le devait ${why}\u00a0: rien n’est dit du passé.`,
    ),
  ]);
  expect(output).not.toMatch(/ {4}at |FAUX/);
});

test("the log command explains how to trust the certificate of an unknown authority", async () => {
  const { code, output } = await runCommand();
  expect([code, output]).toEqual([2, expect.stringContaining("NODE_EXTRA_CA_CERTS")]);
});

test("the log command draws no conclusion from a service that is away", async () => {
  await new Promise((closed) => server.close(closed));
  const { code, output } = await runCommand({ NODE_EXTRA_CA_CERTS: authority });
  expect([code, output]).toEqual([2, expect.stringContaining("(ECONNREFUSED)")]);
  expect(output).not.toContain("NODE_EXTRA_CA_CERTS");
});
