import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { signaturesIn } from "../../apps/cli/src/store/check-revisions.ts";
import { type ApiAnswer, createApiClient } from "../support/api-client.ts";
import {
  API,
  draft,
  expectProblem,
  GUESTS,
  SENDER,
  sentEnvelope,
  useApiStage,
  visitOf,
} from "../support/api-stage.ts";
import { toolComplaints } from "../support/tool-complaints.ts";
import { makeContract, makePdfOfSize } from "../support/make-contract.ts";
import { openDatabase } from "../support/open-database.ts";
import { startServer } from "../support/start-server.ts";
import * as story from "../support/story.ts";
import { EVERY_INVARIANT_HOLDS, verifyStoreOf } from "../support/run-here.ts";

const stage = useApiStage();

async function expectNothingQueued(envelopeId: string): Promise<void> {
  const database = await openDatabase(stage.server.dataDir);
  const queued = () =>
    database.query("select kind from notices where envelope_id = $1 and state = 'queued'", [
      envelopeId,
    ]);
  await expect.poll(queued, { timeout: 15_000, interval: 200 }).toEqual([]);
  await database.close();
}

/** A block of the README under « From a program », as somebody would paste it. */
async function readmeBlock(language: "sh" | "js", most: number): Promise<string> {
  const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
  const [, section = ""] = /## From a program([^]+?)\n## /.exec(readme) ?? [];
  const [, script = ""] = new RegExp(`\`\`\`${language}\\n([^]+?)\`\`\``).exec(section) ?? [];
  const lines = script.trim().split("\n");
  expect([language, lines.length > 2 && lines.length <= most]).toEqual([language, true]);
  return script;
}

async function runReadmeScript(env: Readonly<Record<string, string>>): Promise<string> {
  const script = await readmeBlock("sh", 12);
  const folder = await mkdtemp(join(tmpdir(), "paraphe-readme-"));
  await writeFile(join(folder, "bail.pdf"), await makeContract("1"));
  // The test's own certificate.
  const insecure = `curl() { command curl --insecure "$@"; }\n`;
  const { stdout } = await promisify(execFile)("sh", ["-ec", insecure + script], {
    cwd: folder,
    env: { ...process.env, ...env },
  });
  await rm(folder, { recursive: true });
  return stdout;
}

describe("a program", () => {
  test("sends an envelope with the README's script and a key", async () => {
    const made = await stage.sender.post(`${API}/me/keys/`, {
      json: {
        name: "Logiciel de gestion",
        scopes: ["envelopes:read", "envelopes:write", "envelopes:send"],
        days: 90,
      },
    });
    expect(made.status).toBe(201);
    const told = await runReadmeScript({ PARAPHE: stage.world.url, KEY: made.json.secret });
    expect(JSON.parse(told)).toMatchObject({
      title: "Bail",
      status: "sent",
      recipients: [{ email: "paul.morel@exemple.fr" }],
    });
  });
});

async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

describe("a program's webhook", () => {
  test("receives « completed » with the README's script, which keeps the signed file", async () => {
    const made = await stage.sender.post(`${API}/me/keys/`, {
      json: { name: "Archivage", scopes: ["proof:read", "webhooks:write"], days: 90 },
    });
    const PORT = await freePort();
    const hook = await stage.sender.post(`${API}/me/webhooks/`, {
      json: { url: `http://localhost:${PORT}/`, types: ["envelope.completed"] },
    });
    expect(hook.status).toBe(201);
    const folder = await mkdtemp(join(tmpdir(), "paraphe-receive-"));
    await writeFile(join(folder, "receive.mjs"), await readmeBlock("js", 25));
    const receiver = spawn(process.execPath, ["receive.mjs"], {
      cwd: folder,
      stdio: "inherit",
      env: {
        ...process.env,
        PORT,
        PARAPHE: stage.world.url,
        KEY: made.json.secret,
        SECRET: hook.json.secret,
        // The test's own certificate.
        NODE_TLS_REJECT_UNAUTHORIZED: "0",
      },
    });
    try {
      const { id, visit } = await oneVisit("Archivé par un programme");
      await story.confirmGuest(stage.world, visit);
      await story.signAsGuest(visit, story.DRAWN);
      const kept = async () => {
        const file = await readFile(join(folder, `${id}.pdf`)).catch(() => Buffer.alloc(0));
        return signaturesIn(file).length;
      };
      await expect.poll(kept, { timeout: 30_000, interval: 200 }).toBeGreaterThan(1);
    } finally {
      receiver.kill();
      await stage.sender.delete(`${API}/me/webhooks/${hook.json.webhook.id}/`);
      await rm(folder, { recursive: true });
    }
  });
});

