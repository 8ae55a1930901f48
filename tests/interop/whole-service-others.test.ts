import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../apps/server/testing/app.ts";
import type { TestGuest } from "../../apps/server/testing/guest.ts";
import { createMember } from "../../apps/server/testing/member.ts";
import { makePdf } from "../../apps/server/testing/pdf.ts";
import { SOFT_HSM_MISSING } from "../../apps/server/testing/soft-hsm.ts";
import { openTestTsa, type TestTsa } from "../../apps/server/testing/tsa-server.ts";
import { createSealing } from "../../apps/server/src/features/signing/public.ts";
import { enqueueRenewals } from "../../apps/server/src/features/signing/seal/archive-revision.ts";
import { createTrust } from "../../apps/server/src/features/trust/public.ts";
import { liveWithMany } from "../../packages/pades/interop/signing-rounds.ts";
import { temporaryFolder } from "../../packages/pades/interop/tool.ts";
import { smallPdf } from "../../packages/pades/testing/small-pdf.ts";
import { createTestPki } from "../../packages/pades/testing/test-pki.ts";
import { runKeys } from "../../apps/cli/src/keys/run-keys.ts";
import { missingValidators, type ServiceFile } from "../support/open-validators.ts";
import {
  ANNE,
  bytesOf,
  COME,
  complete,
  expectNoComplaint,
  filesOf,
  later,
  MAELYS,
  MARKS,
  PEOPLE,
  type Person,
  rootOf,
  send,
  sign,
  useServiceStage,
} from "../support/service-stage.ts";

const missing = missingValidators();

describe.skipIf(missing)(
  `the whole service, with files and keys of others${missing ? ` (${missing})` : ""}`,
  () => {
    const stage = useServiceStage();

    test("completes a file signed and archived elsewhere without a complaint, the earlier verdicts unchanged", async () => {
      const others = await createTestPki("Autre Service");
      const { archived: theirs } = await liveWithMany(others, smallPdf(), { count: 2 });
      const envelope = await complete(stage, [COME, MAELYS], {
        files: [{ name: "Déjà signé.pdf", bytes: theirs }],
      });
      expect(envelope.documents[0]?.control.findings.map(({ code }) => code)).toContain(
        "existing_signatures",
      );
      const anchors = [await rootOf(stage), ...others.root.certificates];
      await expectNoComplaint(
        stage,
        await filesOf(stage, envelope, {
          signatures: 2,
          timestamps: 2,
          anchors,
          signedElsewhere: theirs,
        }),
      );
    });

    test("countersigns its own completed file in another envelope without a complaint about either", async () => {
      const first = await complete(stage, [COME, MAELYS]);
      const bytes = await bytesOf(stage, first, first.documents[0]?.id ?? "");
      const second = await complete(stage, [ANNE], {
        files: [{ name: "À contresigner.pdf", bytes }],
      });
      const files = await filesOf(stage, second, {
        signatures: 1,
        timestamps: 2,
        signedElsewhere: bytes,
      });
      await expectNoComplaint(stage, [
        ...files,
        ...files.map((file) => ({
          ...file,
          name: `${file.name}-first`,
          prefix: first.id,
          signatures: 2,
        })),
      ]);
    });

    test("completes files corrected with consent without a complaint", async () => {
      const folder = temporaryFolder();
      const path = folder.write("in.pdf", makePdf({ pages: 2 }));
      const encrypt = ["--encrypt", "", "proprietaire", "256", "--"];
      execFileSync("qpdf", [...encrypt, path, `${folder.path}/out.pdf`]);
      const encrypted = new Uint8Array(execFileSync("cat", [`${folder.path}/out.pdf`]));
      folder.remove();
      const plain = makePdf();
      const scripted = smallPdf({
        catalogExtra: "/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>",
      });
      const envelope = await complete(stage, [COME, MAELYS], {
        files: [
          { name: "Protégé.pdf", bytes: encrypted },
          {
            name: "Précédé.pdf",
            bytes: new Uint8Array(Buffer.concat([Buffer.from("courriel\r\n\r\n"), plain])),
          },
          { name: "Actif.pdf", bytes: scripted },
        ],
      });
      await expectNoComplaint(stage, await filesOf(stage, envelope, { signatures: 2 }));
    });

    test.skipIf(SOFT_HSM_MISSING !== null)(
      "signs with the organisation's key in a token beside a personal key without a complaint",
      async () => {
        const { envelope, guests } = await send(stage, { recipients: [COME, MAELYS] });
        for (const [index, call] of ["hsm_sign/", "sign/"].entries())
          await sign(
            envelope,
            {
              guest: guests[index] as TestGuest,
              person: PEOPLE[index] as Person,
              mark: MARKS[index] as object,
            },
            call,
          );
        await stage.service.settle({ deferred: "run" });
        await expectNoComplaint(stage, await filesOf(stage, envelope, { signatures: 2 }));
      },
    );

    test("signs before and after its keys were replaced and revoked without a complaint", async () => {
      const before = await complete(stage, [COME, MAELYS]);
      const [untouched] = await filesOf(stage, before, { signatures: 2 });
      const keys = (words: string) => runKeys(stage.service.platform, words.split(" "), {});
      const serialOf = async (name: string): Promise<string> =>
        (await keys("list")).lines
          .map((line) => line.split(/ {2,}/))
          .find((cells) => cells[1] === name)?.[2] ?? "";
      const old = await serialOf("Paraphe Signature");
      stage.service.platform.clock.advance({ minutes: 2 });
      expect((await keys("rotate ca")).code).toBe(0);
      stage.service.platform.clock.advance({ minutes: 2 });
      // Documents stamped by the old authority are stamped anew before it is revoked.
      expect((await keys(`revoke ${old} compromission`)).code).toBe(1);
      await enqueueRenewals(
        createSealing(stage.service.platform, await createTrust(stage.service.platform)),
      );
      await stage.service.settle();
      stage.service.platform.clock.advance({ minutes: 2 });
      expect(await keys(`revoke ${old} compromission`)).toMatchObject({ code: 0 });
      stage.service.platform.clock.advance({ minutes: 2 });
      const after = await complete(stage, [ANNE]);
      await expectNoComplaint(stage, [
        { ...(untouched as ServiceFile), at: later(stage) },
        ...(await filesOf(stage, before, { signatures: 2, timestamps: 2 })),
        ...(await filesOf(stage, after, { signatures: 1 })),
      ]);
    });

    describe("with another time-stamping authority (TSA_URL), its own authorities with another name and key type (PKI_ORGANIZATION, PKI_KEY_TYPE)", () => {
      let tsa: TestTsa;
      let own: TestApp;
      beforeAll(async () => {
        if (missing) return;
        own = stage.service;
        tsa = await openTestTsa({ now: own.platform.clock() });
        stage.service = await createTestApp({
          settings: {
            rateLimits: "off",
            tsaUrl: tsa.url,
            pki: { organization: "Mairie de Lyon", country: "FR", keyType: "P-384" },
          },
          now: own.platform.clock(),
        });
        stage.member = await createMember(stage.service.platform);
      });
      afterAll(async () => {
        if (missing) return;
        await stage.service.close();
        await tsa.close();
        stage.service = own;
      });

      test("completes a document of two signers without a complaint", async () => {
        const envelope = await complete(stage, [COME, MAELYS]);
        const { timestamps } = (await (await createTrust(stage.service.platform)).evidence())
          .trustAnchors;
        await expectNoComplaint(
          stage,
          await filesOf(stage, envelope, { signatures: 2, anchors: timestamps }),
        );
      });
    });
  },
);
