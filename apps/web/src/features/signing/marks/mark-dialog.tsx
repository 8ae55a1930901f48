import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";

/** The signature dialog, loaded when it is first opened. */
export const MarkDialog = lazyDialog(
  async () => (await import("./signature-dialog.tsx")).SignatureDialog,
);
