import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { signaturesIn } from "../../scripts/store/signatures-in.ts";
import { createApiClient } from "../support/api-client.ts";
import { API, draft, GUESTS, SENDER, sentEnvelope, useApiStage, visitOf } from "../support/api-stage.ts";
import { judgeSignedPdf } from "../support/judge-signed-pdf.ts";
import { makeContract } from "../support/make-contract.ts";
import { startServer } from "../support/start-server.ts";
import * as story from "../support/story.ts";
import { EVERY_INVARIANT_HOLDS, verifyStoreOf } from "../support/verify-store.ts";

const stage = useApiStage();

describe("the main job", () => {
  test("goes from a two-page French contract to a verified proof, with two guests", async () => {
    const original = await makeContract("2026-11-021");
    const created = await story.createEnvelope(stage.sender, draft("Contrat de prestation – Pêche & Forêt", original));
    expect(created).toMatchObject({ status: "draft", is_owner: true, progress: { signed: 0, total: 2, percent: 0 } });
    expect(created.documents).toMatchObject([{ page_count: 2, size: original.byteLength, control: { result: "ok" } }]);
    expect(created.files).toEqual(created.documents);
    expect(created.fields).toHaveLength(6);

    expect(await story.sendEnvelope(stage.sender, created.id)).toMatchObject({ status: "sent" });
    const first = await story.openInvitation(stage.world, GUESTS[0], created.id);
    const second = await story.openInvitation(stage.world, GUESTS[1], created.id);
    const revisions: Uint8Array[] = [];
    const keepRevision = async () => {
      const answer = await stage.sender.get(`${API}/envelopes/${created.id}/documents/${created.documents[0].id}/file/`);
      expect(answer.status).toBe(200);
      expect(answer.headers["content-type"]).toBe("application/pdf");
      revisions.push(answer.bytes);
    };

    const before = await first.client.get(`${first.path}/guest/`);
    expect(before.json).toMatchObject({ title: created.title, status: "sent", otp: { verified: false } });
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

    // Each earlier revision is a byte-exact prefix of the final file.
    for (const revision of [original, ...revisions]) {
      expect(Buffer.compare(downloaded.bytes.subarray(0, revision.byteLength), revision)).toBe(0);
    }
    const signatures = signaturesIn(downloaded.bytes).filter(({ subFilter }) => subFilter === "ETSI.CAdES.detached");
    expect(signatures).toHaveLength(2);
    for (const { byteRange, contents, revisionLength } of signatures) {
      expect(byteRange[0]).toBe(0);
      expect(byteRange[2] - byteRange[1]).toBeGreaterThan(contents.length * 2);
      expect(revisionLength).toBeLessThanOrEqual(downloaded.bytes.byteLength);
    }
    const rootPem = new TextDecoder().decode((await stage.sender.get("/pki/ca.pem")).bytes);
    const judged = judgeSignedPdf(downloaded.bytes, rootPem);
    expect(judged.qpdfClean).not.toBe(false);
    for (const { cms, timestamp, said } of judged.openssl ?? []) expect({ cms, timestamp }, said).toEqual({ cms: true, timestamp: true });
    if (judged.pdfsig) {
      expect(judged.pdfsig.filter(({ type }) => type === "ETSI.CAdES.detached")).toEqual(
        GUESTS.map(({ full_name }) => ({ signer: full_name, valid: true, type: "ETSI.CAdES.detached" })),
      );
    }

    const print = await stage.sender.post(`${API}/prints/generate/`, { json: { envelope: created.id, qr_type: "last" } });
    expect(print.status).toBe(201);
    const anyone = createApiClient(stage.server.url);
    const proof = await anyone.get(`${API}/prints/${print.json.id}/verify/?sig=${print.json.sig}`);
    expect(proof.json, proof.json?.reason).toMatchObject({ verdict: "valid", integrity: true, completed: true, title: created.title });
    expect(proof.json.signers).toMatchObject(GUESTS.map(({ full_name }) => ({ full_name, signed: true })));
    const shown = await anyone.get(proof.json.document_url);
    expect(Buffer.compare(shown.bytes, downloaded.bytes)).toBe(0);
    const forged = await anyone.get(`${API}/prints/${print.json.id}/verify/?sig=${"A".repeat(43)}`);
    expect(forged.status).toBe(404);
  });

  test("sends each mail once, with the same words for the outcome to everybody", async () => {
    const { id, visits } = await sentEnvelope(stage, "Un courrier par événement");
    await story.confirmGuest(stage.world, visitOf(visits, 0));
    await story.signAsGuest(visitOf(visits, 0), story.typed(GUESTS[0].full_name));
    await story.confirmGuest(stage.world, visitOf(visits, 1));
    await story.signAsGuest(visitOf(visits, 1), story.typed(GUESTS[1].full_name));
    const about = (mail: { text: string; html: string }) => mail.text.includes(id) || mail.html.includes(id);
    await stage.mails.waitFor(SENDER.email, about);
    await sleep(1_000);
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
    expect(stage.mails.mails.some(({ to, text }) => to.includes(GUESTS[1].email) && text.includes(`/sign/${id}`))).toBe(false);
    await story.confirmGuest(stage.world, first);
    await story.signAsGuest(first, story.DRAWN);
    const second = await story.openInvitation(stage.world, GUESTS[1], id);
    await story.confirmGuest(stage.world, second);
    expect((await story.signAsGuest(second, story.DRAWN)).json).toMatchObject({ status: "completed" });
  });
});

describe("what is stored", () => {
  test("holds every invariant after all of this", async () => {
    expect(verifyStoreOf(stage.server)).toEqual(EVERY_INVARIANT_HOLDS);
  });
});

describe("the service", () => {
  test("stops by itself at SIGTERM, and starts again on what it kept", async () => {
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
    expect((await stage.sender.get(`${API}/envelopes/${id}/`)).json).toMatchObject({ id, status: "sent" });
  });
});
