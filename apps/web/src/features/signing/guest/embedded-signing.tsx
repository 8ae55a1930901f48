import type { GuestEnvelope } from "@paraphe/contracts";
import type { OpenedEmbed } from "@paraphe/contracts/programs/embed";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { BrowserRouter } from "react-router";
import { api } from "../../../lib/api/api.ts";
import { ApiError } from "../../../lib/api/api-error.ts";
import { Button } from "../../../ui/button/button.tsx";
import { FullLoader } from "../../../ui/skeleton/skeleton.tsx";
import { failedStanding, type RequestStanding, standingOf } from "../request-standing.ts";
import { guestCalls } from "../signing-calls.ts";
import { StandingPanel } from "../standing-panel.tsx";
import { GuestHead } from "./guest-parts.tsx";
import { INVALID_LINK, frame, store, storeGuestToken } from "./guest-sign-page.tsx";

type FrameEvent =
  | { readonly type: "ready" | "signed" | "declined" }
  | { readonly type: "closed"; readonly reason: "embed_over" | "not_your_turn" | "over" | "left" };

function eventOf(standing: RequestStanding | "signed" | null): FrameEvent | null {
  if (standing === "signed" || standing?.kind === "signed") return { type: "signed" };
  if (standing?.kind === "open") return { type: "ready" };
  if (standing?.kind === "waiting")
    return { type: "closed", reason: "isInAccount" in standing ? "over" : "not_your_turn" };
  if (standing?.kind !== "closed") return null;
  if (standing.isDeclined) return { type: "declined" };
  return { type: "closed", reason: standing.isSpent ? "embed_over" : "over" };
}

/** Of an address that does not open. */
function eventOfError(error: Error): FrameEvent | null {
  const code = error instanceof ApiError ? error.code : undefined;
  if (code !== "embed_over" && code !== "not_your_turn") return null;
  return { type: "closed", reason: code };
}

const WINDOW_POLL_MS = 3_000;

type Props = {
  readonly id: string;
  /** Opens once. */
  readonly ticket: string;
  readonly children: ReactNode;
};

/** The guest's page within another site's, which is told what happens. */
export function EmbeddedSigning({ id, ticket, children }: Props) {
  const [isEnded, setEnded] = useState(false);
  const told = useRef("");
  const {
    data: opened,
    error,
    refetch,
  } = useQuery({
    queryKey: ["embedded", ticket],
    queryFn: () => open(id, ticket),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const tell = (event: FrameEvent | null) => {
    const words = JSON.stringify(event);
    if (event === null || words === told.current) return;
    told.current = words;
    // A page that did not open knows its site by `frame-ancestors` alone.
    globalThis.parent.postMessage(
      { source: "paraphe", ...event, envelope: id },
      opened?.origin ?? "*",
    );
    if (event.type === "signed" || event.type === "declined") setEnded(true);
  };
  // Before the effects of the page within, which show its standing.
  useLayoutEffect(() => {
    frame.shows = (standing) => tell(eventOf(standing));
  });
  useEffect(() => {
    if (error !== null) tell(eventOfError(error));
  });
  if (opened === undefined) {
    const standing = error === null ? null : failedStanding(error, INVALID_LINK);
    return (
      <>
        <GuestHead />
        <main id="contenu">
          {standing === null || standing.kind === "open" ? (
            <FullLoader label="Chargement de la demande" />
          ) : (
            <StandingPanel {...{ standing }} onRetry={() => void refetch()} />
          )}
        </main>
      </>
    );
  }
  return (
    <>
      {keepsCookies() ? (
        <BrowserRouter basename={basenameOf(id, ticket)}>{children}</BrowserRouter>
      ) : (
        <InWindow {...{ id }} token={opened.token} />
      )}
      {isEnded && (
        <WayBack opened={opened} onBack={() => tell({ type: "closed", reason: "left" })} />
      )}
    </>
  );
}

/** All addresses stay below the frame's own: a reload may show them there. */
const basenameOf = (id: string, ticket: string) => `/sign/${id}/embed/${ticket}`;

async function open(id: string, ticket: string): Promise<OpenedEmbed> {
  const opened = await openOnce(id, ticket);
  storeGuestToken(id, opened.token);
  const basename = basenameOf(id, ticket);
  if (location.pathname === `${basename}/`)
    history.replaceState(null, "", `${basename}/sign/${id}`);
  return opened;
}

/** A reload of the frame goes on with what the address opened. */
async function openOnce(id: string, ticket: string): Promise<OpenedEmbed> {
  const key = `paraphe.embedded.${ticket}`;
  const known = store(() => sessionStorage.getItem(key));
  if (known !== null) return JSON.parse(known) as OpenedEmbed;
  const opened = await api.post<OpenedEmbed>(`/api/signature/envelopes/${id}/open-embed/`, {
    signatureToken: ticket,
  });
  store(() => sessionStorage.setItem(key, JSON.stringify(opened)));
  return opened;
}

const PROBE = "__Host-paraphe_probe";

/** Whether the confirmed code's cookie would stay (CHIPS). */
function keepsCookies(): boolean {
  const flags = "Path=/; Secure; SameSite=None; Partitioned";
  document.cookie = `${PROBE}=1; ${flags}`;
  const works = document.cookie.includes(PROBE);
  document.cookie = `${PROBE}=; Max-Age=0; ${flags}`;
  return works;
}

/** Where the frame keeps no cookie: a window signs, this page follows. */
function InWindow({ id, token }: { readonly id: string; readonly token: string }) {
  const query = useQuery({
    queryKey: ["embedded-window", id],
    queryFn: async ({ signal }) => (await guestCalls(id, token).load(signal)) as GuestEnvelope,
    refetchInterval: WINDOW_POLL_MS,
    refetchIntervalInBackground: true,
  });
  const standing = standingOf(query, INVALID_LINK);
  useEffect(() => frame.shows(standing));
  return (
    <>
      <GuestHead title={query.data?.title} />
      <main id="contenu">
        <StandingPanel
          standing={standing === null || standing.kind === "open" ? IN_WINDOW : standing}
        >
          {standing?.kind === "open" && (
            <Button
              variant="primary"
              onClick={() => globalThis.open(`/sign/${id}?token=${token}`, "_blank")}
            >
              Ouvrir la fenêtre
            </Button>
          )}
        </StandingPanel>
      </main>
    </>
  );
}

const IN_WINDOW: Exclude<RequestStanding, { kind: "open" }> = {
  kind: "waiting",
  title: "Signez dans une fenêtre",
  text: "Votre navigateur n’accepte aucun cookie dans cette page. Le document s’ouvre dans une fenêtre à part, et cette page suit ce que vous y faites.",
};

type WayBackProps = { readonly opened: OpenedEmbed; readonly onBack: () => void };

function WayBack({ opened, onBack }: WayBackProps) {
  const site = new URL(opened.origin).host;
  return (
    <nav style={{ padding: "var(--space-4)", textAlign: "center" }} aria-label="Retour au site">
      {opened.return_url === null ? (
        <Button onClick={onBack}>Revenir à {site}</Button>
      ) : (
        <a href={opened.return_url} target="_top">
          Revenir à {site}
        </a>
      )}
    </nav>
  );
}
