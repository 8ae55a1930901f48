import { describe, expect, test } from "vitest";
import { NOTICE_SAMPLES } from "../../../../testing/notice-samples.ts";
import type { PushKind } from "./notice.ts";
import { writeMail } from "./write-mail.ts";
import { writePush } from "./write-push.ts";

const context = { publicUrl: "https://sign.exemple.fr", envelopeId: "01990000-0000-7000-8000-000000000001" };
const KINDS: readonly PushKind[] = ["invitation", "reminder", "expiring", "signed", "completed", "declined", "cancelled", "expired"];

describe("a push message", () => {
  test.each(KINDS)("%s has words, an address of ours, and no token", (kind) => {
    const words = writePush(kind, NOTICE_SAMPLES[kind], context);
    expect(words.title.length).toBeGreaterThan(10);
    expect(words.url).toMatch(/^\/signature\/(sign|detail)\/01990000-0000-7000-8000-000000000001$/);
    expect(JSON.stringify(words)).not.toMatch(/token|https?:|sig=/);
  });

  test("says what the mail says", () => {
    expect(writePush("signed", NOTICE_SAMPLES.signed, context)).toEqual({
      title: "Zoë Œuvrard a signé «\u00a0Bail – 12 rue Haute <b>& Cie</b>\u00a0»",
      body: writeMail("signed", NOTICE_SAMPLES.signed, context).preview,
      url: `/signature/detail/${context.envelopeId}`,
    });
  });

  test("leads whoever is asked to the signing page, a reader in copy and the sender to the envelope", () => {
    expect(writePush("invitation", NOTICE_SAMPLES.invitation, context).url).toContain("/sign/");
    expect(writePush("reminder", { ...NOTICE_SAMPLES.reminder, role: "viewer" }, context).url).toContain("/detail/");
    expect(writePush("expiring", { ...NOTICE_SAMPLES.expiring, waitingFor: null }, context).url).toContain("/sign/");
    expect(writePush("expiring", { ...NOTICE_SAMPLES.expiring, waitingFor: ["Zoë"] }, context).url).toContain("/detail/");
    expect(writePush("signed", NOTICE_SAMPLES.signed, { ...context, envelopeId: null }).url).toBe("/dashboard");
  });

  test("leads whoever signed many documents to their batch", () => {
    const words = writePush("batch_ended", NOTICE_SAMPLES.batch_ended, { ...context, envelopeId: null });
    expect(words.url).toBe("/signature/bulk-same?lot=01990000-0000-7000-8000-000000000001");
    expect(words.body).toBe("498 documents signés sur 500, 2 en échec.");
  });

  test("stays short, and cuts between characters", () => {
    const long = writePush("signed", { ...NOTICE_SAMPLES.signed, signerName: "𝒵".repeat(200) }, context);
    expect(Array.from(long.title)).toHaveLength(120);
    expect(long.title.endsWith("𝒵…")).toBe(true);
    const body = writePush("reminder", { ...NOTICE_SAMPLES.reminder, envelopeTitle: "é".repeat(500) }, context).body;
    expect(Array.from(body).length).toBeLessThanOrEqual(240);
  });
});
