import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type TestApp, createTestApp } from "../../../testing/app.ts";
import { BATCH_JOBS, batchPdf, sendBatch } from "../../../testing/batch-calls.ts";
import { type Answer, type TestBrowser, multipart, refusal } from "../../../testing/browser.ts";
import {
  ENVELOPES,
  PAUL,
  createDraft,
  createSent,
  envelopeForm,
} from "../../../testing/envelope.ts";
import { TYPED, openConfirmedGuest } from "../../../testing/guest.ts";
import { makePng } from "../../../testing/images.ts";
import { type Member, createMember, signIn } from "../../../testing/member.ts";
import { SCRIPT, makePdf } from "../../../testing/pdf.ts";
import { TEMPLATES, saveTemplate } from "../../../testing/stages/template-calls.ts";
import { foldStorage } from "./storage-store.ts";

const ME = "/api/signature/me/";
const SAVED = "/api/signature/saved-signatures/";
let service: TestApp;
let member: Member;
let owner: TestBrowser;

beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
});
beforeEach(async () => {
  setQuota(null);
  member = await createMember(service.platform);
  owner = await signIn(service, member);
});
afterAll(() => service.close());

function setQuota(storageQuotaBytes: number | null): void {
  Object.assign(service.platform.settings, { storageQuotaBytes });
}

