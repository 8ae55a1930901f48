import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useLocation, useSearchParams } from "react-router";
import { useServiceRules } from "../../../lib/api/service-rules.ts";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { LegalLinks } from "../../privacy/legal/legal-links.tsx";
import { DownloadButton } from "../download-button.tsx";
import { subjectOf } from "../request-standing.ts";
import { guestCalls } from "../signing-calls.ts";
import { StandingPanel } from "../standing-panel.tsx";
import { annulledStanding, SuccessFrame, readSignedState } from "../success-frame.tsx";
import { GuestHead } from "./guest-parts.tsx";
import { frame, takeGuestToken } from "./guest-sign-page.tsx";

export function GuestSuccessPage() {
  const [search] = useSearchParams();
  const state = readSignedState(useLocation().state);
  const id = state.id ?? search.get("id");
  // Removes the token from this address too.
  const [token] = useState(() => (id ? takeGuestToken(id, window) : null));
  const query = useQuery({
    queryKey: ["guest-signed", id],
    enabled: Boolean(id && token),
    retry: (count, error) => count < 1 && annulledStanding({ data: undefined, error }) === null,
    queryFn: ({ signal }) => guestCalls(id ?? "", token ?? "").load(signal),
  });
  const annulled = annulledStanding(query);
  const isAnnulled = annulled !== null;
  useEffect(() => {
    if (query.isError && !isAnnulled)
      showToast("err", "Impossible de charger les informations du document");
  }, [query.isError, isAnnulled]);
  useEffect(() => frame.shows(annulled ?? "signed"));
  const { mail } = useServiceRules();
  const progress = query.data?.progress;
  const title = query.data?.title ?? state.title;
  const count = query.data?.documents?.length ?? 1;
  const isLast = progress !== undefined && progress.signed >= progress.total;
  if (annulled !== null)
    return (
      <>
        <GuestHead />
        <main id="contenu">
          <StandingPanel standing={annulled} subject={subjectOf(query)}>
            <LegalLinks newTab />
          </StandingPanel>
        </main>
      </>
    );
  return (
    <>
      <GuestHead />
      <SuccessFrame heading="Signature réussie !">
        {title === null ? null : <p className="break">{`«\u00a0${title}\u00a0»`}</p>}
        <p className="ink2">
          {isLast
            ? `Tous les signataires ont signé. ${mail ? "Vous recevez l’exemplaire définitif par email" : "Téléchargez l’exemplaire définitif"}.`
            : `${mail ? "Vous recevrez l’exemplaire définitif par email" : "Votre lien donnera l’exemplaire définitif"} quand tous les signataires auront signé${progress ? ` (${progress.signed}\u00a0sur\u00a0${progress.total})` : ""}.`}
        </p>
        {id && token ? (
          <DownloadButton
            id={id}
            token={token}
            title={query.data?.title ?? null}
            onRefused={async () => annulledStanding(await query.refetch()) !== null}
            label={`Télécharger ${count > 1 ? `les ${count}\u00a0documents signés` : "le document signé"}`}
          />
        ) : null}
        <p className="muted">Vous pouvez fermer cette page.</p>
        <LegalLinks newTab />
      </SuccessFrame>
    </>
  );
}