describe("the main job", () => {
  test("takes a French contract of two guests to a verified proof", async () => {
    const original = await makeContract("2026-11-021");
    const created = await story.createEnvelope(
      stage.sender,
      draft("Contrat de prestation – Pêche & Forêt", original),
    );
    expect(created).toMatchObject({
      status: "draft",
      is_owner: true,
      progress: { signed: 0, total: 2, percent: 0 },
    });
    expect(created.documents).toMatchObject([
      { page_count: 2, size: original.byteLength, control: { result: "ok" } },
    ]);
    expect(created.files).toEqual(created.documents);
    expect(created.fields).toHaveLength(6);

    expect(await story.sendEnvelope(stage.sender, created.id)).toMatchObject({ status: "sent" });
    const first = await story.openInvitation(stage.world, GUESTS[0], created.id);
    const second = await story.openInvitation(stage.world, GUESTS[1], created.id);
    const revisions: Uint8Array[] = [];
    const keepRevision = async () => {
      const answer = await stage.sender.get(
        `${API}/envelopes/${created.id}/documents/${created.documents[0].id}/file/`,
      );
      expect(answer.status).toBe(200);
      expect(answer.headers["content-type"]).toBe("application/pdf");
      revisions.push(answer.bytes);
    };

    const before = await first.client.get(`${first.path}/guest/`);
    expect(before.json).toMatchObject({
      title: created.title,
      status: "sent",
      otp: { verified: false },
    });
    expect(before.json).not.toHaveProperty("documents");
    expect(before.json.recipient.email).not.toBe(GUESTS[0].email);
    await story.confirmGuest(stage.world, first);
    const read = await first.client.get(`${first.path}/documents/${created.documents[0].id}/file/`);
    expect(read.status).toBe(200);
    revisions.push(read.bytes);

    expect((await story.signAsGuest(first, story.DRAWN)).json).toMatchObject({
      status: "pending",
      progress: { signed: 1, total: 2, percent: 50 },
    });
    await keepRevision();
    await story.confirmGuest(stage.world, second);
    expect((await story.signAsGuest(second, story.typed(GUESTS[1].full_name))).json).toMatchObject({
      status: "completed",
      progress: { signed: 2, total: 2, percent: 100 },
    });

    const link = (await stage.sender.get(`${API}/envelopes/${created.id}/download/`)).json;
    expect(link.file_name).toBe("contrat-de-prestation-peche-foret_signe.pdf");
    const downloaded = await stage.sender.get(link.download_url);
    expect(downloaded.status).toBe(200);
    revisions.push(downloaded.bytes);
    await keepRevision();
    expect(Buffer.compare(revisions.at(-1) ?? new Uint8Array(), downloaded.bytes)).toBe(0);

    for (const revision of [original, ...revisions]) {
      expect(Buffer.compare(downloaded.bytes.subarray(0, revision.byteLength), revision)).toBe(0);
    }
    const signatures = signaturesIn(downloaded.bytes).filter(
      ({ subFilter }) => subFilter === "ETSI.CAdES.detached",
    );
    expect(signatures).toHaveLength(2);
    for (const { byteRange, contents, revisionLength } of signatures) {
      expect(byteRange[0]).toBe(0);
      expect(byteRange[2] - byteRange[1]).toBeGreaterThan(contents.length * 2);
      expect(revisionLength).toBeLessThanOrEqual(downloaded.bytes.byteLength);
    }
    const rootPem = new TextDecoder().decode((await stage.sender.get("/pki/ca.pem")).bytes);
    const signers = GUESTS.map(({ full_name }) => full_name);
    expect(toolComplaints(downloaded.bytes, { rootPem, signers })).toEqual([]);

    const print = await stage.sender.post(`${API}/prints/generate/`, {
      json: { envelope: created.id, qr_type: "last" },
    });
    expect(print.status).toBe(201);
    const anyone = createApiClient(stage.server.url);
    const proof = await anyone.get(`${API}/prints/${print.json.id}/verify/?sig=${print.json.sig}`);
    expect(proof.json, proof.json?.reason).toMatchObject({
      verdict: "valid",
      integrity: true,
      completed: true,
      title: created.title,
    });
    expect(proof.json.signers).toMatchObject(
      GUESTS.map(({ full_name }) => ({ full_name, signed: true })),
    );
    const shown = await anyone.get(proof.json.document_url);
    expect(Buffer.compare(shown.bytes, downloaded.bytes)).toBe(0);
    const forged = await anyone.get(`${API}/prints/${print.json.id}/verify/?sig=${"A".repeat(43)}`);
    expect(forged.status).toBe(404);
  });

  test("sends each mail once, with the same outcome to everybody", async () => {
    const { id, visits } = await sentEnvelope(stage, "Un courrier par événement");
    await story.confirmGuest(stage.world, visitOf(visits, 0));
    await story.signAsGuest(visitOf(visits, 0), story.typed(GUESTS[0].full_name));
    await story.confirmGuest(stage.world, visitOf(visits, 1));
    await story.signAsGuest(visitOf(visits, 1), story.typed(GUESTS[1].full_name));
    const about = (mail: { text: string; html: string }) =>
      mail.text.includes(id) || mail.html.includes(id);
    await stage.mails.waitFor(SENDER.email, about);
    await expectNothingQueued(id);
    const [first, second] = GUESTS.map(({ email }) => email);
    expect(
      stage.mails.mails
        .filter(about)
        .map(({ to, subject }) => `${to}: ${subject}`)
        .sort(),
    ).toEqual(
      [
        `${first}: Document à signer : Un courrier par événement`,
        `${second}: Document à signer : Un courrier par événement`,
        `${SENDER.email}: ${GUESTS[0].full_name} a signé « Un courrier par événement »`,
        ...[SENDER.email, first, second].map(
          (email) => `${email}: Document signé par tous : Un courrier par événement`,
        ),
      ].sort(),
    );
    const identifiers = stage.mails.mails.map(({ messageId, to }) => `${messageId} ${to}`);
    expect(new Set(identifiers).size).toBe(identifiers.length);
  });

  test("invites the second signer only after the first when the flow is sequential", async () => {
    const guests = GUESTS.map((guest, index) => ({ ...guest, order: index + 1 }));
    const { id } = await story.createEnvelope(stage.sender, {
      ...draft("L'un après l'autre", await makeContract("sequential"), guests),
      flow: "sequential",
    });
    await story.sendEnvelope(stage.sender, id);
    const first = await story.openInvitation(stage.world, GUESTS[0], id);
    expect(
      stage.mails.mails.some(
        ({ to, text }) => to.includes(GUESTS[1].email) && text.includes(`/sign/${id}`),
      ),
    ).toBe(false);
    await story.confirmGuest(stage.world, first);
    await story.signAsGuest(first, story.DRAWN);
    const second = await story.openInvitation(stage.world, GUESTS[1], id);
    await story.confirmGuest(stage.world, second);
    expect((await story.signAsGuest(second, story.DRAWN)).json).toMatchObject({
      status: "completed",
    });
  });
});

