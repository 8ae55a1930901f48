import type { FieldType } from "@paraphe/contracts";
import type { IconName } from "../../../ui/icon/icon-paths.ts";

/** Each kind of field has its sign, the same in the palette and on the page. */
export const FIELD_ICONS: Readonly<Record<FieldType, IconName>> = {
  signature: "signature",
  initials: "initials",
  date: "calendar",
  name: "user",
  text: "text",
  checkbox: "checkbox",
  mention: "mention",
};
