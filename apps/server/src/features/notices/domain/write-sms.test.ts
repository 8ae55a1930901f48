import { describe, expect, test } from "vitest";
import { NOTICE_SAMPLES } from "../../../../testing/notice-samples.ts";
import { gsmLength, isGsmText } from "./gsm-text.ts";
import { type SmsKind, writeSms } from "./write-sms.ts";

const KINDS: readonly SmsKind[] = [
  "invitation",
  "code",
  "phone_code",
  "trial",
  "reminder",
  "expiring",
  "signed",
  "batch_ended",
  "completed",
  "declined",
  "cancelled",
  "expired",
];
const LONG = "Contrat de prestation de services, avenant n° 12 à l’accord-cadre du 3 septembre 2019 – œuvres, études, conseil et formation";

describe.each(KINDS)("the SMS %s", (kind) => {
  test.each(["Bail – 12 rue Haute", LONG, "漢".repeat(200), ""])("of « %s » is one SMS of GSM characters", (envelopeTitle) => {
    const content = { ...NOTICE_SAMPLES[kind], envelopeTitle, senderName: "Jean-Christophe de La Rochefoucauld d’Estissac-Œuvrard" };
    const text = writeSms(kind, content as never, "sign.exemple.fr");
    expect(isGsmText(text)).toBe(true);
    expect(gsmLength(text)).toBeLessThanOrEqual(160);
  });
});

test("the code's ends with the line that binds it to our origin", () => {
  const content = { ...NOTICE_SAMPLES.code, envelopeTitle: "Bail – 12 rue Haute, été" };
  expect(writeSms("code", content, "sign.exemple.fr")).toBe(
    '482913 : code pour signer "Bail - 12 rue Haute, été". Valable 10 min. Ne le transmettez pas.\n@sign.exemple.fr #482913',
  );
});

test("the code that proves a number says so, and is bound to our origin", () => {
  expect(writeSms("phone_code", NOTICE_SAMPLES.phone_code, "sign.exemple.fr")).toBe(
    "482913 : code pour vérifier votre numéro. Valable 10 min. Ne le transmettez pas.\n@sign.exemple.fr #482913",
  );
});

test("a link is never cut, however long", () => {
  const link = `https://signatures.une-tres-longue-adresse.exemple.fr/sign/01990000-0000-7000-8000-000000000001?token=${"t".repeat(43)}`;
  expect(writeSms("invitation", { ...NOTICE_SAMPLES.invitation, link }, "x").endsWith(` ${link}`)).toBe(true);
});