/** An envelope of one guest. */
async function oneVisit(title: string): Promise<{ id: string; visit: story.GuestVisit }> {
  const { id, visits } = await sentEnvelope(stage, title, [GUESTS[0]]);
  return { id, visit: visitOf(visits, 0) };
}
const verify = ({ client, path }: story.GuestVisit, otp: string) =>
  client.post(`${path}/verify_otp/`, { json: { otp } });
const SIGN = { json: { fields: [], signature: story.DRAWN, consent: true } };
const UNKNOWN = "Élément introuvable. L’adresse est incomplète, ou vous n’y avez pas accès.";
const expectUnknown = (answer: ApiAnswer) => expectProblem(answer, 404, "not_found", UNKNOWN);

function expectRefusedCode(answer: ApiAnswer): void {
  expect([answer.status, answer.json.code]).toEqual([400, "otp_invalid"]);
  expect(answer.json.detail).toMatch(/^Code incorrect ou expiré\. /);
}

describe("the service", () => {
  test("refuses a wrong code and says how many tries are left", async () => {
    const { visit } = await oneVisit("Code faux");
    const code = await story.receiveCode(stage.world, visit);
    const wrong = code === "000000" ? "000001" : "000000";
    const answer = await verify(visit, wrong);
    expectProblem(answer, 400, "otp_invalid", "Code incorrect ou expiré. Il vous reste 4 essais.");
    expect(answer.json.attempts_left).toBe(4);
    expect((await verify(visit, code)).json).toEqual({ verified: true, valid_for: 3_600 });
  });

  test("refuses an expired code", async () => {
    const { visit } = await oneVisit("Code expiré");
    const otp = await story.receiveCode(stage.world, visit);
    const database = await openDatabase(stage.server.dataDir);
    await database.query(
      "update one_time_codes set created_at = created_at - interval '11 minutes', expires_at = now() - interval '1 minute' where used_at is null",
    );
    await database.close();
    const answer = await verify(visit, otp);
    expectRefusedCode(answer);
  });

  test("refuses a used code", async () => {
    const { visit } = await oneVisit("Code réutilisé");
    const otp = await story.receiveCode(stage.world, visit);
    expect((await verify(visit, otp)).status).toBe(200);
    const client = createApiClient(stage.server.url, visit.token);
    const answer = await verify({ ...visit, client }, otp);
    expectRefusedCode(answer);
  });

  test("asks for a code before reading, signing or declining, in each browser", async () => {
    const { id, visit } = await oneVisit("Sans code");
    const expectAsked = async (asked: Promise<ApiAnswer>) =>
      expectProblem(
        await asked,
        403,
        "otp_required",
        "Confirmez d’abord votre identité avec le code à usage unique.",
      );
    const documentId = (await stage.sender.get(`${API}/envelopes/${id}/`)).json.documents[0].id;
    await expectAsked(visit.client.post(`${visit.path}/sign/`, SIGN));
    await expectAsked(visit.client.post(`${visit.path}/decline/`, { json: { reason: "Non" } }));
    await expectAsked(visit.client.get(`${visit.path}/documents/${documentId}/file/`));
    await story.confirmGuest(stage.world, visit);
    const elsewhere = createApiClient(stage.server.url, visit.token);
    await expectAsked(elsewhere.post(`${visit.path}/sign/`, SIGN));
  });

  test("sends no second code within a minute", async () => {
    const { visit } = await oneVisit("Deux codes");
    await story.receiveCode(stage.world, visit);
    const answer = await visit.client.post(`${visit.path}/send_otp/`, { json: {} });
    expect(answer.status).toBe(429);
    expect(answer.json.code).toBe("otp_cooldown");
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    expect(answer.json.detail).toMatch(
      /^Un code vient d’être envoyé\. Patientez \d+ s avant d’en demander un autre\.$/,
    );
  });
});

