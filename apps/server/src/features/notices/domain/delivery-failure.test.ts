import { DELIVERY_FAILURES } from "@paraphe/contracts";
import { describe, expect, test } from "vitest";
import { deliveryFailure } from "./delivery-failure.ts";
import { staleAnswer } from "./delivery-rules.ts";

const refused = { kind: "invitation", channel: "email", state: "refused" } as const;
const why = (serverAnswer: string | null, rest: object = {}) => deliveryFailure({ ...refused, serverAnswer, ...rest });

describe("a mail that was refused", () => {
  test.each([
    ["550 5.1.1 <zoe@exemple.fr>: Recipient address rejected: User unknown in local recipient table", "unknown_address"],
    ["550-5.1.1 The email account that you tried to reach does not exist.", "unknown_address"],
    ["550 5.4.1 Recipient address rejected: Access denied.", "unknown_address"],
    ["550 No such user here", "unknown_address"],
    ["550 Requested action not taken: mailbox unavailable", "unknown_address"],
    ["550 Utilisateur inconnu", "unknown_address"],
    ["551 not here", "unknown_address"],
    ["553 not allowed", "unknown_address"],
    ["550 5.1.2 Host unknown", "unknown_domain"],
    ["556 5.1.10 Recipient address has null MX", "unknown_domain"],
    ["550 5.4.4 Domain not found", "unknown_domain"],
    ["552 5.2.2 The email account is over quota", "mailbox_full"],
    ["552 Requested mail action aborted", "mailbox_full"],
    ["554 Mailbox full", "mailbox_full"],
    ["550 5.2.1 The account is disabled", "mailbox_disabled"],
    ["552 5.3.4 Message size exceeds fixed limit", "too_large"],
    ["550 5.7.1 Message rejected as spam by Content Filtering", "refused_as_spam"],
    ["554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org", "refused_as_spam"],
    ["550 5.7.26 Unauthenticated email from exemple.fr is not accepted due to domain's DMARC policy", "sender_refused"],
    ["553 5.1.8 Sender domain does not exist", "sender_refused"],
    ["554 5.7.1 Relay access denied", "refused_by_policy"],
  ] as const)("with « %s » is told as %s", (answer, code) => {
    expect(why(answer)).toEqual({ code, detail: DELIVERY_FAILURES[code] });
  });

  test("for a reason without a word of ours is told in the server's own", () => {
    expect(why("554 5.6.0 Contenu illisible")).toEqual({ code: "other", detail: "Contenu illisible" });
    expect(why("554")).toEqual({ code: "other", detail: DELIVERY_FAILURES.other });
    expect(why(null)).toEqual({ code: "other", detail: DELIVERY_FAILURES.other });
  });

  test("after 48 hours is told by the last words that say why, or by the silence", () => {
    expect(why(staleAnswer(null))?.code).toBe("no_answer");
    expect(why(staleAnswer("connect ECONNREFUSED 192.0.2.1:25"))?.code).toBe("no_answer");
    expect(why(staleAnswer("451 4.7.1 liste grise"))?.code).toBe("no_answer");
    expect(why(staleAnswer("452 4.2.2 boîte pleine"))?.code).toBe("mailbox_full");
    expect(why(staleAnswer(null), { kind: "code" })).toEqual({ code: "too_late", detail: "expiré avant l’envoi" });
  });
});

test("a text that was refused is told by its number, or by the gateway that is missing", () => {
  expect(why("422 invalid number", { channel: "sms" })).toEqual({ code: "number_refused", detail: "numéro refusé" });
  expect(why("no SMS gateway", { channel: "sms" })?.code).toBe("not_offered");
  expect(why(staleAnswer("503"), { channel: "sms" })?.code).toBe("no_answer");
});

test.each(["queued", "sent", "delivered", "withdrawn"] as const)("a message that is %s failed in nothing", (state) => {
  expect(deliveryFailure({ ...refused, state, serverAnswer: "451 4.7.1 liste grise" })).toBeNull();
});
