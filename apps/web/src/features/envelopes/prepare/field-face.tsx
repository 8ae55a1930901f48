import { FieldLetters } from "../../../pdf/field-letters.tsx";
import { initials } from "../../../ui/avatar/initials.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import type { DraftField } from "./draft.ts";
import { FIELD_ICONS } from "./field-icon.ts";
import { fieldKind } from "./field-kinds.ts";

/** Narrower, a field has room for its sign alone. */
const WORDS_FROM = 0.08;

/** What stands in a field while it is placed: its sign, its kind or its label, the initials of the person who fills it. */
export function FieldFace({ field, person }: { field: DraftField; person: string }) {
  const hasRoom = field.width > WORDS_FROM;
  return (
    <>
      <Icon name={FIELD_ICONS[field.type]} />
      {hasRoom && <span className="truncate">{field.label ?? fieldKind(field.type).short}</span>}
      {hasRoom && <FieldLetters letters={initials(person)} />}
    </>
  );
}