describe("a guest's link", () => {
  test("opens its own envelope and no other", async () => {
    const mine = await sentEnvelope(stage, "La mienne", [GUESTS[0]]);
    const other = await sentEnvelope(stage, "Celle d'un autre", [GUESTS[1]]);
    const visit = visitOf(mine.visits, 0);
    await story.confirmGuest(stage.world, visit);
    const foreign = `${API}/envelopes/${other.id}`;
    expectUnknown(await visit.client.get(`${foreign}/guest/`));
    expectUnknown(await visit.client.post(`${foreign}/send_otp/`, { json: {} }));
    expectUnknown(await visit.client.post(`${foreign}/sign/`, SIGN));
    const wrong = createApiClient(stage.server.url, "A".repeat(43));
    expectUnknown(await wrong.get(`${visit.path}/guest/`));
  });

  test("reports the sender's cancellation", async () => {
    const { id, visit } = await oneVisit("Annulée");
    await story.confirmGuest(stage.world, visit);
    expect((await stage.sender.post(`${API}/envelopes/${id}/cancel/`)).json).toMatchObject({
      status: "cancelled",
    });
    const sentence = "Cette demande a été annulée par l’expéditeur.";
    for (const answer of [
      await visit.client.get(`${visit.path}/guest/`),
      await visit.client.post(`${visit.path}/sign/`, SIGN),
    ])
      expectProblem(answer, 410, "envelope_cancelled", sentence);
    expect((await stage.sender.post(`${API}/envelopes/${id}/restore/`)).json).toMatchObject({
      status: "sent",
    });
    expect((await visit.client.get(`${visit.path}/guest/`)).status).toBe(200);
  });

  test("signs once, and only with consent", async () => {
    const { visits } = await sentEnvelope(stage, "Une seule fois");
    const visit = visitOf(visits, 0);
    await story.confirmGuest(stage.world, visit);
    const without = await visit.client.post(`${visit.path}/sign/`, {
      json: { ...SIGN.json, consent: false },
    });
    expect(without.status).toBe(400);
    expect(JSON.stringify(without.json)).toContain(
      "Cochez la case de consentement avant de signer.",
    );
    await story.signAsGuest(visit, story.DRAWN);
    const again = await visit.client.post(`${visit.path}/sign/`, SIGN);
    expectProblem(again, 409, "already_signed", "Vous avez déjà signé ce document.");
  });
});

