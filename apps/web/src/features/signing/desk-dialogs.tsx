import type { NewMark } from "@paraphe/contracts";
import { announce } from "../../lib/announce.ts";
import { ApplyInitialsDialog } from "./apply-initials-dialog.tsx";
import type { ChosenMark } from "./chosen-mark.ts";
import { DeclineDialog } from "./decline-dialog.tsx";
import { FieldEditorDialog } from "./field-editor-dialog.tsx";
import { initialsLeft, type SigningField, takesMark } from "./field-walk.ts";
import { initialsOf } from "./initials-of.ts";
import { MarkDialog } from "./mark-dialog.tsx";
import { MentionDialog } from "./mention-dialog.tsx";
import type { SavedMark } from "./saved-mark.ts";
import type { Desk } from "./use-desk.ts";

/** `forInitials`: the mark is made to be put at once on all of one's initials. */
export type OpenDialog =
  | { readonly kind: "mark"; readonly field: SigningField; readonly forInitials?: true }
  | { readonly kind: "value" | "mention"; readonly field: SigningField }
  | { readonly kind: "decline" }
  | { readonly kind: "initials" }
  | null;

type DeskDialogsProps = {
  readonly desk: Desk;
  readonly dialog: OpenDialog;
  readonly signerName: string;
  readonly savedMarks: readonly SavedMark[] | null;
  readonly onSaveMark: ((mark: NewMark) => void) | undefined;
  readonly onDecline: (reason: string) => Promise<void>;
  readonly onClose: () => void;
};

/** The dialog that is open over the desk, if any. */
export function DeskDialogs({ desk, dialog, signerName, savedMarks, onSaveMark, onDecline, onClose }: DeskDialogsProps) {
  if (dialog === null) return null;
  if (dialog.kind === "decline") return <DeclineDialog onClose={onClose} onDecline={onDecline} />;
  if (dialog.kind === "initials")
    return <ApplyInitialsDialog left={initialsLeft(desk.own, desk.answers)} onApply={desk.applyInitials} onClose={onClose} />;
  if (dialog.kind === "mark") {
    const { type } = dialog.field;
    const all = desk.own.filter((field) => field.type === type);
    // One mark serves for all that one signs: initials alone are proposed to who has nothing else to mark.
    const isAllInitials = desk.own.filter(takesMark).every((field) => field.type === "initials");
    const use = (mark: ChosenMark, everywhere: boolean) => {
      desk.useMark(mark, everywhere ? all : [dialog.field]);
      onClose();
      announce(type === "initials" ? "Paraphe posé" : "Signature posée");
    };
    return (
      <MarkDialog
        purpose={type === "initials" ? "initials" : "signature"}
        signerName={isAllInitials ? initialsOf(signerName) : signerName}
        savedMarks={savedMarks}
        onSave={onSaveMark}
        fieldCount={dialog.forInitials ? 1 : all.length}
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
  return dialog.kind === "mention" ? <MentionDialog {...editor} /> : <FieldEditorDialog {...editor} />;
}
