import type { SignPage as SignPageAnswer } from "@paraphe/contracts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { useNavigate, useParams, useSearchParams } from "react-router";
import { ApiError } from "../../lib/api/api-error.ts";
import { ViewerSkeleton } from "../../pdf/viewer-skeleton.tsx";
import { LinkButton } from "../../ui/button/link-button.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { lazyPart } from "../../ui/lazy-step/lazy-step.tsx";
import { FullLoader, Skeleton } from "../../ui/skeleton/skeleton.tsx";
import { showToast } from "../../ui/toast/toast-store.ts";
import { sessionQuery } from "../accounts/use-session.ts";
import { LaterExtension } from "./desk/later-parts.tsx";
import { SigningDesk } from "./desk/signing-desk.tsx";
import { createDeskMemory } from "./desk/use-desk.ts";
import { DownloadButton } from "./download-button.tsx";
import { useSavedMarks } from "./marks/use-saved-signatures.ts";
import {
  type RequestStanding,
  type RequestSubject,
  declinedStanding,
  refusalDetail,
  standingOf,
  subjectOf,
  useClosedElsewhere,
} from "./request-standing.ts";
import type { SignOutcome } from "./sign-outcome.ts";
import { type SigningCalls, memberCalls } from "./signing-calls.ts";
import styles from "./signing-desk.module.css";
import headStyles from "./signing-head.module.css";

const LaterDelegation = lazyPart(
  async () => (await import("./desk/delegation-banner.tsx")).DelegationBanner,
  <section aria-label="Délégation">&nbsp;</section>,
);

/** Seldom needed. */
const LaterStanding = lazyPart(
  async () => (await import("./standing-panel.tsx")).StandingPanel,
  <FullLoader label="Ouverture du document" />,
);

const LaterConfirmation = lazyPart(
  async () => (await import("./confirm-address.tsx")).ConfirmAddress,
  <FullLoader label="Confirmation de votre adresse" />,
);

const LaterPersonInput = lazyPart(
  async () => (await import("../envelopes/prepare/recipients/person-input.tsx")).PersonInput,
  null,
);

const SEALING_POLL_MS = 1_500;
const ACTION_REQUIRED = "/signature/envelopes/action-required";

function isAddressUnconfirmed(error: unknown): boolean {
  return error instanceof ApiError && error.code === "address_unconfirmed";
}

const UNKNOWN: RequestStanding = {
  kind: "closed",
  title: "Document introuvable",
  text: "Ce document n’existe pas, ou il ne vous est pas adressé.",
};

/** Adds what only a delegate meets, which a guest's page does not load. */
function memberStanding(query: ReturnType<typeof useRequest>): RequestStanding | null {
  const { error } = query;
  if (!(error instanceof ApiError) || error.code !== "delegation_over")
    return standingOf(query, UNKNOWN);
  return {
    kind: "waiting",
    title: "Cette délégation vient de se terminer",
    text: String(refusalDetail(error, "explanation")),
  };
}

export function SignPage() {
  const { id = "" } = useParams();
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const calls = useMemo(() => ({ ...memberCalls(id), PersonInput: LaterPersonInput }), [id]);
  const memory = useRef(createDeskMemory());
  const query = useRequest(id, calls);
  const signatures = useSavedMarks();
  const [ended, setEnded] = useState<RequestStanding | null>(null);
  const request = query.data;
  const standing = ended ?? memberStanding(query);
  const isShown = request !== undefined && standing?.kind === "open";
  useClosedElsewhere({
    calls,
    recipientId: isShown ? request.recipient.id : null,
    readAgain: query.refetch,
  });
  useEffect(() => {
    // Optional: a failure is not shown.
    if (isShown) calls.view().catch(() => {});
  }, [calls, isShown]);
  useRefreshedLists();

  if (isAddressUnconfirmed(query.error))
    return <UnconfirmedRequest id={id} readAgain={query.refetch} />;
  const under = search.has("token") ? "nothing" : "top-bar";
  if (!standing) return <DeskSkeleton under={under} />;
  if (standing.kind !== "open" || !request)
    return (
      <ClosedRequest
        {...{ id, standing, calls }}
        subject={subjectOf(query)}
        onRetry={() => void query.refetch()}
      />
    );
  const onOutcome = (outcome: SignOutcome) => {
    if (outcome.kind === "reload") {
      if (outcome.message) showToast("info", outcome.message);
      void query.refetch();
    }
    if (outcome.kind === "ended") setEnded(outcome.standing);
  };
  return (
    <SigningDesk
      key={request.documents.map((document) => document.sha256).join()}
      request={request}
      calls={calls}
      memory={memory.current}
      savedMarks={signatures.marks}
      guest={null}
      onSaveMark={signatures.save}
      lead={<LeaveLink />}
      banner={request.delegation && <LaterDelegation request={request} />}
      under={under}
      onSigned={() =>
        void navigate("/signature/success", { replace: true, state: signedState(id, request) })
      }
      onDeclined={() => setEnded(declinedStanding(request.recipient.role))}
      onOutcome={onOutcome}
    />
  );
}

