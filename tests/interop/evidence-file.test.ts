import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../apps/server/testing/app.ts";
import type { TestBrowser } from "../../apps/server/testing/browser.ts";
import { createSent, ENVELOPES } from "../../apps/server/testing/envelope.ts";
import { openConfirmedGuest, signAsGuest } from "../../apps/server/testing/guest.ts";
import { createMember, signIn } from "../../apps/server/testing/member.ts";
import { openSoftHsm, SOFT_HSM_MISSING } from "../../apps/server/testing/soft-hsm.ts";
import { openHsm } from "../../apps/server/src/platform/hsm/hsm.ts";
import { createTrust } from "../../apps/server/src/features/trust/public.ts";
import { type Folder, temporaryFolder } from "../../packages/pades/interop/tool.ts";
import { missingVeraPdf, validatePdfA } from "../../packages/pades/interop/validators.ts";
import {
  missingValidators,
  NO_COMPLAINT,
  openValidators,
  type Validators,
} from "../support/open-validators.ts";

const missing = missingValidators() || missingVeraPdf();
const NAMES = [
  "Éloïse Lefèvre",
  "Maëlys d’Œuvrard-Castelnau de la Ferté-sous-Jouarre et d’Arpajon",
  "Nguyễn Thị Hường",
  "Σωκράτης",
  "Zoë 中",
];
const people = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    email: `personne${index}@exemple.fr`,
    full_name: NAMES[index % 4] ?? "",
  }));

describe.skipIf(missing)(`evidence files${missing ? ` (${missing})` : ""}`, () => {
  let service: TestApp;
  let owner: TestBrowser;
  let folder: Folder;
  let validators: Validators;
  beforeAll(async () => {
    service = await createTestApp({ settings: { rateLimits: "off" } });
    owner = await signIn(service, await createMember(service.platform));
    folder = temporaryFolder();
    validators = openValidators();
  });
  afterAll(async () => {
    validators.close();
    folder.remove();
    await service.close();
  });

  async function evidenceOf(id: string, browser = owner): Promise<Uint8Array> {
    const answer = await browser.get(`${ENVELOPES}${id}/evidence/`);
    expect(answer.status, answer.text.slice(0, 300)).toBe(200);
    return new Uint8Array(answer.bytes);
  }

  /** The last test asks veraPDF about all of them in one JVM. */
  const made: Record<string, Uint8Array> = {};

  async function expectSealed(name: string, pdf: Uint8Array, app = service): Promise<void> {
    const { trustAnchors } = await (await createTrust(app.platform)).evidence();
    const complaints = await validators.complaintsAbout({
      name,
      pdf,
      prefix: "paraphe",
      signatures: 1,
      timestamps: 1,
      anchors: trustAnchors.signers,
      at: new Date(app.platform.clock().getTime() + 60_000),
    });
    expect(complaints).toEqual(NO_COMPLAINT);
  }

  test("are sealed without a complaint, for one and twenty signers, a refusal and other alphabets", async () => {
    const one = await createSent(owner, { recipients: people(1) });
    await signAsGuest(service, one.id, people(1)[0]?.email ?? "");
    await owner.post("/api/signature/prints/generate/", { envelope: one.id, qr_type: "page" });
    const twenty = await createSent(owner, {
      title: "Convention « Les Halles » 中 — 😀",
      recipients: people(20),
    });
    for (const { email } of people(20)) await signAsGuest(service, twenty.id, email);
    const refused = await createSent(owner, { recipients: people(2) });
    const guest = await openConfirmedGuest(service, refused.id, people(2)[1]?.email ?? "");
    expect(
      (await guest.post("decline/", { reason: "Le loyer n’est pas celui convenu." })).status,
    ).toBe(200);
    const files = {
      one: await evidenceOf(one.id),
      twenty: await evidenceOf(twenty.id),
      refused: await evidenceOf(refused.id),
    };
    Object.assign(made, files);
    await expectSealed("twenty", files.twenty);
  }, 300_000);

  test.skipIf(SOFT_HSM_MISSING !== null)(
    "are sealed with the organisation's key in a token without a complaint",
    async () => {
      const token = await openSoftHsm();
      const hsm = await openHsm(token.settings);
      const own = await createTestApp({
        settings: { rateLimits: "off" },
        now: service.platform.clock(),
        platform: { hsm },
      });
      try {
        const browser = await signIn(own, await createMember(own.platform));
        const sent = await createSent(browser, { recipients: people(1) });
        const pdf = await evidenceOf(sent.id, browser);
        made["token"] = pdf;
        await expectSealed("token", pdf, own);
      } finally {
        await own.close();
        hsm.close();
        await token.close();
      }
    },
  );

  test("conform to PDF/A-3a and PDF/UA-1, each of those above", () => {
    expect(Object.keys(made)).toEqual([
      "one",
      "twenty",
      "refused",
      ...(SOFT_HSM_MISSING === null ? ["token"] : []),
    ]);
    const paths = Object.entries(made).map(([name, pdf]) => folder.write(`${name}.pdf`, pdf));
    const passed = (flavour: string) => paths.map(() => ({ verdict: "PASS", flavour, rules: [] }));
    expect(validatePdfA(paths, paths)).toEqual([...passed("3a"), ...passed("ua1")]);
  });
});
