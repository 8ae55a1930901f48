import type { NewMark } from "@paraphe/contracts";
import { announce } from "../../lib/announce.ts";
import { ApplyInitialsDialog } from "./apply-initials-dialog.tsx";
import { AskExtension } from "./ask-extension.tsx";
import type { ChosenMark, SavedMark } from "./chosen-mark.ts";
import { DeclineDialog } from "./decline-dialog.tsx";
import { FieldEditorDialog } from "./field-editor-dialog.tsx";
import { initialsLeft, purposeOf, type SigningField } from "./field-walk.ts";
import { HelpDialog } from "./help-dialog.tsx";
import { MarkDialog } from "./mark-dialog.tsx";
import { MentionDialog } from "./mention-dialog.tsx";
import type { Desk, OpenedRequest } from "./use-desk.ts";

/** A member who is late asks for more time. */
export const MemberExtension = AskExtension;

/** « J.-P. L. » of « Jean-Paul Lenoir »: as one initials a page. */
export function initialsOf(name: string): string {
  const words = name.split(/\s+/u).filter((word) => word !== "");
  const initials = words.map((word) =>
    word
      .split("-")
      .filter((part) => part !== "")
      .map((part) => `${[...part][0]?.toLocaleUpperCase("fr")}.`)
      .join("-"),
  );
  return initials.join("\u00a0");
}

/** `forAll`: the mark is made to be put at once on all of one's fields of its kind. */
export type OpenDialog =
  | { readonly kind: "mark"; readonly field: SigningField; readonly forAll?: true }
  | { readonly kind: "value" | "mention"; readonly field: SigningField }
  | { readonly kind: "decline" }
  | { readonly kind: "help" }
  | { readonly kind: "initials" }
  | null;

type DeskDialogsProps = {
  readonly desk: Desk;
  readonly dialog: NonNullable<OpenDialog>;
  readonly request: OpenedRequest;
  readonly savedMarks: readonly SavedMark[] | null;
  readonly onSaveMark: ((mark: NewMark) => void) | undefined;
  readonly onDecline: (reason: string) => Promise<void>;
  /** A mark was made for this field, and put there. */
  readonly onMade: (field: SigningField) => void;
  readonly onClose: () => void;
};

/** The dialog that is open over the desk. */
export function DeskDialogs({
  desk,
  dialog,
  request,
  savedMarks,
  onSaveMark,
  onDecline,
  onMade,
  onClose,
}: DeskDialogsProps) {
  if (dialog.kind === "decline") return <DeclineDialog onClose={onClose} onDecline={onDecline} />;
  if (dialog.kind === "help") return <HelpDialog request={request} onClose={onClose} />;
  if (dialog.kind === "initials")
    return (
      <ApplyInitialsDialog
        left={initialsLeft(desk.own, desk.answers)}
        onApply={desk.applyInitials}
        onClose={onClose}
      />
    );
  if (dialog.kind === "mark") {
    const purpose = purposeOf(dialog.field);
    const all = desk.own.filter((field) => field.type === dialog.field.type);
    const isInitials = purpose === "initials";
    const signerName = request.recipient.full_name;
    // Whether initials go everywhere is asked once the first are put; a signature's other places, with the making of it.
    const use = (mark: ChosenMark, everywhere: boolean) => {
      desk.useMark(mark, dialog.forAll || (everywhere && !isInitials) ? all : [dialog.field]);
      announce(isInitials ? "Paraphe posé" : "Signature posée");
      if (dialog.forAll) onClose();
      else onMade(dialog.field);
    };
    return (
      <MarkDialog
        purpose={purpose}
        signerName={isInitials ? initialsOf(signerName) : signerName}
        savedMarks={savedMarks}
        onSave={onSaveMark}
        fieldCount={isInitials ? 1 : all.length}
        onUse={use}
        onClose={onClose}
      />
    );
  }
  const { field } = dialog;
  const editor = {
    field,
    value: desk.values[field.id] ?? "",
    error: desk.errors[field.id],
    onSave: (value: string) => desk.setValue(field.id, value),
    onClose,
  };
  return dialog.kind === "mention" ? (
    <MentionDialog {...editor} />
  ) : (
    <FieldEditorDialog {...editor} />
  );
}
