import type { Layout } from "@paraphe/contracts";
import { useState } from "react";
import { announce } from "../../../lib/announce.ts";
import { Button } from "../../../ui/button/button.tsx";
import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import type { ReadyFile } from "./batch-file.ts";
import { layoutOfPlace, placeOfLayout } from "./place-layout.ts";
import type { Placing } from "./use-placing.ts";

const ApplyLayoutDialog = lazyDialog(async () => (await import("../../envelopes/prepare/apply-layout-dialog.tsx")).ApplyLayoutDialog);
const SaveLayoutDialog = lazyDialog(async () => (await import("../../envelopes/prepare/save-layout-dialog.tsx")).SaveLayoutDialog);

/** The places one keeps, the same as while preparing: kept here, they are found there, and the other way round. */
export function PlacingLayouts({ file, placing }: { readonly file: ReadyFile; readonly placing: Placing }) {
  const [open, setOpen] = useState<"apply" | "save" | null>(null);
  const close = () => setOpen(null);
  const apply = (layout: Layout) => {
    const place = placeOfLayout(layout);
    if (place === null) {
      showToast("err", "Cette disposition ne place aucune signature.");
      return;
    }
    placing.setPlace(file, place);
    announce(`${layout.name}\u00a0: position appliquée`);
    close();
  };
  return (
    <div className="stack stack--sm">
      <Button size="sm" onClick={() => setOpen("apply")}>
        Appliquer une disposition
      </Button>
      <Button size="sm" onClick={() => setOpen("save")}>
        Enregistrer cette disposition
      </Button>
      {open === "apply" ? <ApplyLayoutDialog onApply={apply} onClose={close} /> : null}
      {open === "save" ? <SaveLayoutDialog fields={layoutOfPlace(placing.placeOf(file))} onClose={close} /> : null}
    </div>
  );
}
