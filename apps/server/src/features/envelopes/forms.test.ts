import type { FormAnswer } from "@paraphe/contracts";
import { beforeAll, describe, expect, test } from "vitest";
import { FRENCH_FORMS } from "../../../../../packages/pades/testing/french-forms.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { createDraft, ELOISE, ENVELOPES, patchEnvelope, PAUL } from "../../../testing/envelope.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { useTestApp } from "../../../testing/use-test-app.ts";

const service = useTestApp({ settings: { rateLimits: "off" } });
let anne: TestBrowser;
beforeAll(async () => {
  anne = await signIn(service, await createMember(service.platform));
});

describe("the form of an uploaded file", () => {
  test.each(FRENCH_FORMS)("gives the fields of « $name »", async ({ name, bytes, fields }) => {
    const draft = await createDraft(anne, { files: [{ name: `${name}.pdf`, bytes }] });
    const found = (await anne.get(`${ENVELOPES}${draft.id}/form/`)).body as FormAnswer;
    const [document] = found.documents;
    expect(document?.refused).toBe(null);
    expect(document?.fields.map(({ type, label }) => `${type} ${label ?? ""}`)).toEqual(fields);
    expect(draft.documents[0]?.control.result).toBe("ok");
  });
});
