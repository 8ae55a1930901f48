import { describe, expect, test } from "vitest";
import { FRENCH_FORMS } from "../../packages/pades/testing/french-forms.ts";
import { formFields } from "../../packages/pades/src/pdf/form-fields.ts";
import { openPdf } from "../../packages/pades/src/pdf/open-pdf.ts";
import { missingValidators } from "../support/open-validators.ts";
import {
  COME,
  complete,
  expectNoComplaint,
  filesOf,
  MAELYS,
  useServiceStage,
} from "../support/service-stage.ts";

const missing = missingValidators();

describe.skipIf(missing)(`French forms${missing ? ` (${missing})` : ""}`, () => {
  const stage = useServiceStage();

  test.each(FRENCH_FORMS)(
    "« $name » is filled in and signed by two without a complaint, with no other field",
    async ({ name, bytes, fields, roles }) => {
      const envelope = await complete(stage, [COME, MAELYS], {
        files: [{ name: `${name}.pdf`, bytes }],
        use_forms: [
          {
            document_index: 0,
            recipients: roles.map((role, index) => ({ role, recipient_index: index })),
            erase_tags: true,
          },
        ],
      });
      expect(envelope.fields).toHaveLength(fields.length + (hasSecond(roles) ? 0 : 1));
      const files = await filesOf(stage, envelope, { signatures: 2 });
      const [{ pdf } = { pdf: new Uint8Array() }] = files;
      expect(Buffer.from(pdf.subarray(0, bytes.length)).equals(Buffer.from(bytes))).toBe(true);
      const names = formFields(await openPdf(pdf)).map((field) => field.name);
      expect(names.filter((own) => !own.startsWith(envelope.id))).toEqual(["horodatage_1"]);
      await expectNoComplaint(stage, files);
    },
  );
});

/** Who has no place gets one. */
const hasSecond = (roles: readonly string[]): boolean => roles.length > 1;