function signedState(
  id: string,
  { title, recipient }: Pick<SignPageAnswer, "title" | "recipient">,
) {
  return { id, title, recipientId: recipient.id };
}

function LeaveLink() {
  return (
    <LinkButton to={ACTION_REQUIRED} variant="ghost" square aria-label="Quitter la signature">
      <Icon name="chevron-left" />
    </LinkButton>
  );
}

/** Reads this user's lists and counts again on leaving, because they have changed. */
function useRefreshedLists(): void {
  const client = useQueryClient();
  useEffect(
    () => () =>
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" }),
    [client],
  );
}

/** Nothing of the request is shown before the address is confirmed. */
function UnconfirmedRequest({ id, readAgain }: { id: string; readAgain: () => Promise<unknown> }) {
  const client = useQueryClient();
  const onConfirmed = async () => {
    await readAgain();
    await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
  return (
    <main id="contenu">
      <LaterConfirmation envelopeId={id} onConfirmed={onConfirmed} />
    </main>
  );
}

/** Read once, except during sealing: documents may not change while they are read. */
function useRequest(id: string, calls: SigningCalls) {
  return useQuery({
    queryKey: ["sign-page", id],
    queryFn: ({ signal, client, queryKey }) => {
      const shown = client.getQueryData<SignPageAnswer>(queryKey);
      // A delegate's own part says nothing of an ended delegation, so the shown part is read.
      const recipientId = shown?.delegation && shown.recipient.id;
      return calls.load(signal, recipientId) as Promise<SignPageAnswer>;
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) =>
      state.data?.recipient.status === "sealing" ? SEALING_POLL_MS : false,
  });
}

type ClosedRequestProps = {
  readonly id: string;
  readonly standing: RequestStanding;
  readonly subject: RequestSubject | null;
  readonly calls: SigningCalls;
  readonly onRetry: () => void;
};

function ClosedRequest({ id, standing, subject, calls, onRetry }: ClosedRequestProps) {
  const userId = useQueryClient().getQueryData(sessionQuery.queryKey)?.id ?? "";
  return (
    <main id="contenu">
      {standing.kind === "open" ? null : (
        <LaterStanding {...{ standing, subject, onRetry }}>
          {standing.kind === "signed" ? (
            <DownloadButton
              id={id}
              title={subject?.title ?? null}
              label="Télécharger le document"
            />
          ) : null}
          {"isLate" in standing && (
            <LaterExtension asker={{ envelopeId: id, recipient: userId }} calls={calls} />
          )}
          <LinkButton to={ACTION_REQUIRED}>Action requise</LinkButton>
        </LaterStanding>
      )}
    </main>
  );
}

export function DeskSkeleton({ under }: { readonly under: "top-bar" | "nothing" }) {
  return (
    <div className={styles.desk} data-under={under} data-mode="pages">
      <div className={headStyles.head}>
        <Skeleton width={40} height={40} />
        <div className={headStyles.title}>
          <Skeleton width="60%" height={16} />
          <Skeleton width="40%" />
        </div>
      </div>
      <main className={styles.main} id="contenu">
        <div className={styles.reading}>
          <ViewerSkeleton label="Ouverture du document" />
        </div>
        <div className={`${styles.side} ge-rail`} />
      </main>
      <div className={`${styles.dock} lt-rail`}>
        <Skeleton width="50%" height={24} />
        <Skeleton width="100%" height={48} />
      </div>
    </div>
  );
}
