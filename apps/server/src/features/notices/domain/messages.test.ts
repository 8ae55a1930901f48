import { shortTitle } from "@paraphe/contracts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NOTICE_SAMPLES } from "../../../../testing/notice-samples.ts";
import { type Corrected, french, groupedCode } from "./french.ts";
import type { MailKind, PushKind, SmsKind } from "./notice.ts";
import { renderMailHtml, renderMailText } from "./render-mail.ts";
import { writeMail, writePush, writeSms } from "./write-message.ts";
import { cutGsmText, gsmLength, isGsmText, toGsmText } from "./gsm-text.ts";

describe("a mail", () => {
  const context = { publicUrl: "https://sign.exemple.fr" };
  const KINDS = Object.keys(NOTICE_SAMPLES).filter((kind) => kind !== "phone_code") as MailKind[];
  const titleless = (text: string) => text.replaceAll("Bail – 12 rue Haute <b>& Cie</b>", "TITRE");

  function mailOf<K extends MailKind>(kind: K) {
    const model = writeMail(kind, NOTICE_SAMPLES[kind], context);
    return {
      model,
      text: renderMailText(model, "Zoë Œuvrard"),
      html: renderMailHtml(model, "Zoë Œuvrard"),
    };
  }

  test.each([
    ["activation", "Activez votre compte Paraphe"],
    ["already_registered", "Vous avez déjà un compte Paraphe"],
    ["reset", "Réinitialisez votre mot de passe Paraphe"],
    ["password_changed", "Votre mot de passe Paraphe a été changé"],
    ["address_confirmation", "Confirmez cette adresse"],
    ["factors_changed", "Clé d’accès ajoutée à votre compte Paraphe"],
    ["address_changing", "Changement d’adresse demandé"],
    ["account_erased", "Votre compte Paraphe est supprimé"],
    ["checkpoint", "Point de contrôle à conserver\u00a0: 1\u202f234 empreintes"],
    ["summary", "Résumé quotidien\u00a0: 2 notifications"],
    ["trial", "Notification d’essai"],
    ["invitation", "Document à signer\u00a0: TITRE"],
    ["code", "482\u202f913 est votre code de signature"],
    ["reminder", "Rappel\u00a0: Paul Martin attend votre signature (échéance le 28\u00a0novembre)"],
    ["expiring", "Plus que 2 jours pour signer\u00a0: TITRE"],
    ["signed", "Zoë Œuvrard a signé «\u00a0TITRE\u00a0»"],
    ["batch_ended", "Lot «\u00a0TITRE\u00a0»\u00a0: 498 documents signés sur 500, 2 en échec"],
    ["mailing_ended", "TITRE\u00a0: 44 enveloppes envoyées, 1 en échec"],
    ["completed", "Document signé par tous\u00a0: TITRE"],
    ["declined", "Zoë Œuvrard a refusé de signer «\u00a0TITRE\u00a0»"],
    ["cancelled", "Demande annulée\u00a0: TITRE"],
    ["expired", "Délai de signature dépassé\u00a0: TITRE"],
  ] as const)("the subject of %s is « %s »", (kind, subject) => {
    expect(titleless(mailOf(kind).model.subject)).toBe(subject);
  });

  describe.each(KINDS)("the mail %s", (kind) => {
    const { model, text, html } = mailOf(kind);

    test("says the same in text and HTML, and nothing undefined", () => {
      const shown = html
        .replace(/<br>/g, "\n")
        .replace(/<[^>]+>/g, "")
        .replace(/&nbsp;/g, "\u00a0")
        .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
      const listed = (model.list ?? []).flatMap((item) => [item.words, item.moment]);
      for (const words of [
        ...model.paragraphs,
        ...model.notes,
        ...listed,
        ...model.facts.map(([, value]) => value),
      ]) {
        expect(text).toContain(words);
        expect(shown).toContain(words);
      }
      expect(text + html).not.toMatch(/undefined|\[object|null/);
      expect(text).toContain("Bonjour Zoë Œuvrard,");
    });

    test("follows French typography: spaces before high marks, inside guillemets, typographic apostrophes", () => {
      const words = titleless(text)
        .replace(/https:\S+/g, "LIEN")
        .replace(/^> .*$/gm, "");
      expect(words).not.toMatch(/ [;:!?»]|« |[a-zé][;!?]|[a-zé]:|'/);
    });

    test("fetches nothing, runs nothing, and escapes what people wrote", () => {
      expect(html).not.toMatch(
        /<(img|script|link|iframe|table|form)|src=|url\(|@import|@font-face/i,
      );
      expect(html).not.toContain("<b>& Cie</b>");
      expect(html).toContain('<html lang="fr">');
      expect(html).toContain("prefers-color-scheme:dark");
    });

    test("keeps its subject on one line of sensible length", () => {
      expect(model.subject).not.toMatch(/[\r\n]/);
      expect(model.subject.length).toBeLessThan(150);
    });
  });

  test("the mail that activates an account names it, and says how to undo a registration by somebody else", () => {
    const { model, text, html } = mailOf("activation");
    expect(model.facts).toContainEqual(["Nom d’utilisateur", "zoe"]);
    const { origin } = new URL(NOTICE_SAMPLES.activation.link);
    for (const part of [text, html]) expect(part).toContain(`${origin}/password-reset`);
    expect(text).toContain("Choisissez un nouveau mot de passe pour bloquer ce compte");
  });

  test("the mail with the code holds no link, nor anything a mail program would make one of", () => {
    const { text, html } = mailOf("code");
    expect(text + html).not.toMatch(/https?:|www\.|href|exemple\.fr|localhost|@[a-z-]+\.[a-z]/i);
    expect(text).toContain("\n\n482\u202f913\n\n");
    expect(text).toContain(
      "Ne le communiquez à personne. Nous ne vous le demanderons jamais par téléphone.",
    );
    expect(text).toContain("valable 10 minutes");
  });

  test("a title or a name that looks like an address makes no link in the mail with the code", () => {
    const content = {
      code: "482913",
      envelopeTitle: "https://mechant.example/x",
      senderName: "a@mechant.example",
      role: "signer",
    } as const;
    const model = writeMail("code", content, context);
    expect(renderMailText(model, "") + renderMailHtml(model, "")).not.toMatch(
      /https:|mechant\.example|a@/,
    );
    expect(model.paragraphs[0]?.replaceAll("\u2060", "")).toContain("https://mechant.example/x");
  });

  test.each([
    [
      ["Zoë Œuvrard"],
      "1 réponse manque encore.",
      "La personne attendue vient d’en être avertie.",
      "Personne attendue",
    ],
    [
      ["Zoë Œuvrard", "Côme"],
      "2 réponses manquent encore.",
      "Les personnes attendues viennent d’en être averties.",
      "Personnes attendues",
    ],
  ] as const)(
    "the sender is told for whom a near deadline waits: %j",
    (waitingFor, preview, told, label) => {
      const model = writeMail("expiring", { ...NOTICE_SAMPLES.expiring, waitingFor }, context);
      expect(model).toMatchObject({
        subject: expect.stringContaining("Échéance proche\u00a0: "),
        preview,
        senderName: null,
        replyTo: null,
      });
      expect(model.paragraphs[0]).toContain(told);
      expect(model.facts).toEqual([[label, waitingFor.join(", ")]]);
    },
  );

  test("the last day is given in hours, to each role in its own words", () => {
    const subject = (rest: object) =>
      writeMail("expiring", { ...NOTICE_SAMPLES.expiring, ...rest }, context).subject;
    expect(subject({ daysLeft: 1 })).toContain("Plus que 24 heures pour signer");
    expect(subject({ daysLeft: 2, role: "approver" })).toContain("Plus que 2 jours pour approuver");
  });

  test("requests come from the sender, who gets the replies; the service's own mails do not", () => {
    for (const kind of ["invitation", "reminder", "cancelled"] as const)
      expect(mailOf(kind).model).toMatchObject({
        senderName: "Paul Martin",
        replyTo: "paul.martin@exemple.fr",
      });
    for (const kind of ["activation", "code", "signed", "completed"] as const)
      expect(mailOf(kind).model).toMatchObject({ senderName: null, replyTo: null });
  });

  test("the invitation carries the sender's message, the deadline, the link whole, and how to check it", () => {
    const { text } = mailOf("invitation");
    expect(text).toContain("> Bonjour Zoë,\n> merci de signer");
    expect(text).toContain(
      "Échéance\u00a0: 28\u00a0novembre 2026 à\u00a018\u00a0h\u00a000 (heure de Paris)",
    );
    expect(text).toContain(`\n${NOTICE_SAMPLES.invitation.link}\n`);
    expect(text).toContain("commence par https://sign.exemple.fr/");
  });

  test("without deadline, message or name, no sentence is left incomplete", () => {
    const bare = { ...NOTICE_SAMPLES.reminder, deadlineAt: null, message: "" };
    const model = writeMail("reminder", bare, context);
    expect(model.subject).toBe("Rappel\u00a0: Paul Martin attend votre signature");
    expect([model.quote, model.facts]).toEqual([null, []]);
    expect(renderMailText(model, "")).toMatch(/^Bonjour,\n/);
    expect(renderMailHtml(model, "")).toContain(">Bonjour,</p>");
  });

  test.each([
    ["approver", "Document à approuver", "Paul Martin attend votre approbation"],
    ["viewer", "Document à consulter", "Paul Martin vous a transmis un document"],
  ] as const)("a %s is asked for what is theirs to do", (role, invited, reminded) => {
    expect(
      writeMail("invitation", { ...NOTICE_SAMPLES.invitation, role }, context).subject,
    ).toContain(invited);
    expect(writeMail("reminder", { ...NOTICE_SAMPLES.reminder, role }, context).subject).toContain(
      reminded,
    );
  });

  test("outcomes without a link or a proof have no button", () => {
    expect(
      writeMail("declined", { ...NOTICE_SAMPLES.declined, link: null, reason: "" }, context),
    ).toMatchObject({
      action: null,
      quote: null,
    });
    expect(
      writeMail("expired", { ...NOTICE_SAMPLES.expired, link: "https://x/" }, context).action,
    ).not.toBeNull();
    expect(
      writeMail("completed", { ...NOTICE_SAMPLES.completed, proofLink: null }, context).facts,
    ).toEqual([]);
    expect(
      writeMail("signed", { ...NOTICE_SAMPLES.signed, signerCount: 1 }, context).paragraphs[1],
    ).toBe("1 signature sur 1.");
    expect(writeMail("signed", NOTICE_SAMPLES.signed, context).paragraphs[1]).toBe(
      "1 signature sur 2.",
    );
    expect(
      writeMail("signed", { ...NOTICE_SAMPLES.signed, signedCount: 2 }, context).paragraphs[1],
    ).toBe("2 signatures sur 2.");
  });
});

describe("a push message", () => {
  const context = {
    publicUrl: "https://sign.exemple.fr",
    envelopeId: "01990000-0000-7000-8000-000000000001",
  };
  const KINDS: readonly PushKind[] = [
    "invitation",
    "reminder",
    "expiring",
    "signed",
    "completed",
    "declined",
    "cancelled",
    "expired",
  ];

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

  test("a push leads a person who is asked to the signing page, a viewer and the sender to the envelope", () => {
    expect(writePush("invitation", NOTICE_SAMPLES.invitation, context).url).toContain("/sign/");
    expect(
      writePush("reminder", { ...NOTICE_SAMPLES.reminder, role: "viewer" }, context).url,
    ).toContain("/detail/");
    expect(
      writePush("expiring", { ...NOTICE_SAMPLES.expiring, waitingFor: null }, context).url,
    ).toContain("/sign/");
    expect(
      writePush("expiring", { ...NOTICE_SAMPLES.expiring, waitingFor: ["Zoë"] }, context).url,
    ).toContain("/detail/");
    expect(writePush("signed", NOTICE_SAMPLES.signed, { ...context, envelopeId: null }).url).toBe(
      "/dashboard",
    );
  });

  test("a push leads the signer of many documents to their batch", () => {
    const words = writePush("batch_ended", NOTICE_SAMPLES.batch_ended, {
      ...context,
      envelopeId: null,
    });
    expect(words.url).toBe("/signature/bulk-same?lot=01990000-0000-7000-8000-000000000001");
    expect(words.body).toBe("498 documents signés sur 500, 2 en échec.");
  });

  test("stays short, and cuts between characters", () => {
    const long = writePush(
      "signed",
      { ...NOTICE_SAMPLES.signed, signerName: "𝒵".repeat(200) },
      context,
    );
    expect(Array.from(long.title)).toHaveLength(120);
    expect(long.title.endsWith("𝒵…")).toBe(true);
    const body = writePush(
      "reminder",
      { ...NOTICE_SAMPLES.reminder, envelopeTitle: "é".repeat(500) },
      context,
    ).body;
    expect(Array.from(body).length).toBeLessThanOrEqual(240);
  });
});

describe("a text", () => {
  const KINDS: readonly SmsKind[] = [
    "invitation",
    "code",
    "phone_code",
    "trial",
    "reminder",
    "expiring",
    "signed",
    "batch_ended",
    "mailing_ended",
    "completed",
    "declined",
    "cancelled",
    "expired",
  ];
  const LONG =
    "Contrat de prestation de services, avenant n° 12 à l’accord-cadre du 3 septembre 2019 – œuvres, études, conseil et formation";

  describe.each(KINDS)("the SMS %s", (kind) => {
    test.each(["Bail – 12 rue Haute", LONG, "漢".repeat(200), ""])(
      "of « %s » is one SMS of GSM characters",
      (envelopeTitle) => {
        const content = {
          ...NOTICE_SAMPLES[kind],
          envelopeTitle,
          senderName: "Jean-Christophe de La Rochefoucauld d’Estissac-Œuvrard",
        };
        const text = writeSms(kind, content as never, "sign.exemple.fr");
        expect(isGsmText(text)).toBe(true);
        expect(gsmLength(text)).toBeLessThanOrEqual(160);
      },
    );
  });

  test("the code's ends with the line that binds it to our origin", () => {
    const content = { ...NOTICE_SAMPLES.code, envelopeTitle: "Bail – 12 rue Haute, été" };
    expect(writeSms("code", content, "sign.exemple.fr")).toBe(
      '482913 : code pour signer "Bail - 12 rue Haute, été". Valable 10 min. Ne le transmettez pas.\n@sign.exemple.fr #482913',
    );
  });

  test.each([
    ["visa", "viser", "lire et viser", "de visa"],
    ["approver", "approuver", "lire et approuver", "d’approbation"],
    ["viewer", "consulter", "consulter", "de lecture"],
  ] as const)("the code of the role %s says what it serves for", (role, verb, act, noun) => {
    const content = { ...NOTICE_SAMPLES.code, role };
    expect(writeSms("code", content, "sign.exemple.fr")).toContain(`code pour ${verb} "`);
    const model = writeMail("code", content, { publicUrl: "https://sign.exemple.fr" });
    expect(model.subject).toMatch(new RegExp(`est votre code ${noun}$`, "u"));
    const words = [...model.paragraphs, ...model.notes].join("\n");
    expect(words).toContain(`pour ${act} «`);
    expect(words).toContain(`personne ne peut ${verb} à votre place`);
    expect(words).not.toContain("signer");
  });

  test("a corrected version says who had sent it back, and why", () => {
    const said = (corrected: Corrected, behalf?: string) => {
      const whom = behalf === undefined ? {} : { behalf: { name: behalf, until: "2026-12-01" } };
      const content = { ...NOTICE_SAMPLES.invitation, corrected, ...whom };
      expect(writeSms("invitation", content, "sign.exemple.fr")).toMatch(/^Corrigé, Pa/);
      return writeMail("invitation", content, { publicUrl: "https://sign.exemple.fr" })
        .paragraphs[1];
    };
    const why = "Version corrigée. %\u00a0: «\u00a0Le prix\u00a0»";
    const expected = (who: string) => why.replace("%", who);
    expect(said({ by: null, reason: "Le prix" })).toBe(expected("Vous l’aviez renvoyée"));
    expect(said({ by: null, reason: "Le prix" }, "Zoë")).toBe(expected("Zoë l’avait renvoyée"));
    expect(said({ by: "Léo", reason: "Le prix" })).toBe(expected("Léo l’avait renvoyée"));
    const annulled = { by: null, reason: "Le prix", annulled: "signature" } as const;
    const own =
      " sur la version précédente est annulée, et une réponse est redemandée sur celle-ci.";
    expect(said(annulled)).toContain(`Votre signature${own} Motif du renvoi`);
    expect(said(annulled, "Zoë")).toContain(`La signature de Zoë${own}`);
  });

  test("a cancelled request is that of the act asked for", () => {
    const said = (role: "visa" | "signer" | "viewer") => {
      const content = { ...NOTICE_SAMPLES.cancelled, role };
      return writeMail("cancelled", content, { publicUrl: "https://sign.exemple.fr" })
        .paragraphs[0];
    };
    expect(said("visa")).toContain("a annulé sa demande de visa de");
    for (const role of ["signer", "viewer"] as const)
      expect(said(role)).toContain("a annulé sa demande de signature de");
  });

  test("the code that proves a number says so, and is bound to our origin", () => {
    expect(writeSms("phone_code", NOTICE_SAMPLES.phone_code, "sign.exemple.fr")).toBe(
      "482913 : code pour vérifier votre numéro. Valable 10 min. Ne le transmettez pas.\n@sign.exemple.fr #482913",
    );
  });

  test.each(["invitation", "reminder", "expiring", "extended"] as const)(
    "the title of %s is shortened between its quotes",
    (kind) => {
      const content = {
        ...NOTICE_SAMPLES[kind],
        senderName: "Anne Roux",
        envelopeTitle: `Avenant "n° 3" ${LONG}`,
        link: "https://p.fr/s/abc",
      };
      const text = writeSms(kind, content as never, "x");
      expect(text).toMatch(
        /(^|, )Anne Roux, "Avenant 'no 3' [^"]+\.\.\." : document à signer\. https:\/\/p\.fr\/s\/abc$/,
      );
      expect(gsmLength(text)).toBeLessThanOrEqual(160);
    },
  );

  test("without room for a title, the sender stands alone, without quotation marks", () => {
    const link = `https://p.fr/s/${"t".repeat(106)}`;
    const content = {
      ...NOTICE_SAMPLES.invitation,
      senderName: "Anne Roux",
      envelopeTitle: LONG,
      link,
    };
    expect(writeSms("invitation", content, "x")).toBe(`Anne Roux : document à signer. ${link}`);
    expect(writeSms("invitation", { ...content, role: "visa" }, "x")).toBe(
      `Anne Roux : document à viser. ${link}`,
    );
  });

  test("a link is never cut, however long", () => {
    const link = `https://signatures.une-tres-longue-adresse.exemple.fr/sign/01990000-0000-7000-8000-000000000001?token=${"t".repeat(43)}`;
    expect(
      writeSms("invitation", { ...NOTICE_SAMPLES.invitation, link }, "x").endsWith(` ${link}`),
    ).toBe(true);
  });
});

describe("the letters of texts", () => {
  test.each([
    ["Éloïse à l’été – où ?", "Éloise à l'été - où ?"],
    ["«\u00a0Œuvrard\u00a0» : 12\u202f€", '" OEuvrard " : 12 €'],
    ["Michał, Jørgen, Đặng, çà…", "Michal, Jørgen, Dang, cà..."],
    [
      "Avenant n°\u00a012, 2ᵉ lot : 25 m² × 3½ · « fﬁ »™",
      'Avenant no 12, 2e lot : 25 m2 x 31/2 . " ffi "TM',
    ],
    [
      "François, Ça, GARÇON, Noël, Île, août, naïve",
      "Francois, Ça, GARÇON, Noel, Ile, aout, naive",
    ],
    ["Þórður Ærø, Ægir ß ẞ", "Thordur Ærø, Ægir ß SS"],
    ["un\u00adcou\u200bpé\u2060\ufeff", "uncoupé"],
    ["δ ω α", "Δ Ω ?"],
    ["漢字 🙂", "?? ?"],
  ])("%j becomes %j", (text, expected) => {
    expect(toGsmText(text)).toBe(expected);
  });

  test("a character of the extension table counts twice", () => {
    expect(gsmLength("a€[b]")).toBe(8);
  });

  test("whatever the text, the outcome is GSM and the cut fits", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 300 }),
        fc.integer({ min: 4, max: 160 }),
        (text, maximum) => {
          const gsm = toGsmText(text);
          expect(isGsmText(gsm)).toBe(true);
          expect(gsmLength(cutGsmText(gsm, maximum))).toBeLessThanOrEqual(maximum);
        },
      ),
    );
  });

  test("the accents of the table are kept as they are, one septet each", () => {
    const kept = "éèàùìòÉÇÄÖÑÜäöñüÅåØøÆæß£¥§¿¡";
    expect(toGsmText(kept)).toBe(kept);
    expect(gsmLength(kept)).toBe(kept.length);
  });

  test("every letter of French is kept, or loses its mark alone", () => {
    for (const letter of "àâäæçéèêëîïôœùûüÿÀÂÄÆÇÉÈÊËÎÏÔŒÙÛÜŸ")
      expect(toGsmText(letter)).not.toMatch(/\?/);
  });
});

