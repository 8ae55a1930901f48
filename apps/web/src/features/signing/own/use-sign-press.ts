import { useEffect, useMemo } from "react";
import { proposeTitle } from "../../envelopes/prepare/propose-title.ts";
import type { ChosenMark } from "../chosen-mark.ts";
import type { Signed } from "./signed-document.tsx";
import type { ControlState } from "./use-control.ts";
import { askedFields, type OwnFields } from "./use-own-fields.ts";
import type { PlacementDesk } from "./use-placement.ts";
import { useSelfSign } from "./use-self-sign.ts";

type ToSign = {
  readonly file: File;
  readonly control: ControlState;
  readonly mark: ChosenMark | null;
  readonly desk: PlacementDesk;
  readonly own: OwnFields;
  readonly acceptsCopy: boolean;
};
type Asking = {
  readonly onMark: () => void;
  /** A text has no words: where it is written is shown. */
  readonly onWords: () => void;
  readonly onSigned: (signed: Signed) => void;
};

/** The one press: it asks for what is missing, a mark, its place, the words of a text, the yes to a corrected copy, and signs once nothing is. */
export function useSignPress({ file, control, mark, desk, own, acceptsCopy }: ToSign, { onMark, onWords, onSigned }: Asking) {
  const title = useMemo(() => proposeTitle(file.name), [file]);
  const { phase, sign } = useSelfSign();
  const mustAccept = control.kind === "done" && control.control.control.result === "fixable" && !acceptsCopy;
  const press = () => {
    if (mark === null) return onMark();
    if (desk.placed === null) return void desk.propose();
    if (own.blank !== null) {
      own.tell();
      onWords();
      const { key } = own.blank;
      return void requestAnimationFrame(() => document.getElementById(key)?.focus());
    }
    if (mustAccept) return document.querySelector<HTMLElement>("#copie-corrigee input")?.focus();
    void sign({
      file,
      title,
      mark,
      acceptsCopy,
      fields: askedFields(own.fields),
      placement: { page: desk.placed.page, ...desk.placed.box },
    });
  };
  useEffect(() => {
    if (phase.kind === "signed") onSigned({ ...phase, title });
  }, [phase, title, onSigned]);
  return { phase, isBusy: phase.kind === "signing" || phase.kind === "sealing", press };
}
