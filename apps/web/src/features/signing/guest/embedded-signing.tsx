import type { GuestEnvelope } from "@paraphe/contracts";
import type { OpenedEmbed } from "@paraphe/contracts/programs/embed";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { BrowserRouter } from "react-router";
import { api } from "../../../lib/api/api.ts";
import { callMessage } from "../../../lib/api/api-error.ts";
import { Button } from "../../../ui/button/button.tsx";
import { FullLoader } from "../../../ui/skeleton/skeleton.tsx";
import { type RequestStanding, requestStanding } from "../request-standing.ts";
import { guestCalls } from "../signing-calls.ts";
import { StandingPanel } from "../standing-panel.tsx";
import { GuestHead } from "./guest-parts.tsx";
import { frame, store, storeGuestToken } from "./guest-sign-page.tsx";

type FrameEvent = "ready" | "signed" | "declined" | "closed";

function eventOf(standing: RequestStanding | "signed" | null): FrameEvent | null {
  if (standing === "signed" || standing?.kind === "signed") return "signed";
  if (standing?.kind === "open") return "ready";
  if (standing?.kind !== "closed") return null;
  return standing.isDeclined ? "declined" : "closed";
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
  const [end, setEnd] = useState<FrameEvent | null>(null);
  const told = useRef<FrameEvent | null>(null);
  const { data: opened, error } = useQuery({
    queryKey: ["embedded", ticket],
    queryFn: () => open(id, ticket),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const tell = (type: FrameEvent | null) => {
    if (opened === undefined || type === null || type === told.current) return;
    told.current = type;
    globalThis.parent.postMessage({ source: "paraphe", type, envelope: id }, opened.origin);
    if (type === "signed" || type === "declined") setEnd(type);
  };
  // Before the effects of the page within, which show its standing.
  useLayoutEffect(() => {
    frame.shows = (standing) => tell(eventOf(standing));
  });
  if (opened === undefined)
    return (
      <>
        <GuestHead />
        <main id="contenu">
          {error === null ? (
            <FullLoader label="Chargement de la demande" />
          ) : (
            <StandingPanel
              standing={{
                kind: "closed",
                title: "Adresse déjà ouverte",
                text: callMessage(error, "La demande n’a pas pu être ouverte. Rechargez la page."),
              }}
            />
          )}
        </main>
      </>
    );
  return (
    <>
      {keepsCookies() ? (
        <BrowserRouter basename={basenameOf(id, ticket)}>{children}</BrowserRouter>
      ) : (
        <InWindow {...{ id }} token={opened.token} />
      )}
      {end !== null && <WayBack opened={opened} onBack={() => tell("closed")} />}
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
  const { data: request } = useQuery({
    queryKey: ["embedded-window", id],
    queryFn: async ({ signal }) => (await guestCalls(id, token).load(signal)) as GuestEnvelope,
    refetchInterval: WINDOW_POLL_MS,
    refetchIntervalInBackground: true,
  });
  const standing = request === undefined ? null : requestStanding(request);
  useEffect(() => frame.shows(standing));
  return (
    <>
      <GuestHead title={request?.title} />
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