describe("French", () => {
  test("typesets its own words and leaves the author's alone", () => {
    const title = "Bail : l'annexe !";
    expect(french`Avez-vous lu « ${title} » ; oui ? L'échéance : demain !`).toBe(
      `Avez-vous lu «\u00a0${title}\u00a0»\u202f; oui\u202f? L’échéance\u00a0: demain\u202f!`,
    );
  });

  test("a delegation of visas alone names neither signature nor certificate", () => {
    for (const isDelegate of [true, false]) {
      const given = { ...NOTICE_SAMPLES.delegation_given, isDelegate, isOnlyVisas: true };
      const { subject, paragraphs } = writeMail("delegation_given", given, {
        publicUrl: "https://sign.exemple.fr",
      });
      expect([subject, ...paragraphs].join(" ")).not.toMatch(/sign|certificat/i);
      expect(paragraphs[1]).toMatch(/^La preuve dira.*par délégation\u00a0»\.$/);
    }
  });

  test("groups the digits of a code", () => {
    expect(groupedCode("048291")).toBe("048\u202f291");
  });

  test("cuts a long title between characters, not within one", () => {
    expect(shortTitle("Bail")).toBe("Bail");
    expect(shortTitle("🙂".repeat(81))).toBe(`${"🙂".repeat(79)}…`);
  });
});