async function bytesOfRows(): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select (coalesce((select sum(r.size) from document_revisions r join documents d on d.id = r.document_id
        join envelopes e on e.id = d.envelope_id where e.owner_id = o.id and e.purged_at is null), 0)
      + coalesce((select sum(d.uploaded_size) from documents d join envelopes e on e.id = d.envelope_id
        where e.owner_id = o.id and e.purged_at is null and d.normalised_accepted), 0)
      + coalesce((select sum(d.size) from template_documents d join templates t on t.id = d.template_id where t.owner_id = o.id), 0)
      + coalesce((select sum(i.source_size) from batch_items i join batch_jobs j on j.id = i.job_id
        where j.owner_id = o.id and i.source_sha256 is not null), 0)
      + coalesce((select sum(size) from uploads where owner_id = o.id), 0)
      + coalesce((select sum(octet_length(mark_wrapped)) from saved_signatures where user_id = o.id), 0))::bigint as bytes
    from (select ${member.id}::uuid as id) o`.execute(service.platform.owner);
  return rows[0]?.bytes ?? -1;
}

const used = async (): Promise<number> => (await owner.get(`${ME}storage/`)).body.used_bytes;
const saveSignature = (): Promise<Answer> =>
  owner.post(SAVED, { kind: "typed", text: "Zoé Lefèvre", font: "caveat" });
const purge = async (id: string): Promise<void> => {
  await owner.post(`${ENVELOPES}${id}/cancel/`);
  expect((await owner.send("DELETE", `${ENVELOPES}${id}/purge/`)).status).toBe(204);
};
const selfSign = (bytes = makePdf()): Promise<Answer> =>
  owner.send(
    "POST",
    "/api/signature/self-sign/",
    multipart(
      {
        placement: JSON.stringify({ page: 1, x: 0.6, y: 0.8, width: 0.3, height: 0.07 }),
        signature: JSON.stringify(TYPED.signature),
      },
      [{ field: "file", name: "bail.pdf", type: "application/pdf", bytes }],
    ),
  );
const patchPicture = (): Promise<Answer> =>
  owner.send(
    "PATCH",
    ME,
    multipart({}, [
      { field: "avatar", name: "moi.png", type: "image/png", bytes: makePng(60, 60) },
    ]),
  );
const addFile = (draftId: string): Promise<Answer> =>
  owner.send(
    "PATCH",
    `${ENVELOPES}${draftId}/`,
    multipart({}, [
      {
        field: "files",
        name: "Annexe.pdf",
        type: "application/pdf",
        bytes: makePdf({ text: "Annexe" }),
      },
    ]),
  );

describe("what an account keeps", () => {
  test("an account's usage equals its rows after each write and removal, folded or not", async () => {
    const steps: [string, () => Promise<unknown>][] = [];
    const step = (name: string, run: () => Promise<unknown>) => steps.push([name, run]);
    let draft = "";
    let sent = "";
    let template = "";
    let mark = "";
    step("a draft of two files", async () => {
      draft = (
        await createDraft(owner, {
          files: [1, 2].map((pages) => ({ name: `${pages}.pdf`, bytes: makePdf({ pages }) })),
        })
      ).id;
    });
    step("a file added", () => addFile(draft));
    step("a file taken out", async () => {
      const { documents } = (await owner.get(`${ENVELOPES}${draft}/`)).body;
      await owner.send("PATCH", `${ENVELOPES}${draft}/`, {
        body: { remove_documents: [documents[0].id] },
      });
    });
    step("a corrected copy accepted", async () => {
      const files = [{ name: "Script.pdf", bytes: makePdf({ catalogExtra: SCRIPT }) }];
      const restricted = await createDraft(owner, { files });
      await owner.send("PATCH", `${ENVELOPES}${restricted.id}/`, {
        body: { accept_normalised: [restricted.documents[0]?.id] },
      });
      expect(
        (await owner.get(`${ENVELOPES}${restricted.id}/`)).body.documents[0].control.accepted,
      ).toBe(true);
    });
    step("an envelope sent", async () => {
      sent = (await createSent(owner, { recipients: [PAUL] })).id;
    });
    step("a signature, which completes it", async () => {
      const answer = await (await openConfirmedGuest(service, sent, PAUL.email)).post(
        "sign/",
        TYPED,
      );
      expect(answer.body.status).toBe("completed");
    });
    step("a document of one's own", selfSign);
    step("a batch that waits", () => sendBatch(owner, [batchPdf("un"), batchPdf("deux")]));
    step("the same, signed", () => service.settle({ deferred: "run" }));
    step("a template", async () => {
      template = (await saveTemplate(owner, sent)).body.id;
    });
    step("a signature kept", async () => {
      mark = (await saveSignature()).body.id;
    });
    step("the same removed", () => owner.send("DELETE", `${SAVED}${mark}/`));
    step("the template removed", () => owner.send("DELETE", `${TEMPLATES}${template}/`));
    step("a purge", () => purge(sent));
    step("the draft's", () => purge(draft));
    let before = 0;
    for (const [name, run] of steps) {
      await run();
      const now = await used();
      expect([name, now]).toEqual([name, await bytesOfRows()]);
      expect([name, now !== before]).toEqual([name, true]);
      before = now;
      await foldStorage(service.platform);
      expect([name, await used()]).toEqual([name, before]);
    }
    const { rows } =
      await sql`select from storage_changes where owner_id = ${member.id}::uuid`.execute(
        service.platform.db,
      );
    expect(rows).toHaveLength(1);
  });

  test("usage and quota are shown to the account alone", async () => {
    await createDraft(owner);
    expect((await owner.get(`${ME}storage/`)).body).toEqual({
      used_bytes: await bytesOfRows(),
      quota_bytes: null,
    });
    setQuota(5_000_000);
    expect((await owner.get(`${ME}storage/`)).body.quota_bytes).toBe(5_000_000);
    const other = await signIn(service, await createMember(service.platform));
    expect((await other.get(`${ME}storage/`)).body.used_bytes).toBe(0);
  });
});

describe("a reached quota", () => {
  test("a reached quota refuses every upload with advice, before storing anything", async () => {
    const draft = await createDraft(owner);
    const kept = await used();
    setQuota(kept);
    const answers = {
      draft: await owner.send("POST", ENVELOPES, envelopeForm()),
      "file added": await addFile(draft.id),
      duplicate: await owner.post(`${ENVELOPES}${draft.id}/duplicate/`),
      "self-sign": await selfSign(),
      batch: await sendBatch(owner, [batchPdf("un")]),
      template: await saveTemplate(owner, draft.id),
      "saved signature": await saveSignature(),
      picture: await patchPicture(),
    };
    for (const [name, answer] of Object.entries(answers))
      expect([name, ...refusal(answer)]).toEqual([name, 507, "storage_quota_reached"]);
    expect(answers.draft.body.detail).toMatch(
      /^Votre espace de stockage est plein\u00a0: vous utilisez [\d,]+\u00a0(Ko|octets) sur [\d,]+\u00a0(Ko|octets), et il faut [\d,]+\u00a0(Ko|octets) de plus\. Supprimez des brouillons, /,
    );
    expect(await used()).toBe(kept);
    await purge(draft.id);
    expect((await owner.send("POST", ENVELOPES, envelopeForm())).status).toBe(201);
  });

  test("a reached quota refuses no sending, signature or acknowledged batch", async () => {
    const draft = await createDraft(owner, { recipients: [PAUL] });
    const batch = await sendBatch(owner, [batchPdf("un")]);
    setQuota(1);
    expect((await owner.post(`${ENVELOPES}${draft.id}/send/`)).status).toBe(200);
    const signed = await (await openConfirmedGuest(service, draft.id, PAUL.email)).post(
      "sign/",
      TYPED,
    );
    expect([signed.status, signed.body.status]).toEqual([200, "completed"]);
    await service.settle({ deferred: "run" });
    expect((await owner.get(`${BATCH_JOBS}${batch.body.id}/`)).body).toMatchObject({
      status: "completed",
      done: 1,
    });
  });

  test("parallel uploads do not exceed a quota", async () => {
    const [file] = [makePdf()];
    setQuota(file.length * 3 + 10);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        owner.send("POST", ENVELOPES, envelopeForm({ files: [{ name: "Bail.pdf", bytes: file }] })),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(await used()).toBe(file.length * 3);
  });
});
