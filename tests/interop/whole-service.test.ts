import { describe, expect, test } from "vitest";
import { multipart } from "../../apps/server/testing/browser.ts";
import { ENVELOPES } from "../../apps/server/testing/envelope.ts";
import { makePdf } from "../../apps/server/testing/pdf.ts";
import { smallPdf } from "../../packages/pades/testing/small-pdf.ts";
import { everyField, place } from "../support/make-contract.ts";
import { missingValidators, type ServiceFile } from "../support/open-validators.ts";
import {
  COME,
  complete,
  DRAWN_MARK,
  expectNoComplaint,
  filesOf,
  JORGEN,
  MAELYS,
  MARKS,
  type Person,
  send,
  sign,
  TYPED_MARK,
  UPLOADED_MARK,
  useServiceStage,
} from "../support/service-stage.ts";

const missing = missingValidators();

describe.skipIf(missing)(`the whole service${missing ? ` (${missing})` : ""}`, () => {
  const stage = useServiceStage();

  test("completes a document of one signer without a complaint", async () => {
    await expectNoComplaint(
      stage,
      await filesOf(stage, await complete(stage, [COME]), { signatures: 1 }),
    );
  });

  test("completes a document of two signers and an invisible approver without a complaint", async () => {
    const people = [COME, MAELYS, { ...JORGEN, role: "approver" }];
    await expectNoComplaint(
      stage,
      await filesOf(stage, await complete(stage, people), { signatures: 3 }),
    );
  });

  test("completes documents of several shapes with each kind of mark and field without a complaint", async () => {
    const shapes = [
      makePdf({ pages: 2 }),
      smallPdf({ rotate: 90 }),
      smallPdf({ cropBox: "20 30 500 700.137", userUnit: 1.5 }),
      smallPdf({ rotate: 270, inherited: true }),
    ];
    const people = [COME, MAELYS, JORGEN];
    const fields = shapes.flatMap((_, document) =>
      people.flatMap((__, recipient) => everyField(document, recipient)),
    );
    const envelope = await complete(stage, people, {
      files: shapes.map((bytes, index) => ({ name: `Annexe ${index + 1}.pdf`, bytes })),
      fields,
    });
    const files = await filesOf(stage, envelope, { signatures: 3 });
    expect(files).toHaveLength(4);
    await expectNoComplaint(stage, files);
  });

  test("signs for twenty people at once without a complaint, each earlier revision a prefix", async () => {
    const people = Array.from({ length: 20 }, (_, index) => ({
      full_name: `Signataire Nº ${index + 1}`,
      email: `s${index}@exemple.fr`,
    }));
    const fields = people.map((_, index) =>
      place("signature", index, {
        x: 0.02 + 0.24 * (index % 4),
        y: 0.2 + 0.15 * Math.floor(index / 4),
      }),
    );
    const { envelope, guests } = await send(stage, { recipients: people, fields });
    await Promise.all(
      guests.map((guest, index) =>
        sign(envelope, {
          guest,
          person: people[index] as Person,
          mark: MARKS[index % 3] as object,
        }),
      ),
    );
    await stage.service.settle({ deferred: "run" });
    const [file] = await filesOf(stage, envelope, { signatures: 20 });
    const revisions = await stage.service.platform.db
      .selectFrom("document_revisions")
      .select(["kind", "blob_sha256"])
      .where("document_id", "=", envelope.documents[0]?.id ?? "")
      .orderBy("number")
      .execute();
    expect(revisions.map(({ kind }) => kind)).toEqual([
      "original",
      "prepared",
      ...Array.from({ length: 20 }, () => "signed"),
      "completed",
    ]);
    for (const { blob_sha256 } of revisions) {
      const revision = await stage.service.platform.files.get(blob_sha256);
      expect(
        Buffer.compare(revision, file?.pdf.subarray(0, revision.length) ?? new Uint8Array()),
      ).toBe(0);
    }
    await expectNoComplaint(stage, file === undefined ? [] : [file]);
  });

  test("signs own documents with each kind of saved mark without a complaint", async () => {
    const saved = "/api/signature/saved-signatures/";
    const made = [
      { name: "Dessinée", kind: "drawn", strokes: DRAWN_MARK.strokes },
      { name: "Saisie", kind: "typed", text: TYPED_MARK.text, font: TYPED_MARK.font },
      { name: "Importée", ...UPLOADED_MARK },
    ];
    const shapes = [
      smallPdf({ rotate: 90 }),
      smallPdf({ cropBox: "20 30 500 700.137", userUnit: 1.5 }),
      makePdf({ pages: 2 }),
    ];
    const files: ServiceFile[] = [];
    for (const [index, mark] of made.entries()) {
      const kept = await stage.sender.post(saved, mark);
      expect(kept.status, kept.text).toBe(201);
      const form = multipart(
        {
          placement: JSON.stringify({ page: -1, x: 0.5, y: 0.7, width: 0.4, height: 0.1 }),
          signature: JSON.stringify({ kind: "saved", saved_signature_id: kept.body.id }),
        },
        [
          {
            field: "file",
            name: "Contrat.pdf",
            type: "application/pdf",
            bytes: shapes[index] as Uint8Array,
          },
        ],
      );
      const signed = await stage.sender.send("POST", "/api/signature/self-sign/", form);
      expect(signed.status, signed.text).toBe(201);
      files.push(...(await filesOf(stage, signed.body, { signatures: 1 })));
    }
    await expectNoComplaint(stage, files);
  });

  test("signs a batch with one certificate, on one page or on each, without a complaint", async () => {
    const shapes = [
      makePdf({ text: "Lot 1" }),
      makePdf({ pages: 3, text: "Lot 2" }),
      smallPdf(),
      makePdf({ width: 842, height: 595, text: "Lot 4" }),
    ];
    const spot = { page: -1, x: 0.55, y: 0.75, width: 0.3, height: 0.1 };
    const form = multipart(
      {
        placement: JSON.stringify(spot),
        overrides: JSON.stringify([{ file_index: 1, placement: { ...spot, page: "all" } }]),
        signature: JSON.stringify(DRAWN_MARK),
      },
      shapes.map((bytes, index) => ({
        field: "files",
        name: `Lot ${index}.pdf`,
        type: "application/pdf",
        bytes,
      })),
    );
    const sent = await stage.sender.send("POST", "/api/signature/batch-sign/", form);
    expect(sent.status, sent.text).toBe(202);
    await stage.service.settle({ deferred: "run" });
    const job = (await stage.sender.get(`/api/signature/batch-jobs/${sent.body.id}/`)).body;
    expect(job).toMatchObject({ status: "completed", done: shapes.length });
    const files: ServiceFile[] = [];
    for (const { envelope_id } of job.items)
      files.push(
        ...(await filesOf(stage, (await stage.sender.get(`${ENVELOPES}${envelope_id}/`)).body, {
          signatures: 1,
        })),
      );
    await expectNoComplaint(stage, files);
  });
});
