import type { MailingPreview, Template } from "@paraphe/contracts";
import { parisDay } from "@paraphe/kernel/paris-days";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useEffectEvent } from "react";
import { api } from "../../../lib/api/api.ts";
import { callMessage } from "../../../lib/api/api-error.ts";
import { fetchFile } from "../../../lib/api/fetch-file.ts";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { fullName, useSession } from "../../accounts/use-session.ts";
import { PreviewDialog } from "../prepare/sending/preview-dialog.tsx";
import { mailingCalls } from "./mailing-frame.tsx";

type LinePreviewProps = {
  readonly mailingId: string;
  readonly template: Template;
  readonly line: number;
  readonly onClose: () => void;
};

/** The envelope that a line would become, as each of its people sees it. */
export function LinePreview({ mailingId, template, line, onClose }: LinePreviewProps) {
  const session = useSession();
  const { data, error } = useQuery({
    queryKey: ["mailing-rows", mailingId, "preview", line],
    queryFn: ({ signal }) => mailingCalls.preview(mailingId, line, signal),
  });
  const load = useCallback(
    async (position: string, signal: AbortSignal) => {
      const path = `/api/signature/templates/${template.id}/documents/${position}/file/`;
      return (await fetchFile(api, path, { signal })).arrayBuffer();
    },
    [template.id],
  );
  const giveUp = useEffectEvent((cause: Error) => {
    showToast("err", callMessage(cause, "L’aperçu n’a pas pu être préparé."));
    onClose();
  });
  useEffect(() => {
    if (error !== null) giveUp(error);
  }, [error]);
  if (data === undefined) return null;
  return (
    <PreviewDialog
      senderName={session.state === "member" ? fullName(session.user) : ""}
      draft={draftOf(data)}
      documents={template.documents.map(({ name, page_count }, index) => ({
        id: String(index),
        name,
        page_count,
      }))}
      load={load}
      start="0"
      onClose={onClose}
    />
  );
}

function draftOf({ title, message, deadline_at, recipients, fields }: MailingPreview) {
  return {
    title,
    message: message ?? "",
    deadline: deadline_at === null ? "" : parisDay(deadline_at),
    recipients: recipients.map(({ full_name, email, role }, index) => ({
      key: String(index),
      fullName: full_name,
      email,
      phoneNumber: null,
      role,
      rank: 1,
    })),
    fields: fields.map(({ document_index, recipient_index, ...field }, index) => ({
      ...field,
      key: String(index),
      documentId: String(document_index),
      recipientKey: String(recipient_index),
    })),
  };
}
