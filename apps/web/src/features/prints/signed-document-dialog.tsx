import { Dialog } from "../../ui/dialog/dialog.tsx";
import type { SignedFile } from "./signed-file.ts";
import { SignedDocumentViewer } from "./signed-document.tsx";

/** On a small screen the document opens over the page. */
export function SignedDocumentDialog({ files, onClose }: { files: readonly SignedFile[]; onClose: () => void }) {
  return (
    <Dialog title="Document" size="lg" sheet onClose={onClose}>
      <SignedDocumentViewer files={files} />
    </Dialog>
  );
}
