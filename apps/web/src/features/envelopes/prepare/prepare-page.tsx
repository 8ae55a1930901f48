import type { Envelope } from "@paraphe/contracts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useParams, useSearchParams } from "react-router";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { LinkButton } from "../../../ui/button/link-button.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { sessionQuery, useMayWork } from "../../accounts/use-session.ts";
import { DraftEditor } from "./draft-editor.tsx";
import { LaterNoEditor, preloadStep } from "./draft-step.tsx";
import { EditorSkeleton } from "./editor-skeleton.tsx";
import { envelopeCalls } from "./draft/envelope-calls.ts";
import { dropEdits, takeOverEdits } from "./draft/kept-edits.ts";
import { settleLeft } from "./draft/left-drafts.ts";
import { stepOfSlug } from "./steps.ts";

/** Loads the chunk of the addressed step before the session is known. */
export function preloadAddressed({ search }: Pick<Location, "search">): void {
  preloadStep(stepOfSlug(new URLSearchParams(search).get("etape")));
}

/** The first file gives the id; the address changes so that a reload finds it. */
export function PreparePage() {
  const { id } = useParams();
  const named = id ?? null;
  // Its id in the address must not mount the editor again.
  const [made, setMade] = useState<string | null>(null);
  const [instance, setInstance] = useState(0);
  const mayWork = useMayWork();
  const before = useRef(named);
  useEffect(() => {
    // « Demander signature » pressed on a new envelope: another new one.
    if (before.current !== null && named === null) {
      setInstance((count) => count + 1);
      setMade(null);
    }
    before.current = named;
  }, [named]);
  if (!mayWork) return <LaterNoEditor envelope={null} />;
  if (named === null || named === made)
    return <DraftEditor key={instance} initial={null} onCreated={setMade} />;
  return <ExistingDraft key={named} id={named} />;
}

const envelopeKey = (id: string) => ["prepare", id] as const;

function ExistingDraft({ id }: { id: string }) {
  const client = useQueryClient();
  const step = stepOfSlug(useSearchParams()[0].get("etape"));
  // Read once: the keeper has the draft and its version from then on.
  const query = useQuery({
    queryKey: envelopeKey(id),
    queryFn: () => openDraft(client.getQueryData(sessionQuery.queryKey)?.id ?? "", id),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const [opened, setOpened] = useState<Envelope | null>(null);
  useEffect(() => {
    if (query.data && !query.isFetching && !opened) setOpened(query.data);
  }, [query.data, query.isFetching, opened]);
  useEffect(() => () => client.removeQueries({ queryKey: envelopeKey(id) }), [client, id]);
  if (query.error) return <DraftError error={query.error} onRetry={() => void query.refetch()} />;
  if (!opened) return <EditorSkeleton step={step} />;
  if (opened.status !== "draft") return <LaterNoEditor envelope={opened} />;
  return <DraftEditor initial={opened} onCreated={() => undefined} />;
}

/** Edits of an envelope that is no longer a draft are dropped. */
async function openDraft(owner: string, id: string): Promise<Envelope> {
  await settleLeft(owner, id);
  try {
    const envelope = await envelopeCalls.load(id);
    if (envelope.status === "draft") await takeOverEdits(owner, id);
    else dropEdits(owner, id);
    return envelope;
  } catch (error) {
    if (isGone(error)) dropEdits(owner, id);
    throw error;
  }
}

function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

function DraftError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const wasDeleted = isGone(error);
  return (
    <main className="main main--form stack" id="contenu">
      <PageHeading title="Brouillon">Brouillon</PageHeading>
      <Alert
        tone="danger"
        title={
          wasDeleted
            ? "Ce brouillon n’existe plus."
            : callMessage(error, "Impossible de charger les informations du document")
        }
      >
        <div className="row">
          {wasDeleted ? null : <Button onClick={onRetry}>Réessayer</Button>}
          <LinkButton to="/signature/envelopes/drafts">Retour aux brouillons</LinkButton>
        </div>
      </Alert>
    </main>
  );
}
