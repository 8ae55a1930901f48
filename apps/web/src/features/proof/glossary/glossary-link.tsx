import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import { GlossaryButton } from "./glossary-button.tsx";

const GlossaryDialog = lazyDialog(
  async () => (await import("./glossary-dialog.tsx")).GlossaryDialog,
);

export function GlossaryLink() {
  return <GlossaryButton dialog={GlossaryDialog} />;
}