describe("a session", () => {
  test("is required, with its CSRF header", async () => {
    const anyone = createApiClient(stage.server.url);
    const asked = await anyone.get(`${API}/envelopes/`);
    expectProblem(
      asked,
      401,
      "session_expired",
      "Cet appel n’a pas de clé d’API. Envoyez l’en-tête «\u00a0Authorization: Bearer pk_live_…\u00a0».",
    );
    const form = story.envelopeForm(draft("Sans jeton", await makeContract("csrf")));
    const refused = await stage.sender.post(`${API}/envelopes/`, { form, csrf: "none" });
    const sentence =
      "Cette page n’est plus à jour. Rechargez-la, puis réessayez. (Programmes : en-tête X-CSRFToken, donné par GET /api/verify-token/.)";
    expectProblem(refused, 403, "csrf_failed", sentence);
  });

  test("is refused with the same words for a wrong password and an unknown name", async () => {
    const anyone = createApiClient(stage.server.url);
    await anyone.get("/api/verify-token/");
    for (const username of [SENDER.username, "personne"]) {
      const answer = await anyone.post("/api/token/", {
        json: { username, password: "mauvais mot", remember_me: false },
      });
      expectProblem(
        answer,
        401,
        "invalid_credentials",
        "Nom d'utilisateur ou mot de passe incorrect.",
      );
    }
  });

  test("does not show another person's envelope", async () => {
    const { id } = await story.createEnvelope(
      stage.sender,
      draft("Confidentiel", await makeContract("private")),
    );
    const { outsider } = stage;
    expectUnknown(await outsider.get(`${API}/envelopes/${id}/`));
    expectUnknown(await outsider.post(`${API}/envelopes/${id}/send/`, { json: {} }));
    expectUnknown(await outsider.post(`${API}/envelopes/${id}/cancel/`));
  });
});

describe("an uploaded file", () => {
  async function upload(bytes: Uint8Array, name = "contrat.pdf"): Promise<ApiAnswer> {
    const form = new FormData();
    form.append("title", "Fichier");
    form.append(
      "files",
      new File([bytes as Uint8Array<ArrayBuffer>], name, { type: "application/pdf" }),
    );
    return stage.sender.post(`${API}/envelopes/`, { form });
  }

  test("may have 10 485 760 bytes, not one more", async () => {
    expect((await upload(makePdfOfSize(10_485_760))).status).toBe(201);
    const answer = await upload(makePdfOfSize(10_485_761));
    expectProblem(answer, 413, "file_too_large", "Le fichier est trop volumineux (max 10MB)");
  });

  test("is refused when empty", async () => {
    const answer = await upload(new Uint8Array());
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      code: "validation",
      errors: { "files.0": ["Le fichier est vide"] },
    });
  });

  test("is refused when it is a PNG named .pdf", async () => {
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    expectProblem(await upload(png), 415, "not_a_pdf", "Seuls les fichiers PDF sont autorisés");
  });

  test("is refused under a name without .pdf", async () => {
    expectProblem(
      await upload(await makeContract("docx"), "contrat.docx"),
      415,
      "not_a_pdf",
      "Seuls les fichiers PDF sont autorisés",
    );
  });

  test("is required, with a title", async () => {
    const create = async (title: string, ...files: File[]) => {
      const form = new FormData();
      form.append("title", title);
      for (const file of files) form.append("files", file);
      const { status, json } = await stage.sender.post(`${API}/envelopes/`, { form });
      return [status, json.errors];
    };
    const contract = (await makeContract("untitled")) as Uint8Array<ArrayBuffer>;
    expect(await create(" ", new File([contract], "contrat.pdf"))).toEqual([
      400,
      { title: ["Titre requis"] },
    ]);
    expect(await create("Sans fichier")).toEqual([400, { files: ["Au moins un fichier"] }]);
  });

  test("leaves the service up, whatever its bytes", async () => {
    const anyone = createApiClient(stage.server.url);
    expect((await anyone.get("/api/health/")).json).toEqual({ status: "ok" });
  });
});

describe("the store", () => {
  test("satisfies every invariant after all of this", async () => {
    expect(await verifyStoreOf(stage.server)).toEqual(EVERY_INVARIANT_HOLDS);
  });
});

describe("the service", () => {
  test("stops at SIGTERM and restarts on its data", async () => {
    const { id } = await sentEnvelope(stage, "Après l'arrêt", [GUESTS[0]]);
    const said = stage.server.said();
    expect(
      said.trimEnd().split("\n").at(-1) === `Paraphe est prêt : ${stage.server.url}` ||
        said.includes(`Paraphe est prêt : ${stage.server.url}\n`),
    ).toBe(true);
    expect(await stage.server.stop()).toBe(0);
    stage.server = await startServer({
      dataDir: stage.server.dataDir,
      port: Number(new URL(stage.server.url).port),
      env: { SMTP_URL: stage.mails.url },
    });
    expect((await stage.sender.get(`${API}/envelopes/${id}/`)).json).toMatchObject({
      id,
      status: "sent",
    });
  });
});
